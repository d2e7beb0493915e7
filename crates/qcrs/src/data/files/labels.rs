//! Which image has which label, when a separate file says so?

use super::bounded::read_file;
use super::{OpenOptions, idx, names, npy};
use crate::types::Error;
use std::path::{Component, Path};

/// A list of this size names more images than any dataset has: 256 MiB.
const LIST_LIMIT: u64 = 256 << 20;

/// Labels in the order of the images: CSV with one number or known name per line, a 1-D integer `.npy`, or IDX.
pub(super) fn read(file: &Path, options: &OpenOptions) -> Result<Vec<usize>, Error> {
    std::fs::metadata(file).map_err(Error::io(file))?;
    match file.extension().and_then(|end| end.to_str()) {
        Some("npy") => npy::read_labels(file),
        Some("csv" | "txt") => read_column(file, names::given(options)?.as_ref()),
        _ if idx::is_idx(file) => idx::read_labels(file),
        _ => Err(Error::format(file, "is not a file of labels; supported formats are .csv, .npy and IDX")),
    }
}

fn read_column(file: &Path, names: Option<&names::ClassNames>) -> Result<Vec<usize>, Error> {
    let text = read_text(file)?;
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
    let mut labels = Vec::new();
    for (number, line) in lines {
        match names::class(&unquote(line), names) {
            Ok(label) => labels.push(label),
            Err(_) if number == 0 && is_word(line) => {} // a header
            Err(problem) => return Err(at_line(file, number, &problem)),
        }
    }
    Ok(labels)
}

/// The lines `file,label` of a CSV whose paths stay within its folder; a first line that names
/// no image file and no number is a header.
pub(super) fn read_list(file: &Path, options: &OpenOptions) -> Result<Vec<(String, usize)>, Error> {
    let (text, names) = (read_text(file)?, names::given(options)?);
    let mut list = Vec::new();
    for (number, line) in text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty()) {
        let Some((name, label)) = line.rsplit_once(',') else {
            return Err(at_line(file, number, &format!("expected 'file,label', got '{line}'")));
        };
        let (name, label) = (unquote(name), unquote(label));
        if number == 0 && is_word(&label) && !super::listing::is_picture(Path::new(&name)) {
            continue;
        }
        let label =
            names::class(&label, names.as_ref()).map_err(|problem| at_line(file, number, &problem))?;
        let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if name.is_empty() || !Path::new(&name).components().all(inside) {
            let problem = format!("'{name}' leaves the folder; list files within it");
            return Err(at_line(file, number, &problem));
        }
        list.push((name, label));
    }
    Ok(list)
}

pub(super) fn read_text(file: &Path) -> Result<String, Error> {
    let text = String::from_utf8(read_file(file, LIST_LIMIT)?)
        .map_err(|_| Error::format(file, "is not text in UTF-8; save it as such"))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned()) // some spreadsheets write a byte order mark first
}

fn unquote(field: &str) -> String {
    let field = field.trim();
    match field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => field.to_owned(),
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

fn at_line(file: &Path, number: usize, problem: &str) -> Error {
    Error::format(file, format!("line {}: {problem}", number + 1))
}
