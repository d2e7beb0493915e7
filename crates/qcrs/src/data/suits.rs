//! Can a classifier be asked about these images?

use super::{NamedBy, Opened};
use crate::types::Error;
use rayon::prelude::*;

impl Opened {
    /// Makes sure that a classifier with so many classes can be asked about these images: class names and
    /// labels must be those of its classes. Fewer names than classes are an error, because class folders that
    /// are numbered by themselves are then likely to have the wrong numbers, unless `allow_fewer_classes`.
    pub fn suits(&self, classes: usize, allow_fewer_classes: bool) -> Result<(), Error> {
        let names = self.about.classes.as_deref();
        match names.filter(|names| names.len() != classes) {
            None => {}
            Some(names) if self.named_by == NamedBy::List => {
                let problem = format!(
                    "there are {} names, and the model has {classes} classes; write one name per class, in the order of \
                     the model's scores",
                    names.len()
                );
                return Err(Error::setting("names", problem));
            }
            Some(names) if names.len() > classes => {
                return Err(Error::Invalid(format!(
                    "{} has {} classes, and the model {classes}; do they belong together?",
                    self.about.name,
                    names.len()
                )));
            }
            Some(_) if allow_fewer_classes => {}
            Some(names) => return Err(self.fewer(names, classes)),
        }
        self.check_labels(classes)
    }

    fn fewer(&self, names: &[String], classes: usize) -> Error {
        let what = if self.named_by == NamedBy::Folders { "class folders" } else { "classes" };
        let numbers: Vec<String> = match names {
            [] => Vec::new(),
            [only] => vec![format!("{only} is class 0")],
            [first, .., last] => {
                vec![format!("{first} is class 0"), format!("{last} is class {}", names.len() - 1)]
            }
        };
        let problem = format!(
            "{} has {} {what}, and the model {classes} classes; set this if it is right that {}, otherwise set names to \
             a file with the names of all {classes} classes",
            self.about.name,
            names.len(),
            numbers.join(" and ")
        );
        Error::setting("allow_fewer_classes", problem)
    }

    fn check_labels(&self, classes: usize) -> Result<(), Error> {
        let mut beyond = Vec::new();
        for index in 0..self.dataset.len() {
            let label = self.dataset.label(index)?;
            beyond.extend(label.filter(|label| *label >= classes).map(|label| (index, label)));
        }
        let Some((index, label)) = beyond.first() else { return Ok(()) };
        let count =
            if beyond.len() == 1 { "1 input is".into() } else { format!("{} inputs are", beyond.len()) };
        Err(Error::Invalid(format!(
            "{}: {count} labelled with a class that the model does not have: input {index} has the label {label}, the \
             model has classes 0 to {}; do they belong together?",
            self.about.name,
            classes.saturating_sub(1)
        )))
    }

    /// Reads and decodes the images with these numbers, so that one that cannot be read is known before the
    /// first draw, and not after hours. That takes a few milliseconds per photograph and thread of the current
    /// rayon pool, far less than certifying it.
    pub fn check_images(&self, ids: &[u32]) -> Result<(), Error> {
        // the first in order, however many threads look
        let first = ids.par_iter().find_map_first(|&index| {
            let error = self.dataset.get(index as usize).err()?;
            Some(Error::Input { index, source: Box::new(error) })
        });
        first.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::InMemory;

    fn labelled(labels: Vec<usize>) -> Opened {
        let images = InMemory::from_bytes([1, 1, 1], vec![0; labels.len()], Some(labels)).unwrap();
        Opened::of_images("toys", images)
    }

    #[test]
    fn every_label_is_one_of_the_classes() {
        assert!(labelled(vec![0, 4, 2]).suits(5, false).is_ok());
        let error = labelled(vec![0, 5, 2, 9]).suits(5, true).unwrap_err().to_string();
        let expected = "toys: 2 inputs are labelled with a class that the model does not have: input 1 has the label 5, \
                        the model has classes 0 to 4";
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn names_must_be_as_many_as_classes_unless_fewer_are_allowed() {
        let named = |names: &[&str], named_by| {
            let mut opened = labelled(vec![0]);
            opened.about.classes = Some(names.iter().map(ToString::to_string).collect());
            opened.named_by = named_by;
            opened
        };
        let error = |opened: &Opened, allowed| opened.suits(3, allowed).unwrap_err().to_string();
        for named_by in [NamedBy::Data, NamedBy::Folders, NamedBy::List] {
            assert!(named(&["a", "b", "c"], named_by).suits(3, false).is_ok());
            assert!(named(&["a", "b", "c", "d"], named_by).suits(3, true).is_err());
        }
        let folders = named(&["cat", "dog"], NamedBy::Folders);
        let expected = "allow_fewer_classes: toys has 2 class folders, and the model 3 classes; set this if it is right \
                        that cat is class 0 and dog is class 1, otherwise set names";
        assert!(error(&folders, false).starts_with(expected), "{}", error(&folders, false));
        assert!(folders.suits(3, true).is_ok());
        let list = named(&["cat", "dog"], NamedBy::List);
        assert!(error(&list, true).starts_with("names: there are 2 names, and the model has 3 classes"));
    }
}
