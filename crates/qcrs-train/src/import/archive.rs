//! What is in a file of `torch.save` since PyTorch 1.6? A ZIP archive with a pickle and one entry per storage.

use super::container::{CheckpointFormat, Container};
use super::tensors::Storages;
use std::borrow::Cow;
use std::io::{Cursor, Read};
use zip::{CompressionMethod, ZipArchive};

/// What such a file begins with.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

const PICKLE: &str = "/data.pkl";

/// Takes the file apart.
pub(super) fn open(file: &[u8]) -> Result<Container<'_>, String> {
    let mut archive = ZipArchive::new(Cursor::new(file))
        .map_err(|error| format!("is a damaged or truncated ZIP archive ({error}): download it again"))?;
    let names: Vec<String> =
        archive.file_names().filter_map(Result::ok).map(|name| name.to_string()).collect();
    let pickles: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix(PICKLE)).collect();
    let [folder] = pickles.as_slice() else {
        let count = pickles.len();
        return Err(format!(
            "is a ZIP archive with {count} files data.pkl, and torch.save writes one; if it is an archive \
             of checkpoints, unpack it and give one of them"
        ));
    };
    let mut left = file.len();
    let mut read = |name: &str| entry(&mut archive, name, &mut left);
    let order = format!("{folder}/byteorder");
    if names.contains(&order) && read(&order)? != b"little" {
        return Err("was written on a machine with the largest byte first, which is not supported".into());
    }
    let pickle = read(&format!("{folder}{PICKLE}"))?;
    let data = format!("{folder}/data/");
    let mut storages = Storages::new();
    for name in &names {
        if let Some(key) = name.strip_prefix(&data) {
            storages.insert(key.to_owned(), Cow::Owned(read(name)?));
        }
    }
    Ok(Container { format: CheckpointFormat::Zip, pickle: Cow::Owned(pickle), storages })
}

/// An entry's bytes. All entries together are shorter than the file, unless they lie about each other.
fn entry(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str, left: &mut usize) -> Result<Vec<u8>, String> {
    let damaged =
        |error: &dyn std::fmt::Display| format!("{name} cannot be read ({error}): download the file again");
    let entry = archive.by_name(name).map_err(|error| damaged(&error))?;
    if entry.compression() != CompressionMethod::Stored {
        return Err(format!(
            "{name} is compressed, and torch.save compresses nothing; save it again with torch.save"
        ));
    }
    let size = usize::try_from(entry.size()).unwrap_or(usize::MAX);
    *left = left.checked_sub(size).ok_or_else(|| damaged(&"the entries are longer than the file"))?;
    let mut bytes = Vec::with_capacity(size);
    entry.take(size as u64 + 1).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
    if bytes.len() != size {
        return Err(damaged(&format!("it has {} bytes instead of {size}", bytes.len())));
    }
    Ok(bytes)
}
