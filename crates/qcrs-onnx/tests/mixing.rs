//! Is a network refused whose scores for one image depend on the others of its batch, or on chance?

mod common;

use common::*;
use qcrs::sample::InputTransform;
use qcrs_onnx::{EngineChoice, LoadOptions, load};
use rten_onnx::onnx::{
    AttributeProto, AttributeType, DataType, GraphProto, ModelProto, NodeProto, TensorProto,
};
use std::cell::RefCell;

fn integers(name: &str, dims: &[usize], values: &[i64]) -> TensorProto {
    TensorProto {
        data_type: Some(DataType::INT64),
        raw_data: Some(RefCell::new(values.iter().flat_map(|value| value.to_le_bytes()).collect())),
        ..tensor(name, dims, &[])
    }
}

fn truth(name: &str, value: bool) -> TensorProto {
    let raw_data = Some(RefCell::new(vec![u8::from(value)]));
    TensorProto { data_type: Some(DataType::BOOL), raw_data, ..tensor(name, &[], &[]) }
}

fn outputs(node: NodeProto, names: &[&str]) -> NodeProto {
    NodeProto { output: names.iter().map(|&name| name.into()).collect(), ..node }
}

/// The scores `y` of a good network [N, 3], changed by further nodes into `z`.
fn behind(nodes: Vec<NodeProto>) -> ModelProto {
    let mut model = Tiny::new().model();
    let graph = graph(&mut model);
    graph.node.extend(nodes);
    graph.output = vec![port("z", DataType::FLOAT, &[None, Some(CLASSES)])];
    graph.initializer.extend([
        integers("zero", &[1], &[0]),
        integers("one", &[1], &[1]),
        integers("first", &[], &[0]),
        integers("row", &[2], &[1, -1]),
        integers("rows", &[2], &[-1, 3]),
        integers("backwards", &[1], &[-1]),
        integers("far", &[1], &[i64::MIN + 1]),
        integers("pads", &[4], &[1, 0, -1, 0]),
        tensor("small", &[], &[1e-3]),
        tensor("ratio", &[], &[0.5]),
        tensor("mask", &[1, 3], &[0.0, 0.0, -1e9]),
        tensor("offset", &[], &[1e6]),
        tensor("ones", &[3], &[1.0; 3]),
        tensor("zeros", &[3], &[0.0; 3]),
        truth("yes", true),
        truth("no", false),
    ]);
    model
}

/// One node that makes `z` of `y`.
fn by(node: NodeProto) -> ModelProto {
    behind(vec![node])
}

fn mean_of_batch(from: &str, to: &str) -> NodeProto {
    with_ints(node("ReduceMean", &[from], to), "axes", &[0])
}

/// What mixes images or is random: every one must be refused by every engine, whatever its scores look like.
#[allow(clippy::too_many_lines)] // one table
fn attacks() -> Vec<(&'static str, ModelProto)> {
    let attribute = |node, name, value| with_int(node, name, value);
    let mut batch_norm = node("BatchNormalization", &["y", "ones", "zeros", "zeros", "ones"], "z");
    batch_norm = with_int(outputs(batch_norm, &["z", "m", "v"]), "training_mode", 1);
    let turned = |softmax: NodeProto| {
        behind(vec![
            with_ints(node("Transpose", &["y"], "t"), "perm", &[1, 0]),
            softmax,
            with_ints(node("Transpose", &["s"], "z"), "perm", &[1, 0]),
        ])
    };
    vec![
        ("the batch's mean", behind(vec![mean_of_batch("y", "m"), node("Add", &["y", "m"], "z")])),
        (
            "the batch's mean, a class masked",
            behind(vec![
                mean_of_batch("y", "m"),
                node("Mul", &["y", "small"], "s"),
                node("Add", &["s", "m"], "a2"),
                node("Add", &["a2", "mask"], "z"),
            ]),
        ),
        (
            "the batch's mean, a large offset",
            behind(vec![
                mean_of_batch("y", "m"),
                node("Add", &["y", "m"], "a2"),
                node("Add", &["a2", "offset"], "z"),
            ]),
        ),
        ("softmax over the batch", by(attribute(node("Softmax", &["y"], "z"), "axis", 0))),
        ("softmax over the batch, from behind", by(attribute(node("Softmax", &["y"], "z"), "axis", -2))),
        ("softmax after a transpose", turned(attribute(node("Softmax", &["t"], "s"), "axis", 1))),
        (
            "softmax over one long row",
            behind(vec![
                node("Reshape", &["y", "row"], "r"),
                attribute(node("Softmax", &["r"], "s"), "axis", 1),
                node("Reshape", &["s", "rows"], "z"),
            ]),
        ),
        ("a running sum", by(node("CumSum", &["y", "first"], "z"))),
        (
            "the first image for all",
            behind(vec![node("Gather", &["y", "zero"], "g"), node("Add", &["y", "g"], "z")]),
        ),
        ("the batch reversed", by(node("Slice", &["y", "backwards", "far", "zero", "backwards"], "z"))),
        ("rows moved by one", by(node("Pad", &["y", "pads"], "z"))),
        (
            "attention between images",
            behind(vec![
                with_ints(node("Transpose", &["y"], "t"), "perm", &[1, 0]),
                node("MatMul", &["y", "t"], "a2"),
                node("MatMul", &["a2", "y"], "z"),
            ]),
        ),
        (
            "einsum between images",
            behind(vec![
                with_text(node("Einsum", &["y", "y"], "a2"), "equation", "nc,mc->nm"),
                with_text(node("Einsum", &["a2", "y"], "z"), "equation", "nm,mc->nc"),
            ]),
        ),
        (
            "every image beside every other",
            behind(vec![
                node("Unsqueeze", &["y", "zero"], "a2"),
                node("Unsqueeze", &["y", "one"], "b2"),
                node("Add", &["a2", "b2"], "c2"),
                attribute(with_ints(node("ReduceMax", &["c2"], "z"), "axes", &[0]), "keepdims", 0),
            ]),
        ),
        (
            "the number of images",
            behind(vec![
                node("Shape", &["y"], "s"),
                node("Gather", &["s", "first"], "n"),
                attribute(node("Cast", &["n"], "f"), "to", 1),
                node("Div", &["y", "f"], "d2"),
                node("Add", &["d2", "mask"], "z"),
            ]),
        ),
        ("moments of the batch", by(with_ints(node("MeanVarianceNormalization", &["y"], "z"), "axes", &[0]))),
        ("batch normalisation in training mode", by(batch_norm)),
        ("dropout in training mode", by(node("Dropout", &["y", "ratio", "yes"], "z"))),
        (
            "noise of its own",
            behind(vec![node("RandomNormalLike", &["y"], "r"), node("Add", &["y", "r"], "z")]),
        ),
        (
            "uniform noise",
            behind(vec![node("RandomUniformLike", &["y"], "r"), node("Add", &["y", "r"], "z")]),
        ),
        (
            "coins",
            behind(vec![
                node("Sigmoid", &["y"], "p"),
                node("Bernoulli", &["p"], "r"),
                node("Add", &["y", "r"], "z"),
            ]),
        ),
    ]
}

#[test]
fn what_mixes_images_or_is_random_is_refused() {
    for (name, model) in attacks() {
        for engine in choices() {
            let error = match load_model(&model, engine) {
                Ok(model) => panic!("{name}: {} took it", model.engine),
                Err(error) => error.to_string(),
            };
            let why = ["batch", "image", "is random"].iter().any(|word| error.contains(word));
            assert!(why, "{name} on {engine}: {error}");
        }
    }
}

/// A subgraph as both branches of an If.
fn branches(nodes: Vec<NodeProto>, output: &str) -> NodeProto {
    let body = GraphProto {
        node: nodes,
        output: vec![port(output, DataType::FLOAT, &[None, Some(CLASSES)])],
        ..Default::default()
    };
    let mut node = node("If", &["no"], "z");
    for name in ["then_branch", "else_branch"] {
        let (name, g) = (Some(name.into()), Some(body.clone()));
        node.attribute.push(AttributeProto {
            name,
            g,
            r#type: Some(AttributeType::GRAPH),
            ..Default::default()
        });
    }
    node
}

#[test]
fn subgraphs_are_followed() {
    let mixes = by(branches(vec![mean_of_batch("y", "m"), node("Add", &["y", "m"], "b2")], "b2"));
    let draws =
        by(branches(vec![node("RandomNormalLike", &["y"], "r"), node("Add", &["y", "r"], "b2")], "b2"));
    for (model, says) in [(mixes, "batch axis"), (draws, "is random")] {
        for engine in choices() {
            let error = load_model(&model, engine).err().expect("accepted").to_string();
            assert!(error.contains(says), "{engine}: {error}");
        }
    }
}

/// The name `a` of the inner graph hides that of the graph around it, even before the node that makes it: an engine may
/// put the nodes in order.
#[test]
fn names_of_inner_graphs_hide_those_around() {
    let inner = vec![node("Add", &["y", "a2"], "b2"), mean_of_batch("y", "a2")];
    let model = behind(vec![node("Relu", &["y"], "a2"), branches(inner, "b2")]);
    for engine in choices() {
        if let Ok(model) = load_model(&model, engine) {
            assert!(model.not_followed.is_some(), "{engine}: said to treat each image by itself");
        }
    }
    let inner = vec![node("Dropout", &["y", "ratio", "no"], "b2"), node("Identity", &["yes"], "no")];
    let model = by(branches(inner, "b2"));
    for engine in choices() {
        let error = load_model(&model, engine).err().expect("accepted").to_string();
        assert!(error.contains("is random"), "{engine}: {error}");
    }
}

fn message(node: &NodeProto) -> Vec<u8> {
    // a model with this node alone holds its bytes
    let model = ModelProto {
        graph: Some(GraphProto { node: vec![node.clone()], ..Default::default() }),
        ..Default::default()
    };
    content(content(&model.write_buf().unwrap(), 7), 1).to_vec()
}

/// The bytes of a model with a function Head(y) → z of this domain that `z` is made by.
fn with_function_of(domain: &str, nodes: &[NodeProto]) -> Vec<u8> {
    let mut call = node("Head", &["y"], "z");
    call.domain = Some(domain.into());
    let mut bytes = by(call).write_buf().unwrap();
    let opset = |domain: &str| [field(1, domain.as_bytes()), vec![2 << 3, 17]].concat();
    let mut function =
        [field(1, b"Head"), field(10, domain.as_bytes()), field(4, b"y"), field(5, b"z")].concat();
    function.extend(field(9, &opset("")));
    function.extend(nodes.iter().flat_map(|node| field(7, &message(node))));
    bytes.extend(field(8, &[field(1, domain.as_bytes()), vec![2 << 3, 1]].concat()));
    bytes.extend(field(25, &function));
    bytes
}

fn with_function(nodes: &[NodeProto]) -> Vec<u8> {
    with_function_of("own", nodes)
}

/// onnxruntime would run an operator of its own instead of the function, if it has one of that name.
#[test]
fn functions_in_the_domains_of_engines_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.onnx");
    for domain in
        ["com.microsoft", "com.microsoft.nchwc", "ai.onnx.ml", "com.ms.internal.nhwc", "org.pytorch.aten"]
    {
        std::fs::write(&path, with_function_of(domain, &[node("Relu", &["y"], "z")])).unwrap();
        for engine in choices() {
            let error = load_with(&path, SHAPE, engine).err().expect("accepted").to_string();
            assert!(error.contains(domain) && error.contains("another network"), "{domain}: {error}");
        }
    }
}

/// The compiled network would come from a file that no hash covers.
#[test]
fn compiled_networks_are_refused() {
    let mut context = node("EPContext", &["y"], "z");
    context.domain = Some("com.microsoft".into());
    let context = with_text(context, "ep_cache_context", "engine.bin");
    for engine in choices() {
        let error = load_model(&by(context.clone()), engine).err().expect("accepted").to_string();
        assert!(error.contains("compiled network"), "{engine}: {error}");
    }
}

#[test]
fn functions_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.onnx");
    let mixes = with_function(&[mean_of_batch("y", "m"), node("Add", &["y", "m"], "z")]);
    let draws = with_function(&[node("RandomNormalLike", &["y"], "r"), node("Add", &["y", "r"], "z")]);
    let drops = with_function(&[node("Dropout", &["y", "", "y"], "z")]);
    for (bytes, says) in [(mixes, "batch axis"), (draws, "is random"), (drops, "is random")] {
        std::fs::write(&path, bytes).unwrap();
        for engine in choices() {
            let error = load_with(&path, SHAPE, engine).err().expect("accepted").to_string();
            assert!(error.contains(says), "{engine}: {error}");
        }
    }
}

/// The error says what is wrong and what to do, before it says anything about operators and engines.
#[test]
fn an_export_in_training_mode_is_called_one() {
    let drops = by(node("Dropout", &["y", "ratio", "yes"], "z"));
    let names = ["y", "gain", "shift", "mean", "variance"];
    let normalises = by(with_int(node("BatchNormalization", &names, "z"), "training_mode", 1));
    for (model, why) in [
        (drops, "Dropout `z` is random"),
        (normalises, "BatchNormalization `z` uses the statistics of the batch"),
    ] {
        let words =
            format!("model.onnx: exported in training mode ({why}); call model.eval() before the export");
        for engine in choices() {
            let error = load_model(&model, engine).err().expect("accepted").to_string();
            assert!(error.ends_with(&words), "{engine}: {error}");
        }
    }
}

/// What reverses the batch where the graph is not followed.
fn reversed_out_of_sight() -> ModelProto {
    let rows = vec![
        node("Shape", &["y"], "s"),
        node("Gather", &["s", "first"], "n"),
        node("Squeeze", &["one", "zero"], "step"),
        node("Range", &["first", "n", "step"], "r"),
        node("Slice", &["r", "backwards", "far", "zero", "backwards"], "b2"),
        node("Unsqueeze", &["b2", "one"], "i"),
        node("GatherND", &["y", "i"], "g"),
        node("Add", &["g", "mask"], "z"),
    ];
    behind(rows)
}

/// What is not followed must pass the measurement, behind the transform of its pixels too; and the model says so.
#[test]
fn what_cannot_be_followed_is_measured() {
    let engine = EngineChoice::Rten;
    let error = load_model(&reversed_out_of_sight(), engine).err().expect("accepted").to_string();
    assert!(error.contains("noisy image"), "{error}");

    let honest = behind(vec![
        node("Shape", &["y"], "s"),
        node("ConstantOfShape", &["s"], "none"),
        node("NonZero", &["none"], "places"),
        node("Shape", &["places"], "count"),
        node("ReduceSum", &["count"], "sum"),
        with_int(node("Cast", &["sum"], "f"), "to", 1),
        node("Add", &["y", "f"], "z"),
    ]);
    let model = load_model(&honest, engine).unwrap();
    assert!(model.not_followed.is_some());
    assert!(model.notes.iter().any(|note| note.contains("measured, but not shown")), "{:?}", model.notes);
    let plain = load_model(&Tiny::new().model(), engine).unwrap();
    assert_eq!((plain.not_followed, plain.batch_invariant), (None, true));
}

/// Without the transform every score of this network is the same, so that nothing is to be seen.
#[test]
fn the_measurement_stands_behind_the_transform() {
    let mut model = reversed_out_of_sight();
    let graph = graph(&mut model);
    graph.initializer.push(tensor("dark", &[], &[200.0]));
    graph.node[0].input[0] = "bright".into();
    graph.node.insert(0, node("Max", &["x", "dark"], "bright"));
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), &model);
    let load_behind = |transform| {
        load(&path, SHAPE, &LoadOptions { engine: EngineChoice::Rten, transform, ..LoadOptions::default() })
    };
    assert!(load_behind(None).is_ok(), "nothing to see");
    let scale = InputTransform { mean: vec![0.0; 2], std: vec![1.0 / 1000.0; 2], reversed: false };
    let error = load_behind(Some(scale)).err().expect("accepted").to_string();
    assert!(error.contains("noisy image"), "{error}");
}

/// What looks like the attacks above and is none.
#[test]
fn honest_relatives_of_the_attacks_are_taken() {
    let softmax = by(with_int(node("Softmax", &["y"], "z"), "axis", 1));
    let turned = behind(vec![
        with_ints(node("Transpose", &["y"], "t"), "perm", &[1, 0]),
        with_int(node("Softmax", &["t"], "s"), "axis", 0),
        with_ints(node("Transpose", &["s"], "z"), "perm", &[1, 0]),
    ]);
    let long = behind(vec![node("Reshape", &["y", "row"], "r"), node("Reshape", &["r", "rows"], "z")]);
    let branch = by(branches(vec![node("Relu", &["y"], "b2")], "b2"));
    for (name, model) in [
        ("softmax over classes", softmax),
        ("softmax over classes after a transpose", turned),
        ("one long row and back", long),
        ("branches that agree", branch),
    ] {
        let model = load_model(&model, EngineChoice::Rten).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(model.not_followed, None, "{name}");
    }
}
