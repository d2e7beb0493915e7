//! What was each run asked: which method, model, data, σ and draws?

use super::format::brief;
use super::grid::{Cell, TextGrid};
use super::words::title;
use crate::analysis::{Analysis, Summary};

/// A part of the question: its name, and what it is in a run.
type Part = (&'static str, fn(&Summary) -> Option<String>);

const PARTS: [Part; 8] = [
    ("method", |run| run.method.map(str::to_owned)),
    ("model", |run| run.model.clone()),
    ("data", |run| run.data.clone()),
    ("σ", |run| run.sigma.map(sigma)),
    ("n", |run| run.n.map(|n| n.to_string())),
    ("α", |run| run.alpha.map(|alpha| alpha.to_string())),
    ("guarantee", |run| Some(run.guarantee.to_owned())),
    ("inputs", |run| Some(run.inputs.to_string())),
];

/// One σ, or the ends of a region.
fn sigma([low, high]: [f64; 2]) -> String {
    if low.total_cmp(&high).is_eq() { brief(low) } else { format!("{}–{}", brief(low), brief(high)) }
}

/// What all runs have in common, in one line: "model net.onnx, data toys, n 1000". Empty if that is nothing.
pub fn common(analysis: &Analysis) -> String {
    let shared = PARTS.iter().filter(|(_, of)| is_shared(analysis, *of));
    let said = |(name, of): &Part| Some(format!("{name} {}", of(analysis.summaries.first()?)?));
    shared.filter_map(said).collect::<Vec<_>>().join(", ")
}

/// In what the runs differ, a row for each; `None` where they do not.
pub fn table(analysis: &Analysis) -> Option<TextGrid> {
    let parts: Vec<&Part> = PARTS.iter().filter(|(_, of)| !is_shared(analysis, *of)).collect();
    let head = std::iter::once("run").chain(parts.iter().map(|(name, _)| *name)).map(String::from).collect();
    let row = |run: &Summary| {
        let cells = parts.iter().map(|(_, of)| Cell::new(of(run).unwrap_or_else(|| "–".into())));
        std::iter::once(Cell::new(title(run))).chain(cells).collect()
    };
    let rows = analysis.summaries.iter().map(row).collect();
    (!parts.is_empty()).then(|| TextGrid { caption: "Runs".into(), head, rows, crowded: false })
}

/// Whether a part is the same in all runs; it may be unknown in all of them.
fn is_shared(analysis: &Analysis, of: fn(&Summary) -> Option<String>) -> bool {
    analysis.summaries.windows(2).all(|pair| of(&pair[0]) == of(&pair[1]))
}
