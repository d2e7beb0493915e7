//! How does a table look in a terminal, in Markdown, in LaTeX and on the page?

use super::svg::wrap;
use crate::text;
use minijinja::{Value, context};

/// Characters of a name per line in a terminal.
pub(super) const NAME: usize = 36;

/// A table: one head, and rows with as many cells.
#[derive(Clone, Debug)]
pub struct TextGrid {
    pub caption: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
    /// Whether a terminal has no room for the intervals.
    pub crowded: bool,
}

/// A number and its interval, or a word.
#[derive(Clone, Debug)]
pub struct Cell {
    pub value: String,
    pub interval: String,
}

impl Cell {
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: text::one_line(&value.into()), interval: String::new() }
    }

    fn joined(&self) -> String {
        if self.interval.is_empty() {
            self.value.clone()
        } else {
            format!("{} {}", self.value, self.interval)
        }
    }
}

impl TextGrid {
    /// For the page's template.
    pub fn value(&self) -> Value {
        let cell = |cell: &Cell| context! { value => cell.value.clone(), interval => cell.interval.clone() };
        let row = |row: &Vec<Cell>| row.iter().map(cell).collect::<Vec<_>>();
        context! { caption => self.caption.clone(), head => self.head.clone(), rows => self.rows.iter().map(row).collect::<Vec<_>>() }
    }

    /// Aligned columns: the first to the left, the others to the right with intervals below.
    pub fn text(&self) -> String {
        let cell = |(at, cell): (usize, &Cell)| match at {
            0 => wrap(&cell.value, NAME),
            _ if self.crowded || cell.interval.is_empty() => vec![cell.value.clone()],
            _ => vec![cell.value.clone(), cell.interval.clone()],
        };
        let head: Vec<Vec<String>> = self.head.iter().map(|name| vec![text::one_line(name)]).collect();
        let rows: Vec<Vec<Vec<String>>> =
            self.rows.iter().map(|row| row.iter().enumerate().map(cell).collect()).collect();
        let lines = |at: usize| std::iter::once(&head).chain(&rows).flat_map(move |row| &row[at]);
        let widths: Vec<usize> =
            (0..head.len()).map(|at| lines(at).map(|line| line.chars().count()).max().unwrap_or(0)).collect();
        let rule = "-".repeat(widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1));
        let body: String = rows.iter().map(|row| text_row(row, &widths)).collect();
        format!("{}\n\n{}{rule}\n{body}", text::one_line(&self.caption), text_row(&head, &widths))
    }

    /// A GitHub table under a bold caption.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let head = line(self.head.iter().map(|text| markdown_escape(text)).collect());
        let rule = line((0..self.head.len()).map(|at| if at == 0 { "---" } else { "---:" }.into()).collect());
        let row = |row: &Vec<Cell>| line(row.iter().map(|cell| markdown_escape(&cell.joined())).collect());
        let body: String = self.rows.iter().map(row).collect();
        format!("**{}**\n\n{head}{rule}{body}", markdown_escape(&self.caption))
    }

    /// A `table` environment with booktabs rules.
    pub fn latex(&self) -> String {
        let line = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
        let head = line(self.head.iter().map(|text| latex_escape(text)).collect());
        let cell = |cell: &Cell| match cell.interval.as_str() {
            "" => latex_escape(&cell.value),
            interval => format!("{} {{\\scriptsize {}}}", latex_escape(&cell.value), latex_escape(interval)),
        };
        let body: String = self.rows.iter().map(|row| line(row.iter().map(cell).collect())).collect();
        let (columns, caption) =
            (format!("l{}", "r".repeat(self.head.len() - 1)), latex_escape(&self.caption));
        format!(
            "\\begin{{table}}\n  \\centering\n  \\caption{{{caption}}}\n  \\begin{{tabular}}{{{columns}}}\n    \\toprule\n\
             {head}    \\midrule\n{body}    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n"
        )
    }
}

/// Cells of several lines, side by side.
fn text_row(cells: &[Vec<String>], widths: &[usize]) -> String {
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let padded = |(at, (cell, &width)): (usize, (&Vec<String>, &usize)), number: usize| {
        let line = cell.get(number).map_or("", String::as_str);
        if at == 0 { format!("{line:<width$}") } else { format!("{line:>width$}") }
    };
    let line = |number| {
        let cells = cells.iter().zip(widths).enumerate().map(|cell| padded(cell, number));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    (0..height).map(line).collect()
}

/// Text that Markdown and the HTML in it leave alone.
pub fn markdown_escape(text: &str) -> String {
    let mut out = String::new();
    for c in text::lines(text).chars() {
        match c {
            '\n' | '\t' => out.push(' '),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '#' => out.extend(['\\', c]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            _ => out.push(c),
        }
    }
    out
}

/// Text that LaTeX prints as it is.
pub fn latex_escape(text: &str) -> String {
    let mut out = String::new();
    for c in text::lines(text).chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '−' => out.push_str("$-$"),
            '≥' => out.push_str("$\\geq$"),
            '±' => out.push_str("$\\pm$"),
            'α' => out.push_str("$\\alpha$"),
            'σ' => out.push_str("$\\sigma$"),
            '–' => out.push_str("--"),
            '×' => out.push_str("$\\times$"),
            '[' => out.push_str("{[}"), // after \\ a bracket would be its argument
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
