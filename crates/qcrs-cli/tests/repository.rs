//! Does the repository hold what its documents name, and run every test that it has?

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files in these folders and below them whose name ends so.
fn files(folders: &[&str], end: &str) -> Vec<PathBuf> {
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Every document, with its text.
fn documents() -> Vec<(PathBuf, String)> {
    let top = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let top = top.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let all: Vec<_> = top.chain(files(&["docs", "models", "crates"], ".md")).collect();
    assert!(all.len() > 15, "{all:?}");
    all.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// What stands between `open` and `close`, as often as it does.
fn between<'a>(text: &'a str, open: &'a str, close: char) -> impl Iterator<Item = &'a str> {
    text.split(open).skip(1).filter_map(move |rest| Some(rest.split_once(close)?.0))
}

/// The anchors of the headings of a document, as GitHub makes them.
fn anchors(document: &str) -> Vec<String> {
    let heading = |line: &str| {
        let text = line.strip_prefix('#')?.trim_start_matches('#').trim().to_lowercase();
        let kept = text.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        Some(kept.map(|c| if c == ' ' { '-' } else { c }).collect())
    };
    document.lines().filter_map(heading).collect()
}

#[test]
fn every_link_of_a_document_leads_somewhere() {
    let (mut links, mut broken) = (0, Vec::new());
    for (path, text) in documents() {
        for link in between(&text, "](", ')').filter(|link| !link.starts_with("http")) {
            links += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let has = |anchor: &str| {
                fs::read_to_string(&target).is_ok_and(|text| anchors(&text).contains(&anchor.into()))
            };
            if !target.exists() || !(anchor.is_empty() || has(anchor)) {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(links > 50, "only {links} links found");
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Paths in code quotes that begin at the root; capitals stand for a name, and a star for any number of files.
#[test]
fn every_path_of_a_document_is_there() {
    let tops = ["crates/", "docs/", "scripts/", "fuzz/", ".ci/", ".cargo/"];
    let (mut paths, mut missing) = (0, Vec::new());
    for (document, text) in documents() {
        // the history names files that are gone
        if document.ends_with("CHANGELOG.md") {
            continue;
        }
        let words = text.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
        for word in words.filter(|word| tops.iter().any(|top| word.starts_with(top))) {
            paths += 1;
            let open = |part: &&str| !part.contains(['*', '{', '…']) && !part.starts_with("NAME");
            let known: PathBuf = word.split('/').take_while(open).collect();
            if !root().join(&known).exists() {
                missing.push(format!("{}: {word}", document.display()));
            }
        }
    }
    assert!(paths > 20, "only {paths} paths found");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// `cargo slow` finds tests by the name of their module; another ignored test would never be run.
#[test]
fn every_ignored_test_is_a_slow_one() {
    let mut slow = 0;
    for path in files(&["crates"], ".rs") {
        let text = fs::read_to_string(&path).unwrap();
        let mut inside = false;
        for line in text.lines().map(str::trim) {
            inside |= line == "mod slow {";
            if line.starts_with("#[ignore") {
                slow += 1;
                let told = inside && line.starts_with("#[ignore = \"slow: ");
                assert!(told, "{}: {line} is not in a module `slow`", path.display());
            }
        }
    }
    assert!(slow > 3, "only {slow} slow tests found");
}
