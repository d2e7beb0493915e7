//! Writes a linear classifier as ONNX.

use super::pattern;
use rten_onnx::onnx::{
    AttributeProto, AttributeType, DataType, Dimension, GraphProto, ModelProto, NodeProto,
    OperatorSetIdProto, TensorProto, TensorShapeProto, TypeProto, TypeProtoTensor, ValueInfoProto,
};
use std::cell::RefCell;

const CLASSES: i64 = 10;

/// Scores are the products of the image, of a shape with 3072 values, with the pattern of each class.
pub fn linear(shape: [i64; 3]) -> Vec<u8> {
    let weights: Vec<f32> =
        (0..CLASSES as usize).flat_map(|class| pattern(class).map(|value| 0.01 * value)).collect();
    let graph = GraphProto {
        node: vec![node("Flatten", &["x"], "f", vec![]), node("Gemm", &["f", "w"], "y", vec![trans_b()])],
        initializer: vec![TensorProto {
            name: Some("w".into()),
            dims: vec![CLASSES, 3 * 32 * 32],
            data_type: Some(DataType::FLOAT),
            raw_data: Some(RefCell::new(weights.iter().flat_map(|value| value.to_le_bytes()).collect())),
            ..Default::default()
        }],
        input: vec![port("x", &shape)],
        output: vec![port("y", &[CLASSES])],
        ..Default::default()
    };
    let opset = OperatorSetIdProto { domain: Some(String::new()), version: Some(17) };
    let model = ModelProto {
        ir_version: Some(8),
        graph: Some(graph),
        opset_import: vec![opset],
        ..Default::default()
    };
    model.write_buf().unwrap()
}

fn node(operator: &str, inputs: &[&str], output: &str, attribute: Vec<AttributeProto>) -> NodeProto {
    NodeProto {
        op_type: Some(operator.into()),
        input: inputs.iter().map(|&name| name.into()).collect(),
        output: vec![output.into()],
        attribute,
        ..Default::default()
    }
}

fn trans_b() -> AttributeProto {
    AttributeProto {
        name: Some("transB".into()),
        i: Some(1),
        r#type: Some(AttributeType::INT),
        ..Default::default()
    }
}

/// A float tensor with a dynamic batch before these dimensions.
fn port(name: &str, dims: &[i64]) -> ValueInfoProto {
    let batch = Dimension { dim_param: Some("n".into()), ..Default::default() };
    let sizes = dims.iter().map(|&size| Dimension { dim_value: Some(size), ..Default::default() });
    let shape = Some(TensorShapeProto { dim: std::iter::once(batch).chain(sizes).collect() });
    let tensor_type = Some(TypeProtoTensor { elem_type: Some(DataType::FLOAT), shape });
    ValueInfoProto { name: Some(name.into()), r#type: Some(TypeProto { tensor_type, ..Default::default() }) }
}
