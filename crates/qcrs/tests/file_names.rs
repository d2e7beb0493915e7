//! Records and results.tsv name the file of an image that has one of its own.

mod common;

use common::{DIM, alpha, budget, cohen, spec};
use qcrs::data::Example;
use qcrs::noise::NoiseKind;
use qcrs::run::{self, Depth, ResultFile, Run, Shard, Spec};
use qcrs::sample::MonteCarlo;
use qcrs::testing::HalfSpace;
use qcrs::types::Error;
use std::fs;
use std::path::Path;

const INPUTS: u32 = 3;

fn small() -> Spec {
    spec(cohen(0.5), budget(20, 200, alpha(0.01)), INPUTS)
}

#[allow(clippy::unnecessary_wraps)] // the shape that a run asks for
fn unnamed(index: u32) -> Result<Example, Error> {
    let mut pixels = vec![0.0; DIM];
    pixels[0] = index as f32;
    Ok(Example::new(pixels, Some(1)))
}

fn named(index: u32) -> Result<Example, Error> {
    let file = ["cat/b.png", "cat/tab\there.png", "dog/a.jpg"][index as usize];
    Ok(Example { file: Some(file.into()), ..unnamed(index)? })
}

fn certify(dir: &Path, inputs: &run::Inputs<'_>) -> Result<(), Error> {
    let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 64).under(NoiseKind::Float);
    Run::open(dir, &small(), Shard::WHOLE)?.certify(&sampler, inputs, 1, |_, _| Ok(None))
}

fn last_columns(dir: &Path) -> Vec<String> {
    let text = fs::read_to_string(dir.join("results.tsv")).unwrap();
    text.lines().map(|line| line.rsplit('\t').next().unwrap().to_owned()).collect()
}

#[test]
fn results_name_files_where_the_data_have_them() {
    let root = tempfile::tempdir().unwrap();
    let [with, without] = ["with", "without"].map(|name| root.path().join(name));
    certify(&with, &named).unwrap();
    certify(&without, &unnamed).unwrap();
    assert_eq!(last_columns(&with), ["file", "cat/b.png", "cat/tab\u{FFFD}here.png", "dog/a.jpg"]);
    assert_eq!(last_columns(&without)[0], "fail_safe_answers");
    let records = |dir: &Path| fs::read_to_string(dir.join("records-0-of-1.jsonl")).unwrap();
    assert!(!records(&without).contains("file"));
    let stored = run::read(&with, Depth::Whole).unwrap();
    assert_eq!(stored.records[1].file.as_deref(), Some("cat/tab\there.png"));
    assert_eq!(run::compare_results(&with, &stored).unwrap(), ResultFile::All);
    // apart from the name, the records are the same
    let with_names = records(&with);
    let nameless = with_names.lines().map(|line| {
        let mut record: run::Record = serde_json::from_str(line).unwrap();
        record.file = None;
        serde_json::to_string(&record).unwrap() + "\n"
    });
    assert_eq!(nameless.collect::<String>(), records(&without));
}

#[test]
fn a_record_about_another_file_is_refused() {
    let root = tempfile::tempdir().unwrap();
    certify(root.path(), &named).unwrap();
    certify(root.path(), &named).unwrap();
    let renamed = |index| Ok(Example { file: Some(format!("other-{index}.png")), ..unnamed(index)? });
    for (inputs, words) in [(&renamed as &run::Inputs<'_>, "other-0.png"), (&unnamed, "no file")] {
        let error = certify(root.path(), inputs).unwrap_err().to_string();
        let expected = format!("input 0: the record is about the file cat/b.png, the data have {words} here");
        assert!(error.contains(&expected), "{error}");
    }
}

/// Records of version 0.2 name no files.
#[test]
fn a_record_without_a_name_may_be_about_any_file() {
    let root = tempfile::tempdir().unwrap();
    certify(root.path(), &unnamed).unwrap();
    certify(root.path(), &named).unwrap();
}
