//! What is in an IDX file (MNIST and its family)?

use super::bounded::{open_maybe_gzip, product, read_declared};
use super::memory::{InMemory, Pixels};
use super::{OpenOptions, Split, labels};
use crate::types::Error;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The image file of a split, if this folder has one under a usual name.
pub(super) fn find_images(folder: &Path, split: Split) -> Option<PathBuf> {
    let part = if split == Split::Train { "train" } else { "t10k" };
    let names = ["-images-idx3-ubyte", "-images.idx3-ubyte"];
    let files =
        names.iter().flat_map(|name| ["", ".gz"].map(|end| folder.join(format!("{part}{name}{end}"))));
    files.into_iter().find(|file| file.is_file())
}

/// Whether a file says by its first bytes that it is IDX.
pub(super) fn is_idx(file: &Path) -> bool {
    let mut magic = [0; 4];
    open_maybe_gzip(file).is_ok_and(|mut reader| reader.read_exact(&mut magic).is_ok())
        && matches!(magic, [0, 0, 8, 1..=4])
}

/// Reads an image file and the labels beside it, or those the options name.
pub(super) fn open(images: &Path, options: &OpenOptions) -> Result<InMemory, Error> {
    let (sizes, pixels) = read(images, 3)?;
    let labels = match &options.labels {
        Some(file) => labels::read(file, options)?,
        None => read_labels(&labels_beside(images)?)?,
    };
    InMemory::checked([1, sizes[1] as usize, sizes[2] as usize], Pixels::Bytes(pixels), Some(labels))
        .map_err(|error| Error::format(images, error.to_string()))
}

/// Reads a label file.
pub(super) fn read_labels(file: &Path) -> Result<Vec<usize>, Error> {
    Ok(read(file, 1)?.1.into_iter().map(usize::from).collect())
}

fn labels_beside(images: &Path) -> Result<PathBuf, Error> {
    let name = images.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.replace("images", "labels").replace("idx3", "idx1");
    let bare = name.strip_suffix(".gz").unwrap_or(&name);
    let candidates = [images.with_file_name(bare), images.with_file_name(format!("{bare}.gz"))];
    candidates.into_iter().find(|file| file != images && file.is_file()).ok_or_else(|| {
        Error::format(
            images,
            format!("its labels ({bare} or {bare}.gz) are not beside it; put them there, or name the file of labels"),
        )
    })
}

/// Sizes of the axes and the values of a file of unsigned bytes with `axes` axes.
fn read(file: &Path, axes: u8) -> Result<(Vec<u64>, Vec<u8>), Error> {
    let mut reader = open_maybe_gzip(file)?;
    let mut header = vec![0; 4 + 4 * usize::from(axes)];
    reader.read_exact(&mut header).map_err(|source| {
        Error::format(file, format!("has no whole IDX header ({source}); download it again"))
    })?;
    if header[..4] != [0, 0, 8, axes] {
        let problem = format!(
            "starts with {:02x?}, but an IDX file of bytes with {axes} axes starts with {:02x?}",
            &header[..4],
            [0, 0, 8, axes]
        );
        return Err(Error::format(file, problem));
    }
    let sizes: Vec<u64> =
        header[4..].chunks_exact(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]).into()).collect();
    let declared = product(sizes.iter().copied(), file)?;
    Ok((sizes, read_declared(reader, declared, file)?))
}
