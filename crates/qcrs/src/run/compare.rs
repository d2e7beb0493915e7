//! Are the records about these images?

use super::{Inputs, Record, Spec};
use crate::data::{Example, pixel_hash};
use crate::types::Error;
use rayon::prelude::*;

/// Fails at the first record whose label, file or pixels are not those of its input. A record that does not name
/// its pixels, as version 0.2 wrote them, is an error where `must_name_pixels`.
pub fn compare(
    spec: &Spec,
    records: &[Record],
    inputs: &Inputs<'_>,
    must_name_pixels: bool,
) -> Result<(), Error> {
    // the first in order, however many threads look
    let first = records.par_iter().find_map_first(|record| {
        let here = |source| Error::Input { index: record.index, source: Box::new(source) };
        same_input(spec, record, inputs, must_name_pixels).map_err(here).err()
    });
    first.map_or(Ok(()), Err)
}

fn same_input(spec: &Spec, record: &Record, inputs: &Inputs<'_>, must_name: bool) -> Result<(), Error> {
    let Example { pixels, label, file } = inputs(record.index)?;
    let label = match spec.one_class {
        Some(class) => label.map(|label| usize::from(label == class)),
        None => label,
    };
    let name = |label: Option<usize>| label.map_or("nothing".into(), |class| spec.class_name(class));
    let problem = match &record.pixels {
        _ if record.label != label => format!(
            "the record says {}, the data {}; the record was changed, or this is other data",
            name(record.label),
            name(label)
        ),
        _ if record.file.is_some() && record.file != file => format!(
            "the record is about the file {}, the data have {} here; the record was changed, or this is other data",
            record.file.as_deref().unwrap_or_default(),
            file.as_deref().unwrap_or("no file")
        ),
        Some(hash) if *hash != pixel_hash(&pixels) => {
            "the record is about another image than the data have; restore the data that the run began with, or begin \
             another run"
                .into()
        }
        None if must_name => "the record does not name its pixels, and the fingerprint of the data does not cover \
                              them; begin another run"
            .into(),
        _ => return Ok(()),
    };
    Err(Error::Invalid(problem))
}
