//! Does our own engine mean the same by every operator as the others do?

mod common;

use common::suite::{Need, Suite, again, tests};
#[allow(clippy::wildcard_imports)] // the words that models are written in
use common::*;
use qcrs_onnx::{Cnn, EngineChoice, Instructions, Precision};
use rten_onnx::onnx::{AttributeProto, AttributeType, DataType, ModelProto, NodeProto, TensorProto};
use std::cell::RefCell;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut suite = Suite::from_args();
    suite.all(
        &Need::Met,
        tests![
            rten_is_kept_from_a_padding_that_it_does_not_know,
            rten_is_kept_from_an_interpolation_that_it_does_not_know,
            rten_is_kept_from_a_softmax_that_it_does_not_know,
            dropout_does_nothing,
            what_we_do_not_do_is_refused_by_name,
            our_engine_refuses_by_itself_what_mixes_images,
            what_contradicts_itself_is_refused,
            a_missing_onnxruntime_never_looks_like_success,
        ],
    );
    on(&general(), &mut suite, tests![every_operator_means_what_it_means_elsewhere]);
    on(
        &[EngineChoice::Ort],
        &mut suite,
        tests![what_rten_is_kept_from_means_what_it_means_elsewhere, rten_knows_the_softmax_that_it_gets],
    );
    suite.run()
}

/// A model of [`SHAPE`] that ends in a matrix for [`CLASSES`] classes.
struct Network {
    nodes: Vec<NodeProto>,
    constants: Vec<TensorProto>,
}

impl Network {
    fn new() -> Self {
        Self { nodes: Vec::new(), constants: Vec::new() }
    }

    fn add(mut self, node: NodeProto) -> Self {
        self.nodes.push(node);
        self
    }

    /// Random weights; those of the same name are the same everywhere.
    fn weights(mut self, name: &str, dims: &[usize]) -> Self {
        let seed = name.bytes().map(u64::from).sum();
        self.constants.push(tensor(name, dims, &numbers(seed, dims.iter().product())));
        self
    }

    fn floats(mut self, name: &str, dims: &[usize], values: &[f32]) -> Self {
        self.constants.push(tensor(name, dims, values));
        self
    }

    /// Floats of 16 bits: 1, −1/2, the smallest and about 1/3.
    fn halves(mut self, name: &str, dims: &[usize; 4]) -> Self {
        let bits = [0x3c00_u16, 0xb800, 0x0001, 0x3555].map(u16::to_le_bytes);
        self.constants.push(TensorProto {
            data_type: Some(DataType::FLOAT16),
            raw_data: Some(RefCell::new(bits.as_flattened().to_vec())),
            ..tensor(name, dims, &[])
        });
        self
    }

    fn ints(mut self, name: &str, dims: &[i64], values: &[i64]) -> Self {
        self.constants.push(TensorProto { dims: dims.to_vec(), ..list(name, values) });
        self
    }

    /// Ends with the value `last`, a flat row of `len` numbers.
    fn model(self, last: &str, len: usize) -> ModelProto {
        let whole = self.weights("matrix", &[CLASSES, len]).weights("row", &[CLASSES]);
        let whole = whole.add(with_int(node("Gemm", &[last, "matrix", "row"], "y"), "transB", 1));
        let mut model = Tiny::new().model();
        graph(&mut model).node = whole.nodes;
        graph(&mut model).initializer = whole.constants;
        model
    }

    /// Ends with the mean of the image `last`.
    fn mean(self, last: &str, channels: usize) -> ModelProto {
        self.add(node("GlobalAveragePool", &[last], "mean"))
            .add(node("Flatten", &["mean"], "flat"))
            .model("flat", channels)
    }

    /// Ends with all of the image `last`.
    fn flat(self, last: &str, len: usize) -> ModelProto {
        self.add(node("Flatten", &[last], "flat")).model("flat", len)
    }
}

fn with(mut node: NodeProto, name: &str, attribute: AttributeProto) -> NodeProto {
    node.attribute.push(AttributeProto { name: Some(name.into()), ..attribute });
    node
}

fn with_float(node: NodeProto, name: &str, value: f32) -> NodeProto {
    let kind = Some(AttributeType::FLOAT);
    with(node, name, AttributeProto { f: Some(value), r#type: kind, ..Default::default() })
}

fn with_text(node: NodeProto, name: &str, value: &str) -> NodeProto {
    let kind = Some(AttributeType::STRING);
    with(node, name, AttributeProto { s: Some(value.into()), r#type: kind, ..Default::default() })
}

fn with_outputs(mut node: NodeProto, more: &[&str]) -> NodeProto {
    node.output.extend(more.iter().map(|&name| name.into()));
    node
}

/// A convolution; rten wants to be told its size.
fn conv_node(inputs: [&str; 2], output: &str, kernel: [i64; 2]) -> NodeProto {
    let convolution = with_ints(node("Conv", &inputs, output), "kernel_shape", &kernel);
    with_ints(convolution, "dilations", &[1, 1])
}

fn conv(kernel: [i64; 2], pads: &[i64], strides: &[i64]) -> Network {
    let mut convolution = conv_node(["x", "k"], "a", kernel);
    convolution.input.push("kb".into());
    let convolution = with_ints(with_ints(convolution, "pads", pads), "strides", strides);
    let [rows, columns] = kernel.map(|side| side as usize);
    Network::new().weights("k", &[5, 2, rows, columns]).weights("kb", &[5]).add(convolution)
}

fn opset(mut model: ModelProto, version: i64) -> ModelProto {
    model.opset_import[0].version = Some(version);
    model
}

/// A name, and the model.
#[allow(clippy::too_many_lines)] // a table
fn cases() -> Vec<(&'static str, ModelProto)> {
    let plain = || Network::new();
    vec![
        ("3×3", conv([3, 3], &[1, 1, 1, 1], &[1, 1]).mean("a", 5)),
        ("uneven padding", conv([3, 3], &[0, 1, 2, 0], &[1, 1]).flat("a", 5 * 6 * 4)),
        ("5×2, strides 2 and 1", conv([5, 2], &[2, 1, 1, 0], &[2, 1]).flat("a", 5 * 3 * 5)),
        ("1×1, stride 2", conv([1, 1], &[0; 4], &[2, 2]).flat("a", 5 * 3 * 3)),
        ("same padding, more after", same_padding("SAME_UPPER")),
        ("weights of 16 bits", {
            let cast = with_int(node("Cast", &["half"], "k"), "to", 1);
            let conv = with_ints(conv_node(["x", "k"], "a", [1, 1]), "strides", &[1, 1]);
            let conv = with_ints(conv, "pads", &[0; 4]);
            plain().halves("half", &[2, 2, 1, 1]).add(cast).add(conv).flat("a", 60)
        }),
        (
            "normalisation before and after",
            plain()
                .floats("centre", &[1, 2, 1, 1], &[0.4, -0.2])
                .floats("sd", &[2, 1, 1], &[0.2, 0.7])
                .add(node("Sub", &["x", "centre"], "s"))
                .add(node("Div", &["s", "sd"], "d"))
                .weights("k", &[4, 2, 3, 3])
                .add(with_ints(conv_node(["d", "k"], "a", [3, 3]), "pads", &[1; 4]))
                .weights("gain", &[4])
                .weights("offset", &[4])
                .weights("means", &[4])
                .floats("variances", &[4], &[0.5, 1.0, 2.0, 0.01])
                .add(with_float(
                    node("BatchNormalization", &["a", "gain", "offset", "means", "variances"], "n"),
                    "epsilon",
                    0.001,
                ))
                .add(node("Relu", &["n"], "r"))
                .mean("r", 4),
        ),
        (
            "constants first",
            plain()
                .floats("one", &[], &[1.5])
                .floats("two", &[2, 1, 1], &[0.5, -0.25])
                .add(node("Sub", &["one", "x"], "s"))
                .add(node("Mul", &["two", "s"], "m"))
                .add(node("Add", &["one", "m"], "p"))
                .flat("p", 60),
        ),
        (
            "activations",
            plain()
                .add(with_float(node("LeakyRelu", &["x"], "l"), "alpha", 0.3))
                .floats("low", &[], &[-0.1])
                .floats("high", &[], &[0.6])
                .add(node("Clip", &["l", "low", "high"], "c"))
                .add(node("Clip", &["c", "", "high"], "e"))
                .flat("e", 60),
        ),
        (
            "clip of an old operator set",
            opset(
                plain()
                    .add(with_float(with_float(node("Clip", &["x"], "c"), "min", 0.0), "max", 0.5))
                    .flat("c", 60),
                9,
            ),
        ),
        (
            "largest of a window",
            plain()
                .add(with_ints(
                    with_ints(
                        with_ints(node("MaxPool", &["x"], "m"), "kernel_shape", &[3, 2]),
                        "strides",
                        &[2, 1],
                    ),
                    "pads",
                    &[1, 0, 1, 1],
                ))
                .flat("m", 2 * 3 * 5),
        ),
        ("mean of a window", average(0).flat("m", 2 * 3 * 3)),
        ("mean of a padded window", average(1).flat("m", 2 * 3 * 3)),
        (
            "a residual block",
            plain()
                .weights("k", &[2, 2, 3, 3])
                .weights("l", &[2, 2, 1, 1])
                .add(with_ints(conv_node(["x", "k"], "a", [3, 3]), "pads", &[1; 4]))
                .add(node("Relu", &["a"], "r"))
                .add(with_ints(conv_node(["r", "k"], "b", [3, 3]), "pads", &[1; 4]))
                .add(conv_node(["x", "l"], "short", [1, 1]))
                .add(node("Add", &["b", "short"], "sum"))
                .add(node("Relu", &["sum"], "out"))
                .add(node("Add", &["out", "x"], "again"))
                .flat("again", 60),
        ),
        (
            "identity, also of a constant",
            plain()
                .weights("l", &[3, 2, 1, 1])
                .add(node("Identity", &["l"], "k"))
                .add(node("Identity", &["x"], "i"))
                .add(conv_node(["i", "k"], "a", [1, 1]))
                .mean("a", 3),
        ),
        (
            "mean over axes, kept",
            plain()
                .add(with_int(with_ints(node("ReduceMean", &["x"], "m"), "axes", &[-1, 2]), "keepdims", 1))
                .ints("minus", &[2], &[0, -1])
                .add(node("Reshape", &["m", "minus"], "r"))
                .model("r", 2),
        ),
        (
            "mean over axes, left out",
            plain()
                .add(with_int(with_ints(node("ReduceMean", &["x"], "m"), "axes", &[2, 3]), "keepdims", 0))
                .model("m", 2),
        ),
        (
            "x.view(x.size(0), -1)",
            plain()
                .ints("zero", &[], &[0])
                .ints("axis", &[1], &[0])
                .ints("minus", &[1], &[-1])
                .add(node("Shape", &["x"], "shape"))
                .add(node("Gather", &["shape", "zero"], "n"))
                .add(node("Unsqueeze", &["n", "axis"], "ns"))
                .add(with_int(node("Concat", &["ns", "minus"], "target"), "axis", 0))
                .add(node("Reshape", &["x", "target"], "r"))
                .model("r", 60),
        ),
        (
            "torch.flatten(x, 1), as today's torch exports it",
            plain()
                .ints("target", &[2], &[-1, 60])
                .add(with_int(node("Reshape", &["x", "target"], "r"), "allowzero", 1))
                .model("r", 60),
        ),
        (
            "matrices either way",
            plain()
                .add(node("Flatten", &["x"], "f"))
                .weights("w", &[60, 7])
                .weights("wb", &[7])
                .add(node("MatMul", &["f", "w"], "m"))
                .add(node("Add", &["m", "wb"], "s"))
                .add(node("Relu", &["s"], "r"))
                .weights("v", &[7, 9])
                .weights("vb", &[1, 9])
                .add(node("Gemm", &["r", "v", "vb"], "g"))
                .model("g", 9),
        ),
    ]
}

fn same_padding(how: &str) -> ModelProto {
    let convolution = with_text(conv_node(["x", "k"], "a", [3, 4]), "auto_pad", how);
    let network = Network::new().weights("k", &[8, 2, 3, 4]);
    network.add(with_ints(convolution, "strides", &[2, 1])).flat("a", 8 * 3 * 5)
}

fn average(count_include_pad: i64) -> Network {
    let pool = with_ints(node("AveragePool", &["x"], "m"), "kernel_shape", &[3, 3]);
    let pool = with_ints(with_ints(pool, "strides", &[2, 2]), "pads", &[1; 4]);
    Network::new().add(with_int(pool, "count_include_pad", count_include_pad))
}

/// Both engines give the same scores.
fn agree(name: &str, model: &ModelProto, engines: [EngineChoice; 2]) {
    let images = numbers(6, 9 * 60);
    let answer = |engine| match load_model(model, engine) {
        Ok(model) => scores(&model, &images),
        Err(error) => panic!("{name}: {engine}: {error}"),
    };
    let [one, other] = engines.map(answer);
    assert_eq!(one.len(), 9 * CLASSES, "{name}");
    let largest = apart(&one, &other);
    assert!(largest < 2e-5, "{name}: scores of {} differ by {largest}", engines[1]);
}

fn every_operator_means_what_it_means_elsewhere(engine: EngineChoice) {
    for (name, model) in cases() {
        agree(name, &model, [EngineChoice::Cnn, engine]);
    }
}

/// Our rten has no Dropout, whose other output is random numbers.
fn dropout() -> ModelProto {
    let dropout = with_outputs(node("Dropout", &["x"], "d"), &["mask"]);
    Network::new().add(dropout).flat("d", 60)
}

fn what_rten_is_kept_from_means_what_it_means_elsewhere(engine: EngineChoice) {
    for (name, model) in [("SAME_LOWER", same_padding("SAME_LOWER")), ("dropout", dropout())] {
        agree(name, &model, [EngineChoice::Cnn, engine]);
    }
}

/// A factor below the normal numbers leaves few bits of a score; which class wins is what they say.
#[test]
fn small_factors_give_the_votes_of_onnxruntime() {
    for factors in [&[1e-43_f32][..], &[1e-20, 1e-23], &[1e-30, 1e-30, 1e30, 1e30], &[1e-39, 1e38, 10.0]] {
        let mut network = Network::new().add(node("Flatten", &["x"], "v0")).weights("w", &[60, CLASSES]);
        network = network.add(node("MatMul", &["v0", "w"], "m0"));
        for (at, factor) in factors.iter().enumerate() {
            let names = [format!("m{at}"), format!("c{at}"), format!("m{}", at + 1)];
            network = network.floats(&names[1], &[1], &[*factor]);
            network = network.add(node("Mul", &[&names[0], &names[1]], &names[2]));
        }
        let mut model = Tiny::new().model();
        network = network.add(node("Identity", &[&format!("m{}", factors.len())], "y"));
        graph(&mut model).node = network.nodes;
        graph(&mut model).initializer = network.constants;
        let images = numbers(6, 200 * 60);
        let votes = |engine| {
            let scores = scores(&load_model(&model, engine).unwrap(), &images);
            let winner =
                |row: &[f32]| (0..CLASSES).fold(0, |best, at| if row[at] > row[best] { at } else { best });
            scores.chunks_exact(CLASSES).map(winner).collect::<Vec<_>>()
        };
        for engine in without_rten() {
            assert_eq!(votes(EngineChoice::Cnn), votes(engine), "{factors:?} with {engine}");
        }
    }
}

/// rten takes SAME_LOWER for SAME_UPPER and answers for another network.
fn rten_is_kept_from_a_padding_that_it_does_not_know() {
    let error = load_model(&same_padding("SAME_LOWER"), EngineChoice::Rten).err().unwrap().to_string();
    assert!(error.contains("SAME_LOWER"), "{error}");
}

/// rten interpolates linearly where a cubic is asked for.
fn rten_is_kept_from_an_interpolation_that_it_does_not_know() {
    let resize = |mode| {
        let resize = with_text(node("Resize", &["x", "", "by"], "a"), "mode", mode);
        Network::new().floats("by", &[4], &[1.0, 1.0, 2.0, 2.0]).add(resize).flat("a", 240)
    };
    assert!(load_model(&resize("linear"), EngineChoice::Rten).is_ok());
    let error = load_model(&resize("cubic"), EngineChoice::Rten).err().unwrap().to_string();
    assert!(error.contains("model.onnx: rten does not know the cubic interpolation"), "{error}");
}

fn softmax(axis: Option<i64>, version: i64) -> ModelProto {
    let softmax = node("Softmax", &["x"], "a");
    let softmax = axis.into_iter().fold(softmax, |softmax, axis| with_int(softmax, "axis", axis));
    opset(Network::new().add(softmax).flat("a", 60), version)
}

/// Until opset 12 a Softmax is over all axes from its own on; rten takes one, by default the last.
fn rten_is_kept_from_a_softmax_that_it_does_not_know() {
    for (axis, version) in [(None, 11), (Some(1), 12), (Some(2), 9)] {
        let error = load_model(&softmax(axis, version), EngineChoice::Rten).err().unwrap().to_string();
        assert!(error.contains(&format!("the Softmax of opset {version}")), "{error}");
    }
}

fn rten_knows_the_softmax_that_it_gets(other: EngineChoice) {
    for (axis, version) in [(None, 13), (Some(1), 13), (Some(-1), 12)] {
        let name = format!("Softmax of opset {version} along {axis:?}");
        agree(&name, &softmax(axis, version), [EngineChoice::Rten, other]);
    }
}

fn dropout_does_nothing() {
    let answer =
        |model: &ModelProto| scores(&load_model(model, EngineChoice::Cnn).unwrap(), &numbers(6, 9 * 60));
    assert_eq!(answer(&dropout()), answer(&Network::new().flat("x", 60)));
}

/// What we do not do is refused by name, never done wrongly.
fn what_we_do_not_do_is_refused_by_name() {
    let x = |operator: &str| node(operator, &["x"], "a");
    let window = |operator: &str| with_ints(x(operator), "kernel_shape", &[2, 2]);
    let convolution = |input: usize| Network::new().weights("k", &[2, input, 1, 1]);
    let conv = || node("Conv", &["x", "k"], "a");
    let cases = [
        ("the operator Tanh", Network::new().add(x("Tanh")).flat("a", 60)),
        (
            "arithmetic with floats of 16 bits",
            Network::new().halves("k", &[2, 2, 1, 1]).add(conv()).flat("a", 60),
        ),
        ("2 groups", convolution(1).add(with_int(conv(), "group", 2)).flat("a", 60)),
        ("dilations", convolution(2).add(with_ints(conv(), "dilations", &[2, 2])).flat("a", 60)),
        ("ceil_mode = 1", Network::new().add(with_int(window("MaxPool"), "ceil_mode", 1)).flat("a", 40)),
        (
            "storage_order = 1",
            Network::new().add(with_int(window("MaxPool"), "storage_order", 1)).flat("a", 40),
        ),
        (
            "division by a value",
            Network::new().floats("c", &[], &[1.0]).add(node("Div", &["c", "x"], "a")).flat("a", 60),
        ),
        (
            "beside [2, 6, 5]",
            Network::new().weights("c", &[6, 5]).add(node("Mul", &["x", "c"], "a")).flat("a", 60),
        ),
        ("operator sets before 7", opset(Network::new().add(x("Relu")).flat("a", 60), 6)),
    ];
    for (says, model) in cases {
        let error =
            load_model(&model, EngineChoice::Cnn).err().unwrap_or_else(|| panic!("{says}")).to_string();
        assert!(error.contains("qcrs-cnn does not do") && error.contains(says), "{says}: {error}");
    }
}

/// What is refused before any engine sees it, our own engine does not do either.
fn our_engine_refuses_by_itself_what_mixes_images() {
    let x = |operator: &str| node(operator, &["x"], "a");
    let cases = [
        ("axis = 2", Network::new().add(with_int(x("Flatten"), "axis", 2)).model("a", 30)),
        (
            "change of shape to [-1, 30]",
            Network::new().ints("t", &[2], &[-1, 30]).add(node("Reshape", &["x", "t"], "a")).model("a", 30),
        ),
        ("training_mode = 1", {
            let norm = node("BatchNormalization", &["x", "g", "b", "m", "v"], "a");
            let statistics =
                ["g", "b", "m", "v"].iter().fold(Network::new(), |n, name| n.weights(name, &[2]));
            statistics.add(with_int(norm, "training_mode", 1)).flat("a", 60)
        }),
    ];
    for (says, model) in cases {
        let bytes = model.write_buf().unwrap();
        let refusal = Cnn::read(&bytes, &[], SHAPE, Instructions::best(), Precision::F32);
        let error = refusal.err().unwrap_or_else(|| panic!("{says}")).to_string();
        assert!(error.contains("qcrs-cnn does not do") && error.contains(says), "{says}: {error}");
        let error =
            load_model(&model, EngineChoice::Cnn).err().unwrap_or_else(|| panic!("{says}")).to_string();
        assert!(error.contains("images") || error.contains("batch"), "{says}: {error}");
    }
}

fn what_contradicts_itself_is_refused() {
    let x = |operator: &str, inputs: &[&str]| node(operator, inputs, "a");
    let cases = [
        (
            "does not fit",
            Network::new().weights("k", &[2, 3, 1, 1]).add(x("Conv", &["x", "k"])).flat("a", 60),
        ),
        (
            "does not fit",
            Network::new().weights("k", &[2, 2, 7, 7]).add(x("Conv", &["x", "k"])).flat("a", 60),
        ),
        ("nothing makes `z`", Network::new().add(x("Relu", &["z"])).flat("a", 60)),
        ("two parts called \"x\"", Network::new().add(node("Relu", &["x"], "x")).flat("x", 60)),
        ("input 1 is missing", Network::new().add(x("Conv", &["x"])).flat("a", 60)),
        (
            "another length than 2",
            Network::new()
                .weights("g", &[3])
                .add(x("BatchNormalization", &["x", "g", "g", "g", "g"]))
                .flat("a", 60),
        ),
        ("does not fit", Network::new().add(node("Flatten", &["x"], "f")).model("f", 61)),
    ];
    for (says, model) in cases {
        let error =
            load_model(&model, EngineChoice::Cnn).err().unwrap_or_else(|| panic!("{says}")).to_string();
        assert!(error.contains(says), "{says}: {error}");
    }
}

fn a_missing_onnxruntime_never_looks_like_success() {
    let no_library = Some(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    let run = |promise| again(&["[ort]"], &[("QCRS_NEED_ORT", promise), ("ORT_DYLIB_PATH", no_library)]);
    let text = run(None).unwrap();
    assert!(text.contains("0 passed; 0 failed; 3 ignored"), "{text}");
    assert_eq!(text.matches("pip install onnxruntime").count(), 3, "{text}");
    let text = run(Some("1")).unwrap_err();
    assert!(text.contains("0 passed; 3 failed; 0 ignored"), "{text}");
    assert_eq!(text.matches("pip install onnxruntime; QCRS_NEED_ORT is set").count(), 3, "{text}");
}
