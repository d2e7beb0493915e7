//! Does an attack find certificates that do not hold, and only those?

mod common;

use common::{DIM, alpha, budget, every_method, few_and_many, sigma, too_many};
use qcrs::attack::{Attack, Attempt, Target};
use qcrs::certify::{Verdict, certify};
use qcrs::data::exact_bytes;
use qcrs::noise::{Draws, NoiseKind, Phase};
use qcrs::run::{Finding, Record};
use qcrs::sample::{Classifier, Input, MonteCarlo, SampleUnderNoise, Smoothed, Votes, from_fn};
use qcrs::types::Error;
use std::collections::HashSet;
use std::sync::Mutex;

/// Class 1 where x₀ > ½: half of all inputs, unlike `testing::HalfSpace`, whose border is that of the pixels.
fn half(dim: usize) -> impl Classifier {
    from_fn(dim, 2, move |batch: &[f32], out: &mut [f32]| {
        for (x, row) in batch.chunks(dim).zip(out.chunks_mut(2)) {
            row.copy_from_slice(&[0.0, x[0] - 0.5]);
        }
        Ok(())
    })
}

/// An input whose distance from the border is `margin`; its pixels are no bytes.
fn input(dim: usize, margin: f32) -> Vec<f32> {
    let mut x = vec![0.4321; dim];
    x[0] = 0.5 + margin;
    x
}

fn claim(radius: f64) -> Target {
    Target { index: 3, class: 1, radius, smoothed: Smoothed::gaussian(sigma(0.25)) }
}

fn attacked(attack: &Attack, x: &[f32], radius: f64) -> (Attempt, u64) {
    let classifier = half(x.len());
    let sampler = MonteCarlo::new(&classifier, 64).under(NoiseKind::Float);
    let attempt = attack.on(&sampler, &claim(radius), x, &[]).unwrap();
    (attempt, sampler.passes())
}

fn norm(x: &[f32], y: &[f32]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (f64::from(*x) - f64::from(*y)).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn a_radius_that_was_doubled_is_found() {
    for (dim, passes) in [(1, 2_000), (2, 2_000), (64, 5_000), (3072, 40_000)] {
        for seed in 0..5 {
            let x = input(dim, 0.2);
            let (found, _) = attacked(&Attack::new(passes, alpha(0.001), 100, seed).unwrap(), &x, 0.4);
            let point = found.violation.unwrap_or_else(|| panic!("{dim}, seed {seed}: {:?}", found.judged));
            assert!(norm(&point, &x) < 0.4 && point[0] < 0.5, "{dim}, seed {seed}");
            assert!(point.iter().all(|value| (0.0..=1.0).contains(value)), "{dim}, seed {seed}");
            let judged = found.judged.last().unwrap();
            assert!(judged.distance >= norm(&point, &x) && judged.distance < 0.4, "{judged:?}");
            assert!(judged.votes.of(0) > judged.votes.of(1), "{judged:?}");
        }
    }
}

/// With a σ per input or several certificates, the claim is about the classifier that the verdict names.
#[test]
fn a_target_is_what_the_verdict_of_every_method_claims() {
    let x = input(DIM, 0.3);
    let classifier = half(DIM);
    let sampler = MonteCarlo::new(&classifier, 64).under(NoiseKind::Float);
    for (what, method) in every_method() {
        let input = Input { pixels: &x, seed: 2, index: 5 };
        let outcome = certify(&method, &budget(50, 500, alpha(0.01)), &sampler, &input).unwrap();
        let Verdict::Certified { class, radius, sigma, .. } = outcome.verdict else { panic!("{what}") };
        let voted = outcome.estimates.clone();
        let finding = Finding::Outcome(outcome);
        let record = Record { index: 5, label: None, file: None, pixels: None, finding, bank: None };
        let target = Target::of(&record).unwrap();
        assert_eq!((target.index, target.class, target.radius.to_bits()), (5, class, radius.to_bits()));
        assert_eq!(target.smoothed.sigma(), sigma, "{what}");
        assert!(voted.iter().any(|estimate| estimate.smoothed == target.smoothed), "{what}");
    }
}

#[test]
fn around_an_8_bit_image_the_violation_is_one() {
    let x: Vec<f32> = (0..300_u32).map(|i| (i % 256) as f32 / 255.0).collect();
    let mut x: Vec<f32> = x.into_iter().map(|value| (value * 255.0).round() / 255.0).collect();
    x[0] = 179.0 / 255.0; // 0.702
    assert!(exact_bytes(&x).is_some());
    let (found, _) = attacked(&Attack::new(10_000, alpha(0.001), 100, 1).unwrap(), &x, 0.4);
    let point = found.violation.unwrap();
    assert!(exact_bytes(&point).is_some() && norm(&point, &x) < 0.4);
    // no other image is that close
    let (found, passes) = attacked(&Attack::new(10_000, alpha(0.001), 100, 1).unwrap(), &x, 0.0039);
    assert_eq!((found.points, found.passes, passes, found.judged.len()), (0, 0, 0, 0));
}

/// The largest radius that is true: at the border of the ball both classes are all but equally likely.
fn sound_certificates_are_reported_at_most_as_often_as_alpha_allows(trials: u64) {
    let level = alpha(0.2);
    for (dim, margin) in [(1, 0.2_f32), (3, 0.05)] {
        let x = input(dim, margin);
        let radius = f64::from(x[0]) - 0.5;
        let alarm = |seed| {
            let (found, _) = attacked(&Attack::new(400, level, 1, seed).unwrap(), &x, radius);
            u64::from(found.violation.is_some())
        };
        let wrong = (0..trials).map(alarm).sum();
        assert!(!too_many(wrong, trials, level), "{dim}: {wrong} of {trials}");
    }
}

few_and_many!(sound_certificates_are_reported_at_most_as_often_as_alpha_allows);

#[test]
fn the_passes_are_kept_to_the_last() {
    for passes in [200, 201, 1_000, 9_999, 10_000] {
        let attack = Attack::new(passes, alpha(0.001), 1, 5).unwrap();
        let (sound, asked) = attacked(&attack, &input(7, 0.2), 0.19);
        assert_eq!((sound.passes, asked), (u64::from(passes), u64::from(passes)));
        assert!(!sound.judged.is_empty() && sound.violation.is_none());
        let (broken, asked) = attacked(&attack, &input(7, 0.05), 0.5);
        assert_eq!(broken.passes, asked);
        assert!(asked <= u64::from(passes), "{asked} of {passes}");
    }
    let error = Attack::new(199, alpha(0.001), 1, 5).unwrap_err().to_string();
    assert_eq!(error, "passes: must be at least 200, got 199");
}

/// Remembers at which point each draw was used.
struct Remembers<'a> {
    inner: MonteCarlo<'a>,
    asked: Mutex<Vec<(Draws, Vec<f32>)>>,
}

impl SampleUnderNoise for Remembers<'_> {
    fn sample_under_noise(&self, x: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error> {
        assert_eq!(g, claim(1.0).smoothed);
        self.asked.lock().unwrap().push((draws.clone(), x.to_vec()));
        self.inner.sample_under_noise(x, g, draws)
    }
}

#[test]
fn no_draw_is_used_twice_and_none_is_that_of_a_certificate() {
    let classifier = half(9);
    let remembers = Remembers {
        inner: MonteCarlo::new(&classifier, 64).under(NoiseKind::Float),
        asked: Mutex::default(),
    };
    let attack = Attack::new(5_000, alpha(0.001), 1, 5).unwrap();
    let attempt = attack.on(&remembers, &claim(0.2), &input(9, 0.2), &[]).unwrap();
    let (mut seen, mut points) = (HashSet::new(), HashSet::new());
    let asked = remembers.asked.into_inner().unwrap();
    for (draws, point) in &asked {
        assert_eq!((draws.stream.seed, draws.stream.input, draws.stream.phase), (5, 3, Phase::Attack));
        assert!(draws.range.clone().all(|draw| seen.insert(draw)), "{draws:?}");
        points.insert(point.iter().map(|value| value.to_bits()).collect::<Vec<_>>());
    }
    assert_eq!(seen.len() as u64, attempt.passes);
    // the last questions are the judgements, and those before them the search
    let (search, judged) = asked.split_at(asked.len() - attempt.judged.len());
    for (judgement, (draws, _)) in attempt.judged.iter().zip(judged) {
        assert_eq!((&judgement.draws, judgement.votes.total()), (&draws.range, draws.range.len() as u64));
        assert!(search.iter().all(|(other, _)| other.range.end <= draws.range.start));
    }
    assert!(attempt.judged.len() > 1 && points.len() > 10);
}

/// In many dimensions so few passes find no direction by themselves.
#[test]
fn the_nearest_image_of_another_class_shows_the_way() {
    let (dim, x) = (2000, input(2000, 0.2));
    let classifier = half(dim);
    let sampler = MonteCarlo::new(&classifier, 64).under(NoiseKind::Float);
    let attack = Attack::new(2_000, alpha(0.001), 1, 5).unwrap();
    let mut other = x.clone();
    other[0] = 0.0;
    assert!(attack.on(&sampler, &claim(0.4), &x, &[]).unwrap().violation.is_none());
    assert!(attack.on(&sampler, &claim(0.4), &x, &[other]).unwrap().violation.is_some());
}
