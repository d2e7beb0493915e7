//! The sources of the crates, for tests of rules that the compiler does not know.
#![allow(dead_code)] // each test file uses its own part

use std::path::{Path, PathBuf};

/// The folder that holds every crate.
pub fn crates() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The names of all crates.
pub fn every_crate() -> Vec<String> {
    let folders = crates().read_dir().unwrap().map(|entry| entry.unwrap());
    let folders = folders.filter(|entry| entry.path().join("Cargo.toml").exists());
    folders.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// The content of a file.
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A file of a crate that is compiled into the library or program, not only into tests.
pub struct Source {
    /// The modules from the root of the crate down to this one; none for the root itself.
    pub module: Vec<String>,
    /// The file from the folder of crates on, such as `qcrs/src/run/lines.rs`.
    pub file: String,
    /// All of it.
    pub text: String,
    /// The code alone: see [`code`].
    pub code: String,
}

/// Every source of a crate, found by following `mod NAME;` from its roots.
pub fn sources(name: &str) -> Vec<Source> {
    let src = crates().join(name).join("src");
    let mut found = Vec::new();
    for root in ["lib.rs", "main.rs"] {
        if src.join(root).exists() {
            follow(&src.join(root), &src, &[], &mut found);
        }
    }
    assert!(!found.is_empty(), "{}: no sources", src.display());
    found
}

fn follow(path: &Path, folder: &Path, module: &[String], found: &mut Vec<Source>) {
    let text = read(path);
    let code = code(&text);
    let children: Vec<String> = code.split(';').filter_map(declared).map(str::to_owned).collect();
    let file = path.strip_prefix(crates()).unwrap().display().to_string();
    found.push(Source { module: module.to_vec(), file, text, code });
    for child in children {
        let below = folder.join(&child);
        let candidates: [PathBuf; 2] = [folder.join(format!("{child}.rs")), below.join("mod.rs")];
        let path = candidates.iter().find(|path| path.exists());
        let path = path.unwrap_or_else(|| panic!("{}: no file for `mod {child}`", folder.display()));
        follow(path, &below, &[module, &[child]].concat(), found);
    }
}

/// The name of the module if `statement` ends with `mod NAME`.
fn declared(statement: &str) -> Option<&str> {
    let mut words = statement.split_whitespace().rev();
    let name = words.next()?;
    (words.next()? == "mod" && !name.contains('}')).then_some(name)
}

/// Code without comments, without what stands in quotes, and without items that are compiled for tests only.
pub fn code(text: &str) -> String {
    let code: String = pieces(text).into_iter().filter_map(Piece::code).collect();
    let (mut kept, mut rest) = (String::new(), code.as_str());
    while let Some(at) = ["#[cfg(test)]", "#[cfg(all(test,"].iter().filter_map(|mark| rest.find(mark)).min() {
        kept.push_str(&rest[..at]);
        rest = after_item(&rest[at..]);
    }
    kept + rest
}

/// What follows the item that `code` begins with.
fn after_item(code: &str) -> &str {
    let mut depth = 0_u32;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && (c == ';' || c == '}') {
            return &code[at + 1..];
        }
    }
    ""
}

/// A part of a source file outside of comments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece<'a> {
    /// Neither a text nor a comment.
    Code(&'a str),
    /// What stands between the quotes of a text.
    Text(&'a str),
}

impl<'a> Piece<'a> {
    fn code(self) -> Option<&'a str> {
        match self {
            Self::Code(code) => Some(code),
            Self::Text(_) => None,
        }
    }

    /// What stands between quotes, if this is a text.
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Code(_) => None,
            Self::Text(text) => Some(text),
        }
    }
}

/// Tells code, texts and comments apart, and drops the comments.
pub fn pieces(source: &str) -> Vec<Piece<'_>> {
    let (mut found, mut rest) = (Vec::new(), source);
    while let Some(at) = rest.find(['"', '\'', '/', 'r']) {
        let (before, here) = rest.split_at(at);
        found.push(Piece::Code(before));
        rest = if here.starts_with("//") {
            &here[here.find('\n').unwrap_or(here.len())..]
        } else if here.starts_with("/*") {
            after(here, "*/")
        } else if let Some(text) = here.strip_prefix('"') {
            let end = end_of_text(text);
            found.push(Piece::Text(&text[..end]));
            &text[end + 1..]
        } else if let Some(after_character) = character(here) {
            after_character
        } else if let Some((hashes, text)) = raw(before, here) {
            let end = format!("\"{}", "#".repeat(hashes));
            let (inside, more) = text.split_once(&end).unwrap_or((text, ""));
            found.push(Piece::Text(inside));
            more
        } else {
            found.push(Piece::Code(&here[..1]));
            &here[1..]
        };
    }
    found.push(Piece::Code(rest));
    found
}

/// What follows the character in single quotes that begins here; a lifetime is none.
fn character(here: &str) -> Option<&str> {
    let inside = here.strip_prefix('\'')?;
    if inside.starts_with('\\') {
        return Some(after(&inside[2..], "'"));
    }
    inside.split_at(inside.chars().next()?.len_utf8()).1.strip_prefix('\'')
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
