//! Which arrays are in an .npz archive?

use super::npy::{self, Array};
use super::{InMemory, OpenOptions, Split, labels};
use crate::types::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use zip::ZipArchive;

type Archive = ZipArchive<BufReader<File>>;

/// Reads images and labels under their usual names. Also returns what was done to the pixels, and whether the
/// names are those of one of two parts.
pub(super) fn open(file: &Path, options: &OpenOptions) -> Result<(InMemory, &'static str, bool), Error> {
    let reader = BufReader::new(File::open(file).map_err(Error::io(file))?);
    let bad = |error| {
        Error::format(file, format!("is not a readable .npz archive ({error}); write it with numpy.savez"))
    };
    let mut archive = ZipArchive::new(reader).map_err(bad)?;
    let part = options.split;
    let (own_images, own_labels) = match part {
        Split::Train => (["x_train", "train_images"], ["y_train", "train_labels"]),
        Split::Test => (["x_test", "test_images"], ["y_test", "test_labels"]),
    };
    let images = find(&archive, &[&["x", "images"], &own_images[..]].concat(), file)?.ok_or_else(|| {
        let names: Vec<String> =
            archive.file_names().filter_map(Result::ok).map(|name| name.to_string()).collect();
        let problem = format!(
            "has no images for the {part} part; name the array x, images or {}; there are: {}",
            own_images.join(" or "),
            names.join(", ")
        );
        Error::format(file, problem)
    })?;
    let labels = match &options.labels {
        Some(labels) => Some(labels::read(labels, options)?),
        None => match find(&archive, &[&["y", "labels"], &own_labels[..]].concat(), file)? {
            Some(name) => Some(entry(&mut archive, &name, file)?.labels(&file.join(&name))?),
            None => None,
        },
    };
    let array = entry(&mut archive, &images, file)?;
    let preprocess = array.preprocess(options.range);
    let has_parts = own_images.iter().any(|name| images == format!("{name}.npy"));
    Ok((array.images(labels, options, &file.join(&images))?, preprocess, has_parts))
}

/// The one of these names that is in the archive; to choose between two would be a guess, so that is an
/// error.
fn find(archive: &Archive, names: &[&str], file: &Path) -> Result<Option<String>, Error> {
    let mut found =
        names.iter().map(|name| format!("{name}.npy")).filter(|name| archive.index_for_name(name).is_some());
    match (found.next(), found.next()) {
        (Some(one), Some(two)) => {
            Err(Error::format(file, format!("has both {one} and {two}; keep one, or give the array as .npy")))
        }
        (found, _) => Ok(found),
    }
}

fn entry(archive: &mut Archive, name: &str, file: &Path) -> Result<Array, Error> {
    let path = file.join(name);
    let entry = archive.by_name(name).map_err(|error| {
        Error::format(&path, format!("cannot be read ({error}); write the archive again"))
    })?;
    npy::read(entry, &path)
}
