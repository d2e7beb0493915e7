//! What is in a file of `torch.save` before PyTorch 1.6?
//!
//! Five pickles (a magic number, a version, a description of the machine, the object, the keys of the
//! storages), and then each storage: its length as i64, and its numbers.

use super::bytes::Bytes;
use super::container::{CheckpointFormat, Container};
use super::pickle::{self, Pickle};
use super::tensors::{NumberKind, Storages};
use super::values::PickleValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What such a file begins with: the pickle of 0x1950a86a20f9469cfc6c.
pub(super) const MAGIC: &[u8] = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
const VERSION: i128 = 1001;

/// Takes the file apart.
pub(super) fn open(file: &[u8]) -> Result<Container<'_>, String> {
    let mut bytes = Bytes::new(file);
    bytes.take(MAGIC.len())?;
    let version = next(&mut bytes)?;
    if *version.values.get(version.root) != PickleValue::Int(VERSION) {
        return Err(format!("is not version {VERSION} of torch.save's older format, the only one supported"));
    }
    let machine = next(&mut bytes)?;
    let little = machine.values.entry(machine.root, "little_endian");
    if little.map(|little| machine.values.get(little)) != Some(&PickleValue::Bool(true)) {
        return Err("was written on a machine with the largest byte first, which is not supported".into());
    }
    let start = bytes.rest();
    let object = next(&mut bytes)?;
    let sizes = sizes(&object)?;
    let storages = storages(&mut bytes, &sizes)?;
    match bytes.rest().len() {
        0 => Ok(Container {
            format: CheckpointFormat::Legacy,
            pickle: Cow::Borrowed(&start[..object.length]),
            storages,
        }),
        more => Err(format!("has {more} bytes after its last storage; the file is damaged")),
    }
}

fn next<'a>(bytes: &mut Bytes<'a>) -> Result<Pickle<'a>, String> {
    let pickle = pickle::read(bytes.rest())?;
    bytes.take(pickle.length)?;
    Ok(pickle)
}

/// Kind and length of each storage that the object mentions.
fn sizes<'a>(object: &Pickle<'a>) -> Result<BTreeMap<&'a str, (NumberKind, usize)>, String> {
    let mut sizes = BTreeMap::new();
    for value in object.values.all() {
        let PickleValue::Storage(storage) = value else { continue };
        let size = (storage.kind, storage.numbers);
        if *sizes.entry(storage.key).or_insert(size) != size {
            return Err(format!("describes its storage {} in two ways", storage.key));
        }
    }
    Ok(sizes)
}

fn storages<'a>(
    bytes: &mut Bytes<'a>,
    sizes: &BTreeMap<&str, (NumberKind, usize)>,
) -> Result<Storages<'a>, String> {
    let keys = next(bytes)?;
    let PickleValue::List(list) = keys.values.get(keys.root) else {
        return Err("has no list of its storages".into());
    };
    let mut storages = Storages::new();
    for key in list {
        let key = keys.values.text(*key).ok_or("has a storage whose key is not text")?;
        let (kind, numbers) =
            sizes.get(key).ok_or_else(|| format!("stores {key}, which it does not mention"))?;
        let found = i64::from_le_bytes(bytes.array()?);
        if usize::try_from(found).ok() != Some(*numbers) {
            return Err(format!("storage {key} should hold {numbers} numbers, and says {found}"));
        }
        let data = bytes.take(numbers.saturating_mul(kind.bytes()))?;
        storages.insert(key.to_owned(), Cow::Borrowed(data));
    }
    Ok(storages)
}
