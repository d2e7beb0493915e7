//! Does a native library that crashes or hangs end the trial and not the run?

mod common;
#[path = "../../qcrs/tests/common/suite.rs"]
mod suite;

use common::{Bench, Ran};
use rten_onnx::onnx::{ModelProto, NodeProto};
use std::process::{Command, ExitCode};
use suite::{Need, Suite, again};

fn main() -> ExitCode {
    let mut suite = Suite::from_args();
    let compiler = compiler();
    suite.add("a_library_that_crashes_is_left_out", &compiler, || {
        falls_back("abort()", "libonnxruntime.so crashed with signal 6 when it was tried");
    });
    suite.add("a_library_that_ends_the_program_is_left_out", &compiler, || {
        falls_back("_exit(0)", "libonnxruntime.so ended the process without a word when it was tried");
    });
    suite.slow(
        "a_library_that_hangs_is_left_out",
        "waits for the end of our patience, twice",
        &compiler,
        || {
            falls_back("sleep(60)", "libonnxruntime.so gave no answer within 20 s when it was tried");
        },
    );
    if cfg!(target_os = "linux") {
        suite.add("a_missing_compiler_never_looks_like_success", &Need::Met, a_missing_compiler);
    }
    suite.run()
}

fn a_missing_compiler() {
    let run =
        |promise| again(&["is_left_out"], &[("QCRS_NEED_CC", promise), ("PATH", Some("no-such-folder"))]);
    let text = run(None).unwrap();
    assert!(text.contains("0 passed; 0 failed; 3 ignored"), "{text}");
    let text = run(Some("1")).unwrap_err();
    assert!(text.contains("0 passed; 2 failed; 1 ignored"), "{text}");
    assert_eq!(text.matches("install a C compiler, `cc`; QCRS_NEED_CC is set").count(), 2, "{text}");
}

/// A C compiler, on a system whose libraries and signals are those that the tests name.
fn compiler() -> Need {
    if !cfg!(target_os = "linux") {
        return Need::Missing("the fake libraries are for Linux".into());
    }
    let found = Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success());
    Need::found(found.then_some(()).ok_or("install a C compiler, `cc`".into()), "QCRS_NEED_CC")
}

/// A library with onnxruntime's name and entry, and what it does there.
fn library(bench: &Bench, act: &str) -> String {
    bench.write("fake.c", format!("#include <stdlib.h>\n#include <unistd.h>\nconst void *OrtGetApiBase(void) {{ {act}; return 0; }}\n"));
    let (source, library) = (bench.path("fake.c"), bench.path("libonnxruntime.so"));
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    library.to_str().unwrap().to_owned()
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
    let library = library(&bench, act);
    let auto = certify(&bench, &library, "auto");
    assert_eq!(auto.code, Some(0), "{}", auto.err);
    for words in ["engine: rten 0.", "does not do the operator Sigmoid", why] {
        assert!(auto.err.contains(words), "no {words:?} in\n{}", auto.err);
    }
    certify(&bench, &library, "ort").fails(1, &[why, "pip install onnxruntime", "or use the engine rten"]);
}
