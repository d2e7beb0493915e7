//! A table as cells, and the same cells for terminal, Markdown, LaTeX and the page.

use minijinja::{Value, context};

/// A table: one head, and rows with as many cells.
#[derive(Clone, Debug)]
pub struct Grid {
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
        Self { value: value.into(), interval: String::new() }
    }

    fn joined(&self) -> String {
        if self.interval.is_empty() {
            self.value.clone()
        } else {
            format!("{} {}", self.value, self.interval)
        }
    }
}

impl Grid {
    /// For the page's template.
    pub fn value(&self) -> Value {
        let cell = |cell: &Cell| context! { value => cell.value.clone(), interval => cell.interval.clone() };
        let row = |row: &Vec<Cell>| row.iter().map(cell).collect::<Vec<_>>();
        context! { caption => self.caption.clone(), head => self.head.clone(), rows => self.rows.iter().map(row).collect::<Vec<_>>() }
    }

    /// Aligned columns: the first to the left, the others to the right.
    pub fn text(&self) -> String {
        let cell = |cell: &Cell| if self.crowded { cell.value.clone() } else { cell.joined() };
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        let all = || std::iter::once(&self.head).chain(&rows);
        let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let padded = row.iter().zip(&widths).enumerate();
            let padded = padded
                .map(|(at, (text, &w))| if at == 0 { format!("{text:<w$}") } else { format!("{text:>w$}") });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        let rule = "-".repeat(widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1));
        let body: String = rows.iter().map(line).collect();
        format!("{}\n\n{}{rule}\n{body}", self.caption, line(&self.head))
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

/// Text that Markdown and the HTML in it leave alone.
pub fn markdown_escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
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
fn latex_escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '−' => out.push_str("$-$"),
            '≥' => out.push_str("$\\geq$"),
            '±' => out.push_str("$\\pm$"),
            'σ' => out.push_str("$\\sigma$"),
            '[' => out.push_str("{[}"), // after \\ a bracket would be its argument
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
