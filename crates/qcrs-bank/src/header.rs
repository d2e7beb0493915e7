//! What does a file of balls say first?

use crate::entry::{CHECK, check};
use crate::error::Problem;

const MAGIC: &[u8; 8] = b"qcrsbank";
/// The version of everything that is written in this file.
const FORMAT: u32 = 2;
/// Magic, format, shape and their checksum.
const FIXED: usize = 8 + 4 + 12 + CHECK;

/// Beyond this many pixels the error bounds of shadows would not hold.
pub(crate) const LARGEST_DIM: usize = 1 << 24;

/// The first bytes of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Channels, height and width of every image.
    pub(crate) shape: [u32; 3],
    /// How long the file was when the disk last had all of it; it may have grown since.
    pub(crate) known: u64,
}

impl Header {
    /// The length of every header of this format.
    pub(crate) const LEN: usize = FIXED + 8 + CHECK;
    /// Where [`Self::known`] is.
    pub(crate) const KNOWN_AT: u64 = FIXED as u64;

    /// The header of a bank without entries.
    pub(crate) fn new(shape: [u32; 3]) -> Self {
        Self { shape, known: Self::LEN as u64 }
    }

    pub(crate) fn encode(self) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &FORMAT.to_le_bytes()].concat();
        bytes.extend(self.shape.iter().flat_map(|size| size.to_le_bytes()));
        bytes.extend(check(0, &bytes));
        bytes.extend(self.encode_known());
        bytes
    }

    /// The part that changes.
    pub(crate) fn encode_known(self) -> Vec<u8> {
        let known = self.known.to_le_bytes();
        [&known[..], &check(Self::KNOWN_AT, &known)].concat()
    }

    /// The header in `bytes`, the first [`Self::LEN`] of a file or all that it has.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Problem> {
        if !bytes.starts_with(MAGIC) {
            return Err(Problem::OtherFile);
        }
        let damaged = || Problem::Damaged("the header has changed since it was written".into());
        let number = |at: usize| {
            let four = bytes.get(at..at + 4).and_then(|four| four.first_chunk());
            four.map(|four| u32::from_le_bytes(*four)).ok_or_else(damaged)
        };
        // this comes first, because another format may have another layout
        let format = number(8)?;
        if format > FORMAT {
            return Err(Problem::Newer { found: format, known: FORMAT });
        }
        if (1..FORMAT).contains(&format) {
            return Err(Problem::Older { found: format, known: FORMAT });
        }
        let known = bytes.get(FIXED..).and_then(|rest| rest.first_chunk()).ok_or_else(damaged)?;
        let header =
            Self { shape: [number(12)?, number(16)?, number(20)?], known: u64::from_le_bytes(*known) };
        if header.encode() != bytes {
            return Err(damaged());
        }
        // an attacker who forges a header can forge its checksum
        let fits = are_for_a_bank(header.shape.map(|size| size as usize));
        if fits {
            Ok(header)
        } else {
            Err(Problem::Damaged(format!("no bank holds images of {:?}", header.shape)))
        }
    }
}

/// Whether a bank takes images of `shape`.
pub(crate) fn are_for_a_bank(shape: [usize; 3]) -> bool {
    let dim = shape.iter().try_fold(1usize, |dim, &size| dim.checked_mul(size));
    dim.is_some_and(|dim| (1..=LARGEST_DIM).contains(&dim))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_found() {
        let header = Header { shape: [3, 32, 32], known: 4711 };
        let good = header.encode();
        assert_eq!(good.len(), Header::LEN);
        assert_eq!(Header::decode(&good).unwrap(), header);
        for bit in 0..8 * good.len() {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            let problem = Header::decode(&bad).unwrap_err();
            let expected = match bit / 8 {
                0..8 => matches!(problem, Problem::OtherFile),
                8..12 => matches!(problem, Problem::Newer { .. } | Problem::Damaged(_)),
                _ => matches!(problem, Problem::Damaged(_)),
            };
            assert!(expected, "bit {bit}: {problem}");
        }
        for len in 0..good.len() {
            assert!(Header::decode(&good[..len]).is_err(), "{len}");
        }
    }

    /// An attacker who forges a header forges its checksum too.
    #[test]
    fn shapes_that_no_bank_has_are_damage() {
        for shape in [[0, 1, 1], [1, 65536, 65536], [u32::MAX; 3]] {
            let problem = Header::decode(&Header::new(shape).encode()).unwrap_err();
            assert!(matches!(problem, Problem::Damaged(_)), "{problem}");
        }
    }
}
