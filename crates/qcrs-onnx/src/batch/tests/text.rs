//! How does a test write down a network?
//!
//! One line for each constant and node:
//!
//! ```text
//! shape: ints[2] -1 12
//! zeros: floats[1,4,3] 0
//! a, b = Split(y, parts) axis=1 mode="linear" axes=[0,1] ratio=0.5
//! ```

use crate::batch::{Fate, follow};
use crate::mode;
use qcrs_cnn::proto::{self, FunctionProto};
use rten_onnx::onnx::{
    AttributeProto, DataType, Dimension, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    TensorShapeProto, TypeProto, TypeProtoTensor, ValueInfoProto,
};
use std::cell::RefCell;

/// What is tested: the scores `y` = Flatten(x)·w of images 3×2×2, [N, 3], changed by a text into `z`.
pub(super) struct Written {
    pub(super) text: &'static str,
    /// The number of images, where it is fixed.
    pub(super) batch: Option<usize>,
    pub(super) opset: i64,
}

const SHAPE: [usize; 3] = [3, 2, 2];

/// Lines that many networks need: short constants, and the number of images as `n`, [1], and as a float `f`.
const USUAL: &str = "
    w: floats[12,3] 0.5
    zero: ints[1] 0
    one: ints[1] 1
    two: ints[1] 2
    minus: ints[1] -1
    flat = Flatten(x)
    y = MatMul(flat, w)
    s = Shape(y)
    n = Gather(s, zero)
    f = Cast(n) to=1";

impl Written {
    pub(super) fn fate(&self) -> Fate {
        self.fate_with(Vec::new())
    }

    /// With functions that the text may call as `domain.Name(y)`.
    pub(super) fn fate_with(&self, functions: Vec<FunctionProto<'_>>) -> Fate {
        let bytes = self.model().write_buf().unwrap();
        let model = proto::ModelProto { functions, ..proto::ModelProto::parse(&bytes).unwrap() };
        match mode::check(&model) {
            Ok(()) => follow(&model, SHAPE, self.batch),
            Err(how) => Fate::Mixed(how),
        }
    }

    fn model(&self) -> ModelProto {
        let mut graph = GraphProto {
            input: vec![port("x", &[self.batch, Some(SHAPE[0]), Some(SHAPE[1]), Some(SHAPE[2])])],
            output: vec![port("z", &[self.batch, Some(3)])],
            ..Default::default()
        };
        let lines = USUAL.lines().chain(self.text.lines()).map(str::trim).filter(|line| !line.is_empty());
        for line in lines {
            match line.split_once(" = ") {
                Some((outputs, call)) => graph.node.push(node(outputs, call)),
                None => graph.initializer.push(constant(line)),
            }
        }
        let opset = OperatorSetIdProto { domain: Some(String::new()), version: Some(self.opset) };
        ModelProto {
            ir_version: Some(8),
            graph: Some(graph),
            opset_import: vec![opset],
            ..Default::default()
        }
    }
}

fn port(name: &str, dims: &[Option<usize>]) -> ValueInfoProto {
    let dim = |size: &Option<usize>| Dimension {
        dim_value: size.map(|size| i64::try_from(size).unwrap()),
        dim_param: size.is_none().then(|| "N".into()),
    };
    let shape = TensorShapeProto { dim: dims.iter().map(dim).collect() };
    let tensor_type = TypeProtoTensor { elem_type: Some(DataType::FLOAT), shape: Some(shape) };
    let r#type = TypeProto { tensor_type: Some(tensor_type), ..Default::default() };
    ValueInfoProto { name: Some(name.into()), r#type: Some(r#type) }
}

/// `name: ints[2] 1 2`; a single value fills all places.
fn constant(line: &str) -> TensorProto {
    let (name, value) = line.split_once(": ").unwrap();
    let (kind, values) = value.split_once(' ').unwrap();
    let (kind, dims) = kind.strip_suffix(']').and_then(|kind| kind.split_once('[')).unwrap();
    let dims: Vec<i64> =
        dims.split(',').filter(|dim| !dim.is_empty()).map(|dim| dim.parse().unwrap()).collect();
    let count = usize::try_from(dims.iter().product::<i64>()).unwrap();
    let words: Vec<&str> = values.split(' ').cycle().take(count).collect();
    let (data_type, raw): (_, Vec<u8>) = match kind {
        "ints" => (
            DataType::INT64,
            words.iter().flat_map(|word| word.parse::<i64>().unwrap().to_le_bytes()).collect(),
        ),
        "floats" => (
            DataType::FLOAT,
            words.iter().flat_map(|word| word.parse::<f32>().unwrap().to_le_bytes()).collect(),
        ),
        "bytes" => (DataType::INT8, words.iter().map(|word| word.parse::<u8>().unwrap()).collect()),
        other => panic!("{other}: {line}"),
    };
    TensorProto {
        name: Some(name.into()),
        dims,
        data_type: Some(data_type),
        raw_data: Some(RefCell::new(raw)),
        ..Default::default()
    }
}

/// `a, b` and `Split(y, parts) axis=1`.
fn node(outputs: &str, call: &str) -> NodeProto {
    let names = |list: &str| list.split(", ").map(str::to_owned).collect::<Vec<String>>();
    let (operator, rest) = call.split_once('(').unwrap();
    let (inputs, attributes) = rest.split_once(')').unwrap();
    let (domain, operator) = operator.rsplit_once('.').unwrap_or(("", operator));
    NodeProto {
        domain: Some(domain.into()),
        op_type: Some(operator.into()),
        input: names(inputs),
        output: names(outputs),
        attribute: attributes.split_whitespace().map(attribute).collect(),
        ..Default::default()
    }
}

fn attribute(text: &str) -> AttributeProto {
    let (name, value) = text.split_once('=').unwrap();
    let mut attribute = AttributeProto { name: Some(name.into()), ..Default::default() };
    if let Some(word) = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) {
        attribute.s = Some(word.into());
    } else if let Some(list) = value.strip_prefix('[').and_then(|value| value.strip_suffix(']')) {
        attribute.ints =
            list.split(',').filter(|int| !int.is_empty()).map(|int| int.parse().unwrap()).collect();
    } else {
        attribute.i = Some(value.parse().unwrap());
    }
    attribute
}
