//! How is a message put into bytes? Only the wire types that ONNX needs.

/// A message under construction; every method appends one field.
#[derive(Clone, Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn int(mut self, field: u32, value: i64) -> Self {
        self.tag(field, 0);
        self.varint(value.cast_unsigned());
        self
    }

    pub(super) fn bytes(mut self, field: u32, value: &[u8]) -> Self {
        self.tag(field, 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }

    pub(super) fn text(self, field: u32, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    pub(super) fn message(self, field: u32, value: &Message) -> Self {
        self.bytes(field, &value.0)
    }

    pub(super) fn messages(self, field: u32, values: &[Message]) -> Self {
        values.iter().fold(self, |message, value| message.message(field, value))
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn tag(&mut self, field: u32, wire_type: u64) {
        self.varint(u64::from(field) << 3 | wire_type);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_the_bytes_of_the_protobuf_documentation() {
        assert_eq!(Message::default().int(1, 150).into_bytes(), [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().text(2, "testing").into_bytes(), b"\x12\x07testing");
        let inner = Message::default().int(1, 150);
        assert_eq!(Message::default().message(3, &inner).into_bytes(), [0x1A, 0x03, 0x08, 0x96, 0x01]);
        // a field number that needs two bytes, and a negative number that needs ten
        assert_eq!(Message::default().int(20, 7).into_bytes(), [0xA0, 0x01, 7]);
        assert_eq!(Message::default().int(1, -1).into_bytes().len(), 11);
    }
}
