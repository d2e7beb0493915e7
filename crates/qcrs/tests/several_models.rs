//! A run may ask several models: the spec lists them, records name them, and verification holds them to it.

mod common;

use common::{DIM, alpha, budget, sigma, spec};
use qcrs::Settings;
use qcrs::certify::Outcome;
use qcrs::data::Example;
use qcrs::method::AnyMethod;
use qcrs::noise::NoiseKind;
use qcrs::run::{self, Depth, Finding, ModelSpec, Models, Run, Shard, Spec};
use qcrs::sample::{Classifier, MonteCarlo, Voter, Votes};
use qcrs::testing::HalfSpace;
use qcrs::types::Error;
use std::path::Path;

const TOLD: [f64; 2] = [0.9, 0.2];

/// The half space with another border: `shift` to the left.
struct Shifted(f32);

impl Classifier for Shifted {
    fn input_len(&self) -> usize {
        DIM
    }
    fn num_classes(&self) -> usize {
        2
    }
    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
        for (x, row) in batch.chunks_exact(DIM).zip(out.chunks_exact_mut(2)) {
            row.copy_from_slice(&[0.0, x[0] + self.0]);
        }
        Ok(())
    }
}

fn grid() -> AnyMethod {
    let settings = Settings::new().with("method", "grid").with("sigma", 0.5).with("points", 5);
    (*settings.with("gradient_n", 40).method(None).unwrap()).clone()
}

/// A spec with two models, each told its σ, and perhaps the confidence that votes need.
fn two(confidence: Option<f64>) -> Spec {
    let one = spec(grid(), budget(20, 200, alpha(0.01)), 6);
    let models = TOLD.map(|told| ModelSpec {
        name: format!("told-{told}"),
        told: Some(sigma(told)),
        confidence,
        ..one.models.first().clone()
    });
    Spec { models: Models::new(models.to_vec()).unwrap(), ..one }
}

#[allow(clippy::unnecessary_wraps)] // the shape that a run asks for
fn input(index: u32) -> Result<Example, Error> {
    let mut pixels = vec![0.0; DIM];
    pixels[0] = 0.2 + index as f32 * 0.1;
    Ok(Example::new(pixels, Some(1)))
}

fn certify(dir: &Path, spec: &Spec, confidence: Option<f64>, shard: Shard) {
    let (wide, narrow) = (HalfSpace { dim: DIM }, Shifted(0.1));
    let classifiers: [&dyn Classifier; 2] = [&wide, &narrow];
    let voter = |(classifier, told)| Voter { told: Some(sigma(told)), confidence, ..Voter::new(classifier) };
    let voters = classifiers.into_iter().zip(TOLD).map(voter).collect();
    let sampler = MonteCarlo::among(voters, 16).unwrap().under(NoiseKind::Float);
    let mut run = Run::open(dir, spec, shard).unwrap();
    run.certify(&sampler, &input, 2, |_, _| Ok(None)).unwrap();
}

fn outcomes(dir: &Path) -> Vec<Outcome> {
    let records = run::read(dir, Depth::Whole).unwrap().records;
    let outcome = |record: run::Record| match record.finding {
        Finding::Outcome(outcome) => outcome,
        Finding::Failed { error } => panic!("{error}"),
    };
    records.into_iter().map(outcome).collect()
}

#[test]
fn each_sigma_is_asked_of_the_model_that_was_told_the_nearest() {
    let root = tempfile::tempdir().unwrap();
    certify(root.path(), &two(None), None, Shard::WHOLE);
    let border = (TOLD[0] * TOLD[1]).sqrt();
    let mut asked = [0, 0];
    for look in outcomes(root.path()).iter().flat_map(|outcome| &outcome.looks) {
        assert_eq!(look.smoothed.model, u32::from(look.sigma().get() < border), "{look:?}");
        asked[look.smoothed.model as usize] += 1;
    }
    assert!(asked.iter().all(|count| *count > 5), "{asked:?}");
}

#[test]
fn shards_and_one_process_give_the_same_bytes() {
    let root = tempfile::tempdir().unwrap();
    let dir = |name: &str| root.path().join(name);
    certify(&dir("whole"), &two(Some(0.6)), Some(0.6), Shard::WHOLE);
    for part in 0..2 {
        certify(&dir("parts"), &two(Some(0.6)), Some(0.6), Shard::new(part, 2).unwrap());
    }
    run::merge(&[dir("parts")], &dir("merged")).unwrap();
    let bytes = |name: &str| std::fs::read(dir(name).join("records-0-of-1.jsonl")).unwrap();
    assert_eq!(bytes("whole"), bytes("merged"));
    let rejected: u64 =
        outcomes(&dir("whole")).iter().map(|outcome| outcome.estimates[0].votes.rejected()).sum();
    assert!(rejected > 0);
}

/// What a run with these models, altered in one place, is refused for.
fn refused(confidence: Option<f64>, alter: impl Fn(&mut Outcome)) -> String {
    let root = tempfile::tempdir().unwrap();
    let spec = two(confidence);
    certify(root.path(), &spec, confidence, Shard::WHOLE);
    let mut stored = run::read(root.path(), Depth::Whole).unwrap();
    let Finding::Outcome(outcome) = &mut stored.records[3].finding else { panic!("an outcome") };
    alter(outcome);
    run::verify(&stored).unwrap_err().to_string()
}

#[test]
fn records_that_name_other_models_are_refused() {
    let error = refused(None, |outcome| outcome.estimates[0].smoothed.model ^= 1);
    assert!(error.contains("the certificates are not those that its looks lead to"), "{error}");
    let error = refused(None, |outcome| outcome.looks[2].smoothed.model ^= 1);
    assert!(error.contains("where the spec asks for"), "{error}");
    let error = refused(None, |outcome| outcome.looks[0].smoothed.model = 2);
    assert!(error.contains("model 2 voted, which the spec does not have"), "{error}");
}

#[test]
fn rejected_copies_count_only_where_the_spec_asks_for_confidence() {
    let reject = |outcome: &mut Outcome| {
        let votes = &outcome.estimates[0].votes;
        let class = outcome.estimates[0].class;
        outcome.estimates[0].votes = Votes::from_iter([(class, votes.total() - 1)]).rejecting(1);
    };
    let error = refused(None, reject);
    assert!(error.contains("rejected copies without being asked to"), "{error}");
    let error = refused(Some(0.6), reject);
    assert!(error.contains("the votes say"), "{error}");
}
