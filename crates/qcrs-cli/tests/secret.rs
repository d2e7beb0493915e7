//! A seed that is not known before the run.

mod common;

use common::{Bench, CERTIFY, INPUTS, MODEL};
use serde_json::Value;
use std::fs;

fn seed(bench: &Bench, run: &str) -> u64 {
    let spec: Value = serde_json::from_str(&bench.read(&format!("{run}/spec.json"))).unwrap();
    spec["seed"].as_u64().unwrap()
}

#[test]
fn a_secret_seed_is_drawn_once_and_kept() {
    let bench = Bench::new();
    let certify = |run: &str| bench.certify(&format!("--method cohen --seed secret --run {run}"));
    certify("a").says(&[]);
    certify("b").says(&[]);
    let drawn = seed(&bench, "a");
    assert!(drawn > u64::from(u32::MAX) && drawn != seed(&bench, "b"));
    let whole = bench.records("a");
    assert_ne!(whole, bench.records("b"));
    // the same command resumes with the same seed
    let cut = whole.trim_end().rfind('\n').unwrap() + 1;
    bench.write("a/records-0-of-1.jsonl", &whole[..cut]);
    assert!(certify("a").says(&[]).err.contains("resuming after 7 of 8 inputs"));
    assert_eq!((seed(&bench, "a"), bench.records("a")), (drawn, whole));
    bench.run(&format!("verify a {MODEL} --replay 3")).says(&["3 inputs sampled again"]);
    // what else differs is refused as ever
    bench
        .certify("--method cohen --seed secret --run a --n 300")
        .fails(1, &["this run used --n 200, you asked for 300"]);
}

#[test]
fn without_a_directory_the_same_command_finds_its_own() {
    let bench = Bench::new();
    bench.certify("--method cohen --seed secret").says(&[]);
    let runs = || fs::read_dir(bench.path("runs")).unwrap().map(|run| run.unwrap().file_name()).collect();
    let before: Vec<_> = runs();
    let [name] = before.as_slice() else { panic!("{before:?}") };
    assert!(name.to_string_lossy().starts_with("model-cohen-s0.25-n200-secret-"), "{name:?}");
    let again = bench.certify("--method cohen --seed secret").says(&[]);
    assert!(again.err.contains("all 8 inputs are already done"), "{}", again.err);
    assert_eq!(before, runs());
}

#[test]
fn shards_that_begin_together_share_a_secret_seed() {
    let bench = Bench::new();
    let shards: Vec<_> = (0..4)
        .map(|part| {
            let typed = format!("{CERTIFY} --method cohen --seed secret --run r --shard {part}/4 -q");
            bench.command(&typed).stdout(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for shard in shards {
        assert!(shard.wait_with_output().unwrap().status.success());
    }
    bench.run(&format!("verify r {MODEL} --replay {INPUTS}")).says(&["8 of 8", "8 inputs sampled again"]);
}

#[test]
fn a_seed_is_a_number_or_secret() {
    let bench = Bench::new();
    bench
        .certify("--method cohen --seed hidden --run r")
        .fails(2, &["a seed is a whole number or 'secret', got hidden"]);
    bench
        .certify("--method probe --passes 1000 --seed secret --run r")
        .fails(1, &["--passes", "--seed secret", "--lambda"]);
    // a seed that was chosen is no secret
    bench.certify("--method cohen --seed 7 --run r").says(&[]);
    bench
        .certify("--method cohen --seed secret --run r")
        .fails(1, &["r/spec.json: this run used seed 7, which is not a secret seed", "--seed 7"]);
    for typed in [
        "predict --sigma 0.25 --n 20",
        "tune --sigma 0.25 --points 2 --draws 20",
        "curve --sigma 0.25 --n 20 --points 2 --ids 3",
    ] {
        let ran = bench.with_model(&format!("{typed} --seed secret")).says(&[]);
        let (_, drawn) = ran.err.split_once("seed ").unwrap_or_else(|| panic!("{typed}: {}", ran.err));
        let drawn = drawn.split(',').next().unwrap();
        let again = bench.with_model(&format!("{typed} --seed {drawn}")).says(&[]);
        assert_eq!(again.out, ran.out, "{typed}");
    }
}
