//! What is read back is checked: against its votes, in a second or two, and against the images.

mod common;

use common::{DIM, alpha, budget, cohen, every_method, spec};
use qcrs::certify::Verdict;
use qcrs::data::{Example, pixel_hash};
use qcrs::method::{AnyMethod, Slow};
use qcrs::noise::NoiseKind;
use qcrs::run::{self, Checked, Depth, Finding, Record, Run, Shard, Spec, Stored};
use qcrs::sample::MonteCarlo;
use qcrs::testing::HalfSpace;
use qcrs::types::Error;
use std::path::Path;

const INPUTS: u32 = 10;

fn small(search: AnyMethod) -> Spec {
    spec(search, budget(20, 200, alpha(0.01)), INPUTS)
}

fn example(index: u32) -> Example {
    let mut pixels = vec![0.0; DIM];
    pixels[0] = index as f32 * 0.1 - 0.4;
    Example::new(pixels, Some(usize::from(index > 4)))
}

fn certify(dir: &Path, spec: &Spec, change: impl Fn(u32, &mut Example) + Sync) -> Result<(), Error> {
    let inputs = |index| {
        let mut example = example(index);
        change(index, &mut example);
        Ok(example)
    };
    let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 64).under(NoiseKind::Float);
    Run::open(dir, spec, Shard::WHOLE)?.certify(&sampler, &inputs, 2, |_, _| Ok(None))
}

/// Sets the radius of a record that has one.
fn forge(record: &mut Record) {
    let Finding::Outcome(outcome) = &mut record.finding else { panic!("{record:?}") };
    let Verdict::Certified { radius, .. } = &mut outcome.verdict else { panic!("{outcome:?}") };
    *radius = 3.0;
}

#[test]
fn a_run_is_resumed_on_its_own_images_only() {
    type Change = fn(u32, &mut Example);
    let root = tempfile::tempdir().unwrap();
    let spec = small(cohen(0.5));
    certify(root.path(), &spec, |_, _| {}).unwrap();
    let changes: [(&str, Change); 3] = [
        ("input 3: the record is about another image than the data have", |index, example| {
            if index == 3 {
                example.pixels[5] = 1.0 / 255.0;
            }
        }),
        ("input 0: the record is about another image", |_, example| example.pixels[1] = -0.0),
        ("input 8: the record says class 1, the data class 0", |index, example| {
            if index == 8 {
                example.label = Some(0);
            }
        }),
    ];
    for (words, change) in changes {
        let error = certify(root.path(), &spec, change).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    certify(root.path(), &spec, |_, _| {}).unwrap();
}

#[test]
fn records_name_their_pixels() {
    let root = tempfile::tempdir().unwrap();
    certify(root.path(), &small(cohen(0.5)), |_, _| {}).unwrap();
    for record in run::read(root.path(), Depth::Whole).unwrap().records {
        assert_eq!(record.pixels, Some(pixel_hash(&example(record.index).pixels)));
    }
}

#[test]
fn readers_look_as_deep_as_they_say() {
    for (what, search) in every_method() {
        let root = tempfile::tempdir().unwrap();
        let slow = search.facts().slow;
        certify(root.path(), &small(search), |_, _| {}).unwrap();
        let read = |depth| run::read(root.path(), depth);
        let [quick, verdicts, whole] =
            [Depth::Quick, Depth::Verdicts, Depth::Whole].map(|depth| read(depth).unwrap().checked);
        assert_eq!(whole, Checked::Whole, "{what}");
        let replayed = if matches!(slow, Slow::Search(_)) { Checked::Verdicts } else { Checked::Whole };
        assert_eq!(verdicts, replayed, "{what}");
        match quick {
            Checked::NotVerified(why) => {
                assert!(slow == Slow::Radii && why.contains("qcrs verify"), "{what}: {why}");
            }
            quick => assert_eq!(quick, verdicts, "{what}"),
        }
        let path = root.path().join("records-0-of-1.jsonl");
        let mut records = read(Depth::Whole).unwrap().records;
        forge(&mut records[9]);
        let lines: Vec<String> =
            records.iter().map(|record| serde_json::to_string(record).unwrap() + "\n").collect();
        std::fs::write(path, lines.concat()).unwrap();
        for depth in [Depth::Quick, Depth::Verdicts, Depth::Whole] {
            match read(depth) {
                Ok(stored) => {
                    assert!(slow == Slow::Radii && depth == Depth::Quick, "{what}: {:?}", stored.checked);
                }
                Err(error) => {
                    let (error, dir) = (error.to_string(), root.path().display());
                    assert!(error.starts_with(&format!("{dir}: input 9: the votes say")), "{what}: {error}");
                }
            }
        }
    }
}

#[test]
fn of_many_bad_records_the_first_is_named() {
    let root = tempfile::tempdir().unwrap();
    let mut spec = small(cohen(0.5));
    certify(root.path(), &spec, |_, _| {}).unwrap();
    let mut stored = run::read(root.path(), Depth::Whole).unwrap();
    forge(&mut stored.records[9]);
    let bad = stored.records[9].clone();
    (spec.selection.of, spec.seed) = (5000, 1);
    let records = (0..5000)
        .map(|index| Record { index, ..if index < 1234 { stored.records[8].clone() } else { bad.clone() } });
    let many = Stored { records: records.collect(), spec, ..stored };
    for _ in 0..20 {
        let error = run::verify(&many).unwrap_err().to_string();
        assert!(error.starts_with("input 1234: "), "{error}");
    }
}
