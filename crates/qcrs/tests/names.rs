//! A type name has one meaning in the whole workspace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Names that a crate may share with others: each has its own kind of errors.
const SHARED: [&str; 1] = ["Error"];

#[test]
fn a_type_name_is_defined_once() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut places: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for krate in std::fs::read_dir(crates).unwrap() {
        for (path, text) in sources(&krate.unwrap().path().join("src")) {
            for name in outside_tests(&text).lines().filter_map(defined) {
                places.entry(name.to_owned()).or_default().push(path.clone());
            }
        }
    }
    assert!(places.len() > 300, "only {} types found: does this test still read the sources?", places.len());
    places.retain(|name, places| places.len() > 1 && !SHARED.contains(&name.as_str()));
    assert!(places.is_empty(), "these names are defined more than once; rename all but one: {places:#?}");
}

#[test]
fn definitions_are_told_from_uses() {
    for (line, name) in [
        ("pub struct Plan {", Some("Plan")),
        ("    pub(super) enum Verdict<'a> {", Some("Verdict")),
        ("struct Once(u64);", Some("Once")),
        ("unsafe trait Lanes: Copy {", Some("Lanes")),
        ("pub(crate) union Bits {", Some("Bits")),
        ("pub type Inputs = dyn Fn(u32);", Some("Inputs")),
        ("    type Item = u32;", None),
        ("/// The struct Plan", None),
        ("let structure = 1;", None),
        ("use crate::Plan;", None),
    ] {
        assert_eq!(defined(line), name, "{line}");
    }
    let text = "struct A;\n#[cfg(test)]\n#[allow(unused)]\nmod tests {\n    struct B;\n}\n";
    assert_eq!(outside_tests(text), "struct A;\n");
    assert_eq!(
        outside_tests("#[cfg(test)]\nmod tests;\nstruct A;\n"),
        "#[cfg(test)]\nmod tests;\nstruct A;\n"
    );
}

/// The name of the type that a line defines. Associated types are indented, and belong to their trait.
fn defined(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let code = match code.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
        Some(rest) => rest.trim_start(),
        None => code,
    };
    let (word, rest) = code.strip_prefix("unsafe ").unwrap_or(code).split_once(' ')?;
    let is_type = ["struct", "enum", "trait", "union"].contains(&word);
    let is_alias = word == "type" && !line.starts_with(' ');
    let name = rest.split(|letter: char| !letter.is_alphanumeric()).next()?;
    ((is_type || is_alias) && name.starts_with(char::is_uppercase)).then_some(name)
}

/// The text before the module of unit tests, which is the last of a file.
fn outside_tests(text: &str) -> &str {
    let is_tests = |at: &usize| {
        let after = text[*at..].lines().skip(1).find(|line| !line.starts_with("#["));
        after.is_some_and(|line| line.starts_with("mod ") && line.ends_with('{'))
    };
    let end = text.match_indices("#[cfg(test)]").map(|(at, _)| at).find(is_tests);
    &text[..end.unwrap_or(text.len())]
}

/// Every source file below `folder` but those of tests, with its text.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_of_tests = path.file_stem().is_some_and(|name| name == "tests");
        if path.is_dir() && !is_of_tests {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_of_tests {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}
