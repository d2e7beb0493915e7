//! What does one entry of the file hold?

use crate::answer::{BankAnswer, Why};
use crate::pixels::StoredPixels;
use qcrs::types::Alpha;
use serde::{Deserialize, Serialize};

/// A stored ball.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BankEntry {
    /// Its number, from 0, in the order of insertion.
    pub id: u64,
    /// Its class.
    pub class: usize,
    /// The radius of the open ball.
    pub radius: f64,
    /// The probability with which its certificate may be wrong.
    pub alpha: Alpha,
    /// Whether the radius is the certificate's own or was cut.
    pub why: Why,
    /// Where the certificate comes from, if it has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<CertificateName>,
    /// The BLAKE3 hash of the centre: of one byte k per pixel where all pixels are k/255, else of
    /// little-endian f32.
    pub blake3: String,
}

/// The name of a certificate: it is added once, however often it is offered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CertificateName {
    /// What names the run, such as the hash of its spec.
    pub run: String,
    /// The input's index in its dataset.
    pub input: u32,
}

/// What is written, one record after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BankRecord {
    /// A ball; its pixels follow.
    Ball {
        class: usize,
        radius: f64,
        alpha: Alpha,
        why: Why,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        source: Option<CertificateName>,
    },
    /// An answer that needed no ball. It is kept so that it is not given twice, and because it could have
    /// become a ball.
    Said {
        answer: BankAnswer,
        alpha: Alpha,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        source: Option<CertificateName>,
    },
    /// The classifier of the certificates.
    Classifier(String),
}

const NO_PIXELS: u8 = 0;
const BYTES: u8 = 1;
const FLOATS: u8 = 2;

/// Tag and length of the head.
pub(crate) const START: usize = 5;
/// The checksum at the end.
pub(crate) const CHECK: usize = 16;
/// Longer than any head that is written.
const LONGEST_HEAD: usize = 1 << 16;

/// The bytes of a record that begins at `offset`.
pub(crate) fn encode(
    offset: u64,
    record: &BankRecord,
    pixels: Option<&StoredPixels>,
) -> Result<Vec<u8>, String> {
    let head = serde_json::to_vec(record).map_err(|error| error.to_string())?;
    if head.len() > LONGEST_HEAD {
        return Err(format!("a name of {} bytes is too long", head.len()));
    }
    let tag = match pixels {
        None => NO_PIXELS,
        Some(StoredPixels::Bytes(_)) => BYTES,
        Some(StoredPixels::Floats(_)) => FLOATS,
    };
    let mut bytes = vec![tag];
    bytes.extend((head.len() as u32).to_le_bytes());
    bytes.extend(head);
    bytes.extend(pixels.map_or(&[][..], StoredPixels::bytes));
    let check = check(offset, &bytes);
    bytes.extend(check);
    Ok(bytes)
}

/// The length of the record that begins with `start`, in a bank of `dim` pixels.
pub(crate) fn len(start: [u8; START], dim: usize) -> Result<usize, String> {
    let [tag, a, b, c, d] = start;
    let head = u32::from_le_bytes([a, b, c, d]) as usize;
    let pixels = match tag {
        NO_PIXELS => 0,
        BYTES => dim,
        FLOATS => 4 * dim,
        other => return Err(format!("unknown kind of entry {other}")),
    };
    if head > LONGEST_HEAD {
        return Err(format!("a head of {head} bytes is too long for an entry"));
    }
    Ok(START + head + pixels + CHECK)
}

/// The content of `bytes`, a whole record at `offset`.
pub(crate) fn decode(offset: u64, bytes: &[u8]) -> Result<(BankRecord, Option<StoredPixels>), String> {
    let bad = || "its checksum is wrong".to_string();
    let (body, found) = bytes.split_last_chunk::<CHECK>().ok_or_else(bad)?;
    if check(offset, body) != *found {
        return Err(bad());
    }
    let (&[tag, a, b, c, d], rest) = body.split_first_chunk::<START>().ok_or_else(bad)?;
    let head = u32::from_le_bytes([a, b, c, d]) as usize;
    let (head, pixels) = rest.split_at_checked(head).ok_or_else(bad)?;
    let record = serde_json::from_slice(head).map_err(|error| error.to_string())?;
    let pixels = match tag {
        NO_PIXELS => None,
        BYTES => Some(StoredPixels::Bytes(pixels.to_vec())),
        _ => Some(StoredPixels::Floats(pixels.to_vec())),
    };
    Ok((record, pixels))
}

/// The checksum also covers the place: a whole record in the wrong place is damage too.
pub(crate) fn check(offset: u64, bytes: &[u8]) -> [u8; CHECK] {
    let hash = blake3::Hasher::new().update(&offset.to_le_bytes()).update(bytes).finalize();
    let mut check = [0; CHECK];
    check.copy_from_slice(&hash.as_bytes()[..CHECK]);
    check
}
