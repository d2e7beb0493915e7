//! How well does a training progress? Its curve, drawn from the log.

use super::finish;
use anyhow::Result;
use qcrs_train::curve::{Course, PAGE, SVG};
use qcrs_train::log;
use qcrs_train::train::LOG;
use std::path::Path;

/// Writes figures and page of the training in `folder`, finished or not.
pub fn draw_again(folder: &Path) -> Result<()> {
    let spec = finish::spec(folder)?;
    let epochs = log::read(&folder.join(LOG))?;
    Course { data: &spec.data, settings: &spec.settings, epochs: &epochs }.write(folder)?;
    for name in [SVG, PAGE] {
        println!("{}", folder.join(name).display());
    }
    Ok(())
}
