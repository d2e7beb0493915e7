//! `qcrs merge`

use std::path::PathBuf;

/// What was typed after `qcrs merge`.
#[derive(clap::Args)]
pub struct MergeArgs {
    /// Run directories with shards of one run
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The new directory
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
}

/// Joins the shards.
pub fn run(args: &MergeArgs) -> anyhow::Result<()> {
    let stored = qcrs::run::merge(&args.runs, &args.into)?;
    let (have, owed) = (stored.records.len(), stored.spec.selection.len());
    let into = args.into.display();
    let state =
        if have == owed { "complete" } else { "incomplete until all shards are merged into a new directory" };
    crate::output::print(&format!("{into}: {have} of {owed} inputs, {state}; next: qcrs report {into}"))
}
