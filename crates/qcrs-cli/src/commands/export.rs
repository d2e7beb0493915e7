//! `qcrs export`

use crate::output::{print, say, write_file};
use anyhow::ensure;
use qcrs::run::{self, Depth};
use std::path::PathBuf;

/// What was typed after `qcrs export`.
#[derive(clap::Args)]
pub struct ExportArgs {
    /// The run directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Leave out the seconds per input, which say nothing if the machine did other things as well
    #[arg(long)]
    no_times: bool,
    /// Write the file here instead of to stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Writes every answer of a run below its settings.
pub fn run(args: &ExportArgs) -> anyhow::Result<()> {
    let mut stored = run::read(&args.run, Depth::Verdicts)?;
    let (have, owed) = (stored.records.len(), stored.spec.selection.len());
    ensure!(have > 0, "{}: no input is certified yet, so there is nothing to export", args.run.display());
    if have < owed {
        say!("{}: only {have} of {owed} inputs are done; the file says so too", args.run.display());
    }
    if args.no_times {
        stored.timings.clear();
    }
    let text = run::answers_file(&stored)?;
    match &args.out {
        Some(path) => write_file(path, &text),
        None => print(text.trim_end()),
    }
}
