//! What are the classes called, when a separate file says so?

use super::OpenOptions;
use super::labels::read_text;
use crate::types::Error;
use std::collections::HashMap;
use std::path::Path;

/// The names that the options give.
pub(super) fn given(options: &OpenOptions) -> Result<Option<Vec<String>>, Error> {
    options.names.as_deref().map(read).transpose()
}

/// The names of all classes in the order of their numbers, one per line; blank lines may follow the last one.
fn read(file: &Path) -> Result<Vec<String>, Error> {
    let text = read_text(file)?;
    let names: Vec<String> = text.trim_end().lines().map(|line| line.trim().to_owned()).collect();
    let mut seen = HashMap::new();
    for (number, name) in names.iter().enumerate() {
        let line = number + 1;
        if name.is_empty() {
            let problem = format!("line {line} is empty; write one class name per line");
            return Err(Error::format(file, problem));
        }
        if let Some(first) = seen.insert(name, line) {
            let problem = format!("lines {first} and {line} both say '{name}'; a class name stands once");
            return Err(Error::format(file, problem));
        }
    }
    if names.is_empty() {
        return Err(Error::format(file, "is empty; write one class name per line"));
    }
    Ok(names)
}

/// The number of the class that a label stands for: a number, or a name where `names` are known.
pub(super) fn class(label: &str, names: Option<&[String]>) -> Result<usize, String> {
    let number = label.parse().ok();
    let known = names.and_then(|names| names.iter().position(|name| name == label));
    match (number, known) {
        (Some(number), Some(known)) if number != known => Err(format!(
            "'{label}' is the name of class {known} and also a class number; write {known}, or name the classes otherwise"
        )),
        (Some(class), _) | (None, Some(class)) => Ok(class),
        (None, None) if names.is_some() => Err(format!(
            "'{label}' is neither a class number nor one of the class names; correct it, or add it to the names"
        )),
        (None, None) => Err(format!(
            "'{label}' is not a class number; write 0 for the first class, or set names to a file with one class name \
             per line"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_a_number_or_a_known_name_and_never_ambiguous() {
        let names = ["cat", "dog", "0", "3"].map(String::from);
        let of = |label| class(label, Some(&names));
        assert_eq!((of("1"), of("dog"), of("3"), of("9")), (Ok(1), Ok(1), Ok(3), Ok(9)));
        assert!(of("0").unwrap_err().contains("is the name of class 2 and also a class number"));
        assert!(of("bird").unwrap_err().contains("class names; correct it, or add it to the names"));
        assert!(of("-1").is_err() && class("cat", None).unwrap_err().contains("set names to a file"));
        assert_eq!(class("7", None), Ok(7));
    }
}
