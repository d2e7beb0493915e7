//! Speeds and precisions of our own engine, as they are typed.

mod common;

use common::Bench;

#[test]
fn growth_is_measured_along_every_axis_that_the_model_allows() {
    let bench = Bench::new();
    let ran = bench
        .run("bench --growth --model model.onnx --rounds 1 --threads 2 --figure growth.svg --format json");
    let ran = ran.says(&[]);
    let rows = ran.json();
    let of = |thing: &str| {
        let rows = rows.as_array().unwrap().iter().filter(|row| row["of"] == thing);
        rows.map(|row| row["amount"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(of("draws"), [1000, 2000, 4000, 8000, 16_000]);
    assert_eq!(of("images"), [1, 2, 4, 8, 16]);
    assert_eq!(of("classes"), [10, 20, 40, 80, 160]);
    assert_eq!(of("pixels"), [3072]); // the model takes images of one size
    assert_eq!(of("threads"), [1, 2]);
    assert!(ran.err.contains("without larger images"), "{}", ran.err);
    assert!(bench.read("growth.svg").starts_with("<svg "));
    bench.run("bench --model model.onnx --figure x.svg").fails(1, &["--figure needs --compare or --growth"]);
}

#[test]
fn a_run_in_bf16_says_so_and_is_not_mixed_with_others() {
    let bench = Bench::new();
    let certify = |options: &str| {
        bench.run(&format!(
            "certify --model model.onnx --data data.bin --sigma 0.25 --n0 20 --n 200 --count 3 --run r {options}"
        ))
    };
    certify("--precision bf16").says(&["r computed in bf16: its certificates concern that classifier"]);
    let spec: serde_json::Value = serde_json::from_str(&bench.read("r/spec.json")).unwrap();
    assert_eq!(spec["model"]["precision"], "bf16");
    assert!(spec["model"]["engine"].as_str().unwrap().ends_with(" bf16"));
    certify("").fails(1, &["bf16"]);
    certify("--precision bf16 --engine rten").fails(1, &["rten does not compute in bf16"]);
    certify("--precision fp8").fails(2, &["choose one of f32, bf16"]);
}
