//! What is in each file?

use super::find::FoundLogs;
use super::known::acr;
use super::log::{LogMethod, PublishedLog};
use crate::paper::words::{of_the_paper, percent, with_interval};
use anyhow::Context;
use qcrs::analysis::{IdRange, LatticeReading, RadiusLattice, Summary};
use qcrs::report::SheetTable;
use qcrs::types::Alpha;

/// The α of the paper.
pub const ALPHA: f64 = 0.001;

/// Rows, ids, σ, n and α.
pub fn files(logs: &[PublishedLog]) -> SheetTable {
    let head = &["log", "file", "rows", "ids", "σ", "n", "α", "rows that tell"];
    let mut table = SheetTable::new("The files, and what their rows tell".into(), head);
    for log in logs {
        let mut row = vec![
            log.name().to_owned(),
            log.file.clone(),
            log.ids.count.to_string(),
            ids(&log.ids),
            sigma(log),
        ];
        row.extend(read(&log.reading));
        table.rows.push(row);
    }
    table
}

fn ids(ids: &IdRange) -> String {
    let step = ids.step.filter(|step| *step > 1).map_or_else(String::new, |step| format!(", every {step}"));
    let missing = match ids.missing() {
        0 => String::new(),
        missing => format!("; {missing} of {} missing", ids.owed),
    };
    format!("{} to {}{step}{missing}", ids.first, ids.last)
}

fn sigma(log: &PublishedLog) -> String {
    match &log.made {
        LogMethod::OneSigma(sigma) => sigma.to_string(),
        LogMethod::Search { preset, cells } => format!("{} or where {preset} ends", cells.kept.sigma),
        LogMethod::Unknown => "unknown".into(),
    }
}

/// n, α and the number of radii that tell them.
fn read(reading: &LatticeReading) -> [String; 3] {
    match reading {
        LatticeReading::Found { lattice: RadiusLattice { n, alpha, .. }, rows } => {
            [n.to_string(), alpha.get().to_string(), rows.to_string()]
        }
        LatticeReading::Ambiguous(several) => {
            ["–".into(), format!("ambiguous: {} candidates", several.len()), "–".into()]
        }
        LatticeReading::Unknown => ["–".into(), "none fits".into(), "–".into()],
    }
}

/// Files that were not used, and why.
pub fn refused(found: &FoundLogs) -> Option<SheetTable> {
    let rows = found.refused.iter().map(|(name, why)| vec![name.clone(), why.clone()]).collect();
    let head = ["file", "why it is not used"].map(String::from).to_vec();
    (!found.refused.is_empty()).then_some(SheetTable {
        caption: "Files that were not used".into(),
        head,
        rows,
    })
}

/// ACR as printed and at the paper's α, and what is certified.
pub fn acrs(logs: &[PublishedLog]) -> anyhow::Result<SheetTable> {
    let head = &["log", "ACR", "paper", "ACR at α = 0.001", "paper, Table 4", "right", "wrong", "abstains"];
    let caption =
        "ACR as printed and at the α of the paper; shares that are certified right, certified wrong, and not";
    let mut table = SheetTable::new(caption.into(), head);
    for log in logs {
        let summary = Summary::new(&log.table, &[])?;
        let strict =
            log.at_alpha(Alpha::new(ALPHA)?)?.map(|strict| Summary::new(&strict, &[])).transpose()?;
        let [methods, training] = acr(log);
        let share =
            |share: Option<qcrs::analysis::WithInterval>| share.map_or_else(|| "–".into(), |s| percent(&s));
        table.rows.push(vec![
            log.name().to_owned(),
            with_interval(&summary.acr.context("the log has no labels")?),
            of_the_paper(methods),
            strict.and_then(|strict| strict.acr).map_or_else(|| "–".into(), |acr| with_interval(&acr)),
            of_the_paper(training),
            share(summary.right_certified),
            share(summary.wrong_certified),
            percent(&summary.abstained),
        ]);
    }
    Ok(table)
}
