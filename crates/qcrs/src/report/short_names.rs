//! What are runs called in a terminal, which has little room?

use super::grid::{Cell, TextGrid};
use crate::analysis::Analysis;
use crate::text;

/// Longer names take the room of the numbers.
const LONG: usize = 24;

/// The name of each run beside a shorter one; empty where all names are short enough.
pub struct ShortNames(Vec<(String, String)>);

impl ShortNames {
    /// Letters for several runs; one alone needs no name.
    pub fn of(analysis: &Analysis) -> Self {
        let names: Vec<&String> = analysis.summaries.iter().map(|run| &run.name).collect();
        if names.iter().all(|name| name.chars().count() <= LONG) {
            return Self(Vec::new());
        }
        let short = |at: usize| if names.len() == 1 { "this run".to_owned() } else { letters(at) };
        Self(names.iter().enumerate().map(|(at, name)| ((*name).clone(), short(at))).collect())
    }

    /// Which letter stands for which run.
    pub fn legend(&self, width: usize) -> String {
        let several = self.0.iter().filter(|_| self.0.len() > 1);
        let lines: String =
            several.map(|(name, short)| text::paragraph(&format!("{short} = {name}"), width)).collect();
        if lines.is_empty() { lines } else { lines + "\n" }
    }

    /// The table with short names in its first column and its caption.
    pub fn shorten(&self, grid: TextGrid) -> TextGrid {
        let caption = self.0.iter().fold(grid.caption, |caption, (name, short)| caption.replace(name, short));
        let row = |mut row: Vec<Cell>| {
            if let Some(cell) = row.first_mut() {
                cell.value = self.named(&cell.value);
            }
            row
        };
        TextGrid { caption, rows: grid.rows.into_iter().map(row).collect(), ..grid }
    }

    /// A title with the short name: what follows the name stays.
    fn named(&self, title: &str) -> String {
        let short = |(name, short): &(String, String)| {
            let rest = title.strip_prefix(&text::one_line(name))?;
            (rest.is_empty() || rest.starts_with(" (")).then(|| format!("{short}{rest}"))
        };
        self.0.iter().find_map(short).unwrap_or_else(|| title.to_owned())
    }
}

/// a, b, … z, aa, ab, …
fn letters(at: usize) -> String {
    let last = char::from(b'a' + (at % 26) as u8);
    if at < 26 { last.into() } else { format!("{}{last}", letters(at / 26 - 1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_never_end_and_titles_keep_their_warnings() {
        assert_eq!([0, 25, 26, 27, 52, 701, 702].map(letters), ["a", "z", "aa", "ab", "ba", "zz", "aaa"]);
        let names = ShortNames(vec![("long".into(), "a".into()), ("longer".into(), "b".into())]);
        assert_eq!(names.named("longer (incomplete: 2 of 3 inputs)"), "b (incomplete: 2 of 3 inputs)");
        assert_eq!(names.named("long"), "a");
        assert_eq!(names.named("0.25"), "0.25");
        assert_eq!(names.legend(80), "a = long\nb = longer\n\n");
    }
}
