//! Parts of ONNX models in a line each, for the tests of several crates and for fuzzing.
#![allow(dead_code)] // each of them uses its own part

use rten_onnx::onnx::{AttributeProto, AttributeType, DataType, NodeProto, TensorProto};

pub fn node(operator: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: Some(operator.into()),
        name: Some(format!("node_{output}")),
        input: inputs.iter().map(|&name| name.into()).collect(),
        output: vec![output.into()],
        ..Default::default()
    }
}

pub fn named(name: &str) -> AttributeProto {
    AttributeProto { name: Some(name.into()), ..Default::default() }
}

fn with(mut node: NodeProto, attribute: AttributeProto) -> NodeProto {
    node.attribute.push(attribute);
    node
}

pub fn with_int(node: NodeProto, name: &str, value: i64) -> NodeProto {
    with(node, AttributeProto { i: Some(value), r#type: Some(AttributeType::INT), ..named(name) })
}

pub fn with_ints(node: NodeProto, name: &str, values: &[i64]) -> NodeProto {
    with(node, AttributeProto { ints: values.into(), r#type: Some(AttributeType::INTS), ..named(name) })
}

pub fn with_float(node: NodeProto, name: &str, value: f32) -> NodeProto {
    with(node, AttributeProto { f: Some(value), r#type: Some(AttributeType::FLOAT), ..named(name) })
}

pub fn with_text(node: NodeProto, name: &str, value: &str) -> NodeProto {
    with(node, AttributeProto { s: Some(value.into()), r#type: Some(AttributeType::STRING), ..named(name) })
}

/// A constant list of integers.
pub fn list(name: &str, values: &[i64]) -> TensorProto {
    TensorProto {
        name: Some(name.into()),
        dims: vec![values.len().cast_signed() as i64],
        data_type: Some(DataType::INT64),
        int64_data: values.to_vec(),
        ..Default::default()
    }
}
