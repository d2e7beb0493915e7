//! How is text that comes from a file shown, and in how many columns?
//!
//! A name in a spec.json may hold anything: codes that control a terminal, a tab that shifts a column, or
//! marks that change the direction of writing.

/// Stands for a character that is not shown.
const REPLACED: char = '\u{FFFD}';

/// The text in one line, without characters that do something instead of being seen.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if acts(c) { REPLACED } else { c }).collect()
}

/// The same, but lines and tabs stay.
pub fn lines(text: &str) -> String {
    text.chars().map(|c| if acts(c) && !matches!(c, '\n' | '\t') { REPLACED } else { c }).collect()
}

/// The text in at most `most` characters, with … for what is left out of its middle.
pub fn shortened(text: &str, most: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let (start, end) = (kept / 2, kept - kept / 2);
    chars[..start].iter().chain(&['…']).chain(&chars[chars.len() - end..]).collect()
}

/// JSON with these characters as escapes; they stand in strings only, so it holds the same values.
pub fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) && c != '\n' {
            out.extend(format!("\\u{:04x}", u32::from(c)).chars());
        } else {
            out.push(c);
        }
    }
    out
}

/// `text` in lines of at most `width` characters, broken at spaces where there are any, or else after the marks
/// that join the parts of a file name. A number stays beside its %, σ or α.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in words(text) {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push(String::new());
            used = 0;
        } else if used > 0 {
            lines.last_mut().expect("there is a line").push(' ');
            used += 1;
        }
        for part in word.split_inclusive(['-', '_', '/', '.']) {
            let length = part.chars().count();
            if used > 0 && used + length > width && length <= width {
                lines.push(String::new());
                used = 0;
            }
            for c in part.chars() {
                if used == width {
                    lines.push(String::new());
                    used = 0;
                }
                lines.last_mut().expect("there is a line").push(c);
                used += 1;
            }
        }
    }
    lines
}

/// The words of a text, where a number and its unit or symbol are one.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match words.last_mut() {
            Some(last) if word.starts_with('%') || is_value(last, word) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.into()),
        }
    }
    words
}

/// Whether `word` is the number that belongs to the symbol before it.
fn is_value(symbol: &str, word: &str) -> bool {
    matches!(symbol, "σ" | "α") && word.starts_with(|c: char| c.is_ascii_digit())
}

/// A paragraph in lines of at most `width` characters, each of them ended.
pub fn paragraph(text: &str, width: usize) -> String {
    wrap(&one_line(text), width).join("\n") + "\n"
}

/// A line of at most `width` characters; what does not fit follows below, `indent` characters from the left.
pub fn hanging(line: &str, width: usize, indent: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    // the spaces at the left may be those of a table
    let cut = line.char_indices().nth(indent).map_or(line.len(), |(at, _)| at);
    let (label, words) = line.split_at(cut);
    let rest = wrap(words, width.saturating_sub(indent).max(1));
    format!("{label}{}", rest.join(&format!("\n{}", " ".repeat(indent))))
}

/// A number of things: "1 input", "2 inputs".
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Control characters, line separators, and marks that change the direction of what follows.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        let name = "validation/n01440764/ILSVRC2012_val_00000293.JPEG";
        assert_eq!(shortened(name, 20), "validatio…00293.JPEG");
        assert_eq!((shortened("猫.png", 5), shortened("猫猫猫.png", 5)), ("猫.png".into(), "猫猫…ng".into()));
        assert_eq!((shortened(name, 1), shortened(name, 49)), ("…".into(), name.into()));
    }

    #[test]
    fn long_text_is_broken_at_spaces_and_long_names_at_their_marks() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("net-0.25-qcrs", 9), ["net-0.25-", "qcrs"]);
        assert_eq!(wrap("a net-0.25-qcrs", 9), ["a", "net-0.25-", "qcrs"]);
        assert_eq!(wrap("n 10, α 0.001, 8 % of 20", 8), ["n 10,", "α 0.001,", "8 % of", "20"]);
        assert_eq!(wrap("n 10, 12 %", 8), ["n 10,", "12 %"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(hanging("what  one two three", 13, 6), "what  one two\n      three");
        assert_eq!(hanging("what  one", 13, 6), "what  one");
        assert_eq!([0, 1, 2].map(|count| counted(count, "input")), ["0 inputs", "1 input", "2 inputs"]);
        assert_eq!(paragraph("one\ttwo three", 8), "one�two\nthree\n");
    }

    #[test]
    fn what_acts_is_replaced_and_what_is_seen_stays() {
        let name = "σ ≥ 0,25 – 猫\u{1b}[31m\u{7}\t\n\r\u{9b}2J\u{202e}gpj";
        assert_eq!(one_line(name), "σ ≥ 0,25 – 猫�[31m�����2J�gpj");
        assert_eq!(lines(name), "σ ≥ 0,25 – 猫�[31m�\t\n��2J�gpj");
        let written = serde_json::to_string_pretty(&[name]).unwrap();
        let shown = json(&written);
        assert!(shown.contains("\\u009b") && !shown.chars().any(|c| acts(c) && c != '\n'), "{shown}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&shown).unwrap(), [name]);
    }
}
