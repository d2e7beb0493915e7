//! What is in a CIFAR binary file?

use super::bounded::{LIMIT, read_file};
use super::memory::{InMemory, Pixels};
use super::{Split, known};
use crate::types::Error;
use std::path::{Path, PathBuf};

const PIXELS: usize = 3 * 32 * 32;

/// One of the two datasets, which differ in the bytes before an image.
struct Flavour {
    title: &'static str,
    /// Bytes before the pixels; the last of them is the label (CIFAR-100's first is the coarse one).
    label_bytes: usize,
    classes: usize,
    names_file: &'static str,
    test: &'static [&'static str],
    train: &'static [&'static str],
}

static FLAVOURS: [Flavour; 2] = [
    Flavour {
        title: "CIFAR-10",
        label_bytes: 1,
        classes: 10,
        names_file: "batches.meta.txt",
        test: &["test_batch.bin"],
        train: &[
            "data_batch_1.bin",
            "data_batch_2.bin",
            "data_batch_3.bin",
            "data_batch_4.bin",
            "data_batch_5.bin",
        ],
    },
    Flavour {
        title: "CIFAR-100",
        label_bytes: 2,
        classes: 100,
        names_file: "fine_label_names.txt",
        test: &["test.bin"],
        train: &["train.bin"],
    },
];

/// The images, and the names of the classes where known.
pub(super) type Found = (InMemory, Option<Vec<String>>);

/// The folder with the batches, if `folder` is it or holds it under its usual name.
pub(super) fn find_folder(folder: &Path) -> Option<PathBuf> {
    let candidates =
        [folder.to_owned(), folder.join("cifar-10-batches-bin"), folder.join("cifar-100-binary")];
    candidates.into_iter().find(|folder| flavour_of(folder).is_some())
}

fn flavour_of(folder: &Path) -> Option<&'static Flavour> {
    FLAVOURS.iter().find(|flavour| {
        flavour
            .test
            .iter()
            .chain(flavour.train)
            .chain([&flavour.names_file])
            .any(|file| folder.join(file).is_file())
    })
}

/// Reads the files of one split.
pub(super) fn open_folder(folder: &Path, split: Split) -> Result<Found, Error> {
    let flavour = flavour_of(folder).unwrap_or(&FLAVOURS[0]);
    let files = if split == Split::Train { flavour.train } else { flavour.test };
    if let Some(missing) = files.iter().find(|file| !folder.join(file).is_file()) {
        let problem =
            format!("{missing} is missing from the {split} part of {}; download it again", flavour.title);
        return Err(Error::format(folder, problem));
    }
    read(&files.iter().map(|file| folder.join(file)).collect::<Vec<_>>(), flavour)
}

/// Reads one file, whose name, neighbours or size tell what it is.
pub(super) fn open_file(file: &Path) -> Result<Found, Error> {
    let name = file.file_name().unwrap_or_default();
    let len = std::fs::metadata(file).map_err(Error::io(file))?.len() as usize;
    let named = FLAVOURS.iter().find(|f| f.test.iter().chain(f.train).any(|known| name == *known));
    let sized = FLAVOURS.iter().find(|f| len.is_multiple_of(f.label_bytes + PIXELS));
    read(&[file.to_owned()], named.or(sized).unwrap_or(&FLAVOURS[0]))
}

fn read(files: &[PathBuf], flavour: &Flavour) -> Result<Found, Error> {
    let (mut pixels, mut labels) = (Vec::new(), Vec::new());
    let record = flavour.label_bytes + PIXELS;
    for file in files {
        let bytes = read_file(file, LIMIT)?;
        if bytes.is_empty() {
            return Err(Error::format(file, "is empty; download it again"));
        }
        let rest = bytes.len() % record;
        if rest != 0 {
            let problem = format!(
                "{} bytes are not whole {} records of {record} bytes: the last one, at offset {}, has {rest}; \
                 download the file again",
                bytes.len(),
                flavour.title,
                bytes.len() - rest
            );
            return Err(Error::format(file, problem));
        }
        for (number, bytes) in bytes.chunks_exact(record).enumerate() {
            let (head, image) = bytes.split_at(flavour.label_bytes);
            let label = usize::from(head[flavour.label_bytes - 1]);
            if label >= flavour.classes {
                let (offset, most) = (number * record + flavour.label_bytes - 1, flavour.classes - 1);
                let problem = format!(
                    "label {label} at offset {offset} (image {number}) is above {most}; this is not {} in its \
                     binary version",
                    flavour.title
                );
                return Err(Error::format(file, problem));
            }
            labels.push(label);
            pixels.extend_from_slice(image);
        }
    }
    let images = InMemory::checked([3, 32, 32], Pixels::Bytes(pixels), Some(labels))?;
    Ok((images, class_names(&files[0], flavour)?))
}

/// The class names from the file beside the data; those of CIFAR-10 are known without it.
fn class_names(beside: &Path, flavour: &Flavour) -> Result<Option<Vec<String>>, Error> {
    let file = beside.with_file_name(flavour.names_file);
    if !file.is_file() {
        return Ok((flavour.classes == 10).then(|| known::CIFAR10.map(String::from).to_vec()));
    }
    let text = String::from_utf8_lossy(&read_file(&file, 1 << 16)?).into_owned();
    let names: Vec<String> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(String::from).collect();
    if names.len() != flavour.classes {
        let problem = format!("names {} classes, {} has {}", names.len(), flavour.title, flavour.classes);
        return Err(Error::format(file, problem));
    }
    Ok(Some(names))
}
