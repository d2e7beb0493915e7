//! How is a good model spoiled?

use crate::models;
use rten_onnx::onnx::{AttributeProto, DataType, GraphProto, ModelProto, NodeProto, TensorProto};
use std::cell::RefCell;

/// Sizes on the edges of what a reader may expect.
const INTS: [i64; 20] = [
    0,
    1,
    2,
    3,
    4,
    5,
    8,
    9,
    16,
    33,
    255,
    1000,
    1 << 14,
    1 << 20,
    (1 << 20) + 1,
    1 << 40,
    -1,
    -2,
    i64::MAX,
    i64::MIN,
];
const FLOATS: [f32; 8] = [0.0, -0.0, 1.0, -1.0, 1e-38, 3e38, f32::INFINITY, f32::NAN];
const OPERATORS: [&str; 22] = [
    "Conv",
    "Gemm",
    "MatMul",
    "BatchNormalization",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Relu",
    "LeakyRelu",
    "Clip",
    "MaxPool",
    "AveragePool",
    "GlobalAveragePool",
    "ReduceMean",
    "Flatten",
    "Squeeze",
    "Reshape",
    "Shape",
    "Gather",
    "Concat",
    "Identity",
];
const ATTRIBUTES: [&str; 16] = [
    "pads",
    "strides",
    "kernel_shape",
    "dilations",
    "group",
    "axes",
    "axis",
    "keepdims",
    "transB",
    "alpha",
    "epsilon",
    "auto_pad",
    "count_include_pad",
    "min",
    "max",
    "value",
];
const PADDINGS: [&str; 4] = ["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"];

/// The bytes of the fuzzer as a row of choices; 0 when they are used up.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> usize {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        usize::from(*first)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        let at = self.byte();
        from.get(at % from.len().max(1)).cloned()
    }

    fn int(&mut self) -> i64 {
        self.pick(&INTS).unwrap_or(0)
    }

    fn float(&mut self) -> f32 {
        self.pick(&FLOATS).unwrap_or(0.0)
    }
}

/// One of the good models, after as many edits as the bytes ask for.
pub fn edited(bytes: &[u8]) -> ModelProto {
    let mut choices = Choices(bytes);
    let all: Vec<ModelProto> = models().into_iter().map(|(_, model)| model).collect();
    let which = choices.byte() % all.len();
    let mut model = all.into_iter().nth(which).expect("a place below the number of models");
    let graph = model.graph.as_mut().expect("a good model has a graph");
    while !choices.0.is_empty() {
        edit(graph, &mut choices);
    }
    model
}

fn edit(graph: &mut GraphProto, choices: &mut Choices<'_>) {
    let names: Vec<String> = graph
        .node
        .iter()
        .flat_map(|node| node.output.iter())
        .chain(graph.initializer.iter().filter_map(|tensor| tensor.name.as_ref()))
        .chain([&"x".to_owned(), &String::new()])
        .cloned()
        .collect();
    let (nodes, tensors) = (graph.node.len().max(1), graph.initializer.len().max(1));
    match choices.byte() % 12 {
        0 => with(graph.node.get_mut(choices.byte() % nodes), |node| {
            node.op_type = choices.pick(&OPERATORS).map(Into::into);
        }),
        1 => with(graph.node.get_mut(choices.byte() % nodes), |node| {
            let (at, name) = (choices.byte() % 6, choices.pick(&names).unwrap_or_default());
            node.input.resize(node.input.len().max(at + 1), String::new());
            node.input[at] = name;
        }),
        2 => with(graph.node.get_mut(choices.byte() % nodes), |node| set_ints(node, choices)),
        3 => with(graph.node.get_mut(choices.byte() % nodes), |node| {
            let attribute = attribute(node, choices);
            (attribute.i, attribute.f) = (Some(choices.int()), Some(choices.float()));
        }),
        4 => with(graph.node.get_mut(choices.byte() % nodes), |node| {
            let attribute = AttributeProto {
                name: Some("auto_pad".into()),
                s: choices.pick(&PADDINGS).map(Into::into),
                ..Default::default()
            };
            node.attribute.push(attribute);
        }),
        5 => with(graph.initializer.get_mut(choices.byte() % tensors), |tensor| {
            let at = choices.byte() % 5;
            tensor.dims.resize(tensor.dims.len().max(at), 1);
            with(tensor.dims.get_mut(at), |dim| *dim = choices.int());
        }),
        6 => with(graph.initializer.get_mut(choices.byte() % tensors), |tensor| {
            fit(tensor, choices.byte() % 2 == 0);
        }),
        7 => with(graph.initializer.get_mut(choices.byte() % tensors), |tensor| {
            let (at, value) = (choices.byte(), choices.float());
            if let Some(raw) = &tensor.raw_data {
                with(raw.borrow_mut().as_chunks_mut().0.get_mut(at), |word| *word = value.to_le_bytes());
            }
            with(tensor.int64_data.get_mut(at % 4), |number| *number = choices.int());
        }),
        8 => {
            // a node again, on its own output
            let mut copy = graph.node[choices.byte() % nodes].clone();
            copy.input.iter_mut().take(1).for_each(|input| *input = copy.output[0].clone());
            copy.output[0].push('+');
            let before = choices.byte() % 2 == 0;
            let end = graph.node.len() - usize::from(before);
            graph.node.insert(end, copy);
        }
        9 => {
            graph.node.remove(choices.byte() % nodes);
            if graph.node.is_empty() {
                graph.node.push(NodeProto { output: vec![String::new()], ..Default::default() });
            }
        }
        10 => {
            let (a, b) = (choices.byte() % nodes, choices.byte() % nodes);
            graph.node.swap(a, b);
        }
        _ => graph.output[0].name = choices.pick(&names),
    }
}

fn with<T>(found: Option<T>, change: impl FnOnce(T)) {
    found.map(change);
}

fn attribute<'a>(node: &'a mut NodeProto, choices: &mut Choices<'_>) -> &'a mut AttributeProto {
    let name = choices.pick(&ATTRIBUTES).unwrap_or_default();
    let at = node.attribute.iter().position(|attribute| attribute.name.as_deref() == Some(name));
    let at = at.unwrap_or_else(|| {
        node.attribute.push(AttributeProto { name: Some(name.into()), ..Default::default() });
        node.attribute.len() - 1
    });
    &mut node.attribute[at]
}

fn set_ints(node: &mut NodeProto, choices: &mut Choices<'_>) {
    let attribute = attribute(node, choices);
    let count = choices.byte() % 5;
    attribute.ints = (0..count).map(|_| choices.int()).collect();
}

/// Makes the values of a constant as many as its shape says, if they are few.
fn fit(tensor: &mut TensorProto, float: bool) {
    let size = tensor.dims.iter().try_fold(1_i64, |size, dim| size.checked_mul(*dim));
    let Some(size) = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= 1 << 16) else {
        return;
    };
    if float {
        let bytes = (0..size).flat_map(|at| (0.01 * (at % 89) as f32 - 0.3).to_le_bytes());
        (tensor.data_type, tensor.raw_data) = (Some(DataType::FLOAT), Some(RefCell::new(bytes.collect())));
    } else {
        (tensor.data_type, tensor.raw_data) = (Some(DataType::INT64), None);
        tensor.int64_data = (0..size).map(|at| at as i64 % 7 - 2).collect();
    }
}
