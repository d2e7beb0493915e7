//! `qcrs verify FILE.tsv`: does a published file follow from its own columns?

use crate::output::{print, terminal};
use anyhow::{Context, bail};
use qcrs::analysis::{TsvCheck, TsvColumn, TsvSettings, check_tsv};
use qcrs::text::paragraph;
use std::path::Path;

/// Rows that are named one by one.
const NAMED: usize = 20;

/// Recomputes what the columns allow, and fails if a row disagrees.
pub fn run(path: &Path, settings: &TsvSettings) -> anyhow::Result<()> {
    let here = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{here}: neither a run directory nor a result file"))?;
    let check = check_tsv(&here, &text, settings)?;
    print(&words(&here, &check))?;
    match check.wrong.len() {
        0 => Ok(()),
        1 => bail!("{here}: 1 row disagrees; {WHY}"),
        rows => bail!("{here}: {rows} rows disagree; {WHY}"),
    }
}

const WHY: &str = "is --alpha that of the file? radii of dsrs and of several certificates per input need the \
                   records of the run";

fn words(here: &str, check: &TsvCheck) -> String {
    let alpha = check.alpha.map_or_else(String::new, |alpha| format!(" at α = {}", alpha.get()));
    let done = |TsvColumn { name, from, rows, largest }: &TsvColumn| {
        let alpha = if from.starts_with("votes") || from.starts_with("n,") { alpha.as_str() } else { "" };
        let difference =
            if *largest > 0.0 { format!(" (largest difference {largest:.0e})") } else { String::new() };
        format!("{name}: recomputed from {from}{alpha} in {rows} of {} rows{difference}", check.rows)
    };
    let named = check.wrong.iter().take(NAMED);
    let named = named.map(|row| format!("line {}, input {}: {}", row.line, row.index, row.problem));
    let more = check.wrong.len().saturating_sub(NAMED);
    let lines = check.done.iter().map(done);
    let lines = lines.chain(check.left_out.iter().map(|why| format!("not recomputed: {why}"))).chain(named);
    let lines = lines.chain((more > 0).then(|| format!("and {more} more rows")));
    let all: String = lines.map(|line| paragraph(&line, terminal().width)).collect();
    let verdict = if check.wrong.is_empty() { format!("{here}: no row disagrees") } else { String::new() };
    all + &verdict
}
