//! How are the parts of a whole drawn, one bar below the other?

use super::svg::{RIGHT, WIDTH, document, line, rect, text};
use crate::text::wrap;

/// Room on the left for a range such as 0.063–0.315.
const START: f64 = 94.0;
/// Room on the right for what a bar consists of, up to 10000 inputs.
const COUNT: f64 = 76.0;
const BAR: f64 = 18.0;
const STEP: f64 = 23.0;
const TOP: f64 = 32.0;
const LINE: f64 = 16.0;
/// Characters that fit below the title.
const NOTE: usize = 62;
/// Columns of the legend, and the letters that fit into one.
const COLUMNS: usize = 3;
const LETTERS: usize = 18;
/// The width of a letter in a bar, on average; a name is shown where it fits.
const LETTER: f64 = 6.4;

/// How many parts have a colour of their own.
pub const COLOURS: usize = 10;

/// One bar of parts.
pub struct Stack {
    /// To the left of it.
    pub name: String,
    /// To the right of it.
    pub count: String,
    /// The number of each part in the legend, and its share of the bar.
    pub parts: Vec<(usize, f64)>,
}

/// Bars of parts with a legend, under a title and what they are of; the part after the last colour is the rest. A
/// separate figure when `style` is given.
pub fn stack(
    (title, of, desc): (&str, &str, &str),
    label: &str,
    rows: &[Stack],
    legend: &[String],
    style: Option<&str>,
) -> String {
    let width = WIDTH - START - COUNT - RIGHT;
    let (mut body, mut y) = (String::new(), TOP);
    for words in wrap(of, NOTE) {
        body += &text(WIDTH / 2.0, y + 4.0, "note middle", &words);
        y += LINE;
    }
    body += &text(START - 8.0, y + 7.0, "tick end", label);
    y += LINE - 3.0;
    for row in rows {
        body += &text(START - 8.0, y + 13.0, "tick end", &row.name);
        let mut x = START;
        for &(part, share) in &row.parts {
            let wide = share * width;
            body += &rect((x, y), (wide, BAR), &format!("share {}", colour(part)));
            let name = fitting(&legend[part], share, wide);
            if !name.is_empty() {
                body += &text(x + wide / 2.0, y + 13.0, "on middle", &name);
            }
            x += wide;
        }
        body += &text(START + width + 8.0, y + 13.0, "tick", &row.count);
        y += STEP;
    }
    for (share, label) in [(0.0, "0"), (0.5, "50 %"), (1.0, "100 %")] {
        let x = START + share * width;
        body += &line((x, y - 3.0), (x, y + 1.0), "axis");
        body += &text(x, y + LINE - 2.0, "tick middle", label);
    }
    y += 2.0 * LINE + 4.0;
    let column = (WIDTH - 2.0 * RIGHT) / COLUMNS as f64;
    for (at, name) in legend.iter().enumerate() {
        let (x, y) = (RIGHT + (at % COLUMNS) as f64 * column, y + (at / COLUMNS) as f64 * LINE);
        body += &rect((x, y - 9.5), (11.0, 11.0), &format!("share {}", colour(at)));
        body += &text(x + 16.0, y, "", &cut(name, LETTERS));
    }
    let lines = legend.len().div_ceil(COLUMNS) as f64;
    document(title, desc, y + lines * LINE - 4.0, &body, style)
}

/// The name and the share where there is room for both, the name where there is room for it, or nothing.
fn fitting(name: &str, share: f64, wide: f64) -> String {
    let long = format!("{name} {} %", (100.0 * share + 1e-9).floor());
    let fits = |text: &str| (text.chars().count() as f64 + 1.0) * LETTER <= wide;
    [long, name.to_owned()].into_iter().find(|text| fits(text)).unwrap_or_default()
}

fn cut(name: &str, letters: usize) -> String {
    if name.chars().count() <= letters {
        return name.to_owned();
    }
    name.chars().take(letters - 1).chain(['…']).collect()
}

fn colour(part: usize) -> String {
    if part < COLOURS { format!("c{part}") } else { "rest".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fill_the_bar_and_names_stand_where_they_fit() {
        let rows = [Stack {
            name: "1.00".into(),
            count: "200 inputs".into(),
            parts: vec![(0, 0.8), (1, 0.05), (10, 0.15)],
        }];
        let legend: Vec<String> = (0..=COLOURS).map(|class| format!("<class> {class}")).collect();
        let svg = stack(("Answers", "a run", "All of them."), "σ", &rows, &legend, None);
        assert!(svg.contains(">&lt;class&gt; 0 80 %</text>") && !svg.contains("class&gt; 1 5 %"), "{svg}");
        let widths = svg.split("<rect ").filter(|rect| rect.contains("height=\"18.0\""));
        let width = |rect: &str| rect.split("width=\"").nth(1)?.split('"').next()?.parse::<f64>().ok();
        let sum: f64 = widths.filter_map(width).sum();
        assert!((sum - (WIDTH - START - COUNT - RIGHT)).abs() < 0.2, "{sum}");
        assert_eq!(svg.matches("share rest").count(), 2, "a part and its sample: {svg}");
        assert_eq!((cut("short", 6), cut("shorten", 6)), ("short".into(), "short…".into()));
    }
}
