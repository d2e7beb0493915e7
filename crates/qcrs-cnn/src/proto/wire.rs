//! Which fields does a protobuf message hold?
//!
//! Only the wire format, borrowed from the file: no copies, and every length is checked.

/// No field has a larger number; readers differ in what they make of one.
const LARGEST_FIELD: u64 = (1 << 29) - 1;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WireValue<'a> {
    /// An integer, enum or bool.
    Varint(u64),
    /// A string, bytes, a packed list or a message.
    Bytes(&'a [u8]),
    /// A float, double or fixed-width integer: its four or eight bytes, the lowest first.
    Fixed(&'a [u8]),
}

/// The fields of a message in file order, each with its number; after an error nothing follows.
pub struct WireFields<'a>(&'a [u8]);

impl<'a> WireFields<'a> {
    /// The fields of `message`.
    pub fn of(message: &'a [u8]) -> Self {
        Self(message)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            if shift == 63 && byte > 1 {
                return None; // more than 64 bits: readers differ in what they keep
            }
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn bytes(&mut self, length: u64) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(bytes)
    }

    fn field(&mut self) -> Option<(u64, WireValue<'a>)> {
        let tag = self.varint()?;
        let value = match tag & 7 {
            0 => WireValue::Varint(self.varint()?),
            1 => WireValue::Fixed(self.bytes(8)?),
            2 => {
                let length = self.varint()?;
                WireValue::Bytes(self.bytes(length)?)
            }
            5 => WireValue::Fixed(self.bytes(4)?),
            _ => return None, // groups were never part of ONNX
        };
        (1..=LARGEST_FIELD).contains(&(tag >> 3)).then_some((tag >> 3, value))
    }
}

/// The numbers of a packed list; after an error nothing follows.
pub fn varints(packed: &[u8]) -> impl Iterator<Item = Result<u64, Torn>> {
    let mut rest = WireFields(packed);
    std::iter::from_fn(move || {
        if rest.0.is_empty() {
            return None;
        }
        let number = rest.varint().ok_or(Torn);
        if number.is_err() {
            rest.0 = &[];
        }
        Some(number)
    })
}

/// A message that ends in the middle of a field, or is not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn;

impl<'a> Iterator for WireFields<'a> {
    type Item = Result<(u64, WireValue<'a>), Torn>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field().ok_or(Torn);
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_and_torn_ones_refused() {
        let read = |bytes: &'static [u8]| WireFields::of(bytes).collect::<Vec<_>>();
        assert_eq!(read(&[0x08, 0x96, 0x01]), [Ok((1, WireValue::Varint(150)))]);
        assert_eq!(read(&[0x12, 2, b'h', b'i']), [Ok((2, WireValue::Bytes(b"hi")))]);
        assert_eq!(
            read(&[0x1D, 0, 0, 0, 0, 0x20, 7]),
            [Ok((3, WireValue::Fixed(&[0; 4]))), Ok((4, WireValue::Varint(7)))]
        );
        // longer than the file, cut, endless varint, group, field 0, a varint of 65 bits, a field beyond the
        // largest
        let long = &[0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2][..];
        let large = &[0xF0, 0x80, 0x80, 0x80, 0x10, 1][..];
        for torn in [&[0x12u8, 9, 1][..], &[0x08], &[0xFF; 12], &[0x0B], &[0x00, 1], long, large] {
            assert_eq!(WireFields::of(torn).last(), Some(Err(Torn)), "{torn:?}");
        }
    }
}
