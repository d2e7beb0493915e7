//! Lattice noise is the default of every command, and noise of two kinds is never mixed.

mod common;

use common::{Bench, MODEL};
use serde_json::Value;

/// Two images as 32-bit floats between 0 and 1. Most of their values are not k/255.
fn floats() -> Vec<u8> {
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 32, 32), }";
    let size = (header.len() + 11).next_multiple_of(64) - 10;
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((size as u16).to_le_bytes());
    file.extend(format!("{header:<width$}\n", width = size - 1).bytes());
    file.extend((0..2 * 3072_u16).flat_map(|k| (f32::from(k % 1000) / 1000.0).to_le_bytes()));
    file
}

fn spec(bench: &Bench, run: &str) -> Value {
    serde_json::from_str(&bench.read(&format!("{run}/spec.json"))).unwrap()
}

#[test]
fn runs_say_which_noise_they_have_and_what_it_covers() {
    let bench = Bench::new();
    let covered = "a radius R holds for every 8-bit image closer than R";
    bench.certify("--method cohen --run lattice").says(&[covered]);
    bench.certify("--method cohen --noise float --run float").says(&["Not covered in floating point"]);
    bench.certify("--method dsrs --run dsrs").says(&["Not covered in floating point"]);
    let (lattice, float) = (spec(&bench, "lattice"), spec(&bench, "float"));
    assert_eq!(lattice["noise"], "philox4x32-10 lattice 1/255 v1");
    assert!(lattice["tau"].as_f64().is_some_and(|tau| (1e-17..1e-15).contains(&tau)), "{lattice}");
    assert_eq!((&float["noise"], &float["tau"]), (&"philox4x32-10 box-muller v1".into(), &Value::Null));
    assert_eq!(spec(&bench, "dsrs")["noise"], float["noise"]);
    bench.run(&format!("verify lattice {MODEL} --replay 8")).says(&["8 inputs sampled again"]);
    bench.run("report lattice float --html page.html").says(&[covered, "Not covered in floating point"]);
    let page = bench.read("page.html");
    assert!(page.contains(covered) && page.contains("Not covered in floating point"), "{page}");
}

#[test]
fn noise_of_two_kinds_is_never_mixed() {
    let bench = Bench::new();
    bench.certify("--method cohen --run r").says(&[]);
    bench
        .certify("--method cohen --noise float --run r")
        .fails(1, &["r/spec.json", "lattice 1/255", "box-muller"]);
    bench.certify("--method cohen --noise float --run f").says(&[]);
    bench.run("merge r f --into both").fails(1, &["another noise"]);
    bench.certify("--method dsrs --noise lattice --run d").fails(2, &["--noise", "choose float"]);
    bench
        .certify("--method cohen --noise loud --run l")
        .fails(2, &["--noise: must be lattice or float, got loud"]);
    // a law that is not that of the spec, though its certificate would be larger or the same
    let whole = bench.records("r");
    for (ours, forged) in [("\"dim\":3072", "\"dim\":1"), ("\"lattice\":255", "\"lattice\":4096")] {
        assert!(whole.contains(ours), "{whole}");
        bench.write("r/records-0-of-1.jsonl", whole.replace(ours, forged));
        bench.run("verify r").fails(1, &["r: input 0: "]);
    }
    bench.write("r/records-0-of-1.jsonl", whole);
    bench.run("verify r").says(&["8 of 8 records"]);
    // a τ that is not that of the noise
    let mut forged = spec(&bench, "r");
    forged["tau"] = 0.0.into();
    bench.write("r/spec.json", forged.to_string());
    bench.run("verify r").fails(1, &["τ is not that of its noise"]);
}

#[test]
fn float_images_are_rounded_to_a_finer_lattice() {
    let bench = Bench::new();
    bench.write("floats.npy", floats());
    let typed = |options: &str| {
        format!(
            "certify --engine rten --model model.onnx --data floats.npy --layout nchw --method cohen --sigma 0.25 --n0 20 \
             --n 100 {options}"
        )
    };
    bench.run(&typed("--run fine")).says(&["Pixels are rounded to whole steps of 1/4096"]);
    let fine = spec(&bench, "fine");
    assert_eq!(fine["noise"], "philox4x32-10 lattice 1/4096 v1");
    assert_eq!(fine["data"]["preprocess"], "value, rounded to 1/4096");
    let data = "--engine rten --model model.onnx --data floats.npy --layout nchw";
    bench
        .run(&format!("verify fine {data} --replay 2"))
        .says(&["2 inputs sampled again", "matches its image"]);
    bench.run(&typed("--noise float --run float")).says(&["Not covered in floating point"]);
    assert_eq!(spec(&bench, "float")["data"]["preprocess"], "value");
    bench.run(&format!("predict {data} --sigma 0.25 --n 20 --format tsv")).says(&["idx\tlabel\tpredict"]);
}
