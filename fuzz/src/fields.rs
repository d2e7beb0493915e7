//! A file as a tree of fields that can be written back in ways that no library writes.

use qcrs_cnn::proto::wire::{WireFields, WireValue};

/// The messages whose fields are told apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Model,
    Opset,
    Training,
    Graph,
    Node,
    Function,
    Attribute,
    Tensor,
    Entry,
    Sparse,
    Port,
    Type,
    TensorType,
    Shape,
    Dimension,
}

#[derive(Clone)]
pub enum Content {
    /// A number, written with so many bytes more than it needs.
    Varint(u64, usize),
    Bytes(Vec<u8>),
    /// Four or eight bytes.
    Fixed(Vec<u8>),
    Message(Kind, Vec<Field>),
}

#[derive(Clone)]
pub struct Field {
    pub number: u64,
    pub content: Content,
}

impl Kind {
    /// The fields that onnx.proto3 gives these messages.
    pub fn fields(self) -> &'static [u64] {
        match self {
            Self::Model => &[1, 2, 7, 8, 14, 20, 25],
            Self::Opset | Self::Training | Self::Entry | Self::Port | Self::TensorType => &[1, 2],
            Self::Graph => &[1, 2, 5, 11, 12, 13, 15],
            Self::Node => &[1, 2, 3, 4, 5, 7, 8],
            Self::Function => &[1, 4, 5, 6, 7, 9, 10, 11, 13],
            Self::Attribute => &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20, 21, 22, 23],
            Self::Tensor => &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16],
            Self::Sparse | Self::Dimension => &[1, 2, 3],
            Self::Type => &[1, 4, 5, 6, 7, 8, 9],
            Self::Shape => &[1],
        }
    }

    /// The kind of message in field `number`, if there is one.
    pub fn inside(self, number: u64) -> Option<Self> {
        Some(match (self, number) {
            (Self::Model, 7) | (Self::Training, 1 | 2) | (Self::Attribute, 6 | 11) => Self::Graph,
            (Self::Model, 8) | (Self::Function, 9) => Self::Opset,
            (Self::Model, 20) => Self::Training,
            (Self::Model, 25) => Self::Function,
            (Self::Graph, 1) | (Self::Function, 7) => Self::Node,
            (Self::Graph, 5) | (Self::Attribute, 5 | 10) | (Self::Sparse, 1 | 2) => Self::Tensor,
            (Self::Graph, 11..=13) => Self::Port,
            (Self::Graph, 15) | (Self::Attribute, 22 | 23) => Self::Sparse,
            (Self::Node, 5) | (Self::Function, 11) => Self::Attribute,
            (Self::Tensor, 13 | 16) | (Self::Model, 14) => Self::Entry,
            (Self::Port, 2) => Self::Type,
            (Self::Type, 1) => Self::TensorType,
            (Self::TensorType, 2) => Self::Shape,
            (Self::Shape, 1) => Self::Dimension,
            _ => return None,
        })
    }
}

/// The fields of a message; none if it is torn.
pub fn decode(kind: Kind, message: &[u8]) -> Option<Vec<Field>> {
    let field = |field| {
        let (number, value) = Result::ok(field)?;
        let content = match value {
            WireValue::Varint(number) => Content::Varint(number, 0),
            WireValue::Fixed(bytes) => Content::Fixed(bytes.into()),
            WireValue::Bytes(bytes) => {
                let inside = kind.inside(number).and_then(|inner| Some((inner, decode(inner, bytes)?)));
                inside.map_or(Content::Bytes(bytes.into()), |(inner, fields)| Content::Message(inner, fields))
            }
        };
        Some(Field { number, content })
    };
    WireFields::of(message).map(field).collect()
}

pub fn encode(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    for Field { number, content } in fields {
        let inside;
        let (code, bytes) = match content {
            Content::Varint(value, extra) => {
                put_number(&mut out, number << 3, 0);
                put_number(&mut out, *value, *extra);
                continue;
            }
            Content::Fixed(bytes) => (if bytes.len() == 8 { 1 } else { 5 }, bytes),
            Content::Bytes(bytes) => (2, bytes),
            Content::Message(_, fields) => {
                inside = encode(fields);
                (2, &inside)
            }
        };
        put_number(&mut out, number << 3 | code, 0);
        if code == 2 {
            put_number(&mut out, bytes.len() as u64, 0);
        }
        out.extend(bytes);
    }
    out
}

/// Writes a number with `extra` bytes more than it needs, which add nothing to it.
pub fn put_number(out: &mut Vec<u8>, mut number: u64, extra: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    match extra {
        0 => out.push(number as u8),
        _ => {
            out.push(number as u8 | 0x80);
            out.extend(std::iter::repeat_n(0x80, extra - 1));
            out.push(0);
        }
    }
}
