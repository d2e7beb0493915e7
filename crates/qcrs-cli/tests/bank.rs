//! `qcrs bank`, as somebody uses it, and as somebody misuses it.

mod common;

use common::{Bench, CERTIFY, absent};
use std::fs;
use std::process::Stdio;

const FILE: &str = "b/balls.qcrsbank";

/// A run of one σ and a run of many; input 0 abstains in both.
fn with_runs() -> Bench {
    let bench = Bench::new();
    bench.certify("--method cohen --run c").says(&[]);
    bench.certify("--method qcrs --run q").says(&[]);
    bench
}

#[test]
fn certificates_are_added_once_and_in_order() {
    let bench = with_runs();
    bench.run("bank add b c --data data.bin").says(&["c: 8 records are new", "0 were in the bank before"]);
    let first = fs::read(bench.path(FILE)).unwrap();
    bench.run("bank add b c --data data.bin").says(&["c: 0 records are new", "8 were in the bank before"]);
    assert_eq!(fs::read(bench.path(FILE)).unwrap(), first);
    bench.run("bank add b c q --data data.bin").says(&["c: 0 records", "q: 8 records are new"]);
    bench.run("bank check b").says(&["none of", "overlap", "to read the bank"]);
    let stats = bench.run("bank stats b --format json").says(&[]).json();
    assert_eq!(stats["answered"], 16);
    let entries = stats["entries"].as_u64().unwrap();
    let sum = stats["failure_probability"].as_f64().unwrap();
    assert!((0.016..0.01601).contains(&sum), "16 offers: {stats}");
    bench.run("bank stats b").says(&["3x32x32", "any of them wrong", "belongs to"]);
    let lines = bench.run("bank export b").says(&[]).runs();
    assert!(entries > 0 && lines.len() as u64 == entries, "{stats}");
    for (id, line) in lines.iter().enumerate() {
        assert_eq!(line["id"], id);
        // the images are bytes, so the hash of a centre is that of the image's own bytes
        let input = line["source"]["input"].as_u64().unwrap() as usize;
        let image = &fs::read(bench.path("data.bin")).unwrap()[input * 3073 + 1..][..3072];
        assert_eq!(line["blake3"], blake3::hash(image).to_string());
    }
}

#[test]
fn a_run_in_pieces_gives_the_same_bank() {
    let bench = with_runs();
    bench.run("bank add whole c --data data.bin").says(&[]);
    let records = bench.records("c");
    let lines: Vec<&str> = records.lines().collect();
    for count in [3, 5, 8] {
        bench.write("c/records-0-of-1.jsonl", lines[..count].join("\n") + "\n");
        bench.run("bank add b c --data data.bin").says(&[]);
    }
    let [pieces, whole] =
        ["b", "whole"].map(|bank| bench.run(&format!("bank export {bank}")).says(&["\"id\":0"]));
    assert_eq!(pieces.out, whole.out);
}

#[test]
fn what_does_not_belong_is_refused_before_anything_is_written() {
    let bench = with_runs();
    let images = fs::read(bench.path("data.bin")).unwrap();
    bench.write("other.bin", &images[..3073 * 7]);
    bench
        .run("bank add b c --data other.bin")
        .fails(1, &["c: this run is not about --data: its blake3 is", "qcrs certify"]);
    bench.run("bank add b c --data data.bin --skip 2").fails(2, &["--skip"]);
    bench.run("bank add b nowhere --data data.bin").fails(1, &["nowhere: is not a run"]);
    bench.run("bank add b c").fails(2, &["--data"]);
    bench.run("bank add b --data data.bin").fails(2, &["<RUN>"]);
    let records = bench.records("c");
    let changed = records.replace("\"radius\":0.", "\"radius\":1.");
    assert_ne!(records, changed);
    bench.write("c/records-0-of-1.jsonl", changed);
    bench.run("bank add b c --data data.bin").fails(1, &["c: input", "the record says"]);
    bench.write("c/records-0-of-1.jsonl", &records);
    assert!(absent(&bench.path("b")));
    // a file that was only renamed is the same data
    fs::rename(bench.path("data.bin"), bench.path("renamed.bin")).unwrap();
    bench.run("bank add b c --data renamed.bin").says(&["8 records are new"]);
    fs::rename(bench.path("renamed.bin"), bench.path("data.bin")).unwrap();
    // places that are no bank
    for command in ["check", "stats", "export"] {
        bench
            .run(&format!("bank {command} nowhere"))
            .fails(1, &["nowhere: there is no bank here", "qcrs bank add"]);
    }
    bench.run("bank add c c --data data.bin").fails(1, &["c: this folder is not a bank"]);
    bench.run("bank add data.bin c --data data.bin").fails(1, &["data.bin: this file is not a bank"]);
    // another classifier
    let normalized = CERTIFY.to_owned() + " --normalize half --method cohen --run n";
    bench.run(&normalized).says(&[]);
    bench.run("bank add b n --data data.bin").fails(1, &["n: ", "this bank belongs to the classifier"]);
}

#[test]
fn another_shape_another_format_and_damage_are_said() {
    let bench = with_runs();
    drop(qcrs_bank::Bank::open(&bench.path("grey"), [1, 28, 28]).unwrap());
    let words = "grey: this bank holds images of 1x28x28, not of 3x32x32";
    bench.run("bank add grey c --data data.bin").fails(1, &[words]);
    bench.run("bank add b c --data data.bin").says(&[]);
    let mut bytes = fs::read(bench.path(FILE)).unwrap();
    // format 3, which is none yet
    bytes[8] = 3;
    bench.write(FILE, &bytes);
    for typed in ["bank add b c --data data.bin", "bank stats b", "bank check b", "bank export b"] {
        bench.run(typed).fails(1, &["b/balls.qcrsbank: format 3 was written by a newer qcrs"]);
    }
    bytes[8] = 2;
    bytes[100] ^= 1;
    bench.write(FILE, &bytes);
    for typed in ["bank add b c --data data.bin", "bank stats b", "bank check b", "bank export b"] {
        bench.run(typed).fails(1, &["b/balls.qcrsbank: damaged: at byte 64", "restore it from a copy"]);
    }
}

#[test]
fn a_second_writer_is_told_and_a_reader_that_has_enough_is_let_go() {
    let bench = with_runs();
    bench.run("bank add b c --data data.bin").says(&[]);
    let file = fs::File::open(bench.path(FILE)).unwrap();
    file.lock().unwrap();
    bench.run("bank add b q --data data.bin").fails(1, &["b: another qcrs is writing to this bank"]);
    bench.run("bank stats b").says(&["entries"]);
    drop(file);
    let mut child = bench.command("bank export b").stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// The bank has the last word while the run goes on, and says the same after a crash between bank and record.
#[test]
fn certify_asks_the_bank_and_goes_on_with_it() {
    let bench = Bench::new();
    bench.certify("--method cohen --bank b --run r").says(&["memory-bank"]);
    let records = bench.records("r");
    assert!(records.lines().all(|line| line.contains("\"bank\":")), "{records}");
    assert!(records.contains("as certified") && records.contains("no certificate"), "{records}");
    bench.run("verify r").says(&["8 of 8 records"]);
    bench.run("bank stats b").says(&["balls"]);
    // the last line was lost after the bank had it
    let kept: Vec<&str> = records.lines().take(6).collect();
    bench.write("r/records-0-of-1.jsonl", kept.join("\n") + "\n");
    bench.certify("--method cohen --bank b --run r").says(&[]);
    assert_eq!(bench.records("r"), records);
    // a bank that never heard of the first inputs would contradict them
    bench.write("r/records-0-of-1.jsonl", kept.join("\n") + "\n");
    fs::create_dir(bench.path("x")).unwrap();
    let typed = "--method cohen --bank x/b --run r";
    bench
        .certify(typed)
        .fails(1, &["x/b: there is no bank here, but r has 6 answers from a bank; pass the same bank"]);
    assert!(absent(&bench.path("x/b")));
    drop(qcrs_bank::Bank::open(&bench.path("x/b"), [3, 32, 32]).unwrap());
    bench
        .certify(typed)
        .fails(1, &["r: the bank's answer to input 0 is not the one in this run", "began with"]);
    bench.write("r/records-0-of-1.jsonl", &records);
    // another run finds the balls of the first
    bench.certify("--method cohen --seed 5 --bank b --run s").says(&["memory-bank"]);
    let found = bench.records("s");
    assert_eq!((found.lines().count(), found.contains("inside ball")), (8, true), "{found}");
    bench.run("verify s --bank b").says(&["8 of 8 records"]);
}

#[test]
fn a_run_without_a_bank_does_not_begin_one() {
    let bench = with_runs();
    bench
        .certify("--method cohen --run c --bank new")
        .fails(1, &["c/spec.json", "this run used --bank nothing, you asked for "]);
    assert!(absent(&bench.path("new")));
}

/// What is reported is the answer of the bank, so that is looked at too.
#[test]
fn verify_looks_at_what_the_bank_said() {
    let bench = Bench::new();
    bench.certify("--method cohen --bank b --run r").says(&[]);
    let (good, spec) = (bench.records("r"), bench.read("r/spec.json"));
    let wide = good.replacen("\"ball\":{\"class\":1,\"radius\":0.", "\"ball\":{\"class\":1,\"radius\":9.", 1);
    let lost = good.replacen(",\"bank\":{\"ball\":null,\"why\":\"no certificate\"}", "", 1);
    // an answer that is not liked, hidden
    let at = good.find("\"ball\":{").unwrap();
    let end = at + good[at..].find("as certified").unwrap() + "as certified".len();
    let hidden = format!("{}\"ball\":null,\"why\":\"no certificate{}", &good[..at], &good[end..]);
    for changed in [wide, lost, hidden] {
        assert_ne!(changed, good);
        bench.write("r/records-0-of-1.jsonl", changed);
        bench.run("verify r").fails(1, &["r: input", "the answer of the bank"]);
    }
    bench.write("r/records-0-of-1.jsonl", &good);
    bench.write("r/spec.json", spec.replace("memory-bank", "fixed-sigma"));
    bench.run("verify r").fails(1, &["the promise of the spec", "memory-bank"]);
    bench.write("r/spec.json", spec);
    bench.run("verify r").says(&["8 of 8", "the bank's answers were not checked; use --bank"]);
    bench.run("verify r --bank b").says(&["8 of 8", "the bank's answers match the records"]);
    // votes allow it, but it was never said
    bench.write("r/records-0-of-1.jsonl", good.replacen("as certified", "inside ball 7", 1));
    std::fs::remove_file(bench.path("r/results.tsv")).unwrap();
    bench.run("verify r").says(&["1 answers come from other balls"]);
    bench.run("verify r --bank b").code_is(1, "the bank's answer to input");
    // nor do those votes stand beside that answer in the file for everybody's scripts
    let from = [bench.path("r")];
    qcrs::run::merge(&from, &bench.path("merged")).unwrap();
    let tsv = bench.read("merged/results.tsv");
    let line: Vec<&str> =
        tsv.lines().find(|line| line.contains("inside ball 7")).unwrap().split('\t').collect();
    assert_eq!((line[5], line[6], line[8], line[9], line[13]), ("", "", "", "", "memory-bank"));
    bench.run("report merged/results.tsv").says(&["memory-bank:"]);
    bench.certify("--method cohen --run plain").says(&[]);
    bench.run("verify plain --bank b").code_is(1, "plain: this run was made without a bank");
}

#[test]
fn a_bank_goes_with_one_writer_and_whole_classes() {
    let bench = Bench::new();
    bench.certify("--bank b --shard 0/2 --run r").fails(2, &["--bank", "--shard"]);
    bench.certify("--bank b --one-class 1 --run r").fails(2, &["--bank", "--one-class"]);
    bench.certify("--bank b --at-radius 0.1 --run r").fails(2, &["--bank", "--at-radius"]);
    bench.certify("--method cohen --run r --one-class 1").says(&["class-wise"]);
    bench.run("bank add b r --data data.bin").fails(1, &["r: this run answers yes or no"]);
    bench.certify("--method cohen --run t").says(&["fixed-sigma"]);
    // another engine is, in the last bits, another classifier
    bench.certify("--method cohen --engine cnn --run u").says(&[]);
    bench.run("bank add engines t --data data.bin").says(&["8 records are new"]);
    bench
        .run("bank add engines u --data data.bin")
        .fails(1, &["u: ", "belongs to the classifier", "by rten"]);
    bench
        .certify("--method cohen --bank b --run t")
        .fails(1, &["this run used --bank nothing, you asked for "]);
}
