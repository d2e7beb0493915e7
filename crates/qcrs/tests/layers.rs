//! The order of modules in the crate documentation, and the order of crates in ARCHITECTURE.md, enforced.

#[path = "common/sources.rs"]
mod sources;

use sources::{Source, crates, every_crate, read, sources};
use std::collections::BTreeSet;

/// Which crates of ours each crate may build on, bottom to top. Tests and benchmarks may use any.
///
/// `qcrs` runs no model. An engine needs its types only; the bank knows no engine; programs share `qcrs-terminal`.
/// The trainer needs libtorch, so nothing builds on it, and it builds on nothing that the everyday command needs.
const CRATES: [(&str, &[&str]); 8] = [
    ("qcrs", &[]),
    ("qcrs-cnn", &["qcrs"]),
    ("qcrs-onnx", &["qcrs", "qcrs-cnn"]),
    ("qcrs-bank", &["qcrs"]),
    ("qcrs-terminal", &["qcrs", "qcrs-bank", "qcrs-onnx"]),
    ("qcrs-lab", &["qcrs", "qcrs-bank", "qcrs-onnx", "qcrs-terminal"]),
    ("qcrs-cli", &["qcrs", "qcrs-bank", "qcrs-lab", "qcrs-onnx", "qcrs-terminal"]),
    ("qcrs-train", &["qcrs"]),
];

#[test]
fn crates_build_only_on_the_ones_listed() {
    for (at, (name, allowed)) in CRATES.iter().enumerate() {
        let manifest = read(&crates().join(name).join("Cargo.toml"));
        let allowed: BTreeSet<&str> = allowed.iter().copied().collect();
        assert_eq!(dependencies(&manifest), allowed, "crates that {name} builds on");
        let below: BTreeSet<&str> = CRATES[..at].iter().map(|(name, _)| *name).collect();
        assert!(allowed.is_subset(&below), "{name} builds on a crate that is listed after it");
    }
}

#[test]
fn every_crate_has_its_place_in_the_order_and_in_architecture_md() {
    let order = CRATES.map(|(name, _)| name);
    assert_eq!(every_crate().iter().map(String::as_str).collect::<BTreeSet<_>>(), BTreeSet::from(order));
    let architecture = read(&crates().join("../ARCHITECTURE.md"));
    let crates = architecture.split("## Modules of `qcrs`").next().unwrap();
    assert_eq!(rows(crates, "| `"), order, "the table of crates in ARCHITECTURE.md");
}

/// The crates of ours that a manifest's library or program builds on, on any platform.
fn dependencies(manifest: &str) -> BTreeSet<&str> {
    let (mut found, mut counts) = (BTreeSet::new(), false);
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            counts = section.ends_with("dependencies]") && !section.ends_with("dev-dependencies]");
        } else if counts && line.starts_with("qcrs") {
            found.insert(line.split(['.', ' ', '=']).next().unwrap());
        }
    }
    found
}

#[test]
fn a_dependency_is_found_however_it_is_written() {
    let manifest = "[dependencies]\nqcrs.workspace = true\nqcrs-bank = { path = \"x\" }\nrayon = \"1\"\n\
                    [dev-dependencies]\nqcrs-lab = \"1\"\n\
                    [target.'cfg(unix)'.dependencies]\nqcrs-onnx=\"1\"\n[features]\nqcrs-x = []";
    assert_eq!(dependencies(manifest), BTreeSet::from(["qcrs", "qcrs-bank", "qcrs-onnx"]));
}

/// The crates whose documentation has a table of modules.
const LAYERED: [&str; 6] = ["qcrs", "qcrs-cnn", "qcrs-onnx", "qcrs-bank", "qcrs-terminal", "qcrs-train"];

/// A module may use itself and the modules above it in the table of its crate's documentation. In `qcrs` that makes
/// `testing`, the last, a module for users and tests only.
#[test]
fn modules_use_only_the_ones_above_them() {
    let mut wrong = Vec::new();
    for name in LAYERED {
        let all = sources(name);
        let layers = Layers::of(&all[0]);
        let mut looked_at = 0;
        for source in all.iter().filter(|source| layers.holds(source)) {
            for used in used_modules(source) {
                looked_at += 1;
                wrong.extend(layers.problem(source, &used));
            }
        }
        assert!(looked_at > 7, "{name}: only {looked_at} uses found: does this test still read the sources?");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The modules of a crate, bottom to top, and its root.
struct Layers<'a> {
    order: Vec<String>,
    root: &'a Source,
}

impl<'a> Layers<'a> {
    fn of(root: &'a Source) -> Self {
        let order = rows(&root.text, "//! | `");
        assert!(!order.is_empty(), "{}: no table of modules", root.file);
        Self { order, root }
    }

    /// Whether the order is about `source`: the roots and the command line of a program may use everything.
    fn holds(&self, source: &Source) -> bool {
        let is_listed = source.module.first().is_some_and(|module| self.order.contains(module));
        assert!(
            is_listed || source.module.is_empty() || source.module[0] == "cli",
            "{} is not listed",
            source.file
        );
        is_listed
    }

    /// What is wrong with `used`, a name at the root of the crate, in `source`.
    fn problem(&self, source: &Source, used: &str) -> Option<String> {
        let (name, file) = (&source.module[0], &source.file);
        let rank = |name: &str| self.order.iter().position(|module| module == name);
        let module = if rank(used).is_some() { Some(used) } else { self.origin(used) };
        match (module, module.and_then(rank)) {
            (None, _) if self.defines(used) => None,
            (None, _) => Some(format!("{file}: `{used}` is no module in the table of {}", self.root.file)),
            // from another crate
            (Some(_), None) => None,
            (Some(module), at) if module == name || at < rank(name) => None,
            (Some(module), _) => Some(format!("{file}: `{name}` may not use `{module}`")),
        }
    }

    /// The module or crate from which the root takes `name`.
    fn origin(&self, name: &str) -> Option<&str> {
        let taken = self.root.code.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next());
        let is_from =
            |path: &&str| path.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        taken.into_iter().find(is_from)?.split("::").next()
    }

    fn defines(&self, name: &str) -> bool {
        ["enum", "struct", "type", "fn", "const"]
            .iter()
            .any(|kind| self.root.code.contains(&format!("{kind} {name}")))
    }
}

/// The first column of a table: what stands between backquotes after `start`.
fn rows(text: &str, start: &str) -> Vec<String> {
    let row = |line: &str| Some(line.strip_prefix(start)?.split_once('`')?.0.to_owned());
    text.lines().filter_map(row).collect()
}

/// The top modules that a source names, by `crate::` or by as many `super::` as lead to the root.
fn used_modules(source: &Source) -> Vec<String> {
    let to_the_root = "super::".repeat(source.module.len());
    let deeper = format!("{to_the_root}super::");
    assert!(!source.code.contains(&deeper), "{}: a module inside this file: use `crate::`", source.file);
    let starts = ["crate::", &to_the_root];
    let places = starts.iter().flat_map(|start| {
        let places = source.code.match_indices(start);
        // the end of a longer chain, or of a word
        let begins =
            |at: usize| !source.code[..at].ends_with(|c: char| c.is_alphanumeric() || "_:".contains(c));
        places.filter(move |(at, _)| begins(*at)).map(|(at, start)| &source.code[at + start.len()..])
    });
    places.flat_map(first_words).collect()
}

/// The first words of the paths that begin here: one, or those of a group in braces.
fn first_words(place: &str) -> Vec<String> {
    let word = |path: &str| path.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let Some(group) = place.strip_prefix('{') else { return vec![word(place)] };
    let (mut depth, mut paths) = (0, vec![String::new()]);
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => paths.push(String::new()),
            _ => paths.last_mut().unwrap().push(c),
        }
    }
    paths.iter().map(|path| word(path)).filter(|word: &String| !word.is_empty()).collect()
}

#[test]
fn a_module_is_found_however_it_is_named() {
    let of = |module: &[&str], code: &str| {
        let module = module.iter().map(ToString::to_string).collect();
        let (file, text) = (String::new(), String::new());
        used_modules(&Source { module, file, text, code: sources::code(code) })
    };
    assert_eq!(
        of(&["run"], "use crate::data::x; f(crate::math::g, super::tune::h)"),
        ["data", "math", "tune"]
    );
    assert_eq!(
        of(&["run"], "use crate::{bounds::{a, b}, radius,\n noise::c,\n};"),
        ["bounds", "radius", "noise"]
    );
    assert_eq!(of(&["method", "probe"], "use super::super::certify::y; use super::Scout;"), ["certify"]);
    assert!(
        of(&["run"], "#[cfg(test)]\nmod tests { use crate::report; } // crate::x\n \"crate::y\"").is_empty()
    );
}
