//! What are the classes called, when a separate file says so?

use super::OpenOptions;
use super::labels::read_text;
use crate::types::Error;
use std::collections::HashMap;
use std::path::Path;

/// What the classes are called.
#[derive(Debug)]
pub(super) struct ClassNames {
    /// In tables, each once, in the order of the classes' numbers.
    pub shown: Vec<String>,
    /// In ImageNet's folders, where the list has them.
    wordnet: Vec<String>,
}

/// The names that the options give.
pub(super) fn given(options: &OpenOptions) -> Result<Option<ClassNames>, Error> {
    options.names.as_deref().map(read).transpose()
}

/// The names of all classes in the order of their numbers, one per line; blank lines may follow the last one.
fn read(file: &Path) -> Result<ClassNames, Error> {
    let text = read_text(file)?;
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim).collect();
    let wordnet: Vec<(&str, &str)> = lines.iter().map_while(|line| wordnet(line)).collect();
    if !lines.is_empty() && wordnet.len() == lines.len() {
        check(file, wordnet.iter().map(|(number, _)| *number))?;
        return Ok(ClassNames::of_wordnet(&wordnet));
    }
    check(file, lines.iter().copied())?;
    Ok(ClassNames { shown: lines.into_iter().map(String::from).collect(), wordnet: Vec::new() })
}

/// Makes sure that every line has a name of its own.
fn check<'a>(file: &Path, names: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut seen = HashMap::new();
    for (number, name) in names.enumerate() {
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
    if seen.is_empty() {
        return Err(Error::format(file, "is empty; write one class name per line"));
    }
    Ok(())
}

/// Number and first name of a line like `n02123045 tabby, tabby cat`, as ImageNet's own lists have them
/// (`LOC_synset_mapping.txt`, `synset_words.txt`).
fn wordnet(line: &str) -> Option<(&str, &str)> {
    let (number, names) = line.split_once(char::is_whitespace)?;
    let digits = number.strip_prefix('n').filter(|digits| digits.len() == 8)?;
    let name = names.split(',').next().map(str::trim).filter(|name| !name.is_empty())?;
    digits.bytes().all(|digit| digit.is_ascii_digit()).then_some((number, name))
}

impl ClassNames {
    /// ImageNet has two classes `crane` and two classes `maillot`: they are shown with their numbers.
    fn of_wordnet(classes: &[(&str, &str)]) -> Self {
        let mut times = HashMap::new();
        for (_, name) in classes {
            *times.entry(*name).or_insert(0) += 1;
        }
        let shown = |(number, name): &(&str, &str)| match times[name] {
            1 => (*name).to_owned(),
            _ => format!("{name} ({number})"),
        };
        Self {
            shown: classes.iter().map(shown).collect(),
            wordnet: classes.iter().map(|(number, _)| (*number).to_owned()).collect(),
        }
    }

    /// The number of the class with this name.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        let among = |names: &[String]| names.iter().position(|known| known == name);
        among(&self.wordnet).or_else(|| among(&self.shown))
    }
}

/// The number of the class that a label stands for: a number, or a name where `names` are known.
pub(super) fn class(label: &str, names: Option<&ClassNames>) -> Result<usize, String> {
    let number = label.parse().ok();
    let known = names.and_then(|names| names.place(label));
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
        let names =
            ClassNames { shown: ["cat", "dog", "0", "3"].map(String::from).into(), wordnet: Vec::new() };
        let of = |label| class(label, Some(&names));
        assert_eq!((of("1"), of("dog"), of("3"), of("9")), (Ok(1), Ok(1), Ok(3), Ok(9)));
        assert!(of("0").unwrap_err().contains("is the name of class 2 and also a class number"));
        assert!(of("bird").unwrap_err().contains("class names; correct it, or add it to the names"));
        assert!(of("-1").is_err() && class("cat", None).unwrap_err().contains("set names to a file"));
        assert_eq!(class("7", None), Ok(7));
    }
}
