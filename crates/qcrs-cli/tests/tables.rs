//! The tables of the documents are what their commands print, from the answers in the repository.
//!
//! In a Markdown file a code block with the word `table` holds one command, and the table below it is its output; a
//! number behind the word says which table of the output. To write all of them again:
//!
//! ```text
//! QCRS_ACCEPT=1 cargo test --release -p qcrs-cli --test tables
//! ```

use assert_cmd::cargo::cargo_bin;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A command and the lines of the table below it.
#[derive(Debug, PartialEq)]
struct MadeTable {
    command: String,
    /// Which table of the output, from 1.
    number: usize,
    /// The lines of the table in the file: from, to.
    lines: (usize, usize),
}

/// All of them in a document.
fn made_tables(text: &str) -> Vec<MadeTable> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(info) = line.strip_prefix("```table") else { continue };
        let end = at + 1 + lines[at + 1..].iter().position(|line| *line == "```").expect("an open block");
        let command = lines[at + 1..end].join(" ");
        let from = end + 1 + lines[end + 1..].iter().take_while(|line| line.is_empty()).count();
        let to = from + lines[from..].iter().take_while(|line| line.starts_with('|')).count();
        let number = info.trim().parse().unwrap_or(1);
        found.push(MadeTable { command, number, lines: (from, to) });
    }
    found
}

/// The tables in what a command printed.
fn printed_tables(text: &str) -> Vec<Vec<String>> {
    let mut tables: Vec<Vec<String>> = vec![Vec::new()];
    for line in text.lines() {
        match tables.last_mut() {
            Some(table) if line.starts_with('|') => table.push(line.replace("\\[", "[").replace("\\]", "]")),
            Some(table) if !table.is_empty() => tables.push(Vec::new()),
            _ => {}
        }
    }
    tables.retain(|table| !table.is_empty());
    tables
}

/// The table that the command makes now.
fn made_now(table: &MadeTable) -> Vec<String> {
    let typed =
        table.command.strip_prefix("qcrs ").unwrap_or_else(|| panic!("{table:?} is not a qcrs command"));
    let words = typed.split_whitespace().flat_map(expanded);
    let ran =
        Command::new(cargo_bin("qcrs")).args(words).args(["--format", "md"]).current_dir(root()).output();
    let ran = ran.unwrap();
    assert!(ran.status.success(), "{}:\n{}", table.command, String::from_utf8_lossy(&ran.stderr));
    let tables = printed_tables(&String::from_utf8_lossy(&ran.stdout));
    let count = tables.len();
    tables.into_iter().nth(table.number - 1).unwrap_or_else(|| panic!("{}: {count} tables", table.command))
}

/// `a/{b,c}.tsv` as a shell expands it.
fn expanded(word: &str) -> Vec<String> {
    let parts = word.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match parts {
        Some((before, (list, after))) => list.split(',').map(|one| format!("{before}{one}{after}")).collect(),
        None => vec![word.to_owned()],
    }
}

#[test]
fn tables_of_the_documents_are_made_from_the_answers_in_the_repository() {
    let accept = std::env::var_os("QCRS_ACCEPT").is_some();
    let mut compared = 0;
    for name in ["README.md", "docs/results.md", "docs/experiments.md"] {
        let path = root().join(name);
        let mut text = fs::read_to_string(&path).unwrap();
        // from the last, so that the places of the others stay
        for table in made_tables(&text).iter().rev() {
            let (made, lines) = (made_now(table), text.lines().map(str::to_owned).collect::<Vec<_>>());
            let (from, to) = table.lines;
            compared += 1;
            if accept {
                text = [&lines[..from], &made, &lines[to..]].concat().join("\n") + "\n";
            } else {
                assert_eq!(lines[from..to].join("\n"), made.join("\n"), "{name}: {}", table.command);
            }
        }
        if accept {
            fs::write(&path, text).unwrap();
        }
    }
    assert!(compared > 0, "no document has a table with its command");
}

#[test]
fn a_table_is_found_below_its_command() {
    let text =
        "# A\n\n```table 2\nqcrs report a/{b,c}.tsv --brief\n```\n\n| x |\n| --- |\n| 1 |\n\nand so on\n";
    let command = "qcrs report a/{b,c}.tsv --brief".to_owned();
    assert_eq!(made_tables(text), [MadeTable { command, number: 2, lines: (6, 9) }]);
    assert_eq!(expanded("a/{b,c}.tsv"), ["a/b.tsv", "a/c.tsv"]);
    let printed = "**One**\n\n| a \\[1\\] |\n\n**Two**\n\n| b |\n| c |\nnote\n";
    assert_eq!(printed_tables(printed), [vec!["| a [1] |"], vec!["| b |", "| c |"]]);
}
