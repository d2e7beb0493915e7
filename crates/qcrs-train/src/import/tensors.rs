//! Which numbers is a tensor?

use std::borrow::Cow;
use std::collections::BTreeMap;

/// The bytes of the storages, by their keys.
pub(super) type Storages<'a> = BTreeMap<String, Cow<'a, [u8]>>;

/// What a storage's numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberKind {
    F64,
    F32,
    F16,
    Bf16,
    /// Whole numbers of this many bytes: counters, which no network here needs.
    Whole(usize),
}

impl NumberKind {
    /// The kind that PyTorch calls so.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "Double" => Self::F64,
            "Float" => Self::F32,
            "Half" => Self::F16,
            "BFloat16" => Self::Bf16,
            "Long" => Self::Whole(8),
            "Int" => Self::Whole(4),
            "Short" => Self::Whole(2),
            "Char" | "Byte" | "Bool" => Self::Whole(1),
            _ => return None,
        })
    }

    /// Bytes per number.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::F64 => 8,
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::Whole(bytes) => bytes,
        }
    }
}

/// A part of a stored run of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Storage<'a> {
    pub(super) kind: NumberKind,
    pub(super) key: &'a str,
    /// How many numbers the whole run has.
    pub(super) numbers: usize,
    /// Where the part begins: `start + length` is at most `numbers`.
    pub(super) start: usize,
    pub(super) length: usize,
}

/// A tensor: which numbers of a storage, in which order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View<'a> {
    pub(super) storage: Storage<'a>,
    pub(super) offset: usize,
    pub(super) shape: Vec<usize>,
    pub(super) strides: Vec<usize>,
}

impl View<'_> {
    /// How many numbers it has, if all of them lie in its storage and none has to serve twice.
    pub(super) fn count(&self) -> Result<usize, String> {
        let Self { storage: Storage { length, .. }, offset, shape, strides } = self;
        let count = shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size));
        let fits = |count: &usize| {
            if *count == 0 {
                return true;
            }
            let last = shape
                .iter()
                .zip(strides)
                .try_fold(*offset, |at, (size, stride)| at.checked_add((size - 1).checked_mul(*stride)?));
            *count <= *length && last.is_some_and(|last| last < *length)
        };
        count.filter(|count| shape.len() == strides.len() && fits(count)).ok_or_else(|| {
            format!(
                "shape {shape:?} with strides {strides:?} from number {offset} does not fit into a storage of \
                 {length} numbers; the file is damaged"
            )
        })
    }

    /// Its numbers, the last axis fastest.
    pub(super) fn read(&self, storages: &Storages<'_>) -> Result<Vec<f32>, String> {
        let Storage { kind, key, numbers, start, .. } = self.storage;
        let bytes = storages.get(key).ok_or_else(|| format!("the file has no storage {key}"))?;
        if numbers.checked_mul(kind.bytes()) != Some(bytes.len()) {
            let found = bytes.len();
            return Err(format!(
                "storage {key} should hold {numbers} numbers of {kind:?}, and has {found} bytes"
            ));
        }
        let number = reader(kind)?;
        let bytes = &bytes[start * kind.bytes()..];
        let places = StridedPlaces::of(self, self.count()?);
        Ok(places.map(|at| number(&bytes[at * kind.bytes()..][..kind.bytes()])).collect())
    }
}

/// How a number of this kind becomes f32.
fn reader(kind: NumberKind) -> Result<fn(&[u8]) -> f32, String> {
    match kind {
        NumberKind::F64 => Ok(|bytes| f64::from_bits(bits(bytes)) as f32),
        NumberKind::F32 => Ok(|bytes| f32::from_bits(bits(bytes) as u32)),
        NumberKind::F16 => Ok(|bytes| half(bits(bytes) as u16)),
        NumberKind::Bf16 => Ok(|bytes| f32::from_bits((bits(bytes) as u32) << 16)),
        NumberKind::Whole(_) => Err("holds integers, and weights are not integers".into()),
    }
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// IEEE 754 binary16: 1 bit sign, 5 bits exponent, 10 bits fraction.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2_f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2_f32.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// The places of a view's numbers in its storage.
struct StridedPlaces<'a> {
    view: &'a View<'a>,
    index: Vec<usize>,
    at: usize,
    left: usize,
}

impl<'a> StridedPlaces<'a> {
    fn of(view: &'a View<'a>, count: usize) -> Self {
        Self { view, index: vec![0; view.shape.len()], at: view.offset, left: count }
    }
}

impl Iterator for StridedPlaces<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let place = self.at;
        let axes = self.view.shape.iter().zip(&self.view.strides);
        for (index, (size, stride)) in self.index.iter_mut().zip(axes).rev() {
            if *index + 1 < *size {
                *index += 1;
                self.at += stride;
                break;
            }
            self.at -= *index * stride;
            *index = 0;
        }
        Some(place)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view<'a>(
        kind: NumberKind,
        numbers: usize,
        offset: usize,
        shape: &[usize],
        strides: &[usize],
    ) -> View<'a> {
        let storage = Storage { kind, key: "0", numbers, start: 0, length: numbers };
        View { storage, offset, shape: shape.into(), strides: strides.into() }
    }

    fn storages(bytes: &[u8]) -> Storages<'_> {
        [("0".to_owned(), Cow::Borrowed(bytes))].into()
    }

    #[test]
    fn a_view_is_read_along_its_strides() {
        let bytes: Vec<u8> = (0..12_u8).flat_map(|number| f32::from(number).to_le_bytes()).collect();
        let read = |view: View<'_>| view.read(&storages(&bytes));
        let f32s =
            |offset, shape: &[usize], strides: &[usize]| view(NumberKind::F32, 12, offset, shape, strides);
        assert_eq!(read(f32s(0, &[2, 3], &[3, 1])).unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(read(f32s(1, &[3, 2], &[1, 3])).unwrap(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        assert_eq!(read(f32s(11, &[], &[])).unwrap(), [11.0]);
        assert!(read(f32s(11, &[0, 3], &[3, 1])).unwrap().is_empty());
        let mut part = f32s(1, &[2], &[1]);
        part.storage = Storage { start: 4, length: 3, ..part.storage };
        assert_eq!(read(part).unwrap(), [5.0, 6.0]);
    }

    #[test]
    fn a_view_outside_its_storage_is_refused() {
        let bytes = [0; 48];
        let outside: [(usize, &[usize], &[usize]); 7] = [
            (0, &[13], &[1]),
            (10, &[3], &[1]),
            (0, &[2, 3], &[12, 1]),
            (0, &[usize::MAX, 2], &[0, 0]),
            (0, &[1 << 40], &[0]),
            (usize::MAX, &[2], &[usize::MAX]),
            (0, &[2, 2], &[1]),
        ];
        for (offset, shape, strides) in outside {
            let error =
                view(NumberKind::F32, 12, offset, shape, strides).read(&storages(&bytes)).unwrap_err();
            assert!(error.contains("does not fit into a storage of 12 numbers"), "{error}");
        }
        let mut part = view(NumberKind::F32, 12, 2, &[2], &[1]);
        part.storage = Storage { start: 4, length: 3, ..part.storage };
        assert!(part.read(&storages(&bytes)).is_err());
        let error = view(NumberKind::F32, 13, 0, &[1], &[1]).read(&storages(&bytes)).unwrap_err();
        assert!(error.contains("should hold 13 numbers of F32, and has 48 bytes"), "{error}");
    }

    #[test]
    fn every_kind_of_float_becomes_f32() {
        let read = |kind: NumberKind, bytes: &[u8]| {
            view(kind, bytes.len() / kind.bytes(), 0, &[bytes.len() / kind.bytes()], &[1])
                .read(&storages(bytes))
                .unwrap()
        };
        assert_eq!(read(NumberKind::F64, &(-0.1_f64).to_le_bytes()), [-0.1_f32]);
        assert_eq!(read(NumberKind::F64, &1e300_f64.to_le_bytes()), [f32::INFINITY]);
        assert_eq!(read(NumberKind::Bf16, &[0x49, 0x40]), [3.140625]);
        // 1, −2, the largest, the smallest, the smallest normal, ∞
        let halves = [0x3C00_u16, 0xC000, 0x7BFF, 0x0001, 0x0400, 0x7C00];
        let bytes: Vec<u8> = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
        let expected = [1.0, -2.0, 65504.0, 5.9604645e-8, 6.1035156e-5, f32::INFINITY];
        assert_eq!(read(NumberKind::F16, &bytes), expected);
        assert!(read(NumberKind::F16, &[0, 0x7E])[0].is_nan());
        assert!(view(NumberKind::Whole(8), 1, 0, &[1], &[1]).read(&storages(&[0; 8])).is_err());
    }
}
