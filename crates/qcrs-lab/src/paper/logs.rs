//! `qcrs paper logs`: what do the published result files say by themselves?

mod accuracy;
mod by_class;
mod contents;
mod find;
mod gains;
mod known;
mod log;
mod traps;

use super::keep;
use super::methods::figure;
use crate::output::{print, terminal};
use find::FoundLogs;
use gains::LogPair;
use log::PublishedLog;
use qcrs::analysis::{Analysis, Options};
use qcrs::report::Sheet;
use std::path::PathBuf;

/// What was typed after `qcrs paper logs`.
#[derive(clap::Args)]
pub struct LogsArgs {
    /// A folder with the published result files, such as clones of github.com/ntuaislab/QCRS and
    /// github.com/locuslab/smoothing
    #[arg(value_name = "FOLDER")]
    logs: PathBuf,
    /// Where tables, figures and the page are kept
    #[arg(long, default_value = "paper", value_name = "DIR")]
    dir: PathBuf,
}

/// Finds the logs and writes every table that they allow.
pub fn run(args: &LogsArgs) -> anyhow::Result<()> {
    let mut found = find::find(&args.logs)?;
    let tables = std::mem::take(&mut found.tables);
    let logs = PublishedLog::all(tables)?;
    let sheet = sheet(&found, &logs)?;
    print(&sheet.text(terminal().width))?;
    keep(&args.dir, "logs", &sheet)
}

fn sheet(found: &FoundLogs, logs: &[PublishedLog]) -> anyhow::Result<Sheet> {
    let pairs = LogPair::all(logs)?;
    let mut tables = vec![contents::files(logs), contents::acrs(logs)?, accuracy::accuracy(logs)?];
    for log in logs {
        tables.extend(by_class::sigmas(log)?);
        tables.extend(by_class::by_level(log));
    }
    tables.extend(gains::gains(&pairs)?);
    for pair in &pairs {
        tables.extend(gains::by_class(pair));
        tables.extend(gains::losers(pair));
    }
    tables.extend(traps::cells(logs));
    tables.extend(contents::refused(found));
    let analysis = Analysis::new(logs.iter().map(|log| log.table.clone()).collect(), &Options::default())?;
    let histograms = logs.iter().filter_map(traps::histogram);
    let figures = std::iter::once(figure(&analysis)?).chain(histograms).map(Into::into).collect();
    let mut warnings = traps::traps(logs);
    warnings.push(format!(
        "σ, n and α are read off the radii: these can only be σΦ⁻¹ of the Clopper-Pearson bounds of k of n votes. Gains are \
         paired; brackets are 95 % intervals over the choice of images. Files in the folder that are no result files: {}.",
        found.others
    ));
    Ok(Sheet { title: "From the published logs".into(), warnings, figures, tables })
}
