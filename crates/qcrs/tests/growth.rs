//! Runs grow: the same directory takes more inputs, and gets the bytes of a run made at once.

mod common;
#[path = "common/small_run.rs"]
mod small_run;

use common::{DIM, cohen, every_method};
use qcrs::noise::NoiseKind;
use qcrs::run::{self, Depth, Run, Selection, Shard, Spec};
use qcrs::sample::MonteCarlo;
use qcrs::testing::HalfSpace;
use small_run::{INPUTS, certify, input, records, small};
use std::fs;
use std::path::Path;

/// Every second input; the whole of `small` is the larger selection.
fn half(spec: &Spec) -> Spec {
    Spec { selection: Selection { skip: 2, ..spec.selection.clone() }, ..spec.clone() }
}

fn names(dir: &Path) -> Vec<String> {
    let files = fs::read_dir(dir).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files.collect();
    names.sort();
    names
}

#[test]
fn a_run_that_grows_has_the_bytes_of_a_run_made_at_once() {
    for (what, search) in every_method() {
        let root = tempfile::tempdir().unwrap();
        let dir = |name: &str| root.path().join(name);
        let spec = small(search);
        certify(&dir("whole"), &spec, Shard::WHOLE, 64, 1).unwrap();
        certify(&dir("grown"), &half(&spec), Shard::WHOLE, 64, 1).unwrap();
        certify(&dir("grown"), &spec, Shard::WHOLE, 64, 2).unwrap();
        assert_eq!(records(&dir("whole")), records(&dir("grown")), "{what}");
        assert_eq!(names(&dir("whole")), names(&dir("grown")), "{what}");
        let read = |name: &str| fs::read_to_string(dir(name).join("spec.json")).unwrap();
        assert_eq!(read("whole"), read("grown"), "{what}");
        assert_eq!(run::read(&dir("grown"), Depth::Whole).unwrap().timings.len(), INPUTS as usize, "{what}");
    }
}

/// Of the inputs of the smaller run only those that are missing are certified.
#[test]
fn growing_computes_only_what_is_missing() {
    let root = tempfile::tempdir().unwrap();
    let spec = small(cohen(0.5));
    certify(root.path(), &half(&spec), Shard::WHOLE, 64, 1).unwrap();
    let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 64).under(NoiseKind::Float);
    let mut run = Run::open(root.path(), &spec, Shard::WHOLE).unwrap();
    assert_eq!((run.todo(), run.known().count()), (vec![1, 3, 5, 7, 9], 5));
    let mut seen = Vec::new();
    run.certify(&sampler, &input, 1, |record, _| {
        seen.push(record.index);
        Ok(None)
    })
    .unwrap();
    assert_eq!(seen, [1, 3, 5, 7, 9]);
}

#[test]
fn a_run_grows_in_shards_and_with_another_number_of_them() {
    let root = tempfile::tempdir().unwrap();
    let dir = |name: &str| root.path().join(name);
    let spec = small(cohen(0.5));
    let shards = |name: &str, spec: &Spec, parts: u32| {
        (0..parts)
            .for_each(|part| certify(&dir(name), spec, Shard::new(part, parts).unwrap(), 64, 1).unwrap());
    };
    certify(&dir("whole"), &spec, Shard::WHOLE, 64, 1).unwrap();
    shards("at-once", &spec, 3);
    for parts in [1, 2, 3] {
        let name = format!("grown-{parts}");
        shards(&name, &half(&spec), parts);
        shards(&name, &spec, 3);
        assert_eq!(names(&dir(&name)), names(&dir("at-once")), "{name}");
        for part in 0..3 {
            let read = |name: &str| {
                fs::read_to_string(dir(name).join(format!("records-{part}-of-3.jsonl"))).unwrap()
            };
            assert_eq!(read(&name), read("at-once"), "{name}, {part}");
        }
        run::merge(&[dir(&name)], &dir(&format!("{name}-merged"))).unwrap();
        assert_eq!(records(&dir(&format!("{name}-merged"))), records(&dir("whole")), "{name}");
    }
    // while only one of two shards has grown, every record still counts once
    shards("half", &half(&spec), 2);
    certify(&dir("half"), &spec, Shard::new(1, 2).unwrap(), 64, 1).unwrap();
    let stored = run::read(&dir("half"), Depth::Whole).unwrap();
    let ids: Vec<u32> = stored.records.iter().map(|record| record.index).collect();
    assert_eq!(ids, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert!(dir("half").join("records-earlier.jsonl").exists());
}

/// A process can end between any two steps of growing, and in the middle of what follows.
#[test]
fn a_run_that_is_killed_while_it_grows_resumes() {
    let root = tempfile::tempdir().unwrap();
    let dir = |name: &str| root.path().join(name);
    let spec = small(cohen(0.5));
    let half = half(&spec);
    certify(&dir("whole"), &spec, Shard::WHOLE, 64, 1).unwrap();
    certify(&dir("half"), &half, Shard::WHOLE, 64, 1).unwrap();
    let (whole, kept) = (records(&dir("whole")), records(&dir("half")));
    let copy = |from: &str, to: &str, file: &str, name: &str| {
        fs::create_dir_all(dir(to)).unwrap();
        fs::copy(dir(from).join(file), dir(to).join(name)).unwrap();
    };
    // which spec, which records and timings are there, and what is kept aside
    let own =
        [("records-0-of-1.jsonl", "records-0-of-1.jsonl"), ("timing-0-of-1.jsonl", "timing-0-of-1.jsonl")];
    let aside =
        [("timing-0-of-1.jsonl", "timing-earlier.jsonl"), ("records-0-of-1.jsonl", "records-earlier.jsonl")];
    let states = [
        ("half", vec![own[0], own[1], aside[0]]),
        ("half", vec![own[0], own[1], aside[0], aside[1]]),
        ("half", vec![own[1], aside[0], aside[1]]),
        ("half", vec![aside[0], aside[1]]),
        ("whole", vec![aside[0], aside[1]]),
    ];
    for (number, (of, files)) in states.iter().enumerate() {
        for (goal, expected) in [(&spec, &whole), (&half, &kept)] {
            if *of == "whole" && *goal == half {
                continue;
            }
            let name = format!("{number}-{}", expected.len());
            copy(of, &name, "spec.json", "spec.json");
            for (file, to) in files {
                copy("half", &name, file, to);
            }
            assert_eq!(run::read(&dir(&name), Depth::Whole).unwrap().records.len(), 5, "{name}");
            certify(&dir(&name), goal, Shard::WHOLE, 64, 1).unwrap();
            assert_eq!(
                (&records(&dir(&name)), names(&dir(&name))),
                (expected, names(&dir("whole"))),
                "{name}"
            );
        }
    }
    // in the middle of the file that is written anew
    for cut in [0, 1, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
        let name = format!("cut-{cut}");
        copy("whole", &name, "spec.json", "spec.json");
        for (file, to) in aside {
            copy("half", &name, file, to);
        }
        fs::write(dir(&name).join("records-0-of-1.jsonl"), &whole[..cut]).unwrap();
        certify(&dir(&name), &spec, Shard::WHOLE, 64, 1).unwrap();
        assert_eq!((&records(&dir(&name)), names(&dir(&name))), (&whole, names(&dir("whole"))), "{name}");
    }
}

#[test]
fn a_run_does_not_shrink_or_grow_while_it_is_written_or_with_a_bank() {
    let root = tempfile::tempdir().unwrap();
    let spec = small(cohen(0.5));
    certify(root.path(), &spec, Shard::WHOLE, 64, 1).unwrap();
    let before = names(root.path());
    let refused = |spec: &Spec| certify(root.path(), spec, Shard::WHOLE, 64, 1).unwrap_err().to_string();
    let smaller = refused(&half(&spec));
    let words = "this run has 10 inputs, and 5 of them are not among the 5 that you ask for; a run can take more inputs, \
                 but not lose any; ask for the same inputs";
    assert!(smaller.contains(words), "{smaller}");
    let other_seed = refused(&half(&spec).seeded(1));
    assert!(other_seed.contains("seed 9, you asked for 1"), "{other_seed}");
    assert_eq!(names(root.path()), before);

    let other = tempfile::tempdir().unwrap();
    let open = |spec: &Spec| Run::open(other.path(), spec, Shard::WHOLE);
    let writing = open(&half(&spec)).unwrap();
    let error = open(&spec).err().unwrap().to_string();
    assert!(error.contains("another qcrs is writing here"), "{error}");
    drop(writing);
    assert_eq!(open(&spec).unwrap().todo().len(), 10);

    let banked = tempfile::tempdir().unwrap();
    let open = |spec: &Spec| Run::open(banked.path(), &spec.clone().with_bank("b".into()), Shard::WHOLE);
    drop(open(&half(&spec)).unwrap());
    let error = open(&spec).err().unwrap().to_string();
    assert!(error.contains("the answers of a memory bank depend on their order"), "{error}");
}
