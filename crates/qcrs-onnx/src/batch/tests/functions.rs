//! Which functions are followed as they stand in the file?

use super::text::Written;
use crate::batch::Fate;
use qcrs_cnn::proto::{AttributeProto, FunctionProto, NodeProto, OperatorSetIdProto};

/// A function a → b that normalises the transposed scores along their first axis, the classes; until version
/// 12 of ONNX along all.
fn softmax_turned(domain: &'static str, version: i64) -> FunctionProto<'static> {
    let node = |operator, from, to| NodeProto {
        operator,
        inputs: vec![from],
        outputs: vec![to],
        ..NodeProto::default()
    };
    let axis = AttributeProto { name: "axis", int: Some(0), ..AttributeProto::default() };
    let softmax = NodeProto { attributes: vec![axis], ..node("Softmax", "t", "s") };
    FunctionProto {
        name: "Head",
        domain,
        inputs: vec!["a"],
        outputs: vec!["b"],
        nodes: vec![node("Transpose", "a", "t"), softmax, node("Transpose", "s", "b")],
        opsets: vec![OperatorSetIdProto { domain: "", version }],
        ..FunctionProto::default()
    }
}

/// onnxruntime reads the body of a function as the version of ONNX that the model asks for: this one mixes
/// images.
#[test]
fn functions_for_another_version_of_onnx_are_not_followed() {
    for (model, function) in [(12, 13), (13, 12), (13, 17)] {
        let written = Written { text: "z = own.Head(y)", batch: None, opset: model };
        let fate = written.fate_with(vec![softmax_turned("own", function)]);
        assert!(matches!(fate, Fate::Lost(_)), "{model} {function}: {fate:?}");
    }
    let written = Written { text: "z = own.Head(y)", batch: None, opset: 13 };
    assert_eq!(written.fate_with(vec![softmax_turned("own", 13)]), Fate::Apart);
}

/// The node that draws random numbers does so under the version of the model, if not under that of the
/// function.
#[test]
fn functions_are_searched_for_training_under_both_versions() {
    let statistics = NodeProto {
        operator: "BatchNormalization",
        inputs: vec!["a"; 5],
        outputs: vec!["b", "mean"],
        ..NodeProto::default()
    };
    let function = FunctionProto { nodes: vec![statistics], ..softmax_turned("own", 14) };
    let written = Written { text: "z = own.Head(y)", batch: None, opset: 13 };
    assert!(matches!(written.fate_with(vec![function]), Fate::Mixed(_)));
}
