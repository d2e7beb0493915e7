//! A small network that the tests write by themselves, and what it must answer.
#![allow(dead_code)] // each test file uses its own part

#[path = "../../../qcrs-cnn/tests/common/build.rs"]
mod build;
#[path = "../../../qcrs/tests/common/suite.rs"]
pub mod suite;

pub use build::*;
use qcrs::types::Error;
use qcrs_cnn::proto::wire::{WireFields, WireValue};
use qcrs_onnx::{EngineChoice, LoadOptions, Model, load};
use rten_onnx::onnx::{
    DataLocation, DataType, Dimension, GraphProto, ModelProto, OperatorSetIdProto, StringStringEntryProto,
    TensorProto, TensorShapeProto, TypeProto, TypeProtoTensor, ValueInfoProto,
};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use suite::{Need, Suite};

pub const SHAPE: [usize; 3] = [2, 6, 5];
pub const HIDDEN: usize = 4;
pub const CLASSES: usize = 3;

/// Numbers in [-1, 1) that are the same everywhere.
pub fn numbers(seed: u64, len: usize) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

/// Convolution 3×3 with padding, relu, mean over the pixels, linear layer.
pub struct Tiny {
    pub kernel: Vec<f32>,
    pub kernel_bias: Vec<f32>,
    pub linear: Vec<f32>,
    pub linear_bias: Vec<f32>,
}

impl Tiny {
    pub fn new() -> Self {
        Self {
            kernel: numbers(1, HIDDEN * SHAPE[0] * 9),
            kernel_bias: numbers(2, HIDDEN),
            linear: numbers(3, CLASSES * HIDDEN),
            linear_bias: numbers(4, CLASSES),
        }
    }

    /// The scores, by the definition, in f64.
    pub fn scores(&self, image: &[f32]) -> Vec<f64> {
        let [channels, height, width] = SHAPE;
        let pixel = |c: usize, y: usize, x: usize| {
            let inside = (1..=height).contains(&y) && (1..=width).contains(&x);
            if inside { f64::from(image[(c * height + y - 1) * width + x - 1]) } else { 0.0 }
        };
        let mean = |h: usize| {
            let mut sum = 0.0;
            for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
                let mut value = f64::from(self.kernel_bias[h]);
                for (i, weight) in self.kernel[h * channels * 9..(h + 1) * channels * 9].iter().enumerate() {
                    value += f64::from(*weight) * pixel(i / 9, y + i % 9 / 3, x + i % 3);
                }
                sum += value.max(0.0);
            }
            sum / (height * width) as f64
        };
        let means: Vec<f64> = (0..HIDDEN).map(mean).collect();
        let row = |class: usize| {
            let weights = &self.linear[class * HIDDEN..(class + 1) * HIDDEN];
            weights.iter().zip(&means).map(|(w, m)| f64::from(*w) * m).sum::<f64>()
                + f64::from(self.linear_bias[class])
        };
        (0..CLASSES).map(row).collect()
    }

    /// The same as an ONNX model with a dynamic batch.
    pub fn model(&self) -> ModelProto {
        let [channels, height, width] = SHAPE;
        let nodes = vec![
            with_ints(
                with_ints(node("Conv", &["x", "k", "kb"], "a"), "kernel_shape", &[3, 3]),
                "pads",
                &[1; 4],
            ),
            node("Relu", &["a"], "b"),
            node("GlobalAveragePool", &["b"], "c"),
            node("Flatten", &["c"], "d"),
            with_int(node("Gemm", &["d", "w", "wb"], "y"), "transB", 1),
        ];
        let initializers = vec![
            tensor("k", &[HIDDEN, channels, 3, 3], &self.kernel),
            tensor("kb", &[HIDDEN], &self.kernel_bias),
            tensor("w", &[CLASSES, HIDDEN], &self.linear),
            tensor("wb", &[CLASSES], &self.linear_bias),
        ];
        let graph = GraphProto {
            node: nodes,
            initializer: initializers,
            input: vec![port("x", DataType::FLOAT, &[None, Some(channels), Some(height), Some(width)])],
            output: vec![port("y", DataType::FLOAT, &[None, Some(CLASSES)])],
            ..Default::default()
        };
        let opset = OperatorSetIdProto { domain: Some(String::new()), version: Some(17) };
        ModelProto {
            ir_version: Some(8),
            graph: Some(graph),
            opset_import: vec![opset],
            ..Default::default()
        }
    }
}

pub fn tensor(name: &str, dims: &[usize], values: &[f32]) -> TensorProto {
    TensorProto {
        name: Some(name.into()),
        dims: dims.iter().map(|&dim| dim.cast_signed() as i64).collect(),
        data_type: Some(DataType::FLOAT),
        raw_data: Some(RefCell::new(values.iter().flat_map(|value| value.to_le_bytes()).collect())),
        ..Default::default()
    }
}

/// Moves a tensor's data to the file `location`, and gives what that file must hold.
pub fn move_out(tensor: &mut TensorProto, location: &str) -> Vec<u8> {
    let entry =
        |key: &str, value: &str| StringStringEntryProto { key: Some(key.into()), value: Some(value.into()) };
    let data = tensor.raw_data.take().map(RefCell::into_inner).unwrap_or_default();
    tensor.external_data =
        vec![entry("location", location), entry("offset", "0"), entry("length", &data.len().to_string())];
    tensor.data_location = Some(DataLocation::EXTERNAL);
    data
}

pub fn port(name: &str, element: DataType, dims: &[Option<usize>]) -> ValueInfoProto {
    let dim = |dim: &Option<usize>| match dim {
        Some(size) => Dimension { dim_value: Some(size.cast_signed() as i64), ..Default::default() },
        None => Dimension { dim_param: Some("n".into()), ..Default::default() },
    };
    let shape = Some(TensorShapeProto { dim: dims.iter().map(dim).collect() });
    let tensor_type = Some(TypeProtoTensor { elem_type: Some(element), shape });
    ValueInfoProto { name: Some(name.into()), r#type: Some(TypeProto { tensor_type, ..Default::default() }) }
}

pub fn graph(model: &mut ModelProto) -> &mut GraphProto {
    model.graph.as_mut().unwrap()
}

pub fn write(folder: &Path, model: &ModelProto) -> PathBuf {
    let path = folder.join("model.onnx");
    std::fs::write(&path, model.write_buf().unwrap()).unwrap();
    path
}

pub fn load_with(path: &Path, shape: [usize; 3], engine: EngineChoice) -> Result<Model, Error> {
    load(path, shape, &LoadOptions { engine, threads: 2, ..LoadOptions::default() })
}

/// Writes the model to a folder of its own and loads it.
pub fn load_model(model: &ModelProto, engine: EngineChoice) -> Result<Model, Error> {
    let folder = tempfile::tempdir().unwrap();
    load_with(&write(folder.path(), model), SHAPE, engine)
}

pub fn scores(model: &Model, batch: &[f32]) -> Vec<f32> {
    let rows = batch.len() / model.classifier.input_len();
    let mut scores = vec![f32::NAN; rows * model.classifier.num_classes()];
    model.classifier.logits(batch, &mut scores).unwrap();
    scores
}

/// The largest difference of two lists of scores; NaN if a score is no number, which `f32::max` would pass over.
pub fn apart(one: &[f32], other: &[f32]) -> f32 {
    assert_eq!(one.len(), other.len());
    let differences = one.iter().zip(other).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |most, next| if next > most || next.is_nan() { next } else { most })
}

/// What a test with this engine needs: one that is not built in may not be installed.
pub fn need(engine: EngineChoice) -> Need {
    static INSTALLED: LazyLock<Vec<(EngineChoice, Need)>> = LazyLock::new(|| {
        let engines =
            EngineChoice::ALL.iter().filter(|engine| engine.info().is_some_and(|info| !info.built_in));
        engines.map(|engine| (*engine, installed(*engine))).collect()
    });
    let found = INSTALLED.iter().find(|(other, _)| *other == engine);
    found.map_or(Need::Met, |(_, need)| need.clone())
}

/// Whether an engine runs here. One that is missing, or cannot be used, says how to install it.
fn installed(engine: EngineChoice) -> Need {
    let Err(error) = load_model(&Tiny::new().model(), engine) else { return Need::Met };
    let error = error.to_string();
    let why = error.split_once("model.onnx: ").map_or("", |(_, why)| why);
    let Some((why, how)) = why.split_once("; pip install ") else { return Need::Broken(error) };
    let package = how.split(' ').next().unwrap_or_default();
    let promise = format!("QCRS_NEED_{}", engine.to_string().to_uppercase());
    Need::found(Err(format!("{why}; pip install {package}")), &promise)
}

/// Every engine.
pub const ENGINES: &[EngineChoice] = EngineChoice::ALL;

/// Those that run any graph.
pub fn general() -> Vec<EngineChoice> {
    let general = |engine: &EngineChoice| engine.info().is_some_and(|info| info.general);
    ENGINES.iter().copied().filter(general).collect()
}

/// Every engine, and the choice of one. What is refused before an engine is asked needs none to be installed.
pub fn choices() -> impl Iterator<Item = EngineChoice> {
    std::iter::once(EngineChoice::Auto).chain(ENGINES.iter().copied())
}

/// A test of one engine, with its name.
pub type Test<'a> = (&'a str, fn(EngineChoice));

/// Each test on each of the engines, such as `probabilities_are_taken [ort]`.
pub fn on(engines: &[EngineChoice], suite: &mut Suite, tests: &[Test]) {
    for &(name, test) in tests {
        for &engine in engines {
            suite.add(format!("{name} [{engine}]"), &need(engine), move || test(engine));
        }
    }
}

/// A field of a protobuf message.
pub fn field(number: u8, content: &[u8]) -> Vec<u8> {
    [varint(u64::from(number) << 3 | 2), varint(content.len() as u64), content.to_vec()].concat()
}

/// A number as protobuf writes it.
pub fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// The content of the first field `number` of a message.
pub fn content(message: &[u8], number: u64) -> &[u8] {
    let found = WireFields::of(message).flatten().find(|(found, _)| *found == number);
    let Some((_, WireValue::Bytes(content))) = found else { panic!("no field {number}") };
    content
}
