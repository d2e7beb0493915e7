//! Files that were made to break a reader: each is refused with a reason, at once and with little memory.

#[path = "common/build.rs"]
mod build;

use build::{list, named, node, with_float, with_int, with_ints};
use qcrs::sample::Classifier;
use qcrs_cnn::{Cnn, Instructions, Precision, Refusal};
use rten_onnx::onnx::{
    AttributeProto, DataLocation, DataType, Dimension, GraphProto, ModelProto, NodeProto, OperatorSetIdProto,
    StringStringEntryProto, TensorProto, TensorShapeProto, TypeProto, TypeProtoTensor, ValueInfoProto,
};

const SHAPE: [usize; 3] = [2, 4, 4];

fn read(model: &ModelProto) -> Result<Cnn, Refusal> {
    Cnn::read(&model.write_buf().unwrap(), &[], SHAPE, Instructions::best(), Precision::F32)
}

#[track_caller]
fn unsupported(model: &ModelProto, words: &str) {
    match read(model) {
        Err(Refusal::Unsupported(what)) => assert!(what.contains(words), "{what}"),
        Err(broken) => panic!("called broken: {broken}"),
        Ok(_) => panic!("taken"),
    }
}

#[track_caller]
fn broken(model: &ModelProto, words: &str) {
    match read(model) {
        Err(Refusal::Broken(problem)) => assert!(problem.contains(words), "{problem}"),
        Err(other) => panic!("not called broken: {other}"),
        Ok(_) => panic!("taken"),
    }
}

fn tensor(name: &str, dims: &[i64]) -> TensorProto {
    let count = usize::try_from(dims.iter().product::<i64>()).unwrap();
    TensorProto {
        name: Some(name.into()),
        dims: dims.to_vec(),
        data_type: Some(DataType::FLOAT),
        float_data: vec![0.5; count],
        ..Default::default()
    }
}

fn model(node: Vec<NodeProto>, initializer: Vec<TensorProto>) -> ModelProto {
    let port = |name: &str| ValueInfoProto { name: Some(name.into()), ..Default::default() };
    let (input, output) = (vec![port("x")], vec![port("y")]);
    let graph = GraphProto { node, initializer, input, output, ..Default::default() };
    let opset = OperatorSetIdProto { domain: Some(String::new()), version: Some(17) };
    ModelProto { graph: Some(graph), opset_import: vec![opset], ..Default::default() }
}

/// Ends a network after the value `a`: mean, flattening, matrix.
fn ended(mut nodes: Vec<NodeProto>, mut constants: Vec<TensorProto>, channels: i64) -> ModelProto {
    nodes.extend([node("GlobalAveragePool", &["a"], "m"), node("Flatten", &["m"], "f")]);
    nodes.push(node("MatMul", &["f", "end"], "y"));
    constants.push(tensor("end", &[channels, 3]));
    model(nodes, constants)
}

/// A field of a protobuf message with a length.
fn field(number: u8, inside: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    let mut length = inside.len();
    while length >= 0x80 {
        bytes.push(length as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend(inside);
    bytes
}

#[track_caller]
fn torn(bytes: &[u8]) {
    let Err(refusal) = Cnn::read(bytes, &[], SHAPE, Instructions::best(), Precision::F32) else {
        panic!("taken")
    };
    assert_eq!(refusal.to_string(), "the file is cut off, or nested too deep");
}

/// Found by the fuzzer: the decoder took as many bytes as the file claimed to have, or went backwards
/// for ever.
#[test]
fn lengths_beyond_their_message_are_refused() {
    let huge = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
    // a node whose name, or a field that nobody reads, is longer than everything
    for tag in [3 << 3 | 2, 15 << 3 | 2] {
        let node = [&[tag], &huge[..]].concat();
        torn(&field(7, &field(1, &node)));
        torn(&node);
    }
    // packed numbers that end in the middle of one: what follows would be read from another place
    for (number, numbers) in [(4, &[0; 5][..]), (10, &[0; 9]), (7, &[0x80]), (5, &[1, 0xFF])] {
        torn(&field(7, &field(5, &field(number, numbers))));
    }
    // what only rten reads: notes, values in between, and the type of a sequence's elements
    let cut = [1 << 3 | 2, 9, 1];
    torn(&field(14, &cut));
    torn(&field(7, &field(13, &cut)));
    torn(&field(7, &field(13, &field(2, &field(4, &field(1, &cut))))));
}

#[test]
fn a_nest_without_an_end_is_refused() {
    let (mut graph, mut type_) = (Vec::new(), Vec::new());
    for _ in 0..20_000 {
        graph = field(1, &field(5, &field(6, &graph)));
        type_ = field(4, &field(1, &type_));
    }
    torn(&field(7, &graph));
    torn(&field(7, &field(11, &field(2, &type_))));
}

/// 60 nodes would make a list of 2⁶¹ sizes.
#[test]
fn lists_of_sizes_do_not_grow_without_end() {
    let mut nodes = vec![node("Shape", &["x"], "l0")];
    for at in 0..60 {
        nodes.push(node("Concat", &[&format!("l{at}"), &format!("l{at}")], &format!("l{}", at + 1)));
    }
    nodes.push(node("Reshape", &["x", "l60"], "y"));
    unsupported(&model(nodes, vec![]), "arithmetic of shapes");
    let nodes =
        vec![node("Shape", &["x"], "s"), node("Gather", &["s", "i"], "l"), node("Reshape", &["x", "l"], "y")];
    unsupported(&model(nodes, vec![list("i", &[0; 100])]), "arithmetic of shapes");
}

/// A stride as long as the padding keeps the output small, whatever lies around the image.
#[test]
fn padding_costs_no_memory_that_nobody_has() {
    let far = 1 << 20;
    let padded = |pads: &[i64], strides: &[i64]| {
        with_ints(with_ints(node("Conv", &["x", "k"], "a"), "pads", pads), "strides", strides)
    };
    let constants = || vec![tensor("k", &[3, 2, 1, 1])];
    let model = ended(vec![padded(&[far; 4], &[far; 2])], constants(), 3);
    unsupported(&model, "a convolution over [2, 2097156, 2097156]");
    // each of two layers pads one side only: together they frame their input on both
    let mut other = padded(&[0, far, 0, far], &[1, far]);
    other.output[0] = "b".into();
    let mut one = padded(&[far, 0, far, 0], &[far, 1]);
    one.output[0] = "c".into();
    let sides = vec![
        one,
        other,
        node("GlobalAveragePool", &["b"], "bm"),
        node("GlobalAveragePool", &["c"], "cm"),
        node("Add", &["bm", "cm"], "a"),
    ];
    unsupported(&ended(sides, constants(), 3), "values at a time; 268435456 (1024 MB) is the limit");
}

mod slow {
    use super::{ended, node, tensor, unsupported};

    /// Each node keeps weights of its own, also where the file holds them once.
    #[test]
    #[ignore = "slow: takes 1 GB"]
    fn shared_weights_are_limited_in_memory() {
        let mut nodes = vec![node("Conv", &["x", "first"], "v0")];
        for at in 0..2000 {
            nodes.push(node("Conv", &[&format!("v{at}"), "k"], &format!("v{}", at + 1)));
        }
        nodes.push(node("Identity", &["v2000"], "a"));
        let constants = vec![tensor("first", &[512, 2, 1, 1]), tensor("k", &[512, 512, 1, 1])];
        unsupported(&ended(nodes, constants, 512), "networks of more than 268435456 weights");
    }
}

/// 20,000 copies of 1 MB would be 20 GB.
#[test]
fn other_names_of_a_constant_are_no_copies() {
    let mut names = vec![node("Identity", &["big"], "i0")];
    for at in 0..19_000 {
        names.push(node("Identity", &[&format!("i{at}")], &format!("i{}", at + 1)));
    }
    names.push(node("Relu", &["x"], "a"));
    assert!(read(&ended(names, vec![tensor("big", &[1 << 18])], 2)).is_ok());
}

/// 20,000 constants that all name the same 1 MB beside the file.
#[test]
fn constants_beside_the_file_are_read_where_they_are_used() {
    let entry = StringStringEntryProto { key: Some("location".into()), value: Some("w.bin".into()) };
    let apart = TensorProto {
        dims: vec![1 << 18],
        data_type: Some(DataType::FLOAT),
        data_location: Some(DataLocation::EXTERNAL),
        external_data: vec![entry],
        ..Default::default()
    };
    let value = AttributeProto { t: Some(apart), ..named("value") };
    let constant =
        |at| NodeProto { attribute: vec![value.clone()], ..node("Constant", &[], &format!("c{at}")) };
    let mut nodes: Vec<_> = (0..19_000).map(constant).collect();
    nodes.push(node("Relu", &["x"], "a"));
    let model = ended(nodes, vec![], 2).write_buf().unwrap();
    let beside = [("w.bin".to_owned(), vec![0; 1 << 20])];
    assert!(Cnn::read(&model, &beside, SHAPE, Instructions::best(), Precision::F32).is_ok());
}

/// Every stage keeps a scale and a shift per channel.
#[test]
fn many_stages_of_many_channels_cost_no_memory_that_nobody_has() {
    let mut nodes = vec![node("Conv", &["x", "k"], "v0")];
    for at in 0..19_000 {
        nodes.push(node("Relu", &[&format!("v{at}")], &format!("v{}", at + 1)));
    }
    nodes.push(node("Identity", &["v19000"], "a"));
    let model = ended(nodes, vec![tensor("k", &[1 << 18, 2, 1, 1])], 1 << 18);
    unsupported(&model, "networks of more than 268435456 weights");
}

/// Each factor scales all weights of the convolution before it.
#[test]
fn a_long_row_of_factors_takes_no_hours() {
    let mut nodes = vec![with_ints(node("Conv", &["x", "k"], "v0"), "pads", &[255, 255, 256, 256])];
    for at in 0..19_000 {
        nodes.push(node("Mul", &[&format!("v{at}"), "c"], &format!("v{}", at + 1)));
    }
    nodes.push(node("Identity", &["v19000"], "a"));
    // many halves would leave no weights to fold
    let one = TensorProto { float_data: vec![1.0], ..tensor("c", &[1]) };
    let constants = vec![tensor("k", &[4, 2, 512, 512]), one];
    unsupported(&ended(nodes, constants, 4), "a long row of factors");
}

/// Files that are sound, and say what we do not read: other engines may.
#[test]
fn what_is_not_understood_is_not_called_broken() {
    let nodes = vec![
        node("Shape", &["x"], "s"),
        node("Gather", &["s", "i"], "l"),
        node("Div", &["l", "c"], "d"),
        node("Reshape", &["x", "d"], "y"),
    ];
    unsupported(&model(nodes, vec![list("i", &[1]), list("c", &[2])]), "arithmetic of shapes");
    let long = TensorProto { dims: vec![3, 3 << 20], float_data: Vec::new(), ..tensor("w", &[1]) };
    let nodes = vec![node("Flatten", &["x"], "f"), node("Gemm", &["f", "w"], "y")];
    unsupported(&model(nodes, vec![long]), "a length of 3145728");
    let mut infinite = tensor("most", &[1]);
    infinite.float_data = vec![f32::INFINITY];
    let clipped = ended(vec![node("Clip", &["x", "", "most"], "a")], vec![infinite], 2);
    assert!(read(&clipped).is_ok());
    let sparse = field(7, &field(15, &[]));
    let found = Cnn::read(&sparse, &[], SHAPE, Instructions::best(), Precision::F32).err();
    assert!(matches!(&found, Some(Refusal::Unsupported(what)) if what.contains("sparse")), "{found:?}");
    let double = TensorProto { data_type: Some(DataType::DOUBLE), ..tensor("k", &[2, 2, 1, 1]) };
    let convolved = vec![node("Conv", &["x", "k"], "a")];
    unsupported(&ended(convolved, vec![double], 2), "constants of type double");
}

/// Small weights and values, and work for hours.
#[test]
fn a_network_that_never_ends_is_refused() {
    let wide = with_ints(node("Conv", &["x", "k"], "v"), "pads", &[1700; 4]);
    let pooled = with_ints(node("AveragePool", &["v"], "a"), "kernel_shape", &[1700, 1700]);
    let model = ended(vec![wide, pooled], vec![tensor("k", &[1, 2, 1, 1])], 1);
    unsupported(&model, "multiplications per image");
}

#[test]
fn images_without_pixels_are_refused() {
    let model = ended(vec![node("Relu", &["x"], "a")], vec![], 2).write_buf().unwrap();
    for shape in [[2, 0, 4], [0, 4, 4], [2, 1 << 20, 1 << 20], [usize::MAX, 2, 2]] {
        let refusal = Cnn::read(&model, &[], shape, Instructions::best(), Precision::F32).err().unwrap();
        assert!(refusal.to_string().contains("images of"), "{refusal}");
    }
}

/// What looks alike here is something else in ONNX, or in another mode.
#[test]
fn operators_that_mean_something_else_are_left_to_other_engines() {
    // broadcasting makes [N, 2, N, 2] of [N, 2] and [N, 2, 1, 1]
    let mean = || vec![node("GlobalAveragePool", &["x"], "m"), node("Flatten", &["m"], "f")];
    let mut nodes = mean();
    nodes.extend([node("Add", &["m", "f"], "s"), node("Flatten", &["s"], "y")]);
    unsupported(&model(nodes, vec![]), "the sum of a row and an image");
    // the channels of a flattened image are all its numbers
    let statistics = ["g", "b", "v", "w"].map(|name| tensor(name, &[2]));
    let nodes = vec![
        node("Flatten", &["x"], "f"),
        node("BatchNormalization", &["f", "g", "b", "v", "w"], "n"),
        node("MatMul", &["n", "m"], "y"),
    ];
    let constants = [&statistics[..], &[tensor("m", &[32, 3])]].concat();
    unsupported(&model(nodes, constants), "batch normalisation of a flattened image");
    // the statistics of the batch as further outputs, which nobody reads: the mode of training until opset 13
    let norm = node("BatchNormalization", &["x", "g", "b", "v", "w"], "a");
    let output = ["a", "d1", "d2", "d3", "d4"].map(String::from).to_vec();
    let norm = NodeProto { output, ..norm };
    unsupported(&ended(vec![norm], statistics.to_vec(), 2), "batch normalisation in training mode");
    let mut nodes = mean();
    nodes.push(node("Dropout", &["f", "", "training"], "y"));
    unsupported(&model(nodes, vec![]), "Dropout with a training mode");
    // a column of offsets is added to another image each
    let mut nodes = mean();
    nodes.push(node("Gemm", &["f", "w", "column"], "y"));
    broken(&model(nodes, vec![tensor("w", &[2, 3]), tensor("column", &[3, 1])]), "offsets of [3, 1]");
    let mut nodes = mean();
    nodes.push(with_float(with_float(node("Clip", &["f"], "y"), "min", f32::INFINITY), "max", f32::INFINITY));
    broken(&model(nodes, vec![]), "an activation");
}

/// Today's torch exporter asks for it wherever a model flattens; it matters only where the target holds a 0.
#[test]
fn allowzero_is_taken_unless_the_target_holds_a_zero() {
    let flattened = |target: &[i64], allowzero: i64| {
        let reshape = with_int(node("Reshape", &["x", "t"], "f"), "allowzero", allowzero);
        let nodes = vec![reshape, node("MatMul", &["f", "w"], "y")];
        model(nodes, vec![list("t", target), tensor("w", &[32, 3])])
    };
    for (target, allowzero) in [([-1, 32], 1), ([-1, 32], 0), ([0, -1], 0), ([0, 32], 0)] {
        assert!(read(&flattened(&target, allowzero)).is_ok(), "{target:?}, {allowzero}");
    }
    unsupported(&flattened(&[0, 32], 1), "allowzero = 1 with a target of [0, 32]");
    unsupported(&flattened(&[0, -1], 1), "allowzero = 1 with a target of [0, -1]");
    unsupported(&flattened(&[-1, 32], 2), "allowzero = 2");
}

/// A leading 1 makes one row of the whole batch, so only a model for one image at a time may ask for it.
#[test]
fn a_target_of_one_row_needs_a_batch_of_one() {
    let one = Some(Dimension { dim_value: Some(1), ..Default::default() });
    let many = Some(Dimension { dim_value: Some(8), ..Default::default() });
    let any = Some(Dimension { dim_param: Some("n".into()), ..Default::default() });
    let flattened = |target: &[i64], batch: &Option<Dimension>| {
        let nodes = vec![node("Reshape", &["x", "t"], "f"), node("MatMul", &["f", "w"], "y")];
        let mut model = model(nodes, vec![list("t", target), tensor("w", &[32, 3])]);
        let side = |side| Dimension { dim_value: i64::try_from(side).ok(), ..Default::default() };
        let sides = SHAPE.map(side);
        let dim = batch.iter().cloned().chain(sides).collect();
        let shape = batch.is_some().then_some(TensorShapeProto { dim });
        let tensor_type = Some(TypeProtoTensor { elem_type: Some(DataType::FLOAT), shape });
        let input = &mut model.graph.as_mut().unwrap().input[0];
        input.r#type = Some(TypeProto { tensor_type, ..Default::default() });
        model
    };
    for target in [[1, -1], [1, 32]] {
        assert!(read(&flattened(&target, &one)).is_ok(), "{target:?}");
        for batch in [&any, &many, &None] {
            unsupported(&flattened(&target, batch), &format!("a change of shape to {target:?}"));
        }
    }
    for batch in [one, many, any, None] {
        assert!(read(&flattened(&[0, -1], &batch)).is_ok(), "{batch:?}");
    }
}

/// Protobuf readers disagree about which of two values counts.
#[test]
fn what_readers_take_differently_is_refused() {
    let differ = "so that readers could differ";
    let twice = |node: NodeProto| ended(vec![node], vec![tensor("k", &[2, 2, 1, 1])], 2);
    let pads = with_ints(with_ints(node("Conv", &["x", "k"], "a"), "pads", &[0; 4]), "pads", &[1; 4]);
    broken(&twice(pads), &format!("a node has two parts called \"pads\", {differ}"));
    let two_kinds = AttributeProto { f: Some(0.1), ..named("alpha") };
    let two_kinds = AttributeProto { i: Some(1), ..two_kinds };
    let slope = NodeProto { attribute: vec![two_kinds], ..node("LeakyRelu", &["x"], "a") };
    broken(&twice(slope), &format!("an attribute has values of two kinds, {differ}"));
    let twice = vec![tensor("k", &[2, 2, 1, 1]), tensor("k", &[2, 2, 1, 1])];
    broken(&ended(vec![node("Conv", &["x", "k"], "a")], twice, 2), differ);
}

/// An empty name stands for an input that is left out, so nothing may be made under it.
#[test]
fn an_output_without_a_name_is_refused() {
    let scaled =
        vec![with_float(node("Constant", &[], ""), "value_float", 2.0), node("Mul", &["x", ""], "a")];
    broken(&ended(scaled, Vec::new(), 2), "Constant ``: its output has no name");
    let nothing = NodeProto { output: Vec::new(), ..node("Relu", &["x"], "") };
    broken(&ended(vec![nothing, node("Relu", &["x"], "a")], Vec::new(), 2), "its output has no name");
}

/// Both ways in which protobuf writes a list of numbers.
#[test]
fn lengths_may_stand_in_one_field() {
    let node = |operator: &str, inputs: &[&str], output: &str| {
        let inputs = inputs.iter().flat_map(|name| field(1, name.as_bytes()));
        let rest = [field(2, output.as_bytes()), field(4, operator.as_bytes())].concat();
        field(1, &inputs.chain(rest).collect::<Vec<u8>>())
    };
    let nodes = [node("Flatten", &["x"], "f"), node("MatMul", &["f", "w"], "y")].concat();
    let ports = [field(11, &field(1, b"x")), field(12, &field(1, b"y"))].concat();
    let weights = [field(8, b"w"), field(9, &[0; 4 * 32 * 3]), vec![2 << 3, 1]].concat();
    for dims in [field(1, &[32, 3]), vec![1 << 3, 32, 1 << 3, 3]] {
        let constant = field(5, &[dims, weights.clone()].concat());
        let file = field(7, &[&nodes[..], &ports, &constant].concat());
        assert!(Cnn::read(&file, &[], SHAPE, Instructions::best(), Precision::F32).is_ok());
    }
}

#[test]
fn a_second_output_is_left_to_other_engines_where_it_is_used() {
    let dropped = NodeProto { output: vec!["d".into(), "mask".into()], ..node("Dropout", &["x"], "d") };
    assert!(read(&ended(vec![dropped.clone(), node("Relu", &["d"], "a")], Vec::new(), 2)).is_ok());
    let used = ended(vec![dropped, node("Relu", &["mask"], "a")], Vec::new(), 2);
    unsupported(&used, "a second output of Dropout (`mask`)");
}

/// The largest of a window hides a value that is no number, and a sum can overflow on the way to a mean.
#[test]
fn a_pooling_hides_no_overflow() {
    let window = |operator: &str| with_ints(node(operator, &["x"], "a"), "kernel_shape", &[2, 2]);
    for (operator, value) in [
        ("MaxPool", f32::NAN),
        ("MaxPool", f32::NEG_INFINITY),
        ("AveragePool", f32::MAX),
        ("AveragePool", f32::NAN),
    ] {
        let cnn = read(&ended(vec![window(operator)], vec![], 2)).unwrap();
        let mut image = [0.25; 32];
        let mut scores = [0.0; 3];
        cnn.logits(&image, &mut scores).unwrap();
        image[..16].fill(value);
        if operator == "MaxPool" {
            image[2..16].fill(0.25); // the first window's second number is the first that is compared
            image[0] = 0.25;
        }
        cnn.logits(&image, &mut scores).unwrap();
        assert!(scores.iter().all(|score| score.is_nan()), "{operator} {value}: {scores:?}");
    }
}
