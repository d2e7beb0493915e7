//! Is every bad model refused with a sentence that helps?

mod common;

use common::suite::{Need, Suite, tests};
#[allow(clippy::wildcard_imports)] // the words that models are written in
use common::*;
use qcrs_onnx::EngineChoice;
use rten_onnx::onnx::{AttributeProto, DataType, GraphProto, ModelProto};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut suite = Suite::from_args();
    suite.all(&Need::Met, tests![files_that_are_no_onnx, our_own_engine_sees_the_same_in_the_graph]);
    on(
        ENGINES,
        &mut suite,
        tests![
            models_that_do_not_fit,
            a_batch_that_nobody_has_memory_for_is_refused,
            lengths_that_nobody_checked_yet_are_refused,
            an_unknown_operator_is_named,
            weights_outside_the_folder_are_not_read,
        ],
    );
    on(&general(), &mut suite, tests![what_is_seen_only_when_run]);
    suite.run()
}

fn changed(change: impl Fn(&mut GraphProto)) -> ModelProto {
    let mut model = Tiny::new().model();
    change(graph(&mut model));
    model
}

fn refused(model: &ModelProto, engine: EngineChoice) -> String {
    load_model(model, engine).err().expect("accepted").to_string()
}

fn refused_after(engine: EngineChoice, change: impl Fn(&mut GraphProto)) -> String {
    refused(&changed(change), engine)
}

fn files_that_are_no_onnx() {
    let folder = tempfile::tempdir().unwrap();
    let load = |name: &str, content: Option<&[u8]>| {
        let path = folder.path().join(name);
        if let Some(content) = content {
            std::fs::write(&path, content).unwrap();
        }
        load_with(&path, SHAPE, EngineChoice::Auto).err().unwrap().to_string()
    };
    let good = Tiny::new().model().write_buf().unwrap();
    for (name, content, says) in [
        ("empty.onnx", Some(&b""[..]), "an empty file"),
        ("text.onnx", Some(b"hello, I am a model\n"), "not an ONNX model"),
        ("model.pth", Some(b"PK\x03\x04archive"), "PyTorch checkpoint"),
        ("old.pth", Some(b"\x80\x02}q\x00."), "PyTorch checkpoint"),
        ("pointer.onnx", Some(b"version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"),
        ("cut.onnx", Some(&good[..good.len() / 2]), "not an ONNX model"),
    ] {
        let error = load(name, content);
        assert!(
            error.contains(name) && error.contains(says) && error.contains("torch.onnx.export"),
            "{error}"
        );
    }
    assert!(load("missing.onnx", None).contains("No such file"));
}

fn models_that_do_not_fit(engine: EngineChoice) {
    let float = DataType::FLOAT;
    let input = |dims: &[Option<usize>]| port("x", float, dims);
    let n = None;
    let cases: [(String, &[&str]); 8] = [
        (
            refused_after(engine, |g| {
                g.input.push(port("z", float, &[None]));
                g.node.push(node("Identity", &["z"], "zz"));
            }),
            &["2 inputs (`x`, `z`)", "export it with one input"],
        ),
        (refused_after(engine, |g| g.input[0] = input(&[n, Some(60)])), &["any×60", "[N, C, H, W]"]),
        (
            refused_after(engine, |g| g.input[0] = port("x", DataType::UINT8, &[n, n, n, n])),
            &["uint8", "float32"],
        ),
        (refused_after(engine, |g| g.input[0] = input(&[n, Some(2), Some(8), n])), &["2×8×any", "2×6×5"]),
        (refused_after(engine, |g| g.input[0] = input(&[n, Some(6), Some(5), Some(2)])), &["6×5×2", "NHWC"]),
        (
            refused_after(engine, |g| g.output[0] = port("b", float, &[n, n, n, n])),
            &["any×any×any×any", "[N, classes]"],
        ),
        (refused_after(engine, |g| g.output[0].r#type = None), &["`y`", "float32 output"]),
        (
            refused_after(engine, |g| g.output.push(port("c", float, &[n, n, n, n]))),
            &["2 outputs", "class scores"],
        ),
    ];
    for (error, says) in &cases {
        assert!(says.iter().all(|part| error.contains(part)), "{error}");
    }
}

/// Declared as a matrix of any size, but one score per image.
fn one_score() -> ModelProto {
    changed(|g| {
        g.node.push(with_int(with_ints(node("ReduceMean", &["y"], "m"), "axes", &[1]), "keepdims", 1));
        g.output[0] = port("m", DataType::FLOAT, &[None, None]);
    })
}

/// Declares nothing, and is four-dimensional.
fn four_dimensional() -> ModelProto {
    changed(|g| {
        g.output[0] = port("b", DataType::FLOAT, &[]);
        g.output[0].r#type.as_mut().unwrap().tensor_type.as_mut().unwrap().shape = None;
    })
}

fn infinite() -> ModelProto {
    changed(|g| g.initializer[3] = tensor("wb", &[CLASSES], &[f32::INFINITY, 0.0, 0.0]))
}

/// y minus the mean of y over the batch: what batch norm does in training mode.
fn mixing() -> ModelProto {
    changed(|g| {
        g.node.push(with_int(with_ints(node("ReduceMean", &["y"], "m"), "axes", &[0]), "keepdims", 1));
        g.node.push(node("Sub", &["y", "m"], "s"));
        g.output[0] = port("s", DataType::FLOAT, &[None, Some(CLASSES)]);
    })
}

fn what_is_seen_only_when_run(engine: EngineChoice) {
    let cases: [(_, &[&str]); 4] = [
        (one_score(), &["2×1", "at least two class scores"]),
        (four_dimensional(), &["[N, classes]"]),
        (infinite(), &["scored inf"]),
        (mixing(), &["model.eval()"]),
    ];
    for (model, says) in cases {
        let error = refused(&model, engine);
        assert!(says.iter().all(|part| error.contains(part)), "{error}");
    }
}

fn our_own_engine_sees_the_same_in_the_graph() {
    for (model, says) in [
        (one_score(), "qcrs-cnn does not do a mean over the axes [1] (`m`)"),
        (four_dimensional(), "qcrs-cnn does not do an output `b` that is not a row of scores"),
        (infinite(), "Gemm `y`: a weight is infinite or not a number; export it again"),
        (mixing(), "ReduceMean `m` adds up or compares along the batch axis"),
    ] {
        let error = refused(&model, EngineChoice::Cnn);
        assert!(error.contains(&format!("model.onnx: {says}")), "{error}");
    }
    let auto = refused(&infinite(), EngineChoice::Auto);
    assert!(auto.contains("Gemm `y`: a weight is infinite or not a number; export it again"), "{auto}");
}

/// Asking for so many images at once would ask for terabytes.
fn a_batch_that_nobody_has_memory_for_is_refused(engine: EngineChoice) {
    let [channels, height, width] = SHAPE.map(Some);
    for batch in [1 << 28, 1 << 50, usize::MAX >> 1] {
        let error = refused_after(engine, |g| {
            g.input[0] = port("x", DataType::FLOAT, &[Some(batch), channels, height, width]);
        });
        let words = format!("the model takes exactly {batch} images at a time, which are too many");
        assert!(error.contains(&words), "{error}");
    }
}

/// The decoder of rten would ask for 2⁶⁴ bytes or read backwards for ever.
fn lengths_that_nobody_checked_yet_are_refused(engine: EngineChoice) {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = Tiny::new().model().write_buf().unwrap();
    // a remark whose name is longer than the file
    bytes.extend([0x72, 11, 0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]);
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, bytes).unwrap();
    let error = load_with(&path, SHAPE, engine).err().unwrap().to_string();
    assert!(error.contains("cut off or nested too deep"), "{error}");
}

fn an_unknown_operator_is_named(engine: EngineChoice) {
    let mut model = Tiny::new().model();
    graph(&mut model).node[1] = node("Frobnicate", &["a"], "b");
    let error = refused(&model, engine);
    let other = if engine == EngineChoice::Rten { "engine ort" } else { "rten" };
    assert!(error.contains("Frobnicate") && error.contains(other), "{error}");
    let error = load_model(&model, EngineChoice::Auto).err().unwrap().to_string();
    assert!(error.contains("Frobnicate") && error.contains("rten"), "{error}");
}

fn weights_outside_the_folder_are_not_read(engine: EngineChoice) {
    for place in ["/etc/hostname", "../weights.data", "a/../../b.data", "", "..\\weights.data"] {
        let error = refused_after(engine, |g| {
            move_out(&mut g.initializer[0], place);
        });
        assert!(error.contains("outside the model's folder"), "{place}: {error}");
        // hidden in a subgraph, wherever it lies
        let error = refused_after(engine, |g| {
            let mut hidden = tensor("hidden", &[1], &[0.0]);
            move_out(&mut hidden, place);
            let inner = GraphProto { initializer: vec![hidden], ..Default::default() };
            g.node[0].attribute.push(AttributeProto { g: Some(inner), ..Default::default() });
        });
        assert!(error.contains("inside a node or subgraph"), "{place}: {error}");
    }
    let error = refused_after(engine, |g| {
        move_out(&mut g.initializer[0], "missing.data");
    });
    let says = "missing.data: no such file: it holds the weights of model.onnx; keep it beside the model";
    assert!(error.ends_with(says), "{error}");
}
