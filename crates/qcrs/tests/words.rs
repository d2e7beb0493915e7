//! The library speaks of settings; only the command line speaks of flags.

use std::path::Path;

/// Programs without a command line show these messages too: a message names a setting by its field
/// (`Error::Setting`), or uses plain words.
#[test]
fn no_message_of_a_library_names_a_flag() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut looked_at, mut found) = (0, Vec::new());
    for name in ["qcrs", "qcrs-cnn", "qcrs-onnx", "qcrs-bank"] {
        for (file, text) in sources(&crates.join(name).join("src")) {
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for literal in literals(code) {
                looked_at += 1;
                if names_a_flag(&literal) {
                    found.push(format!("{file}: {literal:?}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "these messages name flags:\n{}", found.join("\n"));
    assert!(looked_at > 500, "only {looked_at} texts found: does this test still read the sources?");
}

#[test]
fn a_flag_is_found_in_every_kind_of_text_and_not_in_comments() {
    let code = "a('\"', \"plain \\\" text\", '\\'', b\"bytes\") // \"a comment\"\n\
                /* \"another\" */ f(r#\"raw \" text\"#, \"two \\\n lines\", 'a: &'a str)";
    assert_eq!(literals(code), ["plain \\\" text", "bytes", "raw \" text", "two \\\n lines"]);
    assert!(names_a_flag("see --gradient-n") && names_a_flag("--seed 7 or 8") && names_a_flag("(--n)"));
    assert!(!names_a_flag("a -- b, 1--2, <!-- x -->") && !names_a_flag("x--y"));
}

fn names_a_flag(text: &str) -> bool {
    text.match_indices("--").any(|(at, dashes)| {
        let before = text[..at].chars().next_back();
        let starts = before.is_none_or(|before| !before.is_alphanumeric() && before != '-');
        starts && text[at + dashes.len()..].starts_with(|next: char| next.is_ascii_lowercase())
    })
}

/// What stands between the quotes of every text in `code`, outside of comments.
fn literals(code: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), code);
    while let Some(at) = rest.find(['"', '\'', '/', 'r']) {
        let (before, here) = rest.split_at(at);
        rest = if here.starts_with("//") {
            after(here, "\n")
        } else if here.starts_with("/*") {
            after(here, "*/")
        } else if let Some(text) = here.strip_prefix('"') {
            let end = end_of_text(text);
            found.push(text[..end].to_owned());
            &text[end + 1..]
        } else if here.starts_with("'\\") {
            after(&here[3..], "'") // an escaped character
        } else if let Some(after_quote) = here.strip_prefix("'\"'") {
            after_quote
        } else if let Some((hashes, text)) = raw(before, here) {
            let end = format!("\"{}", "#".repeat(hashes));
            let (inside, more) = text.split_once(&end).unwrap_or((text, ""));
            found.push(inside.to_owned());
            more
        } else {
            &here[1..]
        };
    }
    found
}

/// The hashes of a raw text that begins here, and what follows its first quote.
fn raw<'a>(before: &str, here: &'a str) -> Option<(usize, &'a str)> {
    let inside_a_word = before.ends_with(|last: char| last.is_alphanumeric() && last != 'b' || last == '_');
    let marks = here.strip_prefix('r').filter(|_| !inside_a_word)?;
    let text = marks.trim_start_matches('#');
    Some((marks.len() - text.len(), text.strip_prefix('"')?))
}

fn after<'a>(text: &'a str, end: &str) -> &'a str {
    text.split_once(end).map_or("", |(_, rest)| rest)
}

/// Where a text ends whose first quote has been passed.
fn end_of_text(text: &str) -> usize {
    let mut escaped = false;
    let ends = |c: char| {
        let end = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        end
    };
    text.find(ends).expect("every text ends")
}

/// Every source file but those of tests, with its name.
fn sources(src: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(src).unwrap() {
        let path = entry.unwrap().path();
        if path.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
    found
}
