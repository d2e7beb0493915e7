//! The library speaks of settings; only the command line speaks of flags.

#[path = "common/sources.rs"]
mod sources;

use sources::{Piece, pieces};

/// Programs without a command line show these messages too: a message names a setting by its field
/// (`Error::Setting`), or uses plain words.
#[test]
fn no_message_of_a_library_names_a_flag() {
    let (mut looked_at, mut found) = (0, Vec::new());
    for name in ["qcrs", "qcrs-cnn", "qcrs-onnx", "qcrs-bank"] {
        for source in sources::sources(name) {
            let text = source.text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for literal in literals(text) {
                looked_at += 1;
                if names_a_flag(literal) {
                    found.push(format!("{}: {literal:?}", source.file));
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

/// What stands between the quotes of every text, outside of comments.
fn literals(source: &str) -> Vec<&str> {
    pieces(source).into_iter().filter_map(Piece::text).collect()
}

fn names_a_flag(text: &str) -> bool {
    text.match_indices("--").any(|(at, dashes)| {
        let before = text[..at].chars().next_back();
        let starts = before.is_none_or(|before| !before.is_alphanumeric() && before != '-');
        starts && text[at + dashes.len()..].starts_with(|next: char| next.is_ascii_lowercase())
    })
}
