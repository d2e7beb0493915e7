//! How many images are certified at each radius? (Table 3)

use super::contents::ALPHA;
use super::log::{LogMethod, PublishedLog};
use crate::paper::published::{ACCURACY, PaperData, RADII};
use qcrs::analysis::{Summary, Table};
use qcrs::report::SheetTable;
use qcrs::report::format::down;
use qcrs::types::Alpha;

/// Every log at its own ids; the searches also at the ids of a baseline and at those of the paper's grid; and the
/// baselines at the paper's α.
pub fn accuracy(logs: &[PublishedLog]) -> anyhow::Result<SheetTable> {
    let radii = RADII.iter().map(ToString::to_string);
    let head = ["log".to_owned(), "images".to_owned()].into_iter().chain(radii).collect();
    let caption = "Certified accuracy by radius (Table 3)".into();
    let mut sheet = SheetTable { caption, head, rows: Vec::new() };
    for log in logs {
        for table in parts(log)? {
            let shares = Summary::new(&table, &RADII)?.certified_accuracy;
            let shares = shares.iter().map(|(_, share)| down(share.value, 4));
            sheet.rows.push([table.name, table.rows.len().to_string()].into_iter().chain(shares).collect());
        }
        if let Some(shares) = of_the_paper(log) {
            let shares = shares.iter().map(|share| format!("{share:.2}"));
            sheet.rows.push(["paper".into(), String::new()].into_iter().chain(shares).collect());
        }
    }
    Ok(sheet)
}

/// The log itself and what the paper compares it with.
fn parts(log: &PublishedLog) -> anyhow::Result<Vec<Table>> {
    let mut parts = vec![log.table.clone()];
    match (&log.made, log.ids.step) {
        (LogMethod::Search { .. }, Some(1)) => {
            parts.extend([20, 50].map(|step| {
                log.table.only(&format!("… ids divisible by {step}"), |id| id.is_multiple_of(step))
            }));
        }
        (LogMethod::OneSigma(_), _) if log.lattice().is_some_and(|lattice| lattice.alpha.get() > ALPHA) => {
            let strict = log.at_alpha(Alpha::new(ALPHA)?)?;
            parts.extend(strict.map(|strict| Table { name: format!("… at α = {ALPHA}"), ..strict }));
        }
        _ => {}
    }
    Ok(parts)
}

/// The paper has this table for one network only.
fn of_the_paper(log: &PublishedLog) -> Option<[f64; 9]> {
    let method = match (&log.made, log.data?) {
        (LogMethod::OneSigma(sigma), PaperData::Cifar10) if (sigma - 0.5).abs() < 1e-9 => "cohen",
        (LogMethod::Search { preset: "cifar10-0.50", .. }, _) => "qcrs",
        _ => return None,
    };
    ACCURACY.iter().find(|(name, _)| *name == method).map(|(_, shares)| *shares)
}
