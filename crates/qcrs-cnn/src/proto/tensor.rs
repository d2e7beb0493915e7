//! What does a constant hold, and where are its values?

use super::numbers::{doubles, floats, int32, ints, small_ints, text};
use super::wire::{WireFields, WireValue};
use super::{Bad, Once, Read};

/// A constant.
#[derive(Clone, Debug, Default)]
pub struct TensorProto<'a> {
    pub name: &'a str,
    pub dims: Vec<i64>,
    /// The code of the element type.
    pub element: i64,
    pub raw: Option<&'a [u8]>,
    pub floats: Vec<f32>,
    /// What stands in `int32_data`, where small types are kept as well.
    pub small_ints: Vec<i64>,
    pub ints: Vec<i64>,
    /// Key and value of each entry of `external_data`.
    pub external: Vec<(&'a str, &'a str)>,
    /// The code of `data_location`, where it is said: 0 inside, 1 in another file.
    pub location: Option<i64>,
}

/// A constant that is zero except at some places.
#[derive(Clone, Debug, Default)]
pub struct SparseTensorProto<'a> {
    pub values: Option<TensorProto<'a>>,
    pub indices: Option<TensorProto<'a>>,
}

impl<'a> TensorProto<'a> {
    pub(super) fn parse(message: &'a [u8]) -> Read<Self> {
        let (mut tensor, mut once) = (Self::default(), Once::of("a tensor"));
        for field in WireFields::of(message) {
            match field? {
                (1, value) => ints(value, &mut tensor.dims)?,
                (2, WireValue::Varint(code)) => tensor.element = int32(once.take(2, code)?)?,
                (4, value) => floats(value, &mut tensor.floats)?,
                (5, value) => small_ints(value, &mut tensor.small_ints)?,
                (7, value) => ints(value, &mut tensor.ints)?,
                (8, WireValue::Bytes(name)) => tensor.name = text(once.take(8, name)?)?,
                (9, WireValue::Bytes(raw)) => tensor.raw = Some(once.take(9, raw)?),
                (10, value) => doubles(value)?,
                // large integers, which no check looks at
                (11, value) => ints(value, &mut Vec::new())?,
                (13, WireValue::Bytes(entry)) => tensor.external.push(key_and_value(entry)?),
                (14, WireValue::Varint(code)) => tensor.location = Some(int32(once.take(14, code)?)?),
                // strings, a text and key-value pairs for people
                (6, WireValue::Bytes(_)) | (12 | 16, _) => {}
                // whatever a later version of ONNX puts here may say where the values lie
                (number, _) => {
                    return Err(Bad::Ambiguous(format!("a tensor has a field {number} of unknown meaning")));
                }
            }
        }
        Ok(tensor)
    }
}

impl<'a> SparseTensorProto<'a> {
    pub(super) fn parse(message: &'a [u8]) -> Read<Self> {
        let (mut sparse, mut once) = (Self::default(), Once::of("a sparse tensor"));
        for field in WireFields::of(message) {
            match field? {
                (1, WireValue::Bytes(tensor)) => {
                    sparse.values = Some(TensorProto::parse(once.take(1, tensor)?)?);
                }
                (2, WireValue::Bytes(tensor)) => {
                    sparse.indices = Some(TensorProto::parse(once.take(2, tensor)?)?);
                }
                // its lengths, which no check looks at
                (3, value) => ints(value, &mut Vec::new())?,
                (number, _) => {
                    return Err(Bad::Ambiguous(format!(
                        "a sparse tensor has a field {number} of unknown meaning"
                    )));
                }
            }
        }
        Ok(sparse)
    }
}

/// A StringStringEntryProto.
fn key_and_value(message: &[u8]) -> Read<(&str, &str)> {
    let (mut entry, mut once) = (("", ""), Once::of("an entry of external data"));
    for field in WireFields::of(message) {
        match field? {
            (1, WireValue::Bytes(key)) => entry.0 = text(once.take(1, key)?)?,
            (2, WireValue::Bytes(value)) => entry.1 = text(once.take(2, value)?)?,
            (number, _) => {
                return Err(Bad::Ambiguous(format!("external data has a field {number} of unknown meaning")));
            }
        }
    }
    Ok(entry)
}
