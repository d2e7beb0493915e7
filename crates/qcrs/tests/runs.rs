//! Runs survive being stopped, cut up and interfered with, and always give the same bytes.

mod common;
#[path = "common/small_run.rs"]
mod small_run;

use common::{DIM, cohen, every_method, sigma};
use qcrs::certify::{Outcome, decide};
use qcrs::data::Example;
use qcrs::method::Look;
use qcrs::noise::{Draws, NoiseKind, Phase, Stream};
use qcrs::run::{self, Ball, BankReason, Depth, FromBank, Record, Run, Shard, Spec};
use qcrs::sample::{Classifier, MonteCarlo, SampleUnderNoise, Smoothed, Votes};
use qcrs::testing::HalfSpace;
use qcrs::types::Error;
use small_run::{INPUTS, certify, input, records, small};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

#[test]
fn a_stopped_or_sharded_run_gives_the_same_bytes() {
    for (what, search) in every_method() {
        let root = tempfile::tempdir().unwrap();
        let dir = |name: &str| root.path().join(name);
        let spec = small(search);

        certify(&dir("whole"), &spec, Shard::WHOLE, 64, 1).unwrap();
        let whole = records(&dir("whole"));
        assert_eq!(whole.lines().count(), INPUTS as usize);

        // another batch size, more inputs under way, another pool
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        pool.install(|| certify(&dir("other"), &spec, Shard::WHOLE, 7, 4)).unwrap();
        assert_eq!(whole, records(&dir("other")), "{what}");

        // killed at any byte of the records file, then run again
        for cut in [0, 1, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
            let torn = dir(&format!("torn-{cut}"));
            certify(&torn, &spec, Shard::WHOLE, 64, 2).unwrap();
            fs::write(torn.join("records-0-of-1.jsonl"), &whole[..cut]).unwrap();
            certify(&torn, &spec, Shard::WHOLE, 64, 2).unwrap();
            assert_eq!(whole, records(&torn), "{what}, cut at {cut}");
        }

        // in three shards, of which two share a directory
        for part in 0..3 {
            let shard = Shard::new(part, 3).unwrap();
            certify(&dir(if part == 1 { "b" } else { "a" }), &spec, shard, 64, 2).unwrap();
        }
        run::merge(&[dir("a"), dir("b")], &dir("merged")).unwrap();
        assert_eq!(whole, records(&dir("merged")), "{what}");
    }
}

/// What one shard has read of the other must not replace what the other writes later.
#[test]
fn of_shards_that_end_together_the_last_writes_what_both_have() {
    let root = tempfile::tempdir().unwrap();
    let (dir, spec) = (root.path(), small(cohen(0.5)));
    let shards = [0, 1].map(|part| Shard::new(part, 2).unwrap());
    let runs = shards.map(|shard| Run::open(dir, &spec, shard).unwrap());
    let held = fs::OpenOptions::new().append(true).open(dir.join("spec.json")).unwrap();
    held.lock().unwrap();
    let lines = |file: &str| fs::read_to_string(dir.join(file)).map_or(0, |text| text.lines().count());
    std::thread::scope(|scope| {
        let ends = runs.map(|mut run| {
            scope.spawn(move || {
                let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 64).under(NoiseKind::Float);
                run.certify(&sampler, &input, 1, |_, _| Ok(None))
            })
        });
        while lines("records-0-of-2.jsonl") + lines("records-1-of-2.jsonl") < INPUTS as usize {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(300));
        assert!(ends.iter().all(|end| !end.is_finished()), "they do not wait for each other");
        drop(held);
        for end in ends {
            end.join().unwrap().unwrap();
        }
    });
    assert_eq!(lines("results.tsv"), 1 + INPUTS as usize);
}

#[test]
fn every_run_follows_from_its_votes_until_one_is_changed() {
    for (what, search) in every_method() {
        let root = tempfile::tempdir().unwrap();
        let spec = small(search);
        let budget = spec.budget;
        certify(root.path(), &spec, Shard::WHOLE, 64, 1).unwrap();
        let mut stored = run::read(root.path(), Depth::Whole).unwrap();
        run::verify(&stored).unwrap_or_else(|error| panic!("{what}: {error}"));
        let mut after = |change: &dyn Fn(&mut Outcome)| {
            let before = stored.records[7].clone();
            let run::Finding::Outcome(outcome) = &mut stored.records[7].finding else { panic!("{what}") };
            change(outcome);
            let error = run::verify(&stored).unwrap_err().to_string();
            stored.records[7] = before;
            error
        };
        let moved = |outcome: &mut Outcome| {
            for estimate in &mut outcome.estimates {
                let (class, votes) = (estimate.class, &estimate.votes);
                let other =
                    votes.ranked().iter().map(|(other, _)| *other).find(|other| *other != class).unwrap();
                estimate.votes = Votes::from_iter([
                    (class, votes.of(class) + 1),
                    (other, votes.total() - votes.of(class) - 1),
                ]);
            }
        };
        let error = after(&moved);
        assert!(error.starts_with("input 7: "), "{what}: {error}");
        assert!(
            error.contains("the votes say") || what == "dsrs" && error.contains("looks lead to"),
            "{what}: {error}"
        );
        let elsewhere = |outcome: &mut Outcome| {
            let old = outcome.estimates[0].sigma();
            outcome.estimates[0].smoothed = Smoothed::gaussian(sigma(1.01 * old.get()));
            outcome.verdict = decide(&outcome.estimates, &budget).unwrap();
        };
        assert!(
            after(&elsewhere).contains("the certificates are not those that its looks lead to"),
            "{what}"
        );
        let looked = |outcome: &mut Outcome| {
            outcome.looks.push(Look::new(Smoothed::gaussian(sigma(0.5)), Votes::from_iter([(1, 10)])));
        };
        // where draws of their own name the class, the look stands in their place
        let named = spec.method.facts().names_the_class;
        let words =
            if named { "there are votes that the spec does not ask for" } else { "where the spec asks for" };
        let error = after(&looked);
        assert!(error.contains(words), "{what}: {error}");
        if what == "probe" {
            let bent = |outcome: &mut Outcome| outcome.posterior.as_mut().unwrap().mean[0] += 0.1;
            assert!(after(&bent).contains("the curve is not the one that its looks lead to"), "{what}");
        }
    }
}

#[test]
fn another_spec_is_refused_with_the_difference_named() {
    let root = tempfile::tempdir().unwrap();
    let spec = small(cohen(0.5));
    certify(root.path(), &spec, Shard::WHOLE, 64, 1).unwrap();
    let refusals = [
        (
            Spec { seed: 8, ..spec.clone() },
            "spec.json: this run used seed 9, you asked for 8; use another directory, or ask for the same",
        ),
        // nobody can ask for what another version does
        (
            Spec { qcrs: "99.0.0".into(), ..spec.clone() },
            "; use another directory, or resume it with qcrs {}",
        ),
    ];
    for (other, want) in refusals {
        let message = certify(root.path(), &other, Shard::WHOLE, 64, 1).unwrap_err().to_string();
        assert!(message.ends_with(&want.replace("{}", &spec.qcrs)), "{message}");
    }
}

#[test]
fn a_directory_that_was_tampered_with_is_refused() {
    type Harm = fn(&Path);
    let spec = small(cohen(0.5));
    let harms: [(&str, Harm); 4] = [
        ("line 3 is damaged", |dir| edit(dir, |lines| lines[2] = "{}".into())),
        ("line 2 is about input 2", |dir| edit(dir, |lines| drop(lines.remove(1)))),
        ("another number of shards", |dir| {
            fs::rename(dir.join("records-0-of-1.jsonl"), dir.join("records-0-of-2.jsonl")).unwrap();
        }),
        ("records without a spec.json", |dir| fs::remove_file(dir.join("spec.json")).unwrap()),
    ];
    for (want, harm) in harms {
        let root = tempfile::tempdir().unwrap();
        certify(root.path(), &spec, Shard::WHOLE, 64, 1).unwrap();
        harm(root.path());
        let message = certify(root.path(), &spec, Shard::WHOLE, 64, 1).unwrap_err().to_string();
        assert!(message.contains(want), "{message}");
    }
}

fn edit(dir: &Path, change: impl FnOnce(&mut Vec<String>)) {
    let mut lines: Vec<String> = records(dir).lines().map(str::to_owned).collect();
    change(&mut lines);
    fs::write(dir.join("records-0-of-1.jsonl"), lines.join("\n") + "\n").unwrap();
}

#[test]
fn two_writers_never_share_a_shard() {
    let root = tempfile::tempdir().unwrap();
    let spec = small(cohen(0.5));
    let first = Run::open(root.path(), &spec, Shard::WHOLE).unwrap();
    let message = Run::open(root.path(), &spec, Shard::WHOLE).err().unwrap().to_string();
    assert!(message.contains("another qcrs is writing here"), "{message}");
    drop(first);
    assert!(Run::open(root.path(), &spec, Shard::WHOLE).is_ok());
}

/// A classifier that fails on one input of the run.
struct Broken {
    at: f32,
    with: fn() -> Result<f32, Error>,
}

impl Classifier for Broken {
    fn input_len(&self) -> usize {
        2
    }
    fn num_classes(&self) -> usize {
        2
    }
    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
        for (x, row) in batch.chunks(2).zip(out.chunks_mut(2)) {
            let score = if (x[1] - self.at).abs() < 0.4 { (self.with)()? } else { x[0] };
            row.copy_from_slice(&[0.0, score]);
        }
        Ok(())
    }
}

/// Input 3 stands far out on the second axis, where the classifier is broken.
#[allow(clippy::unnecessary_wraps)] // the shape that a run asks for
fn input_with_a_trap(index: u32) -> Result<Example, Error> {
    Ok(Example::new(vec![1.0, if index == 3 { 100.0 } else { 0.0 }], Some(1)))
}

#[test]
fn what_cannot_be_computed_is_recorded_and_never_votes() {
    let nan = Broken { at: 100.0, with: || Ok(f32::NAN) };
    let infinite = Broken { at: 100.0, with: || Ok(f32::INFINITY) };
    let series = Broken { at: 100.0, with: || Err(Error::NotConverged("a series")) };
    for (broken, words) in
        [(nan, "class 1 scored NaN"), (infinite, "class 1 scored inf"), (series, "a series did not converge")]
    {
        let root = tempfile::tempdir().unwrap();
        let sampler = MonteCarlo::new(&broken, 16).under(NoiseKind::Float);
        let mut run = Run::open(root.path(), &small(cohen(0.1)), Shard::WHOLE).unwrap();
        run.certify(&sampler, &input_with_a_trap, 2, |_, _| Ok(None)).unwrap();
        let text = records(root.path());
        let line = text.lines().nth(3).unwrap();
        assert!(line.contains(r#"{"failed":{"error":""#) && line.contains(words), "{line}");
        assert!(!line.contains("verdict"), "{line}");
        assert_eq!(text.lines().count(), INPUTS as usize);
    }
}

/// An engine that writes too little must not vote with the scores of the batch before.
#[test]
fn scores_that_were_not_written_are_no_votes() {
    struct Lazy(AtomicBool);
    impl Classifier for Lazy {
        fn input_len(&self) -> usize {
            1
        }
        fn num_classes(&self) -> usize {
            2
        }
        fn logits(&self, _: &[f32], out: &mut [f32]) -> Result<(), Error> {
            let all = !self.0.swap(true, Relaxed);
            out.chunks_mut(2)
                .take(if all { usize::MAX } else { 1 })
                .for_each(|row| row.copy_from_slice(&[0.0, 1.0]));
            Ok(())
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let lazy = Lazy(AtomicBool::new(false));
    let sampler = MonteCarlo::new(&lazy, 16).under(NoiseKind::Float);
    let stream = Stream { seed: 0, input: 0, phase: Phase::Estimate };
    let ask =
        || sampler.sample_under_noise(&[0.0], Smoothed::gaussian(sigma(0.5)), &Draws::first(64, stream));
    let found = pool.install(ask);
    assert!(matches!(found, Err(Error::NotFinite { draw: 17, .. })), "{found:?}");
}

#[test]
fn an_engine_error_stops_the_run_and_loses_nothing() {
    let root = tempfile::tempdir().unwrap();
    let spec = small(cohen(0.1));
    let broken = Broken { at: 100.0, with: || Err(Error::Engine("out of memory".into())) };
    let sampler = MonteCarlo::new(&broken, 16).under(NoiseKind::Float);
    let mut run = Run::open(root.path(), &spec, Shard::WHOLE).unwrap();
    let message = run.certify(&sampler, &input_with_a_trap, 2, |_, _| Ok(None)).unwrap_err().to_string();
    assert_eq!(message, "input 3: engine: out of memory");
    assert_eq!(records(root.path()).lines().count(), 3);
    drop(run);
    let well = Broken { at: 100.0, with: || Ok(1.0) };
    let mut run = Run::open(root.path(), &spec, Shard::WHOLE).unwrap();
    run.certify(&MonteCarlo::new(&well, 16).under(NoiseKind::Float), &input_with_a_trap, 2, |_, _| Ok(None))
        .unwrap();
    assert_eq!(records(root.path()).lines().count(), INPUTS as usize);
}

#[test]
fn a_stopped_sampler_interrupts_the_run() {
    let root = tempfile::tempdir().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let sampler =
        MonteCarlo::new(&HalfSpace { dim: DIM }, 16).under(NoiseKind::Float).until(Arc::clone(&stop));
    let mut run = Run::open(root.path(), &small(cohen(0.5)), Shard::WHOLE).unwrap();
    let mut seen = 0;
    let result = run.certify(&sampler, &input, 2, |_, _| {
        seen += 1;
        if seen == 4 {
            stop.store(true, Relaxed);
        }
        Ok(None)
    });
    assert!(matches!(result, Err(Error::Interrupted)), "{result:?}");
    let kept = records(root.path()).lines().count();
    assert!((4..INPUTS as usize).contains(&kept), "{kept} records");
}

/// A bank sees the image of each record and may add its answer, but only one that the votes allow.
#[test]
fn a_bank_may_not_say_what_the_votes_do_not_allow() {
    let root = tempfile::tempdir().unwrap();
    let mut spec = small(cohen(0.5));
    spec.bank = Some("bank".into());
    spec.guarantee = spec.promise();
    let certify = |dir: &str, answer: &dyn Fn(&Record) -> Option<FromBank>| {
        let dir = root.path().join(dir);
        let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 16).under(NoiseKind::Float);
        let result = Run::open(&dir, &spec, Shard::WHOLE)?.certify(&sampler, &input, 2, |record, pixels| {
            assert_eq!(pixels, input(record.index)?.pixels);
            Ok(answer(record))
        });
        assert_eq!(records(&dir).lines().count(), if result.is_ok() { INPUTS as usize } else { 0 });
        result
    };
    let as_certified = |record: &Record| {
        let why = if record.own().is_some() { BankReason::AsCertified } else { BankReason::NoCertificate };
        Some(FromBank { ball: record.own(), why })
    };
    certify("good", &as_certified).unwrap();
    let wider = |record: &Record| {
        let ball = record.own().map(|own| Ball { radius: 2.0 * own.radius, ..own });
        as_certified(record).map(|answer| FromBank { ball, ..answer })
    };
    for error in [certify("wider", &wider), certify("forgotten", &|_| None)] {
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("input 0: the answer of the bank is not one"), "{error}");
    }
}

/// What the worker took never comes; the others must not wait for it.
#[test]
fn a_panic_ends_the_run() {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let root = tempfile::tempdir().unwrap();
        let input = |index| if index == 1 { panic!("a decoder gives up") } else { input(index) };
        let mut run = Run::open(root.path(), &small(cohen(0.5)), Shard::WHOLE).unwrap();
        let certify = || {
            run.certify(
                &MonteCarlo::new(&HalfSpace { dim: DIM }, 16).under(NoiseKind::Float),
                &input,
                2,
                |_, _| Ok(None),
            )
        };
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(certify));
        send.send(ended.is_err()).unwrap();
    });
    let panicked = receive.recv_timeout(std::time::Duration::from_secs(30));
    assert_eq!(panicked, Ok(true), "the run hangs, or passes a panic over");
}

/// What a cluster does: workers make records, one process appends them.
#[test]
fn records_made_elsewhere_give_the_same_bytes() {
    for (what, search) in every_method() {
        let root = tempfile::tempdir().unwrap();
        let [here, there] = ["here", "there"].map(|name| root.path().join(name));
        let spec = small(search);
        certify(&here, &spec, Shard::WHOLE, 64, 2).unwrap();

        let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 32).under(NoiseKind::Float);
        let made = |index| run::record(&spec, &sampler, &input, index).unwrap();
        let mut run = Run::open(&there, &spec, Shard::WHOLE).unwrap();
        assert_eq!(run.todo(), (0..INPUTS).collect::<Vec<_>>());
        let refused = |run: &mut Run, record| run.append(record, 1.0).unwrap_err().to_string();
        assert!(refused(&mut run, made(1)).contains("out of order"), "{what}");
        let nameless = run::Record { pixels: None, ..made(0) };
        assert!(refused(&mut run, nameless).contains("does not name its pixels"), "{what}");
        // a record of other votes
        let other = Spec { seed: spec.seed + 1, ..spec.clone() };
        let mut forged = run::record(&other, &sampler, &input, 0).unwrap();
        if let run::Finding::Outcome(outcome) = &mut forged.finding {
            outcome.verdict = qcrs::certify::Verdict::Certified {
                class: 0,
                radius: 3.0,
                sigma: sigma(0.5),
                p_lower: 0.99,
                p_upper: None,
            };
        }
        assert!(run.append(forged, 1.0).is_err(), "{what}");
        for index in 0..INPUTS {
            if index == 4 {
                // a driver that was killed begins again where it was
                drop(run);
                run = Run::open(&there, &spec, Shard::WHOLE).unwrap();
                assert_eq!(run.todo()[0], 4);
            }
            run.append(made(index), 1.0).unwrap();
        }
        assert!(run.todo().is_empty());
        assert!(refused(&mut run, made(9)).contains("complete"), "{what}");
        run.finish().unwrap();
        assert_eq!(records(&here), records(&there), "{what}");
        assert!(there.join("results.tsv").exists());
    }
}
