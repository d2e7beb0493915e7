//! Can a caller, a method of one's own or a forged file make the core panic, mislabel or forget something?

mod common;

use common::{DIM, alpha, budget, cohen, every_method, input, sigma, spec};
use qcrs::certify::{Estimate, Verdict, certify};
use qcrs::data::Example;
use qcrs::method::{AnyMethod, Ddrs, Dsrs, InstaRs, Look, Plan, PlanCertificate, Probe, Scout, Sides};
use qcrs::noise::{GeneralizedGaussian, Noise, NoiseKind};
use qcrs::run::{self, Depth, Finding, ModelSpec, Models, Run, Shard, Spec};
use qcrs::sample::{Classifier, MonteCarlo, Smoothed, Voter, Votes, from_fn};
use qcrs::testing::HalfSpace;
use qcrs::types::Error;
use qcrs::{Certifier, Method, Seed, Settings};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// A plan made by a closure.
struct Planned<F>(F);

impl<F: Fn(&mut Scout<'_>) -> Result<Plan, Error> + Send + Sync> PlanCertificate for Planned<F> {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        (self.0)(scout)
    }
}

fn gaussian(value: f64) -> Smoothed {
    Smoothed::gaussian(sigma(value))
}

/// Generalized Gaussian noise for inputs of so many values.
fn generalized(dim: usize) -> Smoothed {
    let k = dim as u32 / 2 - 6;
    Noise::GeneralizedGaussian(GeneralizedGaussian::new(sigma(0.5), k, dim).unwrap()).into()
}

#[test]
fn a_law_for_other_inputs_is_an_error_wherever_it_is_asked() {
    let sampler = MonteCarlo::new(&HalfSpace { dim: 2 }, 16).under(NoiseKind::Float);
    let budget = budget(10, 100, alpha(0.01));
    let select = Planned(|_: &mut Scout<'_>| Plan::best_of(vec![gaussian(0.5)], generalized(DIM)));
    let look = Planned(|scout: &mut Scout<'_>| {
        scout.look_at(generalized(DIM), 10)?;
        Ok(Plan::Nothing)
    });
    let methods: [&dyn PlanCertificate; 2] = [&select, &look];
    for method in methods {
        let error = certify(method, &budget, &sampler, &input(&[0.5, 0.5], 1)).unwrap_err().to_string();
        assert!(error.contains("made for inputs of 64 values, and the input has 2"), "{error}");
    }
}

#[test]
fn a_classifier_without_inputs_or_classes_is_refused() {
    for (values, classes) in [(0, 2), (2, 0)] {
        let empty = from_fn(values, classes, |_: &[f32], _: &mut [f32]| Ok(()));
        let certifier = Certifier::new(empty, Method::cohen(sigma(0.25)));
        let x = vec![0.5; values];
        let error = certifier.certify(&x, Seed::chosen(1)).unwrap_err().to_string();
        assert!(error.contains("at least one"), "{values} and {classes}: {error}");
    }
}

#[test]
fn candidates_with_too_many_draws_are_refused_before_any_is_drawn() {
    let sampler = MonteCarlo::new(&HalfSpace { dim: 1 }, 1024).under(NoiseKind::Float);
    let many = Planned(|_: &mut Scout<'_>| Plan::best_of(vec![gaussian(0.5); 5000], gaussian(0.5)));
    let budget = budget(10, 1_000_000, alpha(0.01));
    let error = certify(&many, &budget, &sampler, &input(&[0.5], 1)).unwrap_err().to_string();
    assert!(error.contains("5000 certificates of 1000000 draws are too many"), "{error}");
    assert_eq!(sampler.passes(), 0);
}

#[test]
fn a_plan_with_a_two_sided_bound_does_not_ask_about_one_radius() {
    let sampler = MonteCarlo::new(&HalfSpace { dim: 1 }, 64).under(NoiseKind::Float);
    let two = Planned(|_: &mut Scout<'_>| Ok(Plan::certify(gaussian(0.5)).by(Sides::Two).into()));
    let budget = budget(10, 1000, alpha(0.01)).asking_about(0.1).unwrap();
    let error = certify(&two, &budget, &sampler, &input(&[0.5], 1)).unwrap_err().to_string();
    assert!(error.contains("one radius") && error.contains("one-sided"), "{error}");
}

/// Never sure of anything.
fn unsure() -> impl Classifier + Send + 'static {
    from_fn(DIM, 2, |_: &[f32], out: &mut [f32]| {
        out.fill(0.0);
        Ok(())
    })
}

fn example(index: u32) -> Example {
    let mut pixels = vec![0.0; DIM];
    pixels[0] = index as f32 * 0.1 - 0.4;
    Example::new(pixels, Some(usize::from(index > 4)))
}

fn small(search: AnyMethod) -> Spec {
    spec(search, budget(20, 200, alpha(0.01)), 10)
}

/// A run must not end at an image for which the model is unsure: that is a fact about the image.
#[test]
fn an_input_whose_copies_are_all_rejected_gets_a_record() {
    let unsure = unsure();
    for (what, search) in every_method() {
        let root = tempfile::tempdir().unwrap();
        let mut spec = small(search);
        spec.selection.of = 2;
        let sure = ModelSpec { confidence: Some(0.9), ..spec.models.first().clone() };
        spec.models = Models::new(vec![sure]).unwrap();
        let voter = Voter { confidence: Some(0.9), ..Voter::new(&unsure) };
        let sampler = MonteCarlo::among(vec![voter], 64).unwrap().under(NoiseKind::Float);
        let mut open = Run::open(root.path(), &spec, Shard::WHOLE).unwrap();
        let ran = open.certify(&sampler, &|index| Ok(example(index)), 1, |_, _| Ok(None));
        ran.unwrap_or_else(|error| panic!("{what}: {error}"));
        let stored = run::read(root.path(), Depth::Whole).unwrap();
        assert_eq!(stored.records.len(), 2, "{what}");
        assert!(stored.records.iter().all(|record| record.certified().is_none()), "{what}");
    }
}

#[test]
fn dsrs_asks_the_model_that_was_told_the_nearest_sigma() {
    let half = HalfSpace { dim: DIM };
    let told = |value| Voter { told: Some(sigma(value)), ..Voter::new(&half) };
    let sampler = MonteCarlo::among(vec![told(1.0), told(0.5)], 64).unwrap().under(NoiseKind::Float);
    for second in ["0.8", "threshold", "none"] {
        let settings = Settings::new().with("method", "dsrs").with("sigma", 0.5).with("second", second);
        let method = settings.method(Some(DIM)).unwrap();
        let outcome =
            certify(&method, &budget(10, 100, alpha(0.01)), &sampler, &input(&example(9).pixels, 1)).unwrap();
        let asked = outcome.estimates.iter().map(|estimate| estimate.smoothed.model);
        let asked: Vec<u32> = asked.chain(outcome.selection.iter().map(|look| look.smoothed.model)).collect();
        assert!(asked.iter().all(|model| *model == 1), "{second}: {asked:?}");
    }
}

/// 2 × 4294967295 × 2147483649 is 2³² − 2 in 64 bits.
#[test]
fn passes_that_no_number_holds_are_too_many() {
    let region = [sigma(0.1), sigma(1.0)];
    let ascent = Ddrs { iterations: u32::MAX, draws: (1 << 31) + 1, ..Ddrs::sane(sigma(0.5), region) };
    let climbs = InstaRs { starts: vec![sigma(0.5); 3], ascent: ascent.clone() };
    for method in [AnyMethod::Ddrs(ascent), AnyMethod::InstaRs(climbs)] {
        let error = budget(10, 100, alpha(0.01)).suits(&method, None).unwrap_err().to_string();
        assert!(error.contains("are too many"), "{error}");
    }
    let never = Settings::new().with("method", "qcrs").with("sigma", 0.5).with("epsilon", 0);
    let error = never.check().unwrap_err().to_string();
    assert!(error.contains("epsilon: must be positive, got 0"), "{error}");
}

#[test]
fn a_certifier_does_not_ignore_the_passes_that_were_asked_for() {
    let settings = Settings::new().with("method", "probe").with("sigma", 0.25).with("passes", 3000);
    assert!(settings.check().is_ok());
    let error =
        Certifier::from_settings(HalfSpace { dim: 2 }, &settings).err().map(|error| error.to_string());
    assert!(error.as_ref().is_some_and(|error| error.starts_with("passes: ")), "{error:?}");
    let error = Settings::new().with("method", "probe").with("sigma", 0.25).with("passes", "many").check();
    assert!(error.unwrap_err().to_string().contains("passes: must be a whole number"));
}

#[test]
fn a_tally_is_read_in_one_way_only() {
    for forged in [r#"{"+3":5}"#, r#"{"03":5}"#, r#"{"3":5,"3":6}"#, r#"{"3":5,"03":6}"#, r#"{"3":0}"#] {
        assert!(serde_json::from_str::<Votes>(forged).is_err(), "{forged}");
    }
    assert!(serde_json::from_str::<Votes>(r#"{"rejected":1,"rejected":2}"#).is_err());
}

fn certify_in(dir: &Path, spec: &Spec) {
    let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 64).under(NoiseKind::Float);
    let mut open = Run::open(dir, spec, Shard::WHOLE).unwrap();
    open.certify(&sampler, &|index| Ok(example(index)), 2, |_, _| Ok(None)).unwrap();
}

fn probe() -> AnyMethod {
    AnyMethod::Probe(Probe::new(sigma(0.5), [sigma(0.12), sigma(1.7)], 1e-4))
}

/// Two looks of 2⁶³ votes each are none in 64 bits.
#[test]
fn looks_with_more_votes_than_a_number_holds_are_not_plausible() {
    let root = tempfile::tempdir().unwrap();
    certify_in(root.path(), &small(probe()));
    let mut records = run::read(root.path(), Depth::Whole).unwrap().records;
    let Finding::Outcome(outcome) = &mut records[9].finding else { panic!("it failed") };
    for look in outcome.looks.iter_mut().take(2) {
        look.votes = Votes::from_iter([(1, 1 << 63)]);
    }
    let lines: Vec<String> =
        records.iter().map(|record| serde_json::to_string(record).unwrap() + "\n").collect();
    std::fs::write(root.path().join("records-0-of-1.jsonl"), lines.concat()).unwrap();
    for depth in [Depth::Quick, Depth::Verdicts, Depth::Whole] {
        assert!(run::read(root.path(), depth).is_err(), "{depth:?}");
    }
}

/// JSON has no NaN: the line would be damaged, and the run could not be read any more.
#[test]
fn a_record_is_not_appended_with_a_time_that_cannot_be() {
    let made = tempfile::tempdir().unwrap();
    let spec = small(cohen(0.5));
    certify_in(made.path(), &spec);
    let record = run::read(made.path(), Depth::Whole).unwrap().records.swap_remove(0);
    let root = tempfile::tempdir().unwrap();
    let mut open = Run::open(root.path(), &spec, Shard::WHOLE).unwrap();
    for seconds in [f64::NAN, f64::INFINITY, -1.0] {
        let error = open.append(record.clone(), seconds).unwrap_err().to_string();
        assert!(error.contains("input 0: ") && error.contains(&seconds.to_string()), "{error}");
    }
    open.append(record, 0.5).unwrap();
    open.finish().unwrap();
    assert_eq!(run::read(root.path(), Depth::Whole).unwrap().timings.len(), 1);
}

/// A bank would remember "it is class 3" as class 1, and answer that to others.
#[test]
fn a_bank_does_not_remember_answers_to_questions_about_one_class() {
    let spec = small(cohen(0.5)).asking_whether(1).with_bank("bank".into());
    let error = spec.check().unwrap_err().to_string();
    assert!(error.starts_with("one_class: ") && error.contains("bank"), "{error}");
}

#[test]
fn a_question_about_a_class_that_the_models_do_not_have_is_refused() {
    let spec = small(cohen(0.5)).asking_whether(2);
    let error = spec.check().unwrap_err().to_string();
    assert!(error.starts_with("one_class: ") && error.contains("got 2"), "{error}");
    assert!(small(cohen(0.5)).asking_whether(1).check().is_ok());
}

#[test]
fn models_with_a_confidence_that_no_probability_has_are_refused() {
    let one = small(cohen(0.5)).models.first().clone();
    for confidence in [-0.1, 1.0, f64::NAN] {
        let error = Models::new(vec![ModelSpec { confidence: Some(confidence), ..one.clone() }]).unwrap_err();
        assert!(error.to_string().starts_with("confidence: "), "{error}");
    }
}

#[test]
fn a_report_that_panics_leaves_the_certifier_whole() {
    let certifier = Certifier::new(HalfSpace { dim: 2 }, Method::cohen(sigma(0.25)))
        .budget(budget(10, 1000, alpha(0.01)))
        .threads(2);
    let plain = certifier.certify(&[1.0, 0.0], Seed::chosen(1)).unwrap();
    let loud = certifier.clone().on_progress(|_| panic!("a report of its own"));
    for _ in 0..3 {
        let panicked = catch_unwind(AssertUnwindSafe(|| loud.certify(&[1.0, 0.0], Seed::chosen(1))));
        assert!(panicked.is_err());
        assert_eq!(certifier.certify(&[1.0, 0.0], Seed::chosen(1)).unwrap(), plain);
    }
    assert!(matches!(plain.outcome.verdict, Verdict::Certified { .. }));
}

#[test]
fn double_sampling_of_few_draws_certifies_nothing() {
    let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 64).under(NoiseKind::Float);
    let laws = Planned(|scout: &mut Scout<'_>| {
        Ok(Dsrs::published(sigma(0.5), scout.dim())?.laws(scout.dim())?.into())
    });
    let x = example(9).pixels;
    let certify = |n| certify(&laws, &budget(1, n, alpha(0.01)), &sampler, &input(&x, 1));
    assert!(certify(1).unwrap_err().to_string().contains("at least 2 draws"));
    assert_eq!(sampler.passes(), 0);
    for n in 2..=5 {
        let outcome = certify(n).unwrap();
        assert!(matches!(outcome.verdict, Verdict::Abstain(_)), "{n}: {:?}", outcome.verdict);
        let drawn: u64 = outcome.estimates.iter().map(|estimate| estimate.votes.total()).sum();
        assert_eq!(drawn, u64::from(n));
    }
}

/// A question about one radius ends at the draws at which it is looked at, and not one earlier or later.
#[test]
fn a_vote_more_or_less_is_noticed_where_draws_end_early() {
    let root = tempfile::tempdir().unwrap();
    let budget = budget(20, 2000, alpha(0.01)).asking_about(0.1).unwrap();
    certify_in(root.path(), &spec(cohen(0.5), budget, 10));
    let stored = run::read(root.path(), Depth::Whole).unwrap();
    let mut early = 0;
    for record in &stored.records {
        for change in [-1, 1] {
            let mut forged = record.clone();
            let Finding::Outcome(outcome) = &mut forged.finding else { panic!("it failed") };
            let Estimate { class, votes, .. } = &mut outcome.estimates[0];
            early += u32::from(votes.total() < 2000);
            let more = votes.of(*class).checked_add_signed(change).unwrap();
            *votes = Votes::from_iter([(*class, more), (1 - *class, votes.of(1 - *class))]);
            let forged = run::Stored { records: vec![forged], ..stored.clone() };
            assert!(run::verify(&forged).is_err(), "{change}: {record:?}");
        }
    }
    assert!(early > 4, "{early}");
}

#[test]
fn a_look_with_an_unknown_field_is_not_read_as_one_without() {
    let look = r#"{"sigma":0.5,"votes":{"1":3}}"#;
    assert!(serde_json::from_str::<Look>(look).is_ok());
    let other = look.replace("\"votes\"", "\"laws\":{},\"votes\"");
    assert!(serde_json::from_str::<Look>(&other).unwrap_err().to_string().contains("unknown field `laws`"));
}

/// What every copy rejects has no class, and no error either.
#[test]
fn predict_abstains_where_every_copy_is_rejected() {
    let unsure = Certifier::new(unsure(), Method::cohen(sigma(0.25))).confident(0.9).budget(budget(
        10,
        100,
        alpha(0.01),
    ));
    let prediction = unsure.predict(&[1.0; DIM], Seed::chosen(1)).unwrap();
    assert_eq!((prediction.class, prediction.votes.rejected()), (None, 100));
}
