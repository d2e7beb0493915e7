//! How does a table look in a terminal, in Markdown, in LaTeX and on the page?

use crate::text::{self, wrap};
use minijinja::{Value, context};

/// Characters that the first column has in a terminal before the others must make room.
const NAME: usize = 16;
/// Spaces between columns.
const GAP: usize = 2;

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

    /// Aligned columns in at most `width` characters: the first to the left, the others to the right with
    /// intervals below. Columns that find no room are continued below, with the first one repeated.
    pub fn text(&self, width: usize) -> String {
        let caption = text::paragraph(&self.caption, width);
        let blocks: Vec<String> = self.blocks(width).iter().map(|block| self.block(block, width)).collect();
        format!("{caption}\n{}", blocks.join("\n"))
    }

    /// The columns beside the first one, shared out among as many tables as the width asks for.
    fn blocks(&self, width: usize) -> Vec<Vec<TextColumn>> {
        let name = self.rows.iter().map(|row| row[0].value.chars().count()).max().unwrap_or(0).min(NAME);
        let room = width.saturating_sub(name);
        let most = room.saturating_sub(GAP).max(1);
        let columns = |head: HeadLines| (1..self.head.len()).map(move |at| self.column(at, most, head));
        let in_one_line: Vec<TextColumn> = columns(HeadLines::One).collect();
        if in_one_line.iter().map(|column| GAP + column.width).sum::<usize>() <= room {
            return vec![in_one_line];
        }
        let mut blocks = vec![Vec::new()];
        let mut used = 0;
        for column in columns(HeadLines::Two) {
            if used > 0 && used + GAP + column.width > room {
                blocks.push(Vec::new());
                used = 0;
            }
            used += GAP + column.width;
            blocks.last_mut().expect("there is a block").push(column);
        }
        blocks
    }

    /// A column whose lines have at most `most` characters.
    fn column(&self, at: usize, most: usize, head: HeadLines) -> TextColumn {
        let cell = |row: &Vec<Cell>| {
            let cell = &row[at];
            let shown = [&cell.value, &cell.interval].into_iter().take(if self.crowded { 1 } else { 2 });
            shown.filter(|text| !text.is_empty()).flat_map(|text| wrap(text, most)).collect()
        };
        TextColumn::new(&text::one_line(&self.head[at]), self.rows.iter().map(cell).collect(), most, head)
    }

    /// The first column beside some of the others.
    fn block(&self, others: &[TextColumn], width: usize) -> String {
        let room = width.saturating_sub(others.iter().map(|column| GAP + column.width).sum());
        let name = |row: &Vec<Cell>| wrap(&row[0].value, room.max(1));
        let first = TextColumn::new(
            &text::one_line(&self.head[0]),
            self.rows.iter().map(name).collect(),
            room.max(1),
            HeadLines::One,
        );
        let columns: Vec<&TextColumn> = std::iter::once(&first).chain(others).collect();
        let total = columns.iter().map(|column| column.width).sum::<usize>() + GAP * others.len();
        let line = |lines: Vec<&Vec<String>>| text_row(&lines, &columns);
        let head = line(columns.iter().map(|column| &column.head).collect());
        let rows = (0..self.rows.len()).map(|row| columns.iter().map(|column| &column.rows[row]).collect());
        format!("{head}{}\n{}", "-".repeat(total), rows.map(line).collect::<String>())
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

/// How many lines the head of a column may have.
#[derive(Clone, Copy)]
enum HeadLines {
    One = 1,
    Two = 2,
}

/// A column in a terminal: its head and its cells, each in lines.
struct TextColumn {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    width: usize,
}

impl TextColumn {
    /// A column that is as narrow as its cells and its head allow.
    fn new(head: &str, rows: Vec<Vec<String>>, most: usize, lines: HeadLines) -> Self {
        let cells = rows.iter().flatten().map(|line| line.chars().count()).max().unwrap_or(0);
        let word = head.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
        let narrowest = (cells.max(word)..most).find(|&width| wrap(head, width).len() <= lines as usize);
        let width = narrowest.unwrap_or(most).min(most);
        Self { head: wrap(head, width), rows, width }
    }
}

/// Cells of several lines, side by side.
fn text_row(cells: &[&Vec<String>], columns: &[&TextColumn]) -> String {
    let height = cells.iter().map(|cell| cell.len()).max().unwrap_or(0);
    let padded = |at: usize, number: usize| {
        let (line, width) = (cells[at].get(number).map_or("", String::as_str), columns[at].width);
        if at == 0 { format!("{line:<width$}") } else { format!("{line:>width$}") }
    };
    let line = |number| {
        let cells: Vec<String> = (0..cells.len()).map(|at| padded(at, number)).collect();
        cells.join(&" ".repeat(GAP)).trim_end().to_owned() + "\n"
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
            'ℓ' => out.push_str("$\\ell$"),
            '₂' => out.push_str("$_2$"),
            '–' => out.push_str("--"),
            '×' => out.push_str("$\\times$"),
            '[' => out.push_str("{[}"), // after \\ a bracket would be its argument
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
