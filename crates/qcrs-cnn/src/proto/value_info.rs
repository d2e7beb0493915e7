//! What does the file declare about an input or output?

use super::numbers::{int32, text};
use super::wire::{WireFields, WireValue};
use super::{Bad, DEEPEST, Once, Read};

/// An input or output as declared.
#[derive(Debug, Default, PartialEq)]
pub struct ValueInfoProto<'a> {
    pub name: &'a str,
    /// The code of the element type; absent when it is not a tensor or not declared.
    pub element: Option<i64>,
    /// The dimensions, `None` for a dynamic one; absent when not declared.
    pub dims: Option<Vec<Option<usize>>>,
}

impl<'a> ValueInfoProto<'a> {
    pub(super) fn parse(message: &'a [u8]) -> Read<Self> {
        let (mut port, mut once) = (Self::default(), Once::of("an input or output"));
        for field in WireFields::of(message) {
            match field? {
                (1, WireValue::Bytes(name)) => port.name = text(once.take(1, name)?)?,
                (2, WireValue::Bytes(kind)) => port.read_type(once.take(2, kind)?, 0)?,
                (number, _) => once.other(number, &[1, 2])?,
            }
        }
        Ok(port)
    }

    /// A TypeProto; only a tensor type is kept.
    fn read_type(&mut self, message: &'a [u8], depth: usize) -> Read<()> {
        if depth > DEEPEST {
            return Err(Bad::Torn);
        }
        let mut once = Once::of("a type");
        for field in WireFields::of(message) {
            match field? {
                (number @ (1 | 4 | 5 | 7..=9), WireValue::Bytes(kind)) => {
                    // the kinds of type are alternatives, so only one may occur
                    let kind = once.take(1, kind)?;
                    match number {
                        1 => self.read_tensor(kind)?,
                        4 => check_sequence(kind, depth + 1)?,
                        _ => {}
                    }
                }
                (number, _) => once.other(number, &[1, 4, 5, 7, 8, 9])?,
            }
        }
        Ok(())
    }

    fn read_tensor(&mut self, message: &'a [u8]) -> Read<()> {
        let mut once = Once::of("a tensor type");
        for field in WireFields::of(message) {
            match field? {
                (1, WireValue::Varint(code)) => self.element = Some(int32(once.take(1, code)?)?),
                (2, WireValue::Bytes(shape)) => self.dims = Some(dimensions(once.take(2, shape)?)?),
                (number, _) => once.other(number, &[1, 2])?,
            }
        }
        Ok(())
    }
}

/// A TypeProto.Sequence: rten reads it, and trusts the lengths inside.
fn check_sequence(message: &[u8], depth: usize) -> Read<()> {
    let mut once = Once::of("a type of a sequence");
    for field in WireFields::of(message) {
        match field? {
            (1, WireValue::Bytes(kind)) => {
                ValueInfoProto::default().read_type(once.take(1, kind)?, depth)?;
            }
            (number, _) => once.other(number, &[1])?,
        }
    }
    Ok(())
}

/// A TensorShapeProto.
fn dimensions(message: &[u8]) -> Read<Vec<Option<usize>>> {
    let (mut dims, once) = (Vec::new(), Once::of("a shape"));
    for field in WireFields::of(message) {
        match field? {
            (1, WireValue::Bytes(dim)) => dims.push(dimension(dim)?),
            (number, _) => once.other(number, &[1])?,
        }
    }
    Ok(dims)
}

/// A number, or `None` for a named, absent or non-positive one: exporters write -1 for "any".
fn dimension(message: &[u8]) -> Read<Option<usize>> {
    let (mut size, mut once) = (None, Once::of("a dimension"));
    for field in WireFields::of(message) {
        match field? {
            // a number and a name are alternatives, so only one may occur
            (1, WireValue::Varint(value)) => size = Some(once.take(1, value)?.cast_signed()),
            (2, WireValue::Bytes(name)) => text(once.take(1, name)?).map(drop)?,
            (number, _) => once.other(number, &[1, 2])?,
        }
    }
    Ok(size.and_then(|size| usize::try_from(size).ok()).filter(|&size| size > 0))
}
