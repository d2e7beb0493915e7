//! What is at this path?

use super::folder::Folder;
use super::listing::is_picture;
use super::options::Kind;
use super::{About, Dataset, NamedBy, OpenOptions, Opened, cifar, idx, labels, names, npy, npz};
use crate::types::Error;
use std::path::Path;

/// Opens whatever is at `path`: a CIFAR `.bin` file or folder, IDX (plain or `.gz`) or its folder,
/// `.npy`, `.npz`, a PNG or JPEG, a folder of them with or without class folders, or a CSV `file,label`.
///
/// Binary formats are read and checked whole; image files are decoded when asked for.
pub fn open(path: &Path, options: &OpenOptions) -> Result<Opened, Error> {
    let mut opened = open_as_it_is(path, options)?;
    if let Some(names) = names::given(options)? {
        opened.about.classes = Some(names.shown);
        opened.named_by = NamedBy::List;
    }
    Ok(opened)
}

fn open_as_it_is(path: &Path, options: &OpenOptions) -> Result<Opened, Error> {
    if path.is_dir() {
        return open_folder(path, options);
    }
    if !path.exists() {
        let problem =
            "there is no such file or folder; 'qcrs data get cifar10' downloads a dataset to start with";
        return Err(Error::format(path, problem));
    }
    let end = path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
    match end.as_deref() {
        Some("bin") => open_cifar(path, cifar::open_file(path), options),
        Some("npy") => {
            let array = npy::read_file(path)?;
            let labels = options.labels.as_deref().map(|file| labels::read(file, options)).transpose()?;
            let preprocess = array.preprocess(options.range);
            options.suit(Kind::Array, path)?;
            Ok(Opened::in_memory(name(path), array.images(labels, options, path)?, preprocess, None))
        }
        Some("npz") => {
            options.suit(Kind::Array, path)?;
            let (images, preprocess, has_parts) = npz::open(path, options)?;
            Ok(Opened { has_parts, ..Opened::in_memory(name(path), images, preprocess, None) })
        }
        Some("csv") => {
            let root = path.parent().unwrap_or(Path::new(""));
            if options.labels.is_some() {
                return Err(brings_labels(path));
            }
            pictures(path, Folder::from_list(root, path, options)?, options)
        }
        _ if is_picture(path) => {
            if options.labels.is_some() {
                let problem = format!("{} is one image; labels are for folders of images", path.display());
                return Err(Error::setting("labels", problem));
            }
            pictures(path, Folder::single(path, options)?, options)
        }
        _ if idx::is_idx(path) => {
            options.suit(Kind::Fixed, path)?;
            Ok(Opened::in_memory(name(path), idx::open(path, options)?, "value/255", None))
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
        let opened = Opened::in_memory(name(path), idx::open(&images, options)?, "value/255", None);
        return Ok(Opened { has_parts: true, ..opened });
    }
    match Folder::open(path, options)? {
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
        return Err(brings_labels(path));
    }
    options.suit(Kind::Fixed, path)?;
    let (images, classes) = found?;
    Ok(Opened::in_memory(name(path), images, "value/255", classes))
}

fn brings_labels(path: &Path) -> Error {
    Error::setting("labels", format!("{} has its own labels; leave these out", path.display()))
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
    let named_by = if about.classes.is_some() { NamedBy::Folders } else { NamedBy::Data };
    let left_out = folder.left_out.clone();
    Ok(Opened { dataset: Box::new(folder), about, has_parts: false, contents_hashed, named_by, left_out })
}

/// The last part of a path, also of `.` or `images/..`.
fn name(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy().into_owned()
}

/// The first few names in a folder, for the message that none of them is supported.
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
        "supported are: CIFAR .bin files or their folder, IDX files (plain or .gz) or their folder, .npy, .npz, \
         PNG and JPEG files, a folder of them (with or without class folders), a CSV 'file,label'; {found}"
    );
    Error::format(path, problem)
}
