//! What is in a NumPy array?

use super::bounded::{product, read_declared};
use super::memory::{InMemory, Pixels};
use super::{Layout, OpenOptions, Range};
use crate::types::Error;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// An array as it stands in the file, in C order.
pub(super) struct Array {
    kind: String,
    shape: Vec<u64>,
    bytes: Vec<u8>,
}

/// Reads a `.npy` file.
pub(super) fn read_file(file: &Path) -> Result<Array, Error> {
    read(BufReader::new(File::open(file).map_err(Error::io(file))?), file)
}

/// Reads the labels of a `.npy` file.
pub(super) fn read_labels(file: &Path) -> Result<Vec<usize>, Error> {
    read_file(file)?.labels(file)
}

/// Reads header and values; `path` is for messages.
///
/// The header is read here and not by a library: it is eight bytes and one line, and a size that overflows or
/// is missing must end in an error, not in a panic or an allocation.
pub(super) fn read(mut reader: impl Read, path: &Path) -> Result<Array, Error> {
    let bad = |problem: &str| Error::format(path, format!("{problem}; write it with numpy.save"));
    let mut start = [0; 8];
    reader.read_exact(&mut start).map_err(|_| bad("is too short for a NumPy array"))?;
    if !start.starts_with(b"\x93NUMPY") {
        return Err(bad("is not a NumPy array: its first bytes are wrong"));
    }
    let mut size = [0; 4];
    let size_bytes = if start[6] == 1 { 2 } else { 4 };
    reader.read_exact(&mut size[..size_bytes]).map_err(|_| bad("has a torn NumPy header"))?;
    let size = u32::from_le_bytes(size);
    if size > 1 << 16 {
        return Err(bad("has a NumPy header of more than 64 KiB"));
    }
    let mut header = vec![0; size as usize];
    reader.read_exact(&mut header).map_err(|_| bad("has a torn NumPy header"))?;
    let header = String::from_utf8(header).map_err(|_| bad("has a NumPy header that is not text"))?;
    let (kind, shape) =
        parse(&header).ok_or_else(|| bad(&format!("has a NumPy header we cannot read: {header}")))?;
    if field(&header, "fortran_order").is_none_or(|value| !value.starts_with("False")) {
        return Err(bad("is in Fortran order; apply numpy.ascontiguousarray"));
    }
    let item = match kind.as_str() {
        "|u1" | "|i1" => 1,
        "<i2" | "<u2" => 2,
        "<f4" | "<i4" | "<u4" => 4,
        "<f8" | "<i8" | "<u8" => 8,
        _ => return Err(bad(&format!("has values of type {kind}; use uint8, float32 or float64"))),
    };
    let declared = product(shape.iter().copied().chain([item]), path)?;
    Ok(Array { bytes: read_declared(reader, declared, path)?, kind, shape })
}

/// The text after `'name':` in the header's Python dictionary.
fn field<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = header.split_once(&format!("'{name}':"))?;
    Some(value.trim_start())
}

fn parse(header: &str) -> Option<(String, Vec<u64>)> {
    let (kind, _) = field(header, "descr")?.strip_prefix('\'')?.split_once('\'')?;
    let (sizes, _) = field(header, "shape")?.strip_prefix('(')?.split_once(')')?;
    let sizes = sizes.split(',').map(str::trim).filter(|size| !size.is_empty());
    Some((kind.to_owned(), sizes.map(|size| size.parse().ok()).collect::<Option<_>>()?))
}

impl Array {
    /// The array as labels: integers, 1-D or with a second axis of size 1.
    pub(super) fn labels(&self, path: &Path) -> Result<Vec<usize>, Error> {
        if !matches!(self.shape[..], [_] | [_, 1]) {
            return Err(Error::format(
                path,
                format!("labels must be a 1-D array, this has shape {:?}", self.shape),
            ));
        }
        let item = match self.kind.as_bytes() {
            [_, b'i' | b'u', size @ b'1'..=b'8'] => usize::from(size - b'0'),
            _ => {
                return Err(Error::format(
                    path,
                    format!("labels must be integers, this has type {}", self.kind),
                ));
            }
        };
        let signed = self.kind.as_bytes()[1] == b'i';
        let label = |(number, bytes): (usize, &[u8])| {
            let fill = if signed && bytes[item - 1] >= 128 { 255 } else { 0 };
            let mut whole = [fill; 8];
            whole[..item].copy_from_slice(bytes);
            let value = i64::from_le_bytes(whole);
            usize::try_from(value).map_err(|_| {
                Error::format(path, format!("label {value} of image {number} is not a class number"))
            })
        };
        self.bytes.chunks_exact(item).enumerate().map(label).collect()
    }

    /// The array as images.
    pub(super) fn images(
        self,
        labels: Option<Vec<usize>>,
        options: &OpenOptions,
        path: &Path,
    ) -> Result<InMemory, Error> {
        let (layout, shape) = layout(&self.shape, options.layout, path)?;
        let size = shape.iter().product::<usize>();
        let pixels = match self.kind.as_str() {
            "|u1" => Pixels::Bytes(self.bytes),
            "<f4" => {
                let values =
                    self.bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]).into());
                Pixels::Floats(floats(values, size, options.range, path)?)
            }
            "<f8" => {
                let value = |b: &[u8]| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
                Pixels::Floats(floats(self.bytes.chunks_exact(8).map(value), size, options.range, path)?)
            }
            kind => {
                let problem =
                    format!("pixels of type {kind} are not supported; use uint8, float32 or float64");
                return Err(Error::format(path, problem));
            }
        };
        let pixels = match (layout, pixels) {
            (Layout::Nchw, pixels) => pixels,
            (Layout::Nhwc, Pixels::Bytes(values)) => Pixels::Bytes(planar(&values, shape)),
            (Layout::Nhwc, Pixels::Floats(values)) => Pixels::Floats(planar(&values, shape)),
        };
        InMemory::checked(shape, pixels, labels).map_err(|error| Error::format(path, error.to_string()))
    }

    /// How the values become pixels, in words.
    pub(super) fn preprocess(&self, range: Range) -> &'static str {
        match (self.kind.as_str(), range) {
            ("|u1", _) | (_, Range::Bytes) => "value/255",
            (_, Range::Unit) => "value",
        }
    }
}

/// Checks every value against the declared range and brings it to [0, 1].
fn floats(
    values: impl Iterator<Item = f64>,
    size: usize,
    range: Range,
    path: &Path,
) -> Result<Vec<f32>, Error> {
    let most = if range == Range::Bytes { 255.0 } else { 1.0 };
    let pixel = |(at, value): (usize, f64)| {
        if !(0.0..=most).contains(&value) {
            let problem = format!(
                "image {} has the value {value} (at {} of its {size} values), outside the range 0..{most}; bring it \
                 into range or choose the range 0..1 or 0..255 (normalisation belongs in the model)",
                at / size.max(1),
                at % size.max(1)
            );
            return Err(Error::format(path, problem));
        }
        // as f32 first, so that 37.0 gives what the byte 37 gives
        Ok(if range == Range::Bytes { value as f32 / 255.0 } else { value as f32 })
    };
    values.enumerate().map(pixel).collect()
}

/// Which axes are which, as given or as told by the place of the 1 or 3 channels.
fn layout(shape: &[u64], given: Option<Layout>, path: &Path) -> Result<(Layout, [usize; 3]), Error> {
    let unclear = |why: &str| {
        let problem = format!("{}: shape {shape:?} {why}; choose nchw or nhwc", path.display());
        Err(Error::setting("layout", problem))
    };
    let [a, b, c] = match *shape {
        [_, h, w] => return Ok((Layout::Nchw, [1, h as usize, w as usize])),
        [_, a, b, c] => [a as usize, b as usize, c as usize],
        _ => {
            let problem =
                format!("images must be an array [N,H,W], [N,H,W,C] or [N,C,H,W], this has shape {shape:?}");
            return Err(Error::format(path, problem));
        }
    };
    let is_channels = |size| size == 1 || size == 3;
    match (given, is_channels(a), is_channels(c)) {
        (Some(Layout::Nchw), ..) | (None, true, false) => Ok((Layout::Nchw, [a, b, c])),
        (Some(Layout::Nhwc), ..) | (None, false, true) => Ok((Layout::Nhwc, [c, a, b])),
        (None, true, true) => unclear("can be read both ways"),
        (None, false, false) => unclear("has no axis of 1 or 3 channels"),
    }
}

/// Images with interleaved channels, channel by channel.
fn planar<T: Copy>(values: &[T], [channels, height, width]: [usize; 3]) -> Vec<T> {
    let mut out = Vec::with_capacity(values.len());
    for image in values.chunks_exact((channels * height * width).max(1)) {
        for channel in 0..channels {
            out.extend(image[channel..].iter().step_by(channels));
        }
    }
    out
}
