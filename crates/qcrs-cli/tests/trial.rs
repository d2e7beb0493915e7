//! Does a native library that crashes or hangs end the trial and not the run?
#![cfg(target_os = "linux")]

mod common;

use common::{Bench, Ran};
use rten_onnx::onnx::{ModelProto, NodeProto};
use std::process::Command;

/// A library with onnxruntime's name and entry, and what it does there; none without a C compiler.
fn library(bench: &Bench, act: &str) -> Option<String> {
    bench.write("fake.c", format!("#include <stdlib.h>\n#include <unistd.h>\nconst void *OrtGetApiBase(void) {{ {act}; return 0; }}\n"));
    let (source, library) = (bench.path("fake.c"), bench.path("libonnxruntime.so"));
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).status();
    if !built.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no C compiler `cc`");
        return None;
    }
    Some(library.to_str().unwrap().to_owned())
}

fn certify(bench: &Bench, library: &str, engine: &str) -> Ran {
    let typed = format!(
        "certify --engine {engine} --model sigmoid.onnx --data data.bin --sigma 0.25 --n0 20 --n 100 --max 1 --run {engine}"
    );
    Ran::new(&typed, bench.command(&typed).env("ORT_DYLIB_PATH", library).output().unwrap())
}

/// The linear model with an operator that our own engine does not know.
fn bench() -> Bench {
    let bench = Bench::new();
    let mut model = ModelProto::parse_buf(&std::fs::read(bench.path("model.onnx")).unwrap()).unwrap();
    let graph = model.graph.as_mut().unwrap();
    graph.node.last_mut().unwrap().output[0] = "scores".into();
    graph.node.push(NodeProto {
        op_type: Some("Sigmoid".into()),
        input: vec!["scores".into()],
        output: vec!["y".into()],
        ..Default::default()
    });
    bench.write("sigmoid.onnx", model.write_buf().unwrap());
    bench
}

#[track_caller]
fn falls_back(act: &str, why: &str) {
    let bench = bench();
    let Some(library) = library(&bench, act) else { return };
    let auto = certify(&bench, &library, "auto");
    assert_eq!(auto.code, Some(0), "{}", auto.err);
    for words in ["engine: rten 0.", "does not do the operator Sigmoid", why] {
        assert!(auto.err.contains(words), "no {words:?} in\n{}", auto.err);
    }
    certify(&bench, &library, "ort").fails(1, &[why, "pip install onnxruntime", "or use the engine rten"]);
}

#[test]
fn a_library_that_crashes_is_left_out() {
    falls_back("abort()", "libonnxruntime.so crashed with signal 6 when it was tried");
}

#[test]
fn a_library_that_ends_the_program_is_left_out() {
    falls_back("_exit(0)", "libonnxruntime.so ended the process without a word when it was tried");
}

#[test]
#[ignore = "waits for the end of our patience, twice"]
fn a_library_that_hangs_is_left_out() {
    falls_back("sleep(60)", "libonnxruntime.so gave no answer within 20 s when it was tried");
}
