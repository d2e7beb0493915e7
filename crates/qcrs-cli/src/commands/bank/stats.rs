//! `qcrs bank stats`

use crate::output::{self, Format};
use qcrs::report::format::{down, up};
use qcrs_bank::{Bank, Stats};
use std::path::Path;

/// Prints what is in a bank.
pub fn run(dir: &Path, format: Format) -> anyhow::Result<()> {
    let stats = Bank::read(dir)?.stats();
    match format {
        Format::Text => output::print(&text(&stats)),
        Format::Json => output::print_json(&stats),
    }
}

fn text(stats: &Stats) -> String {
    let Stats { entries, answered, shape: [c, h, w], classifier, classes, radii, failure_probability, bytes } =
        stats;
    let classes: Vec<String> = classes.iter().map(|(class, count)| format!("{class}: {count}")).collect();
    let radii = radii.map_or("none".into(), |radii| radii.map(|radius| down(radius, 4)).join("  "));
    [
        format!("entries              {entries} of images {c}x{h}x{w}"),
        format!("answered             {answered} records of runs"),
        format!("belongs to           {}", classifier.as_deref().unwrap_or("no classifier yet")),
        format!("balls per class      {}", classes.join("  ")),
        format!("radii                {radii}  (minimum, quartiles, maximum)"),
        format!("any of them wrong    with probability at most {}", up(*failure_probability, 6)),
        format!("file                 {bytes} bytes"),
    ]
    .join("\n")
}
