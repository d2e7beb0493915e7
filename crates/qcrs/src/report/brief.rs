//! How do several runs fit into one table, as a paper has it?

use super::format::{down, interval, spread_of_seconds, up};
use super::gains::percent;
use super::grid::{Cell, TextGrid};
use super::metrics::{claim, optional};
use super::words::title;
use crate::analysis::{Analysis, GainWithout, Paired, Summary, Table, WithInterval};

/// One row per run: ACR, its gain over the reference, what became of the inputs, certified accuracy and cost.
#[derive(Clone, Debug)]
pub struct BriefTable(TextGrid);

impl BriefTable {
    /// For a terminal of this width.
    pub fn text(&self, width: usize) -> String {
        self.0.text(width)
    }

    /// In GitHub's Markdown.
    pub fn markdown(&self) -> String {
        self.0.markdown()
    }

    /// In LaTeX; it needs `\usepackage{booktabs}`.
    pub fn latex(&self) -> String {
        self.0.latex()
    }
}

/// The table of these runs.
pub fn brief(analysis: &Analysis) -> BriefTable {
    let without = analysis.paired.iter().find_map(|pair| pair.without_default.as_ref());
    let radii: Vec<f64> = analysis.summaries.first().map_or_else(Vec::new, |summary| {
        summary.certified_accuracy.iter().map(|(radius, _)| *radius).collect()
    });
    let mut head = vec!["run".to_owned(), "ACR".into(), "gain, %".into()];
    head.extend(without.map(|without| format!("gain without {}, %", without.name)));
    head.extend(["right, certified", "abstained", "wrong, certified"].map(String::from));
    head.extend(radii.iter().map(|radius| format!("at {radius}")));
    head.extend(["passes/input", "s/input"].map(String::from));
    let row = |(table, summary)| row(analysis, without, table, summary);
    let rows = analysis.tables.iter().zip(&analysis.summaries).map(row).collect();
    let caption = match analysis.paired.first() {
        Some(Paired { a, .. }) => format!("Gains are over {a}, on the inputs that both runs have"),
        None => "Results".into(),
    };
    BriefTable(TextGrid { caption, head, rows, crowded: true })
}

fn row(analysis: &Analysis, without: Option<&GainWithout>, table: &Table, summary: &Summary) -> Vec<Cell> {
    let pair = analysis.paired.iter().find(|pair| pair.b == summary.name);
    let mut cells = vec![
        Cell::new(title(summary)),
        optional(summary.acr, claim),
        optional(pair.and_then(|pair| pair.gain), percent),
    ];
    if without.is_some() {
        let gain = pair.and_then(|pair| pair.without_default.as_ref()?.gain.gain);
        cells.push(optional(gain, percent));
    }
    let share = |share: Option<WithInterval>, round: fn(f64, usize) -> String| {
        Cell::new(share.map_or_else(|| "–".into(), |share| round(share.value, 3)))
    };
    cells.extend([
        share(summary.right_certified, down),
        share(Some(summary.abstained), up),
        share(summary.wrong_certified, up),
    ]);
    cells.extend(summary.certified_accuracy.iter().map(|(_, accuracy)| share(Some(*accuracy), down)));
    let passes = summary
        .passes_per_input
        .map(|passes| Cell { value: format!("{:.0}", passes.value), interval: interval(&passes, 0) });
    cells.extend([passes.unwrap_or_else(|| Cell::new("–")), Cell::new(spread_of_seconds(table))]);
    cells
}
