//! The promise of PROBE: on votes whose law is known exactly, a certificate is wrong no more often than α
//! allows, although σ, class, bound and number of draws were all chosen by looking. And the ways in which
//! that could break are each seen to break it.

mod common;

use common::{alpha, budget, input, sigma, too_many};
use qcrs::certify::{Budget, Estimate, Outcome, Verdict, certify, decide};
use qcrs::method::{AnyMethod, Probe};
use qcrs::noise::{Draws, Phase, Stream};
use qcrs::sample::{Input, SampleUnderNoise, Smoothed, Votes};
use qcrs::testing::{Cells, HalfSpace, InsideBall, Slab};
use qcrs::types::{Alpha, Error, Sigma};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Binomial, Distribution};
use rayon::prelude::*;

/// Votes drawn from exact probabilities, as a function of the address of the draws.
struct Known {
    name: &'static str,
    p: fn(Sigma) -> Vec<f64>,
}

const KNOWN: [Known; 8] = [
    Known { name: "half-space", p: |s| two(HalfSpace { dim: 1 }.p(0.5, s)) },
    Known { name: "slab, centre", p: |s| two(Slab { dim: 1, half: 1.0 }.p(0.0, s)) },
    Known { name: "slab, off centre", p: |s| two(Slab { dim: 1, half: 1.0 }.p(0.5, s)) },
    Known { name: "ball in 2 dimensions", p: |s| two(InsideBall { dim: 2, radius: 1.0 }.p(s)) },
    Known { name: "ball in 8 dimensions", p: |s| two(InsideBall { dim: 8, radius: 2.0 }.p(s)) },
    Known { name: "cells, middle", p: |s| Cells.p(0.1, s).to_vec() },
    Known { name: "cells, near a border", p: |s| Cells.p(0.9, s).to_vec() },
    Known { name: "many rivals alike", p: many },
];

fn two(p: f64) -> Vec<f64> {
    vec![1.0 - p, p]
}

/// A class that loses to nine others, all alike.
fn many(s: Sigma) -> Vec<f64> {
    let p = Slab { dim: 1, half: 1.0 }.p(0.0, s);
    std::iter::once(p).chain([(1.0 - p) / 9.0; 9]).collect()
}

impl SampleUnderNoise for Known {
    fn sample_under_noise(&self, _: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error> {
        let sigma = g.sigma();
        let Draws { stream: Stream { seed, input, phase }, range } = draws;
        let mut key = [0; 32];
        let address =
            [*seed, u64::from(*input) | (*phase as u64) << 32, range.start.into(), sigma.get().to_bits()];
        key.chunks_mut(8).zip(address).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
        let mut random = ChaCha8Rng::from_seed(key);
        let (mut left, mut rest, mut votes) = (range.len() as u64, 1.0, Vec::new());
        let p = (self.p)(sigma);
        for (class, p) in p.iter().enumerate().rev() {
            let share: f64 = if class == 0 { 1.0 } else { (p / rest).clamp(0.0, 1.0) };
            let count = Binomial::new(left, share).unwrap().sample(&mut random);
            votes.push((class, count));
            (left, rest) = (left - count, f64::max(rest - p, 1e-300));
        }
        Ok(votes.into_iter().collect())
    }
}

/// A search that ends early, for speed: the promise does not depend on how well it searches.
fn search() -> Probe {
    Probe { most: 200, ..Probe::new(sigma(0.5), [sigma(0.12), sigma(1.7)], 1e-5) }
}

fn five_thousand(level: Alpha) -> Budget {
    budget(1, 5000, level)
}

fn outcome(known: &Known, search: &Probe, level: Alpha, seed: u64) -> Outcome {
    certify(search, &five_thousand(level), known, &input(&[], seed)).unwrap()
}

/// Whether a verdict bounds a probability wrongly.
fn is_wrong(known: &Known, verdict: &Verdict) -> bool {
    let Verdict::Certified { class, sigma, p_lower, p_upper, .. } = *verdict else { return false };
    let p = (known.p)(sigma);
    let others =
        p.iter().enumerate().filter(|(other, _)| *other != class).map(|(_, p)| *p).fold(0.0, f64::max);
    p_lower > p[class] || p_upper.is_some_and(|upper| upper < others)
}

/// With so many trials of each case at each level.
fn certificates_are_sound(trials: u64) {
    for level in [0.05, 0.001].map(alpha) {
        let (mut all, mut sides) = ((0, 0), [0, 0]);
        for known in &KNOWN {
            let verdict = |seed| outcome(known, &search(), level, seed).verdict;
            let verdicts: Vec<Verdict> = (0..trials).into_par_iter().map(verdict).collect();
            let wrong = verdicts.iter().filter(|verdict| is_wrong(known, verdict)).count() as u64;
            for verdict in &verdicts {
                if let Verdict::Certified { p_upper, .. } = verdict {
                    sides[usize::from(p_upper.is_some())] += 1;
                }
            }
            let name = known.name;
            assert!(!too_many(wrong, trials, level), "{name}, {level:?}: {wrong} of {trials} wrong");
            all = (all.0 + wrong, all.1 + trials);
        }
        println!("{level:?}: {all:?} wrong; one- and two-sided: {sides:?}");
        assert!(!too_many(all.0, all.1, level), "{level:?}: {all:?} wrong");
        // both bounds were tested, and most certificates were made
        assert!(sides.iter().all(|count| *count > all.1 / 20), "{sides:?} of {all:?}");
    }
}

#[test]
fn certificates_are_sound_whatever_is_chosen() {
    certificates_are_sound(200);
}

mod slow {
    #[test]
    #[ignore = "slow: 200,000 certificates"]
    fn certificates_are_sound_whatever_is_chosen() {
        super::certificates_are_sound(12_500);
    }
}

/// Makes certificates the wrong way, each from an honest outcome, and counts the failures.
fn broken(
    known: &Known,
    search: &Probe,
    trials: u64,
    wrong_way: impl Fn(&Outcome, u64) -> Vec<Vec<Estimate>> + Sync,
) -> (u64, u64) {
    let level = alpha(0.05);
    let trial = |seed| {
        let honest = outcome(known, search, level, seed);
        // the best of all that was tried is kept
        let verdicts =
            wrong_way(&honest, seed).into_iter().map(|tried| decide(&tried, &five_thousand(level)).unwrap());
        let radius = |verdict: &Verdict| match verdict {
            Verdict::Certified { radius, .. } => *radius,
            Verdict::Abstain(_) => 0.0,
        };
        let best = verdicts.max_by(|a, b| radius(a).total_cmp(&radius(b)));
        u64::from(best.is_some_and(|verdict| is_wrong(known, &verdict)))
    };
    ((0..trials).into_par_iter().map(trial).sum(), trials)
}

/// `n` draws at `sigma` that nobody else has seen, number `number` of such.
fn fresh(known: &Known, seed: u64, number: u32, sigma: Sigma, n: u64) -> Votes {
    let stream = Stream { seed, input: 1 + number, phase: Phase::Estimate };
    known.sample_under_noise(&[], Smoothed::gaussian(sigma), &Draws::first(n as u32, stream)).unwrap()
}

#[test]
fn certifying_with_the_draws_of_the_search_would_be_noticed() {
    // the draws that named the class flatter it most where it has hardly more than half
    let known = &Known { name: "border", p: |s| two(HalfSpace { dim: 1 }.p(0.0, s)) };
    let shared = |honest: &Outcome, _| {
        let reuse = |estimate: &Estimate| {
            let here = honest.looks.iter().filter(|look| look.sigma() == estimate.sigma());
            let votes = here.map(|look| look.votes.clone()).reduce(Votes::merge);
            Estimate { votes: votes.unwrap_or_else(|| estimate.votes.clone()), ..estimate.clone() }
        };
        vec![honest.estimates.iter().map(reuse).collect()]
    };
    // a plan on the grid itself: between its points there is no draw to use again
    let wrong = broken(known, &Probe { lambda: 0.0, parts: 1, ..search() }, 5000, shared);
    assert!(too_many(wrong.0, wrong.1, alpha(0.05)), "only {wrong:?} wrong");
}

#[test]
fn adding_draws_after_looking_would_be_noticed() {
    let known = &KNOWN[0];
    let extended = |honest: &Outcome, seed| {
        let mut so_far = honest.estimates.clone();
        let more = |(number, so_far): (u32, &mut Vec<Estimate>)| {
            for estimate in so_far.iter_mut() {
                let n = estimate.votes.total() / 2;
                let votes = std::mem::take(&mut estimate.votes);
                estimate.votes = votes.merge(fresh(known, seed, number, estimate.sigma(), n));
            }
            so_far.clone()
        };
        let mut tried = vec![so_far.clone()];
        tried.extend((0..8).map(|number| more((number, &mut so_far))));
        tried
    };
    let wrong = broken(known, &search(), 600, extended);
    assert!(too_many(wrong.0, wrong.1, alpha(0.05)), "only {wrong:?} wrong");
}

#[test]
fn trying_another_sigma_after_a_poor_certificate_would_be_noticed() {
    let known = &KNOWN[0];
    let retried = |honest: &Outcome, seed| {
        let again = |number: u32| {
            let other = |estimate: &Estimate| {
                let sigma = sigma(estimate.sigma().get() * (1.0 + 0.05 * f64::from(number)));
                let votes = fresh(known, seed, number, sigma, estimate.votes.total());
                Estimate { smoothed: Smoothed::gaussian(sigma), votes, ..estimate.clone() }
            };
            honest.estimates.iter().map(other).collect()
        };
        std::iter::once(honest.estimates.clone()).chain((1..6).map(again)).collect()
    };
    let wrong = broken(known, &search(), 600, retried);
    assert!(too_many(wrong.0, wrong.1, alpha(0.05)), "only {wrong:?} wrong");
}

/// Nothing depends on threads or on what was certified before; and the record's looks lead to the same plan.
#[test]
fn a_plan_is_a_function_of_seed_and_input() {
    let full = Probe::new(sigma(0.5), [sigma(0.12), sigma(1.7)], 1e-6);
    let ask = |(known, seed): (&Known, u64)| {
        certify(&full, &five_thousand(alpha(0.001)), known, &Input { pixels: &[], seed, index: 3 }).unwrap()
    };
    let all: Vec<(&Known, u64)> = KNOWN.iter().flat_map(|known| [(known, 1), (known, 2)]).collect();
    let in_order: Vec<Outcome> = all.iter().copied().map(ask).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
    let mut at_once: Vec<Outcome> =
        pool.install(|| all.par_iter().rev().copied().map(ask).collect::<Vec<_>>());
    at_once.reverse();
    assert_eq!(in_order, at_once);
    assert!(in_order[0] != in_order[1], "another seed, other votes");
    let most = AnyMethod::Probe(full).passes(0, 5000);
    for outcome in &in_order {
        assert!(outcome.passes() <= most, "{} of at most {most} passes", outcome.passes());
        assert!(outcome.posterior.as_ref().is_some_and(|posterior| posterior.mean.len() == 24));
        let text = serde_json::to_string(outcome).unwrap();
        assert_eq!(&serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
    }
}

/// A price ends the search; without one, or with few draws for the certificate, it stays short.
#[test]
fn a_search_stays_small_beside_its_certificate() {
    let longest = |lambda, n| {
        let search = Probe::new(sigma(0.5), [sigma(0.12), sigma(1.7)], lambda);
        let budget = budget(1, n, alpha(0.001));
        let spent = |known: &Known| -> u64 {
            let looks =
                certify(&search, &budget, known, &Input { pixels: &[], seed: 1, index: 3 }).unwrap().looks;
            looks.iter().map(|look| look.votes.total()).sum()
        };
        KNOWN.iter().map(spent).max().unwrap()
    };
    assert!((1..2416).contains(&longest(0.0, 100_000)));
    assert!((1..2416).contains(&longest(1e-8, 10_000)));
    assert!((2416..9616).contains(&longest(1e-8, 100_000)));
}
