//! How do image files make a dataset?

use super::listing::{Listing, name_of};
use super::picture::{self, Treatment};
use super::{Dataset, Example, OpenOptions, labels, names, out_of_range};
use crate::types::Error;
use rayon::prelude::*;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Up to this many bytes of images are hashed by content: 1 GiB, a second or two.
const HASH_LIMIT: u64 = 1 << 30;

/// Image files, decoded when asked for.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    /// Path within `root` with `/` between the parts, and label.
    files: Vec<(String, Option<usize>)>,
    pub(super) classes: Option<Vec<String>>,
    /// Files of other kinds that were found beside them, sorted.
    pub(super) left_out: Vec<String>,
    treatment: Treatment,
    shape: [usize; 3],
}

impl Folder {
    /// Class folders in the order of their names, and in each the files in the order of theirs; or images
    /// without class folders, with labels from elsewhere or none. `None` if there is no image.
    pub(super) fn open(root: &Path, options: &OpenOptions) -> Result<Option<Self>, Error> {
        let labels = options.labels.as_deref();
        if let Some(list) = labels.filter(|file| file.extension().is_some_and(|end| end == "csv")) {
            return Self::from_list(root, list, options).map(Some);
        }
        let mut listing = Listing::of(root)?;
        if listing.files.is_empty() {
            return Ok(None);
        }
        listing.left_out.retain(|name| !options.names_file(&root.join(name)));
        if let Some(names) = names::given(options)? {
            listing.number_by(&names, root)?;
        }
        if let Some(file) = labels {
            let files = &mut listing.files;
            if listing.classes.is_some() {
                let problem = format!("{} has class folders already; leave labels out", root.display());
                return Err(Error::setting("labels", problem));
            }
            let labels = labels::read(file, options)?;
            if labels.len() != files.len() {
                let problem =
                    format!("{} labels for {} images; they must pair up", labels.len(), files.len());
                return Err(Error::format(file, problem));
            }
            files.iter_mut().zip(labels).for_each(|(file, label)| file.1 = Some(label));
        }
        Self::new(root, listing, options.into()).map(Some)
    }

    /// The images of a CSV `file,label`, in its order, with paths relative to `root`.
    pub(super) fn from_list(root: &Path, list: &Path, options: &OpenOptions) -> Result<Self, Error> {
        let files: Vec<_> =
            labels::read_list(list, options)?.into_iter().map(|(name, label)| (name, Some(label))).collect();
        if files.is_empty() {
            return Err(Error::format(list, "lists no image; write lines 'file,label'"));
        }
        if let Some((missing, _)) = files.iter().find(|(name, _)| !root.join(name).is_file()) {
            let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
            return Err(Error::format(
                list,
                format!(
                    "lists '{missing}', which is not a file in {}; correct the path, or remove the line",
                    root.display()
                ),
            ));
        }
        Self::new(root, Listing { files, ..Listing::default() }, options.into())
    }

    /// One image, without a label.
    pub(super) fn single(file: &Path, options: &OpenOptions) -> Result<Self, Error> {
        let root = file.parent().unwrap_or(Path::new(""));
        let listing = Listing { files: vec![(name_of(file)?, None)], ..Listing::default() };
        Self::new(root, listing, options.into())
    }

    fn new(root: &Path, listing: Listing, treatment: Treatment) -> Result<Self, Error> {
        treatment.check()?;
        let Listing { files, classes, left_out } = listing;
        let (height, width) = match treatment.fixed_size() {
            Some(size) => size,
            None => common_size(root, &files, treatment)?,
        };
        let shape = [treatment.channels.count(), height as usize, width as usize];
        Ok(Self { root: root.to_owned(), files, classes, left_out, treatment, shape })
    }

    /// The hash of the files' names, sizes and labels and, up to [`HASH_LIMIT`], contents; and whether it
    /// covers these.
    pub(super) fn fingerprint(&self) -> Result<(String, bool), Error> {
        let paths = || self.files.iter().map(|(name, _)| self.root.join(name));
        let sizes = paths()
            .map(|path| std::fs::metadata(&path).map(|data| data.len()).map_err(Error::io(&path)))
            .collect::<Result<Vec<u64>, Error>>()?;
        let mut hash = blake3::Hasher::new();
        for ((name, label), size) in self.files.iter().zip(&sizes) {
            let label = label.map_or(u64::MAX, |label| label as u64);
            hash.update(name.as_bytes())
                .update(&[0])
                .update(&size.to_le_bytes())
                .update(&label.to_le_bytes());
        }
        if sizes.iter().sum::<u64>() > HASH_LIMIT {
            return Ok((hash.finalize().to_string(), false));
        }
        for path in paths() {
            let file = File::open(&path).map_err(Error::io(&path))?;
            hash.update_reader(file).map_err(Error::io(&path))?;
        }
        Ok((hash.finalize().to_string(), true))
    }

    fn file(&self, index: usize) -> Result<&(String, Option<usize>), Error> {
        self.files.get(index).ok_or_else(|| out_of_range(index, self.files.len()))
    }

    /// How the files become pixels, in words.
    pub(super) fn words(&self) -> String {
        self.treatment.words()
    }
}

impl Dataset for Folder {
    fn len(&self) -> usize {
        self.files.len()
    }

    fn shape(&self) -> [usize; 3] {
        self.shape
    }

    fn label(&self, index: usize) -> Result<Option<usize>, Error> {
        Ok(self.file(index)?.1)
    }

    fn get(&self, index: usize) -> Result<Example, Error> {
        let (name, label) = self.file(index)?;
        let path = self.root.join(name);
        let pixels = self.treatment.read(&path)?;
        if pixels.len() != self.shape.iter().product::<usize>() {
            return Err(Error::format(path, "has changed its size since the dataset was opened"));
        }
        Ok(Example { file: Some(name.clone()), ..Example::new(pixels, *label) })
    }
}

/// The size that all images have after treatment; the first that differs is an error.
fn common_size(
    root: &Path,
    files: &[(String, Option<usize>)],
    treatment: Treatment,
) -> Result<(u32, u32), Error> {
    let sizes: Vec<Result<(u32, u32), Error>> = files
        .par_iter()
        .map(|(name, _)| {
            let path = root.join(name);
            treatment.size_of(picture::header_size(&path)?, &path)
        })
        .collect();
    let mut common = None;
    for (size, (name, _)) in sizes.into_iter().zip(files) {
        let (height, width) = size?;
        let first = *common.get_or_insert((height, width));
        if first != (height, width) {
            let problem = format!(
                "is {width}x{height}, but the first image is {}x{}; resize and crop all images to one size",
                first.1, first.0
            );
            return Err(Error::format(root.join(name), problem));
        }
    }
    common.ok_or_else(|| Error::format(root, "holds no image"))
}
