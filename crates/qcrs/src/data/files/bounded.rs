//! How do we read a file that may lie about its size?

use crate::types::Error;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

/// No dataset is held in memory beyond this many bytes: 4 GiB.
pub(super) const LIMIT: u64 = 4 << 30;

/// Reads a whole file of at most `limit` bytes.
pub(super) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let file = File::open(path).map_err(Error::io(path))?;
    read_at_most(file, limit, path)
}

/// Reads everything, which must not be more than `limit` bytes.
pub(super) fn read_at_most(reader: impl Read, limit: u64, path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes).map_err(Error::io(path))?;
    if bytes.len() as u64 > limit {
        return Err(Error::format(path, format!("holds more than {limit} bytes, the limit for this file")));
    }
    Ok(bytes)
}

/// Reads exactly the `declared` bytes that a header promised; nothing may follow them. Memory grows with the
/// bytes that arrive, not with those that were promised.
pub(super) fn read_declared(reader: impl Read, declared: u64, path: &Path) -> Result<Vec<u8>, Error> {
    if declared > LIMIT {
        let problem =
            format!("declares {declared} bytes of data, more than the limit of {LIMIT}; split the file");
        return Err(Error::format(path, problem));
    }
    let mut bytes = Vec::new();
    reader.take(declared + 1).read_to_end(&mut bytes).map_err(|source| {
        let problem =
            format!("cannot be unpacked ({source}); it is damaged or incomplete: download it again");
        Error::format(path, problem)
    })?;
    match bytes.len() as u64 {
        len if len == declared => Ok(bytes),
        len if len < declared => {
            let problem = format!("ends after {len} of {declared} bytes of data; download it again");
            Err(Error::format(path, problem))
        }
        _ => Err(Error::format(
            path,
            format!("holds more than the {declared} bytes of data its header declares"),
        )),
    }
}

/// The product of sizes in a header, or an error where it exceeds the limit.
pub(super) fn product(sizes: impl IntoIterator<Item = u64>, path: &Path) -> Result<u64, Error> {
    let product = sizes.into_iter().try_fold(1_u64, u64::checked_mul);
    product.filter(|bytes| *bytes <= LIMIT).ok_or_else(|| {
        Error::format(path, format!("declares more than the limit of {LIMIT} bytes of data; split the file"))
    })
}

/// Opens a file, unpacking it on the way if it is gzip by its first bytes (names lie).
pub(super) fn open_maybe_gzip(path: &Path) -> Result<Box<dyn Read>, Error> {
    let mut start = [0; 2];
    let mut file = File::open(path).map_err(Error::io(path))?;
    let gzip = match file.read_exact(&mut start) {
        Ok(()) => start == [0x1f, 0x8b],
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            return Err(Error::format(path, "is empty; download it again"));
        }
        Err(error) => return Err(Error::io(path)(error)),
    };
    file.rewind().map_err(Error::io(path))?;
    let file = BufReader::new(file);
    Ok(if gzip { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}
