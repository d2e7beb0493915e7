//! What is at this path?

use super::folder::{Folder, is_picture};
use super::options::Kind;
use super::picture::Treatment;
use super::{About, Dataset, Example, InMemory, OpenOptions, cifar, idx, known, labels, npy, npz};
use crate::types::Error;
use std::path::Path;

/// A dataset and what is known about it.
pub struct Opened {
    /// The images.
    pub dataset: Box<dyn Dataset>,
    /// What they are and how they are read.
    pub about: About,
    /// Whether there is a part for training and one for tests, of which this is the one that was asked for.
    pub has_parts: bool,
    /// Whether the hash in `about` covers every image. If not, images can be exchanged without a change of it: compare
    /// them with the [`pixel_hash`](super::pixel_hash) of each.
    pub contents_hashed: bool,
}

impl Opened {
    /// Images that somebody already has in memory. They are known by their content: the same images in a file, as bytes
    /// or as floats, are the same dataset.
    pub fn of_images(name: &str, images: InMemory) -> Self {
        in_memory(name.into(), images, "value", None)
    }

    /// Gives an image and its label by its number in records.
    pub fn inputs(&self) -> impl Fn(u32) -> Result<Example, Error> + Sync + '_ {
        |index| self.dataset.get(index as usize)
    }
}

/// Opens whatever is at `path`: a CIFAR `.bin` file or folder, IDX (plain or `.gz`) or its folder,
/// `.npy`, `.npz`, a PNG or JPEG, a folder of them with or without class folders, or a CSV `file,label`.
///
/// Binary formats are read and checked whole; image files are decoded when asked for.
pub fn open(path: &Path, options: &OpenOptions) -> Result<Opened, Error> {
    if path.is_dir() {
        return open_folder(path, options);
    }
    if !path.exists() {
        let problem =
            "there is no such file or folder; 'qcrs data get cifar10' fetches a dataset to start with";
        return Err(Error::format(path, problem));
    }
    let end = path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
    match end.as_deref() {
        Some("bin") => open_cifar(path, cifar::open_file(path), options),
        Some("npy") => {
            let array = npy::read_file(path)?;
            let labels = options.labels.as_deref().map(labels::read).transpose()?;
            let preprocess = array.preprocess(options.range);
            options.suit(Kind::Array, path)?;
            Ok(in_memory(name(path), array.images(labels, options, path)?, preprocess, None))
        }
        Some("npz") => {
            options.suit(Kind::Array, path)?;
            let (images, preprocess, has_parts) = npz::open(path, options)?;
            Ok(Opened { has_parts, ..in_memory(name(path), images, preprocess, None) })
        }
        Some("csv") => {
            let root = path.parent().unwrap_or(Path::new(""));
            if options.labels.is_some() {
                return Err(Error::format(path, "brings its labels; leave out --labels"));
            }
            pictures(path, Folder::from_list(root, path, treatment(options))?, options)
        }
        _ if is_picture(path) => {
            if options.labels.is_some() {
                return Err(Error::format(path, "--labels are for folders of images; give the folder"));
            }
            pictures(path, Folder::single(path, treatment(options))?, options)
        }
        _ if idx::is_idx(path) => {
            options.suit(Kind::Fixed, path)?;
            Ok(in_memory(name(path), idx::open(path, options)?, "value/255", None))
        }
        _ => Err(unknown(path, "this file is none of them")),
    }
}

fn open_folder(path: &Path, options: &OpenOptions) -> Result<Opened, Error> {
    if let Some(folder) = cifar::find_folder(path) {
        let opened = open_cifar(path, cifar::open_folder(&folder, options.split), options)?;
        return Ok(Opened { has_parts: true, ..opened });
    }
    if let Some(images) = idx::find_images(path, options.split) {
        options.suit(Kind::Fixed, path)?;
        let opened = in_memory(name(path), idx::open(&images, options)?, "value/255", None);
        return Ok(Opened { has_parts: true, ..opened });
    }
    match Folder::open(path, options.labels.as_deref(), treatment(options))? {
        Some(folder) => pictures(path, folder, options),
        None => Err(unknown(path, &inside(path)?)),
    }
}

fn open_cifar(
    path: &Path,
    found: Result<cifar::Found, Error>,
    options: &OpenOptions,
) -> Result<Opened, Error> {
    if options.labels.is_some() {
        return Err(Error::format(path, "brings its labels; leave out --labels"));
    }
    options.suit(Kind::Fixed, path)?;
    let (images, classes) = found?;
    Ok(in_memory(name(path), images, "value/255", classes))
}

fn treatment(options: &OpenOptions) -> Treatment {
    Treatment { resize: options.resize, crop: options.crop, channels: options.channels }
}

fn in_memory(name: String, images: InMemory, preprocess: &str, classes: Option<Vec<String>>) -> Opened {
    let blake3 = images.fingerprint();
    let known = known::recognise(&blake3);
    let about = About {
        name: known.map_or(name, |known| known.name.into()),
        classes: classes.or_else(|| known.map(|known| known.classes.map(String::from).to_vec())),
        blake3,
        shape: images.shape(),
        // however they were written: a run on the same images is the same run
        preprocess: if images.are_bytes() { "value/255" } else { preprocess }.into(),
    };
    Opened { dataset: Box::new(images), about, has_parts: false, contents_hashed: true }
}

fn pictures(path: &Path, folder: Folder, options: &OpenOptions) -> Result<Opened, Error> {
    options.suit(Kind::Pictures, path)?;
    let (blake3, contents_hashed) = folder.fingerprint()?;
    let covers = if contents_hashed {
        "fingerprint of the files"
    } else {
        "fingerprint of file names, sizes and labels only"
    };
    let about = About {
        name: name(path),
        blake3,
        shape: folder.shape(),
        preprocess: format!("{}; {covers}", folder.words()),
        classes: folder.classes.clone(),
    };
    Ok(Opened { dataset: Box::new(folder), about, has_parts: false, contents_hashed })
}

/// The last part of a path, also of `.` or `images/..`.
fn name(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy().into_owned()
}

/// The first few names in a folder, for the message that none of them was understood.
fn inside(folder: &Path) -> Result<String, Error> {
    let entries = std::fs::read_dir(folder).map_err(Error::io(folder))?;
    let mut names: Vec<_> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names.truncate(5);
    Ok(if names.is_empty() {
        "this folder is empty".into()
    } else {
        format!("here is: {}", names.join(", "))
    })
}

fn unknown(path: &Path, found: &str) -> Error {
    let problem = format!(
        "understood are: CIFAR .bin files or their folder, IDX files (plain or .gz) or their folder, .npy, .npz, \
         PNG and JPEG files, a folder of them (with or without class folders), a CSV 'file,label'; {found}"
    );
    Error::format(path, problem)
}
