//! Which numbers and texts does a field hold?

use super::wire::{WireValue, varints};
use super::{Bad, Read};

/// A number of 32 bits: some readers keep only the lower half of a longer one.
pub(super) fn int32(value: u64) -> Read<i64> {
    let value = value.cast_signed();
    if i32::try_from(value).is_ok() {
        return Ok(value);
    }
    Err(Bad::Ambiguous(format!("the number {value} stands where 32 bits are read")))
}

/// One integer, or a packed list of them.
pub(super) fn ints(value: WireValue<'_>, out: &mut Vec<i64>) -> Read<()> {
    match value {
        WireValue::Varint(int) => out.push(int.cast_signed()),
        WireValue::Bytes(packed) => {
            for int in varints(packed) {
                out.push(int?.cast_signed());
            }
        }
        WireValue::Fixed(_) => return Err(Bad::Ambiguous("an integer is written as a float".into())),
    }
    Ok(())
}

/// One integer of 32 bits, or a packed list of them.
pub(super) fn small_ints(value: WireValue<'_>, out: &mut Vec<i64>) -> Read<()> {
    let before = out.len();
    ints(value, out)?;
    out[before..].iter().try_for_each(|int| int32(int.cast_unsigned()).map(drop))
}

/// One number of eight bytes, or a packed list of them.
pub(super) fn doubles(value: WireValue<'_>) -> Read<()> {
    match value {
        WireValue::Fixed(bytes) if bytes.len() == 8 => Ok(()),
        WireValue::Bytes(packed) if packed.len().is_multiple_of(8) => Ok(()),
        WireValue::Bytes(_) => Err(Bad::Torn),
        WireValue::Fixed(_) | WireValue::Varint(_) => {
            Err(Bad::Ambiguous("a double is written as something else".into()))
        }
    }
}

/// One float, or a packed list of them.
pub(super) fn floats(value: WireValue<'_>, out: &mut Vec<f32>) -> Read<()> {
    match value {
        WireValue::Fixed(bytes) => out.push(float(bytes)?),
        WireValue::Bytes(packed) => {
            let (words, rest) = packed.as_chunks();
            if !rest.is_empty() {
                return Err(Bad::Torn);
            }
            out.extend(words.iter().map(|word| f32::from_le_bytes(*word)));
        }
        WireValue::Varint(_) => return Err(Bad::Ambiguous("a float is written as an integer".into())),
    }
    Ok(())
}

pub(super) fn float(bytes: &[u8]) -> Read<f32> {
    let bytes = bytes.try_into().map_err(|_| Bad::Ambiguous("a float of 8 bytes".into()))?;
    Ok(f32::from_le_bytes(bytes))
}

pub(super) fn text(bytes: &[u8]) -> Read<&str> {
    std::str::from_utf8(bytes).map_err(|_| Bad::Torn)
}
