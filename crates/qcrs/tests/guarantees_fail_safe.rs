//! The fail-safe radius and the majority predictor, over many seeds where the truth is known: each is wrong no
//! more often than α allows, and near misses of either rule are wrong more often.

mod common;

use common::{FEW, alpha, budget, cohen, few_and_many, input, methods, sigma, too_many};
use qcrs::certify::{Estimate, FailSafe, Reason, Verdict, certify, fail_safe};
use qcrs::math::normal_quantile;
use qcrs::method::Sides;
use qcrs::noise::{Draws, NoiseKind};
use qcrs::predict::{MajorityPrediction, predict, predict_majority};
use qcrs::sample::{MonteCarlo, SampleUnderNoise, Smoothed, Votes};
use qcrs::testing::Cells;
use qcrs::types::{Alpha, Error, Sigma};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Binomial, Distribution};
use rayon::prelude::*;

few_and_many![
    fail_safe_radii_are_sound,
    fail_safe_radii_are_sound_for_every_quick_search,
    a_majority_is_rarely_made_up,
    together_they_err_no_more_often_than_both_levels_allow,
];

/// `n` votes for classes with these `shares`; what they leave is rejected.
fn vote(shares: &[f64], n: u64, rng: &mut ChaCha8Rng) -> Votes {
    let (mut left, mut rest) = (n, 1.0);
    let counts: Vec<(usize, u64)> = shares
        .iter()
        .enumerate()
        .map(|(class, share)| {
            let count = Binomial::new(left, (share / rest).clamp(0.0, 1.0)).unwrap().sample(rng);
            (left, rest) = (left - count, rest - share);
            (class, count)
        })
        .collect();
    Votes::from_iter(counts).rejecting(left)
}

/// How many of `trials` seeds are `wrong`.
fn count(trials: u64, wrong: impl Fn(u64) -> bool + Sync) -> u64 {
    (0..trials).into_par_iter().filter(|seed| wrong(*seed)).count() as u64
}

/// Whether the radius is larger than that of the likeliest class but the certificate's own, in truth.
fn is_wrong(found: Option<FailSafe>, shares: &[f64], sigma: Sigma) -> bool {
    let Some(FailSafe { class, radius, .. }) = found else { return false };
    let others = shares.iter().enumerate().filter(|(other, _)| *other != class);
    let rival = others.map(|(_, share)| *share).fold(0.0, f64::max);
    radius > -sigma.get() * normal_quantile(rival).unwrap()
}

/// Classes with known shares, the first one named beforehand: rivals near ½, several of equal share, many
/// small ones, and rejected copies.
const SHARES: [&[f64]; 6] =
    [&[0.5, 0.5], &[0.51, 0.49], &[0.1, 0.45, 0.45], &[0.3, 0.5, 0.1], &[0.05; 20], &[0.0, 0.48, 0.02, 0.48]];

fn fail_safe_radii_are_sound(trials: u64) {
    for level in [alpha(0.05), alpha(0.01)] {
        let mut largest = 0.0_f64;
        for shares in SHARES {
            let wrong = count(trials, |seed| is_wrong(of_votes(shares, seed, level, |_| 0), shares, half()));
            assert!(!too_many(wrong, trials, level), "{shares:?}: {wrong} of {trials} wrong");
            largest = largest.max(wrong as f64);
        }
        assert!(
            largest > 0.4 * level.get() * trials as f64,
            "at most {largest} wrong: no longer a test of α"
        );
    }
}

/// σ of the votes that are drawn without a classifier.
fn half() -> Sigma {
    sigma(0.5)
}

/// The fail-safe radius that 500 votes show about the class that `name` names from them.
fn of_votes(shares: &[f64], seed: u64, level: Alpha, name: fn(&Votes) -> usize) -> Option<FailSafe> {
    let votes = vote(shares, 500, &mut ChaCha8Rng::seed_from_u64(seed));
    let class = name(&votes);
    let estimate = Estimate { smoothed: Smoothed::gaussian(half()), class, sides: Sides::One, votes };
    fail_safe(&[estimate], &budget(1, 500, level)).unwrap()
}

/// A class that the same votes named has one rival more that may be the likeliest.
#[test]
fn a_class_named_by_the_same_votes_breaks_the_promise() {
    let (trials, level, shares) = (10 * FEW, alpha(0.05), SHARES[0]);
    let wrong = |name| count(trials, |seed| is_wrong(of_votes(shares, seed, level, name), shares, half()));
    let (honest, reused) = (wrong(|_| 0), wrong(|votes| votes.winner().unwrap()));
    assert!(!too_many(honest, trials, level), "{honest} of {trials} wrong");
    assert!(too_many(reused, trials, level) && reused as f64 > 1.5 * honest as f64, "{reused} of {trials}");
}

/// With the whole of `certify`: searches that choose σ, and the best of several certificates.
fn fail_safe_radii_are_sound_for_every_quick_search(trials: u64) {
    let (sampler, level) = (MonteCarlo::new(&Cells, 1000).under(NoiseKind::Float), alpha(0.05));
    for x in [0.9_f32, 0.1] {
        for (name, search) in methods() {
            let judge = |seed| {
                let outcome =
                    certify(&search, &budget(20, 200, level), &sampler, &input(&[x], seed)).unwrap();
                let sigma = match outcome.verdict {
                    Verdict::Certified { sigma, .. } | Verdict::Abstain(Reason::BelowHalf { sigma, .. }) => {
                        sigma
                    }
                    other @ Verdict::Abstain(_) => panic!("{name}: {other:?}"),
                };
                let wrong = is_wrong(outcome.fail_safe, &Cells.p(x.into(), sigma), sigma);
                (u64::from(wrong), u64::from(outcome.fail_safe.is_some()))
            };
            let (wrong, found) =
                (0..trials).into_par_iter().map(judge).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
            assert!(found > trials / 100, "{name} at {x} finds {found} of {trials}");
            assert!(!too_many(wrong, trials, level), "{name} at {x}: {wrong} of {trials} wrong");
        }
    }
}

/// Votes that are drawn from the exact shares of `Cells`, so that billions cost no more than one.
struct Exact;

impl SampleUnderNoise for Exact {
    fn sample_under_noise(&self, x: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error> {
        let address = draws.stream.seed << 3 | draws.stream.phase as u64;
        let mut rng = ChaCha8Rng::seed_from_u64(address);
        let shares = Cells.p(x[0].into(), g.sigma());
        // the last class gets what the others leave, so that none is rejected
        let votes = vote(&shares[..2], draws.range.len() as u64, &mut rng);
        Ok(Votes::from_iter([(2, votes.rejected()), (0, votes.of(0)), (1, votes.of(1))]))
    }
}

/// Where no class has more than half, every answer is wrong; two classes with half each are the worst case.
fn a_majority_is_rarely_made_up(trials: u64) {
    let level = alpha(0.05);
    // at −1 and σ = 0.1 the classes 0 and 1 have half each; at σ = 2 they have .5 and .34
    for (width, least) in [(0.1, 0.4), (2.0, 0.2)] {
        let answers = |seed| {
            predict_majority(&Exact, &input(&[-1.0], seed), sigma(width), 1000, level)
                .unwrap()
                .class
                .is_some()
        };
        let wrong = count(trials, answers);
        assert!(!too_many(wrong, trials, level), "σ = {width}: {wrong} of {trials} answered");
        let enough = wrong as f64 > least * level.get() * trials as f64;
        assert!(enough, "σ = {width}: only {wrong} of {trials} answered: no longer a test of α");
    }
}

/// A certificate at one point meets a prediction at another. With σ = 2, class 0 of `Cells` has half of the
/// copies of −1.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    certified_at: f32,
    certified_by: u32,
    predicted_at: f32,
    predicted_by: u32,
}

/// Class 1 is named, and nearly all radii reach the point, where class 0 has almost half of the copies.
const INSIDE: Meeting =
    Meeting { certified_at: 0.0, certified_by: u32::MAX, predicted_at: -1.0 + 2.5e-4, predicted_by: 1000 };

/// Class 0 has a majority there, which the predictor sees; only a wrong radius of class 1 reaches the point.
const OUTSIDE: Meeting =
    Meeting { certified_at: -0.3, certified_by: 500, predicted_at: -1.005, predicted_by: u32::MAX };

/// What a predictor answers from a seed.
type Predictor<'a> = dyn Fn(u64) -> Option<usize> + Sync + 'a;

impl Meeting {
    /// How many of `trials` fail-safe radii reach the point, and how many answers there contradict them.
    fn contradictions(&self, trials: u64, level: Alpha, predictor: &Predictor<'_>) -> (u64, u64) {
        let budget = budget(1000, self.certified_by, level);
        let distance = f64::from(self.certified_at) - f64::from(self.predicted_at);
        let judge = |seed| {
            let found =
                certify(&cohen(2.0), &budget, &Exact, &input(&[self.certified_at], seed)).unwrap().fail_safe;
            let Some(safe) = found.filter(|safe| safe.radius >= distance) else { return (0, 0) };
            (1, u64::from(predictor(seed).is_some_and(|class| class != safe.class)))
        };
        (0..trials).into_par_iter().map(judge).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    }

    fn majority(&self, seed: u64, level: Alpha) -> MajorityPrediction {
        let there = [self.predicted_at];
        predict_majority(&Exact, &input(&there, seed), sigma(2.0), self.predicted_by, level).unwrap()
    }
}

fn together_they_err_no_more_often_than_both_levels_allow(trials: u64) {
    let (certify_at, predict_at) = (alpha(0.05), alpha(0.05));
    let together = alpha(certify_at.get() + predict_at.get());
    for (meeting, reaches) in [(INSIDE, true), (OUTSIDE, false)] {
        let answer = |seed| meeting.majority(seed, predict_at).class;
        let (reached, wrong) = meeting.contradictions(trials, certify_at, &answer);
        assert_eq!(reached > trials / 2, reaches, "{meeting:?}: {reached} of {trials} reach the point");
        assert!(!too_many(wrong, trials, together), "{meeting:?}: {wrong} of {trials} wrong");
        // inside, class 0 alone may be made up, at half of the predictor's level
        let share = if reaches { predict_at.share(2) } else { certify_at };
        assert!(!too_many(wrong, trials, share), "{meeting:?}: {wrong} of {trials} wrong");
        assert!(wrong > trials / 200, "{meeting:?}: only {wrong} wrong: no longer a test of α");
    }
}

/// The near misses just inside the radius: the class with most votes, with more than half of the votes that
/// were cast, and that of Cohen's test, which shows only that a class is ahead of the second.
#[test]
fn other_predictors_break_the_promise() {
    let level = alpha(0.05);
    let votes = |seed| INSIDE.majority(seed, level).votes;
    let most = |seed| votes(seed).winner();
    let more_than_half = |seed| most(seed).filter(|class| 2 * votes(seed).of(*class) > 1000);
    let ahead = |seed| {
        let there = [INSIDE.predicted_at];
        predict(&Exact, &input(&there, seed), sigma(2.0), INSIDE.predicted_by, level).unwrap().class
    };
    let predictors: [(&str, &Predictor<'_>); 3] =
        [("most votes", &most), ("more than half of the votes", &more_than_half), ("Cohen's test", &ahead)];
    for (name, predictor) in predictors {
        let (_, wrong) = INSIDE.contradictions(FEW, level, predictor);
        assert!(too_many(wrong, FEW, alpha(0.4)), "{name}: only {wrong} of {FEW} wrong");
    }
}
