//! Which public dataset is this?

/// A public dataset, recognised by the fingerprint of its images and labels, not by file names.
pub(super) struct Known {
    blake3: &'static str,
    pub name: &'static str,
    pub classes: [&'static str; 10],
}

/// The class names of CIFAR-10, as its own file spells them.
pub(super) static CIFAR10: [&str; 10] =
    ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"];
static DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
static FASHION: [&str; 10] = [
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
];

static KNOWN: [Known; 6] = [
    Known { name: "CIFAR-10 test", classes: CIFAR10, blake3: "?" },
    Known { name: "CIFAR-10 train", classes: CIFAR10, blake3: "?" },
    Known { name: "MNIST test", classes: DIGITS, blake3: "?" },
    Known { name: "MNIST train", classes: DIGITS, blake3: "?" },
    Known { name: "Fashion-MNIST test", classes: FASHION, blake3: "?" },
    Known { name: "Fashion-MNIST train", classes: FASHION, blake3: "?" },
];

/// The public dataset with this fingerprint.
pub(super) fn recognise(blake3: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.blake3 == blake3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{OpenOptions, Split, open};
    use std::path::Path;

    /// The folder that `qcrs data get` filled: `QCRS_DATA=data cargo test -- --ignored known`.
    #[test]
    #[ignore = "needs the three datasets in the folder that QCRS_DATA names"]
    fn the_real_datasets_are_recognised() {
        let root = std::env::var("QCRS_DATA").expect("QCRS_DATA is set");
        let mut names = KNOWN.iter().map(|known| known.name);
        for folder in ["cifar10", "mnist", "fashion-mnist"] {
            for split in [Split::Test, Split::Train] {
                let options = OpenOptions { split, ..OpenOptions::default() };
                let opened = open(&Path::new(&root).join(folder), &options).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(Some(opened.about.name.as_str()), names.next(), "{}", opened.about.blake3);
                assert!(opened.about.classes.is_some());
                assert!([10_000, 50_000, 60_000].contains(&opened.dataset.len()));
            }
        }
    }
}
