//! A small model with every place where a tensor may stand.

use crate::onnx::{
    Attribute, Dimension, Entry, Function, Graph, Kind, Model, Node, Opset, Port, Shape, Size, Sparse,
    Tensor, TensorType, Training, Type,
};

/// Weights in two files, and tensors in nodes, branches, functions, sparse tensors and graphs for training.
pub fn nested() -> Model {
    let branch = Graph { node: vec![constant("b")], initializer: vec![inside("c")], ..Graph::default() };
    let branches = Attribute { g: Some(Box::new(branch.clone())), ..attribute("then_branch") };
    let more = Attribute { graphs: vec![branch.clone()], ..attribute("more") };
    let lists = Attribute { ints: vec![1, -1], ..attribute("axes") };
    let scale = Attribute { f: Some(0.5), ..attribute("alpha") };
    let graph = Graph {
        node: vec![
            constant("k"),
            node("If", &["k"], "i", vec![branches, more]),
            node("own", &["x", "w"], "o", vec![lists, scale, Attribute { i: Some(3), ..attribute("axis") }]),
            node("Relu", &["o"], "y", vec![Attribute { s: Some(b"SAME".into()), ..attribute("mode") }]),
        ],
        initializer: vec![outside("w", "w.data"), outside("v", "v.data"), inside("u")],
        input: vec![port("x")],
        output: vec![port("y")],
        sparse_initializer: vec![sparse("s")],
    };
    let function = Function {
        name: Some("own".into()),
        domain: Some("own".into()),
        input: vec!["p".into(), "q".into()],
        output: vec!["r".into()],
        node: vec![constant("l"), node("Add", &["p", "q"], "r", vec![])],
        opset_import: vec![opset("", 17)],
        attribute_proto: vec![Attribute { t: Some(inside("d")), ..attribute("default") }],
        ..Function::default()
    };
    Model {
        ir_version: Some(8),
        graph: Some(graph),
        opset_import: vec![opset("", 17), opset("own", 1)],
        training_info: vec![Training { initialization: Some(branch.clone()), algorithm: Some(branch) }],
        functions: vec![function],
    }
}

/// A model of one node, with its weights in another file.
pub fn apart() -> Model {
    let graph = Graph {
        node: vec![node("MatMul", &["x", "w"], "y", vec![])],
        initializer: vec![outside("w", "w.data")],
        input: vec![port("x")],
        output: vec![port("y")],
        ..Graph::default()
    };
    Model { ir_version: Some(8), graph: Some(graph), opset_import: vec![opset("", 17)], ..Model::default() }
}

fn attribute(name: &str) -> Attribute {
    Attribute { name: Some(name.into()), ..Attribute::default() }
}

fn node(operator: &str, inputs: &[&str], output: &str, attribute: Vec<Attribute>) -> Node {
    Node {
        input: inputs.iter().map(|name| (*name).into()).collect(),
        output: vec![output.into()],
        op_type: Some(operator.into()),
        attribute,
        ..Node::default()
    }
}

fn constant(name: &str) -> Node {
    node("Constant", &[], name, vec![Attribute { t: Some(inside("t")), ..attribute("value") }])
}

fn inside(name: &str) -> Tensor {
    Tensor {
        name: Some(name.into()),
        dims: vec![2],
        data_type: Some(7),
        int64_data: vec![1, -1],
        ..Tensor::default()
    }
}

fn outside(name: &str, file: &str) -> Tensor {
    let entry = |key: &str, value: &str| Entry { key: Some(key.into()), value: Some(value.into()) };
    Tensor {
        name: Some(name.into()),
        dims: vec![2, 2],
        data_type: Some(1),
        external_data: vec![entry("location", file), entry("offset", "0"), entry("length", "16")],
        data_location: Some(1),
        ..Tensor::default()
    }
}

fn sparse(name: &str) -> Sparse {
    let values = Tensor {
        name: Some(name.into()),
        dims: vec![1],
        data_type: Some(1),
        float_data: vec![0.5],
        ..Tensor::default()
    };
    Sparse { values: Some(values), indices: Some(inside("")), dims: vec![4] }
}

fn port(name: &str) -> Port {
    let size = |value| Dimension { value: Some(value) };
    let shape = Shape { dim: vec![size(Size::Param("n".into())), size(Size::Value(2))] };
    let kind = Kind::Tensor(TensorType { elem_type: Some(1), shape: Some(shape) });
    Port { name: Some(name.into()), r#type: Some(Type { value: Some(kind) }) }
}

fn opset(domain: &str, version: i64) -> Opset {
    Opset { domain: Some(domain.into()), version: Some(version) }
}
