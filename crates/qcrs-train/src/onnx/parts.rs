//! Which messages does an ONNX file consist of? The numbers are those of onnx.proto3.

use super::protobuf::Message;

/// The format's version: the one that came with opset 17.
const IR_VERSION: i64 = 8;
const OPSET: i64 = 17;
const FLOAT: i64 = 1;

/// A size of an axis: known, or a name for any size.
pub(super) enum OnnxAxis<'a> {
    Size(i64),
    Any(&'a str),
}

pub(super) fn model(graph: &Message, metadata: &[(String, String)]) -> Vec<u8> {
    let entries: Vec<_> =
        metadata.iter().map(|(key, value)| Message::default().text(1, key).text(2, value)).collect();
    Message::default()
        .int(1, IR_VERSION)
        .text(2, "qcrs-train")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, graph)
        .message(8, &Message::default().text(1, "").int(2, OPSET))
        .messages(14, &entries)
        .into_bytes()
}

pub(super) fn graph(nodes: &[Message], tensors: &[Message], input: &Message, output: &Message) -> Message {
    let named = Message::default().messages(1, nodes).text(2, "classifier").messages(5, tensors);
    named.message(11, input).message(12, output)
}

pub(super) fn node(operator: &str, inputs: &[&str], output: &str, attributes: &[Message]) -> Message {
    let wired = inputs.iter().fold(Message::default(), |node, input| node.text(1, input)).text(2, output);
    wired.text(3, output).text(4, operator).messages(5, attributes)
}

pub(super) fn int(name: &str, value: i64) -> Message {
    const INT: i64 = 2;
    Message::default().text(1, name).int(3, value).int(20, INT)
}

pub(super) fn ints(name: &str, values: &[i64]) -> Message {
    const INTS: i64 = 7;
    values.iter().fold(Message::default().text(1, name), |list, value| list.int(8, *value)).int(20, INTS)
}

pub(super) fn tensor(name: &str, shape: &[i64], values: &[f32]) -> Message {
    let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let sized = shape.iter().fold(Message::default(), |tensor, size| tensor.int(1, *size));
    sized.int(2, FLOAT).text(8, name).bytes(9, &raw)
}

/// What goes into the graph or comes out of it.
pub(super) fn port(name: &str, axes: &[OnnxAxis<'_>]) -> Message {
    let dimension = |axis: &OnnxAxis<'_>| match axis {
        OnnxAxis::Size(size) => Message::default().int(1, *size),
        OnnxAxis::Any(name) => Message::default().text(2, name),
    };
    let shape = Message::default().messages(1, &axes.iter().map(dimension).collect::<Vec<_>>());
    let tensor = Message::default().int(1, FLOAT).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}
