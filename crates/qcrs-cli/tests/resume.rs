//! A run that is stopped in any way goes on as if nothing had happened.

mod common;

use common::{Bench, MODEL, Ran};
#[cfg(unix)]
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Long enough to be stopped in the middle: about a second.
fn long(options: &str) -> String {
    let looks = if options.contains("qcrs") { "--gradient-n 100" } else { "" };
    format!("certify {MODEL} --sigma 0.25 --n0 100 --n 3000 {looks} --seed 3 {options}")
}

/// Starts a command and waits until `run` has at least `records` of them.
fn start(bench: &Bench, mut command: Command, run: &str, records: usize) -> Child {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("qcrs starts");
    wait_for(bench, run, records);
    child
}

fn wait_for(bench: &Bench, run: &str, records: usize) {
    let file = bench.path(run).join("records-0-of-1.jsonl");
    let begin = Instant::now();
    let written = || std::fs::read_to_string(&file).is_ok_and(|text| text.lines().count() >= records);
    while !written() {
        assert!(begin.elapsed() < Duration::from_mins(1), "no {records} records in a minute");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The command of `typed`, started by another program.
#[cfg(unix)]
fn under(program: &str, arguments: &[&str], bench: &Bench, typed: &str) -> Command {
    let command = bench.command(typed);
    let mut outer = Command::new(program);
    outer.args(arguments).arg(command.get_program()).args(command.get_args());
    outer.current_dir(command.get_current_dir().unwrap());
    outer
}

#[cfg(unix)]
fn send(signal: &str, to: &Child) {
    assert!(Command::new("kill").args([signal, &to.id().to_string()]).status().unwrap().success());
}

fn records(text: &str) -> usize {
    text.lines().count()
}

#[test]
fn killed_at_any_moment_it_ends_with_the_same_bytes() {
    let bench = Bench::new();
    for method in ["cohen", "qcrs"] {
        let whole = format!("whole-{method}");
        bench.run(&long(&format!("--method {method} --run {whole}"))).says(&[]);
        let run = format!("killed-{method}");
        // every time with another batch size and number of threads
        for (kill_at, options) in
            [(0, "--batch 5"), (1, "--threads 1"), (3, "--threads 3 --batch 64"), (5, "")]
        {
            let typed = long(&format!("--method {method} --run {run} {options}"));
            let mut child = start(&bench, bench.command(&typed), &run, kill_at);
            std::thread::sleep(Duration::from_millis(7 * kill_at as u64));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let torn = bench.path(&run).join("records-0-of-1.jsonl");
        let text = std::fs::read_to_string(&torn).unwrap();
        std::fs::write(&torn, text.clone() + "{\"index\":7,\"lab").unwrap(); // a line that was never finished
        let done = records(&text[..text.rfind('\n').unwrap()]);
        let last =
            bench.run(&long(&format!("--method {method} --run {run} --threads 2 --batch 7"))).says(&[]);
        if done < common::INPUTS {
            assert!(last.err.contains(&format!("resuming after {done} of 8 inputs")), "{}", last.err);
        }
        assert_eq!(bench.records(&run), bench.records(&whole), "{method}");
        bench.run(&format!("verify {run}")).says(&["8 of 8 records"]);
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_with_130_and_says_how_to_go_on() {
    let bench = Bench::new();
    // long enough for the signal to find it at work
    bench.run(&long("--method cohen --run whole --n 20000")).says(&[]);
    let typed = long("--method cohen --run r --threads 1 --n 20000");
    let child = start(&bench, bench.command(&typed), "r", 2);
    send("-INT", &child);
    let ran = Ran::new(&typed, child.wait_with_output().unwrap());
    let ran = ran.fails(130, &["stopped after ", " of 8 inputs", "run the same command again to resume"]);
    let done = records(&bench.records("r"));
    assert!((2..8).contains(&done), "{done} records");
    assert!(ran.err.contains(&format!("stopped after {done} of")), "{}", ran.err);
    // what is there can be read and verified before it is complete
    bench.run("verify r").says(&[&format!("{done} of 8 records")]);
    let json = bench.run("report r --format json").says(&[]).runs();
    assert_eq!(json[0]["complete"], false);
    bench.run(&typed).says(&[]);
    assert_eq!(bench.records("r"), bench.records("whole"));
}

/// A pipeline under `timeout -s INT` sends two at once: the process and its group get one each.
#[test]
#[cfg(unix)]
fn two_signals_at_once_are_one() {
    let bench = Bench::new();
    let typed = long("--method cohen --run r --threads 1 --n 20000");
    let child = start(&bench, bench.command(&typed), "r", 2);
    for _ in 0..3 {
        send("-INT", &child);
    }
    let ran = Ran::new(&typed, child.wait_with_output().unwrap());
    ran.fails(130, &["stopped after ", " of 8 inputs", "run the same command again to resume"]);
    let done = records(&bench.records("r"));
    assert_eq!(records(&bench.read("r/results.tsv")), done + 1);
}

/// A process that hangs (here because its stderr is a full pipe) ends at the second Ctrl-C.
#[test]
#[cfg(unix)]
fn a_second_ctrl_c_ends_what_hangs() {
    let bench = Bench::new();
    let (reader, mut full) = std::io::pipe().unwrap();
    let stderr = full.try_clone().unwrap();
    std::thread::spawn(move || full.write_all(&vec![b'.'; 1 << 22]));
    std::thread::sleep(Duration::from_millis(300)); // the pipe is full long before
    let typed = long("--method cohen --run r --threads 1 --n 20000 -q");
    let mut command = bench.command(&typed);
    let mut child = command.stdout(Stdio::null()).stderr(stderr).spawn().unwrap();
    wait_for(&bench, "r", 2);
    send("-INT", &child);
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(child.try_wait().unwrap(), None, "nothing hangs here");
    send("-INT", &child);
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(reader);
}

/// An experiment with two models hears Ctrl-C while it asks the second one, too.
#[test]
#[cfg(unix)]
fn ctrl_c_stops_the_second_model_of_an_experiment() {
    let bench = Bench::new();
    let typed =
        format!("paper training {MODEL} --macer model.onnx --sigma 0.25 --n 20000 --threads 1 --dir p");
    let child = start(&bench, bench.command(&typed), "p/runs/macer-cohen", 1);
    send("-INT", &child);
    Ran::new(&typed, child.wait_with_output().unwrap()).fails(130, &["run the same command again to resume"]);
    assert!(records(&bench.records("p/runs/macer-cohen")) < common::INPUTS);
}

/// Closing the terminal must not end a run of days, and a scheduler may.
#[test]
#[cfg(unix)]
fn under_nohup_a_run_outlives_its_terminal() {
    let bench = Bench::new();
    let typed = long("--method cohen --run r --threads 1 --n 20000");
    let child = start(&bench, under("nohup", &[], &bench, &typed), "r", 1);
    send("-HUP", &child);
    wait_for(&bench, "r", 3);
    send("-TERM", &child);
    let ran = Ran::new(&typed, child.wait_with_output().unwrap());
    ran.fails(130, &["stopped after ", "run the same command again to resume"]);
}

/// A disk that fills up, here a file that may not grow, ends a run and loses nothing.
#[test]
#[cfg(unix)]
fn a_full_disk_loses_nothing() {
    let bench = Bench::new();
    let typed = long("--method qcrs --run r -q");
    // 8 blocks hold the spec and some of the records
    let limit = ["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""];
    let mut limited = under("sh", &limit, &bench, &typed);
    let ran = Ran::new(&typed, limited.output().unwrap());
    ran.fails(
        1,
        &["qcrs: r: stopped after ", "run the same command again to resume", "jsonl: File too large"],
    );
    bench.run(&typed).says(&[]);
    bench.run(&long("--method qcrs --run whole")).says(&[]);
    assert_eq!(bench.records("r"), bench.records("whole"));
}

#[test]
fn merged_shards_are_the_whole_run() {
    let bench = Bench::new();
    let certify = |options: &str| bench.certify(&format!("--method qcrs {options}")).says(&[]);
    certify("--run whole");
    certify("--run a --shard 0/3");
    certify("--run a --shard 2/3 --threads 1");
    certify("--run b --shard 1/3 --batch 3");
    let json = bench.run("report a --format json").says(&[]).runs();
    assert_eq!((json[0]["inputs"].as_u64(), json[0]["complete"].as_bool()), (Some(5), Some(false)));
    bench.run("merge a --into part").says(&["5 of 8 inputs, incomplete until all shards are merged"]);
    bench.certify("--method qcrs --run part").fails(1, &["out of order", "merge all into a new one"]);
    bench.run("merge a b --into merged").says(&["8 of 8 inputs, complete", "qcrs report merged"]);
    assert_eq!(bench.records("merged"), bench.records("whole"));
    assert_eq!(bench.read("merged/spec.json"), bench.read("whole/spec.json"));
    // and the merged run is one that certify takes for finished
    assert!(certify("--run merged").err.contains("all 8 inputs are already done"));
}

#[test]
fn a_second_writer_is_turned_away() {
    let bench = Bench::new();
    // long enough for the first to outlive the second
    let typed = long("--method cohen --run r --threads 1 --n 20000");
    let mut child = start(&bench, bench.command(&typed), "r", 1);
    let second = bench.run(&typed);
    child.kill().unwrap();
    child.wait().unwrap();
    second.fails(1, &["another qcrs is writing here"]);
}

#[test]
fn a_run_grows_when_more_inputs_are_asked_for() {
    let bench = Bench::new();
    bench.certify("--method qcrs --run whole").says(&[]);
    bench.certify("--method qcrs --run r --skip 4").says(&[]);
    let ran = bench.certify("--method qcrs --run r --skip 2 --shard 1/2").says(&[]);
    assert!(
        ran.err.contains("r: resuming after 0 of 2 inputs") || ran.err.contains("r: 2 inputs"),
        "{}",
        ran.err
    );
    bench.run("verify r").says(&["4 of 4 records"]);
    let ran = bench.certify("--method qcrs --run r").says(&[]);
    assert!(ran.err.contains("r: resuming after 4 of 8 inputs"), "{}", ran.err);
    assert_eq!(bench.records("r"), bench.records("whole"));
    assert_eq!(bench.read("r/spec.json"), bench.read("whole/spec.json"));
    bench.run("verify r").says(&["8 of 8 records", "results.tsv matches the records"]);
}

#[test]
fn another_spec_in_the_directory_is_refused_with_every_difference() {
    let bench = Bench::new();
    bench.certify("--method cohen --run r").says(&[]);
    let before = (bench.records("r"), bench.read("r/spec.json"));
    for (options, words) in [
        ("--method cohen --seed 8", "this run used --seed 0, you asked for 8"),
        (
            "--method cohen --n 300 --alpha 0.01",
            "used --n 200, you asked for 300; this run used --alpha 0.001, you asked for 0.01",
        ),
        ("--method qcrs", "spec.json: this run used --method cohen, you asked for qcrs; use"),
        (
            "--method cohen --skip 2",
            "this run has 8 inputs, and 4 of them are not among the 4 that you ask for",
        ),
        ("--method cohen --normalize cifar10", "model.transform null"),
    ] {
        bench.certify(&format!("--run r {options}")).fails(1, &["r/spec.json: ", words, "another directory"]);
    }
    assert_eq!((bench.records("r"), bench.read("r/spec.json")), before);
}
