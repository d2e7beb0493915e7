//! How does a page of any figures and tables look, such as the course of a training?

use super::grid::{Cell, TextGrid, markdown_escape};
use super::html::render;
use super::panels::Panels;
use super::plot::{DrawnFigure, Plot, stack};
use super::svg;
use crate::text;
use crate::types::Error;
use minijinja::{Value, context};

/// What to put on the page.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Its title.
    pub title: String,
    /// What a reader must know first, such as that something is unfinished; may be empty.
    pub warnings: Vec<String>,
    /// Drawn in this order.
    pub figures: Vec<SheetFigure>,
    /// Below the figures, in this order.
    pub tables: Vec<SheetTable>,
}

/// A figure of a sheet.
#[derive(Clone, Debug)]
pub enum SheetFigure {
    /// One plot with a legend.
    Plot(Plot),
    /// Many small plots of the same kind.
    Panels(Panels),
}

impl From<Plot> for SheetFigure {
    fn from(plot: Plot) -> Self {
        Self::Plot(plot)
    }
}

impl From<Panels> for SheetFigure {
    fn from(panels: Panels) -> Self {
        Self::Panels(panels)
    }
}

impl SheetFigure {
    fn drawn(&self) -> DrawnFigure {
        match self {
            Self::Plot(plot) => plot.drawn(),
            Self::Panels(panels) => panels.drawn(),
        }
    }
}

/// A table of text: one head, and rows with as many cells.
#[derive(Clone, Debug)]
pub struct SheetTable {
    /// What it shows.
    pub caption: String,
    /// A name per column.
    pub head: Vec<String>,
    /// The first cell of a row is its name.
    pub rows: Vec<Vec<String>>,
}

impl Sheet {
    /// A self-contained HTML page: no script, no address outside itself, light and dark, any width.
    pub fn html(&self) -> Result<String, Error> {
        render("sheet.html", self.values())
    }

    /// The same as a part of a page of several, see [`page`].
    pub fn section(&self) -> Result<String, Error> {
        render("section.html", self.values())
    }

    /// What must be known and the tables, in GitHub's Markdown.
    pub fn markdown(&self) -> String {
        let notes = self.warnings.iter().map(|note| markdown_escape(note) + "\n\n");
        let tables = self.tables.iter().map(|table| table.grid().markdown() + "\n");
        format!("# {}\n\n", markdown_escape(&self.title)) + &notes.chain(tables).collect::<String>()
    }

    /// Aligned tables for a terminal of this width.
    pub fn text(&self, width: usize) -> String {
        let tables: Vec<String> = self.tables.iter().map(|table| table.grid().text(width)).collect();
        let notes: String = self.warnings.iter().map(|note| text::paragraph(note, width)).collect();
        tables.join("\n") + "\n" + &notes
    }

    /// All figures in one SVG file; `None` without figures.
    pub fn svg(&self) -> Option<String> {
        (!self.figures.is_empty()).then(|| stack(&self.title, self.figures.iter().map(SheetFigure::drawn)))
    }

    fn values(&self) -> Value {
        let figure = |figure: &SheetFigure| Value::from_safe_string(figure.drawn().svg(None));
        context! {
            title => self.title.clone(),
            style => style(),
            warnings => self.warnings.clone(),
            figures => self.figures.iter().map(figure).collect::<Vec<_>>(),
            tables => self.tables.iter().map(|table| table.grid().value()).collect::<Vec<_>>(),
        }
    }
}

/// A page of the sections of several sheets, as self-contained as [`Sheet::html`]. Sections must come from
/// [`Sheet::section`]: they are not escaped again.
pub fn page(title: &str, sections: &[String]) -> Result<String, Error> {
    let sections: Vec<Value> = sections.iter().cloned().map(Value::from_safe_string).collect();
    render("sections.html", context! { title, style => style(), sections })
}

fn style() -> Value {
    Value::from_safe_string(include_str!("templates/page.css").to_owned() + svg::STYLE)
}

impl SheetTable {
    /// A table with this head; rows are filled in later.
    pub fn new(caption: String, head: &[&str]) -> Self {
        Self { caption, head: head.iter().map(|name| (*name).to_owned()).collect(), rows: Vec::new() }
    }

    /// The table for a terminal of this width.
    pub fn text(&self, width: usize) -> String {
        self.grid().text(width)
    }

    fn grid(&self) -> TextGrid {
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::new).collect()).collect();
        TextGrid { caption: self.caption.clone(), head: self.head.clone(), rows, crowded: false }
    }
}
