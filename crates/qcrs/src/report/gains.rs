//! How is the gain of one run over another shown: as a whole, by label, and without the default class?

use super::format::{down, interval, p_value};
use super::grid::{Cell, TextGrid};
use super::metrics::{claim, optional};
use super::tables::CLASSES;
use super::words::title_of;
use crate::analysis::{Analysis, Gain, LabelGain, Paired, WithInterval};

/// Every run against the reference; `None` when there is nothing to compare.
pub fn pairs(analysis: &Analysis) -> Option<TextGrid> {
    let reference = &analysis.paired.first()?.a;
    let head = ["run", "difference", "gain, %", "ACR", "reference", "common inputs"];
    let head =
        head.into_iter().chain(["better", "equal", "worse", "sign test p"]).map(String::from).collect();
    let row = |p: &Paired| {
        vec![
            Cell::new(title_of(analysis, &p.b)),
            claim(p.difference),
            optional(p.gain, percent),
            Cell::new(down(p.acr_b, 4)),
            Cell::new(down(p.acr_a, 4)),
            Cell::new(p.common.to_string()),
            Cell::new(p.better.to_string()),
            Cell::new(p.equal.to_string()),
            Cell::new(p.worse.to_string()),
            Cell::new(p_value(p.sign_test)),
        ]
    };
    let caption = format!("ACR against {}, on the inputs that both runs have", title_of(analysis, reference));
    Some(TextGrid { caption, head, rows: analysis.paired.iter().map(row).collect(), crowded: false })
}

/// A share or a gain in percent, rounded down.
pub fn percent(gain: WithInterval) -> Cell {
    let gain = gain.in_percent();
    Cell { value: down(gain.value, 1), interval: interval(&gain, 1) }
}

/// The gain of every run without the inputs of the default class; `None` where there is no such class.
pub fn without_default(analysis: &Analysis) -> Option<TextGrid> {
    let reference = &analysis.paired.first()?.a;
    let head =
        ["run", "left out", "difference", "gain, %", "ACR", "reference", "inputs", "its part of the gain, %"];
    let row = |p: &Paired| {
        let without = p.without_default.as_ref()?;
        let part = p.by_label.iter().find(|label| label.class == without.class).and_then(|label| label.part);
        let mut cells = vec![Cell::new(title_of(analysis, &p.b)), Cell::new(without.name.clone())];
        cells.extend(gain(&without.gain));
        cells.push(part_in_percent(part));
        Some(cells)
    };
    let rows: Vec<Vec<Cell>> = analysis.paired.iter().filter_map(row).collect();
    let caption = format!(
        "The same without the inputs labelled with the default class, against {}",
        title_of(analysis, reference)
    );
    let head = head.map(String::from).to_vec();
    (!rows.is_empty()).then_some(TextGrid { caption, head, rows, crowded: false })
}

/// The gain of every run on each label, for runs with few enough.
pub fn by_label(analysis: &Analysis) -> Vec<TextGrid> {
    let head = ["label", "difference", "gain, %", "ACR", "reference", "inputs", "part of the gain, %"];
    let row = |label: &LabelGain| {
        let mut cells = vec![Cell::new(label.name.clone())];
        cells.extend(gain(&label.gain));
        cells.push(part_in_percent(label.part));
        cells
    };
    let grid = |p: &Paired| TextGrid {
        caption: format!("Gain of {} over {} by label", title_of(analysis, &p.b), title_of(analysis, &p.a)),
        head: head.map(String::from).to_vec(),
        rows: p.by_label.iter().map(row).collect(),
        crowded: false,
    };
    analysis.paired.iter().filter(|p| p.by_label.len() <= CLASSES).map(grid).collect()
}

/// Difference, gain, both ACRs and the number of inputs.
fn gain(gain: &Gain) -> [Cell; 5] {
    [
        claim(gain.difference),
        optional(gain.gain, percent),
        Cell::new(down(gain.acr_b, 4)),
        Cell::new(down(gain.acr_a, 4)),
        Cell::new(gain.inputs.to_string()),
    ]
}

fn part_in_percent(part: Option<f64>) -> Cell {
    Cell::new(part.map_or_else(|| "–".into(), |part| down(100.0 * part, 1)))
}
