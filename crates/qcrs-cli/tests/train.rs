//! Does `qcrs train` find the trainer, and say where to get it?
#![cfg(unix)]

mod common;

use common::{Bench, Ran};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// qcrs in a folder of its own, beside which nothing lies.
fn train(bench: &Bench, typed: &str, path: &str) -> Ran {
    let alone = bench.path("alone");
    fs::create_dir_all(&alone).unwrap();
    let program = alone.join("qcrs");
    if !program.exists() {
        fs::copy(assert_cmd::cargo::cargo_bin("qcrs"), &program).unwrap();
    }
    let mut command = std::process::Command::new(program);
    command.args(typed.split(' ')).current_dir(bench.path(".")).env("PATH", path);
    Ran::new(typed, command.output().unwrap())
}

fn script(bench: &Bench, folder: &str, text: &str) -> String {
    let folder = bench.path(folder);
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("qcrs-train");
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    folder.to_str().unwrap().to_owned()
}

const ECHO: &str = "#!/bin/sh\necho \"NAME $@\"\nexit 7\n";

/// One test, because a file that was just written cannot be started while another thread starts a process.
#[test]
fn the_trainer_gets_every_argument_or_is_said_to_be_missing() {
    let bench = Bench::new();
    without_a_trainer_it_says_how_to_build_one(&bench);
    every_argument_reaches_the_trainer_and_its_exit_code_comes_back(&bench);
}

fn every_argument_reaches_the_trainer_and_its_exit_code_comes_back(bench: &Bench) {
    let path = script(bench, "bin", &ECHO.replace("NAME", "in the path:"));
    for arguments in
        ["gaussian --arch cnn --sigma -1 --quiet --config x", "--help", "--version", "-h", "gaussian -- -x"]
    {
        let ran = train(bench, &format!("train {arguments}"), &path);
        assert_eq!((ran.code, ran.out), (Some(7), format!("in the path: {arguments}\n")), "{}", ran.err);
    }
    // a trainer of the same build wins
    script(bench, "alone", &ECHO.replace("NAME", "beside:"));
    assert_eq!(train(bench, "train curve x", &path).out, "beside: curve x\n");
}

fn without_a_trainer_it_says_how_to_build_one(bench: &Bench) {
    fs::create_dir(bench.path("empty")).unwrap();
    let path = bench.path("empty").to_str().unwrap().to_owned();
    let words = [
        "qcrs-train is neither beside this one nor in PATH",
        "pip install torch==2.13.0",
        "cargo build --release -p qcrs-train",
    ];
    train(bench, "train gaussian", &path).fails(1, &words);
    train(bench, "--config x train gaussian", &path).fails(1, &["`train` takes no options from a file"]);
    // what it says is what the trainer's own build says
    let build = include_str!("../../qcrs-train/build.rs");
    for line in
        ["pip install torch==2.13.0 numpy", "LIBTORCH_USE_PYTORCH=1 cargo build", "unpack a libtorch 2.13.0"]
    {
        assert!(build.contains(line) && train(bench, "train", &path).err.contains(line), "{line}");
    }
}
