//! A page of figures and tables for numbers that are no certificates, such as the course of a training.

use super::grid::{Cell, Grid};
use super::html::render;
use super::plot::Plot;
use super::svg;
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
    pub figures: Vec<Plot>,
    /// Below the figures, in this order.
    pub tables: Vec<SheetTable>,
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
        let figure = |plot: &Plot| Value::from_safe_string(plot.svg(None));
        let values = context! {
            title => self.title.clone(),
            style => Value::from_safe_string(include_str!("templates/page.css").to_owned() + svg::STYLE),
            warnings => self.warnings.clone(),
            figures => self.figures.iter().map(figure).collect::<Vec<_>>(),
            tables => self.tables.iter().map(|table| table.grid().value()).collect::<Vec<_>>(),
        };
        render("sheet.html", values)
    }
}

impl SheetTable {
    fn grid(&self) -> Grid {
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::new).collect()).collect();
        Grid { caption: self.caption.clone(), head: self.head.clone(), rows, crowded: false }
    }
}
