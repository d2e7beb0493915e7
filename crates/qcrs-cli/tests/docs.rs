//! Can the documentation be read, and is it true: short lines, links that lead somewhere, plain words, commands that
//! exist, output that is real?

mod common;

use common::Bench;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Words that are never the plain ones, in lower case, and what to write instead.
const BANNED: &[(&str, &str)] = &[
    ("whoever", "name the person: users, callers, an attacker"),
    ("nobody", "no one, or say what does not happen"),
    ("goes on", "continues, or resumes"),
    ("go on with", "continue, or resume"),
    ("gone on with", "continued, or resumed"),
    ("of which", "split the sentence"),
    ("of whom", "split the sentence"),
    ("at your choice", "at your option"),
    ("onto this machine", "downloads"),
    ("the like of", "similar"),
    ("that are there", "existing"),
];

const WIDTH: usize = 100;

#[test]
fn the_readme_is_short() {
    let lines = read(&root().join("README.md")).lines().count();
    assert!(lines < 120, "README.md has {lines} lines; move details to docs/");
}

#[test]
fn prose_is_at_most_100_columns_wide() {
    let mut wide = String::new();
    for (path, text) in documents() {
        for (number, line) in prose(&text) {
            let exempt = ["|", "!["].iter().any(|start| line.starts_with(start)) || line.contains("://");
            if !exempt && line.chars().count() > WIDTH {
                writeln!(wide, "{}:{number}: {} columns", path.display(), line.chars().count()).unwrap();
            }
        }
    }
    assert!(wide.is_empty(), "wrap these lines at {WIDTH} columns:\n{wide}");
}

#[test]
fn links_lead_to_files_and_headings() {
    let (mut dangling, mut followed) = (String::new(), 0);
    for (path, text) in documents() {
        for (number, line) in prose(&text) {
            for link in links(line).filter(|link| !link.contains("://")) {
                followed += 1;
                if !leads_somewhere(&path, link) {
                    writeln!(dangling, "{}:{number}: {link}", path.display()).unwrap();
                }
            }
        }
    }
    assert!(dangling.is_empty(), "these links lead nowhere:\n{dangling}");
    assert!(followed > 60, "only {followed} links found: does this test still read the documents?");
}

#[test]
fn commands_in_documents_have_these_options() {
    let (bench, mut checked) = (Bench::new(), 0);
    for (path, text) in documents() {
        // a line with | stands for several commands
        for typed in commands(&text).filter(|typed| !typed.contains('|')) {
            let ran = bench.run(&format!("{typed} --help")); // an unknown option comes first
            assert_eq!(ran.code, Some(0), "{}: qcrs {typed}\n{}", path.display(), ran.err);
            checked += 1;
        }
    }
    assert!(checked > 10, "only {checked} commands found: does this test still read the documents?");
}

#[test]
fn the_readme_shows_real_output() {
    let (bench, readme) = (Bench::new(), read(&root().join("README.md")));
    bench.run("demo --count 1").says(&[]); // leaves the network and the images of the command
    let mut shown = readme.split("```\n$ qcrs ").skip(1).map(|block| block.split("```").next().unwrap());
    let (typed, output) = shown.next().unwrap().split_once('\n').unwrap();
    let real = bench.run(typed).says(&[]).out;
    assert!(real.starts_with(output) && output.lines().count() > 5, "{typed}:\n{real}");
    assert_eq!(shown.next(), None);
}

#[test]
fn every_command_is_described() {
    let help = Bench::new().run("--help").says(&[]).out;
    let names =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<_> = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    let described = read(&root().join("docs/commands.md"));
    for name in names.iter().filter(|name| !["", "help"].contains(*name)) {
        assert!(described.contains(&format!("| `{name}")), "docs/commands.md does not describe `{name}`");
    }
    assert!(names.len() > 10, "{help}");
}

#[test]
fn documents_use_plain_words() {
    let found: String = documents().iter().map(|(path, text)| banned_words(path, prose(text))).collect();
    assert!(found.is_empty(), "write these in plain English:\n{found}");
}

#[test]
fn comments_and_messages_use_plain_words() {
    let crates = root().join("crates");
    let sources = files_below(&crates, "rs").into_iter().filter(|path| is_source(path, &crates));
    let found: String =
        sources.map(|path| banned_words(&path, read(&path).lines().enumerate().map(numbered))).collect();
    assert!(found.is_empty(), "{} lines to write in plain English:\n{found}", found.lines().count());
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The Markdown files of the repository. Runs and other folders that users make in it are left out.
fn documents() -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(root()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
    for folder in ["docs", "models", "crates", "fuzz"] {
        paths.extend(files_below(&root().join(folder), "md"));
    }
    assert!(paths.len() > 12, "{paths:?}");
    paths.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(files_below(&path, extension));
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Whether a file below `crates` is in the `src` of one.
fn is_source(path: &Path, crates: &Path) -> bool {
    path.strip_prefix(crates).unwrap().iter().nth(1).is_some_and(|folder| folder == "src")
}

/// The lines of a document outside code blocks, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    lines(text, false)
}

/// The lines inside code blocks, or those outside.
fn lines(text: &str, of_code: bool) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    text.lines().enumerate().map(numbered).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        in_code == of_code && !fence
    })
}

fn numbered((index, line): (usize, &str)) -> (usize, &str) {
    (index + 1, line)
}

/// What is typed after `qcrs` in the code blocks of a document, without comments and redirections.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    let typed = lines(text, true).filter_map(|(_, line)| line.trim_start_matches("$ ").strip_prefix("qcrs "));
    typed.map(|typed| typed.split(['#', '>']).next().unwrap_or_default())
}

/// The targets of the links in a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0))
}

/// Whether a link from `document` names a file that exists and, after a `#`, a heading in it.
fn leads_somewhere(document: &Path, link: &str) -> bool {
    let (file, heading) = link.split_once('#').map_or((link, None), |(file, heading)| (file, Some(heading)));
    let target = if file.is_empty() { document.to_owned() } else { document.parent().unwrap().join(file) };
    target.exists() && heading.is_none_or(|heading| headings(&read(&target)).any(|it| it == heading))
}

/// The anchors of a document's headings, as GitHub makes them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let titles = prose(text).filter_map(|(_, line)| line.strip_prefix('#'));
    titles.map(|title| {
        let title = title.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        title.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
    })
}

/// One line for each banned phrase: where it ends, and what to write instead.
fn banned_words<'a>(path: &Path, lines: impl Iterator<Item = (usize, &'a str)>) -> String {
    let (mut found, mut before) = (String::new(), Vec::new());
    for (number, line) in lines {
        let words = words(line);
        for (phrase, instead) in BANNED {
            // a phrase may begin on the line before
            let tail = before.len().saturating_sub(phrase.matches(' ').count());
            let text = format!(" {} ", [&before[tail..], &words].concat().join(" "));
            if text.contains(&format!(" {phrase} ")) {
                writeln!(found, "{}:{number}: `{phrase}`: {instead}", path.display()).unwrap();
            }
        }
        before = words;
    }
    found
}

/// The words of a line, in lower case.
fn words(line: &str) -> Vec<String> {
    let words = line.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[test]
fn the_checks_see_what_they_check() {
    let text = "# A *b*'s c\n```\nnobody\n```\nWhoever asks, [goes](#a-bs-c) on\n";
    let lines: Vec<_> = prose(text).collect();
    assert_eq!(lines.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 5]);
    assert_eq!(links(lines[1].1).collect::<Vec<_>>(), ["#a-bs-c"]);
    assert_eq!(headings(text).collect::<Vec<_>>(), ["a-bs-c"]);
    assert!(banned_words(Path::new("a.md"), prose(text)).starts_with("a.md:5: `whoever`"));
    assert!(banned_words(Path::new("a.md"), prose("a run that goes\non")).starts_with("a.md:2: `goes on`"));
    assert!(!leads_somewhere(&root().join("README.md"), "docs/absent.md"));
    assert!(!leads_somewhere(&root().join("README.md"), "docs/methods.md#absent"));
    assert!(leads_somewhere(&root().join("README.md"), "docs/methods.md#probe"));
    let code = "bail!(\"nobody\")\n/// Nobody\nlet x = 1; // nobody";
    assert_eq!(banned_words(Path::new("a.rs"), code.lines().enumerate().map(numbered)).lines().count(), 3);
}
