//! How do we show it?
//!
//! Every form shows the same [`Analysis`]: a table for the terminal, Markdown, LaTeX, CSV, JSON,
//! SVG figures, and one HTML page that holds everything. A run with missing inputs is called
//! incomplete wherever its numbers appear.
//!
//! ```
//! use qcrs::analysis::{Analysis, Options, Table};
//! use qcrs::report;
//!
//! let file = "idx\tlabel\tpredict\tradius\n0\t3\t3\t0.75\n1\t8\t-1\t0.0\n";
//! let table = Table::from_tsv("cohen.tsv".into(), file)?;
//! let analysis = Analysis::new(vec![table], &Options::default())?;
//! assert!(report::text(&analysis, &report::Terminal::default()).contains("0.3750"));
//!
//! let page = report::Page { title: "My model", analysis: &analysis, curves: &[], pictures: &[] };
//! assert!(report::html(&page)?.starts_with("<!doctype html>"));
//! # Ok::<(), qcrs::types::Error>(())
//! ```

mod bars;
mod brief;
mod by_sigma;
mod data;
mod figures;
#[doc(hidden)] // public for our own programs only
pub mod format;
mod gains;
mod grid;
mod html;
mod metrics;
#[doc(hidden)] // public for our own programs only
pub mod panels;
mod pictures;
#[doc(hidden)] // public for our own programs only
pub mod plot;
mod setup;
mod sheet;
mod short_names;
mod stack;
mod svg;
mod tables;
mod terminal;
mod words;

pub use brief::{BriefTable, brief};
pub use by_sigma::text as by_sigma;
pub use data::{csv, json};
#[doc(hidden)] // public for our own programs only
pub use figures::accuracy as certified_accuracy;
pub use figures::figures;
pub use html::{Page, html};
pub use pictures::{Picture, pictures};
#[doc(hidden)] // public for our own programs only
pub use sheet::{Sheet, SheetFigure, SheetTable, page};
pub use terminal::Terminal;

use crate::analysis::{Analysis, Table};
use crate::text;
use grid::TextGrid;
use short_names::ShortNames;

/// Plain tables for a terminal: the runs and their differences, not their classes.
pub fn text(analysis: &Analysis, terminal: &Terminal) -> String {
    for_terminal(analysis, tables::short(analysis), &tables::short_notes(analysis, terminal), terminal)
}

/// What the user of a run looks at first: its results, and what they promise. [`text`] has the rest.
pub fn summary(analysis: &Analysis, terminal: &Terminal) -> String {
    for_terminal(analysis, tables::first(analysis), &tables::first_notes(analysis, terminal), terminal)
}

fn for_terminal(analysis: &Analysis, grids: Vec<TextGrid>, notes: &[String], terminal: &Terminal) -> String {
    let names = ShortNames::of(analysis);
    let grids = grids.into_iter().map(|grid| names.shorten(grid));
    let tables: Vec<String> = grids.map(|grid| grid.text(terminal.width)).collect();
    let notes: String = notes.iter().map(|note| text::paragraph(note, terminal.width)).collect();
    format!("{}{}\n{notes}", names.legend(terminal.width), tables.join("\n"))
}

/// The answers to the first `most` inputs, for a terminal.
pub fn answers(table: &Table, most: usize, terminal: &Terminal) -> String {
    tables::answers(table, most).text(terminal.width)
}

/// Tables in GitHub's Markdown.
pub fn markdown(analysis: &Analysis) -> String {
    join(analysis, &tables::all(analysis), TextGrid::markdown, |note| {
        format!("{}\n", grid::markdown_escape(note))
    })
}

/// LaTeX tables; they need `\usepackage{booktabs}`.
pub fn latex(analysis: &Analysis) -> String {
    join(analysis, &tables::all(analysis), TextGrid::latex, |note| {
        format!("{{\\footnotesize {}\\par}}\n", grid::latex_escape(note))
    })
}

fn join(
    analysis: &Analysis,
    grids: &[TextGrid],
    grid: impl Fn(&TextGrid) -> String,
    note: impl Fn(&str) -> String,
) -> String {
    let tables = grids.iter().map(grid).collect::<Vec<_>>().join("\n");
    let notes: String = tables::notes(analysis).iter().map(|line| note(line)).collect();
    format!("{tables}\n{notes}")
}

#[cfg(test)]
mod tests;
