//! Do the lengths in the file add up?
//!
//! The decoder that follows trusts them: a length that points beyond its message, or a nest without an
//! end, would cost the process its memory or its stack. So every message that the decoder enters is walked
//! here first. Field numbers are those of onnx.proto3.

use crate::proto::wire::{Fields, Torn, Value};

/// Real models nest two or three graphs, each in a node's attribute.
const DEEPEST: usize = 64;

#[derive(Clone, Copy)]
enum Message {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    Port,
    Type,
    TensorType,
    Sequence,
    Shape,
    /// One that holds numbers and texts only.
    Flat,
}

/// What stands in a field that has a length.
enum Inside {
    Message(Message),
    /// Numbers of this many bytes each.
    Words(usize),
    Varints,
    /// Text, raw numbers, or what nobody reads.
    Bytes,
}

/// Whether every length in a model lies inside its message, and no nest is deeper than a model's.
/// What is not should be given to no decoder.
pub fn is_whole(model: &[u8]) -> bool {
    walk(model, Message::Model, 0).is_ok()
}

fn walk(message: &[u8], kind: Message, depth: usize) -> Result<(), Torn> {
    if depth > DEEPEST {
        return Err(Torn);
    }
    for field in Fields::of(message) {
        let (number, Value::Bytes(bytes)) = field? else { continue };
        match inside(kind, number) {
            Inside::Message(inner) => walk(bytes, inner, depth + 1)?,
            Inside::Words(size) if !bytes.len().is_multiple_of(size) => return Err(Torn),
            // the last one ends here, if the last byte says that it is an end
            Inside::Varints if bytes.last().is_some_and(|byte| *byte >= 0x80) => return Err(Torn),
            Inside::Words(_) | Inside::Varints | Inside::Bytes => {}
        }
    }
    Ok(())
}

fn inside(kind: Message, number: u64) -> Inside {
    use Message::{Attribute, Flat, Graph, Model, Node, Port, Sequence, Shape, Tensor, TensorType, Type};
    Inside::Message(match (kind, number) {
        (Model, 7) | (Attribute, 6) => Graph,
        (Model, 8 | 14) | (Tensor, 13) | (Shape, 1) => Flat,
        (Graph, 1) => Node,
        (Graph | Attribute, 5) => Tensor,
        (Graph, 11..=13) => Port,
        (Node, 5) => Attribute,
        (Port, 2) | (Sequence, 1) => Type,
        (Type, 1) => TensorType,
        (Type, 4) => Sequence,
        (TensorType, 2) => Shape,
        (Tensor, 4) => return Inside::Words(4),
        (Tensor, 10) => return Inside::Words(8),
        (Tensor, 5 | 7) => return Inside::Varints,
        _ => return Inside::Bytes,
    })
}
