//! Small networks that use every operator the engine knows.

#[path = "../../crates/qcrs-cnn/tests/common/build.rs"]
mod build;

use build::{list, named, node, with_float, with_int, with_ints, with_text};
use rten_onnx::onnx::{
    AttributeProto, AttributeType, DataType, GraphProto, ModelProto, NodeProto, OperatorSetIdProto,
    TensorProto, ValueInfoProto,
};
use std::cell::RefCell;

/// Good models for images of 3×8×8, with the names of their files.
pub fn models() -> Vec<(&'static str, ModelProto)> {
    vec![("residual", residual()), ("pooled", pooled()), ("shapes", shapes()), ("linear", linear())]
}

/// Normalisation, a block with a shortcut, batch normalisation, mean and matrix.
fn residual() -> ModelProto {
    let mut graph = GraphProto::default();
    graph.initializer = vec![
        floats("mean", &[1, 3, 1, 1]),
        floats("deviation", &[1, 3, 1, 1]),
        floats("k1", &[8, 3, 3, 3]),
        floats("b1", &[8]),
        floats("k2", &[8, 8, 3, 3]),
        floats("gain", &[8]),
        floats("offset", &[8]),
        floats("m", &[8]),
        floats("v", &[8]),
        floats("k3", &[8, 8, 1, 1]),
        floats("w", &[4, 8]),
        floats("wb", &[4]),
    ];
    graph.node = vec![
        node("Sub", &["x", "mean"], "n1"),
        node("Div", &["n1", "deviation"], "n2"),
        ints(node("Conv", &["n2", "k1", "b1"], "c1"), &[("pads", &[1, 1, 1, 1]), ("strides", &[1, 1])]),
        node("Relu", &["c1"], "r1"),
        ints(node("Conv", &["r1", "k2"], "c2"), &[("pads", &[1, 1, 1, 1])]),
        node("BatchNormalization", &["c2", "gain", "offset", "m", "v"], "bn"),
        ints(node("Conv", &["r1", "k3"], "c3"), &[("kernel_shape", &[1, 1])]),
        node("Add", &["bn", "c3"], "sum"),
        node("Relu", &["sum"], "r2"),
        node("GlobalAveragePool", &["r2"], "mean_of_all"),
        node("Flatten", &["mean_of_all"], "flat"),
        with_int(node("Gemm", &["flat", "w", "wb"], "y"), "transB", 1),
    ];
    model(graph)
}

/// Poolings, activations, padding by name, strides.
fn pooled() -> ModelProto {
    let mut graph = GraphProto::default();
    graph.initializer = vec![
        floats("k1", &[5, 3, 5, 5]),
        floats("k2", &[6, 5, 2, 3]),
        floats("low", &[]),
        floats("high", &[]),
        list("axes", &[2, 3]),
        floats("w", &[6, 3]),
    ];
    graph.initializer[2].raw_data = Some(RefCell::new((-1.0_f32).to_le_bytes().to_vec()));
    graph.node = vec![
        ints(node("Conv", &["x", "k1"], "c1"), &[("strides", &[2, 1]), ("pads", &[2, 2, 2, 2])]),
        with_float(node("LeakyRelu", &["c1"], "l1"), "alpha", 0.1),
        ints(
            node("MaxPool", &["l1"], "p1"),
            &[("kernel_shape", &[2, 2]), ("strides", &[2, 2]), ("pads", &[0, 1, 0, 1])],
        ),
        with_text(node("Conv", &["p1", "k2"], "c2"), "auto_pad", "SAME_UPPER"),
        node("Clip", &["c2", "low", "high"], "cl"),
        with_int(
            ints(node("AveragePool", &["cl"], "p2"), &[("kernel_shape", &[2, 3]), ("pads", &[1, 1, 1, 1])]),
            "count_include_pad",
            1,
        ),
        with_int(node("ReduceMean", &["p2", "axes"], "rm"), "keepdims", 0),
        node("MatMul", &["rm", "w"], "y"),
    ];
    model(graph)
}

/// A flattening that is computed from the shape of a value.
fn shapes() -> ModelProto {
    let mut graph = GraphProto::default();
    graph.initializer =
        vec![floats("scale", &[]), floats("k", &[9, 3, 3, 3]), list("zero", &[0]), list("rest", &[-1])];
    graph.initializer.push(floats("w", &[2, 324]));
    graph.node = vec![
        node("Mul", &["x", "scale"], "s"),
        node("Conv", &["s", "k"], "c"),
        node("Shape", &["c"], "sh"),
        with_int(node("Gather", &["sh", "zero"], "n"), "axis", 0),
        with_int(node("Concat", &["n", "rest"], "to"), "axis", 0),
        node("Reshape", &["c", "to"], "f"),
        node("Dropout", &["f"], "d"),
        with_int(node("Gemm", &["d", "w"], "y"), "transB", 1),
    ];
    model(graph)
}

/// A matrix, and constants that are nodes.
fn linear() -> ModelProto {
    let mut graph = GraphProto::default();
    graph.initializer = vec![floats("w", &[192, 2])];
    let mut constant = node("Constant", &[], "half");
    constant.attribute = vec![AttributeProto {
        t: Some(floats("value", &[1])),
        r#type: Some(AttributeType::TENSOR),
        ..named("value")
    }];
    graph.node = vec![
        constant,
        node("Identity", &["half"], "h"),
        node("Add", &["x", "h"], "a"),
        node("Flatten", &["a"], "f"),
        node("MatMul", &["f", "w"], "y"),
    ];
    model(graph)
}

fn model(mut graph: GraphProto) -> ModelProto {
    let port = |name: &str| ValueInfoProto { name: Some(name.into()), ..Default::default() };
    graph.input = vec![port("x")];
    graph.output = vec![port("y")];
    let opset = OperatorSetIdProto { domain: Some(String::new()), version: Some(17) };
    ModelProto { ir_version: Some(8), graph: Some(graph), opset_import: vec![opset], ..Default::default() }
}

fn ints(node: NodeProto, lists: &[(&str, &[i64])]) -> NodeProto {
    lists.iter().fold(node, |node, (name, values)| with_ints(node, name, values))
}

/// Numbers around ½ that have no pattern.
fn floats(name: &str, dims: &[i64]) -> TensorProto {
    let count: i64 = dims.iter().product();
    let value = |at: i64| (at * 37 % 101) as f32 / 101.0 + 0.01;
    TensorProto {
        name: Some(name.into()),
        dims: dims.to_vec(),
        data_type: Some(DataType::FLOAT),
        raw_data: Some(RefCell::new((0..count).flat_map(|at| value(at).to_le_bytes()).collect())),
        ..Default::default()
    }
}
