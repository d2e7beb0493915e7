//! The promise itself: over many seeds, on classifiers whose truth is known, a certificate is
//! wrong no more often than α allows, whatever the search.

mod common;

use common::{DIM, FEW, alpha, budget, cohen, every_method, few_and_many, input, methods, sigma, too_many};
use qcrs::certify::{Bound, Budget, Verdict, certify};
use qcrs::method::AnyMethod;
use qcrs::noise::{Draws, Lattice, NoiseKind, Phase, Stream};
use qcrs::predict::predict;
use qcrs::sample::{Classifier, MonteCarlo, SampleUnderNoise, Smoothed, SoftVotes, Votes, from_fn};
use qcrs::testing::{Cells, HalfSpace, InsideBall, Slab};
use qcrs::types::{Error, Sigma};
use rayon::prelude::*;

few_and_many![
    certificates_are_sound_for_every_quick_search,
    certificates_on_the_lattice_are_sound_for_every_quick_search,
    half_a_step_counts_on_the_lattice,
    two_sided_certificates_are_sound_for_every_quick_search,
    a_radius_beyond_the_truth_is_rarely_confirmed,
    a_tie_is_rarely_called,
];

/// A classifier, an input, and the exact probability of class 1 there.
struct Truth {
    name: &'static str,
    classifier: Box<dyn Classifier + Send + Sync>,
    x: f32,
    p: fn(Sigma) -> f64,
}

fn truths() -> Vec<Truth> {
    let half_space = Box::new(HalfSpace { dim: 1 });
    let slab = Box::new(Slab { dim: 1, half: 1.0 });
    vec![
        Truth { name: "half-space", classifier: half_space, x: 0.25, p: |s| HalfSpace { dim: 1 }.p(0.25, s) },
        Truth { name: "slab", classifier: slab, x: 0.5, p: |s| Slab { dim: 1, half: 1.0 }.p(0.5, s) },
    ]
}

/// How many certificates claim more than the truth, and how many there are at all.
fn failures(
    trials: u64,
    truth: &Truth,
    search: &AnyMethod,
    budget: &Budget,
    sampler: &dyn SampleUnderNoise,
) -> (u64, u64) {
    let wrong = |seed| match certify(search, budget, sampler, &input(&[truth.x], seed)).unwrap().verdict {
        Verdict::Certified { class, sigma, p_lower, .. } => {
            let p = (truth.p)(sigma);
            (u64::from(p_lower > if class == 1 { p } else { 1.0 - p }), 1)
        }
        Verdict::Abstain(_) => (0, 0),
    };
    (0..trials).into_par_iter().map(wrong).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}

fn certificates_are_sound_for_every_quick_search(trials: u64) {
    for truth in truths() {
        let sampler = MonteCarlo::new(&*truth.classifier, 1000).under(NoiseKind::Float);
        for (name, search) in methods() {
            for level in [alpha(0.05), alpha(0.001)] {
                let budget = budget(20, 200, level);
                let (wrong, certified) = failures(trials, &truth, &search, &budget, &sampler);
                let (where_, level_) = (truth.name, level.get());
                assert!(
                    certified > trials / 100,
                    "{where_}, {name}, α = {level_}: only {certified} certified"
                );
                assert!(
                    !too_many(wrong, trials, level),
                    "{where_}, {name}, α = {level_}: {wrong} of {trials} wrong"
                );
            }
        }
    }
}

/// Class 1 from the pixel `first` on. The boundary of f∘Q lies half a step below it.
fn from_pixel_on(first: f32) -> impl Classifier {
    from_fn(1, 2, move |batch: &[f32], out: &mut [f32]| {
        for (x, row) in batch.iter().zip(out.chunks_exact_mut(2)) {
            row.copy_from_slice(&[0.0, if *x >= first { 1.0 } else { -1.0 }]);
        }
        Ok(())
    })
}

/// How many certificates of class 1 there are for a pixel `steps` above the first of its class, and how many
/// of them have a radius beyond the truth.
fn on_the_lattice(
    trials: u64,
    lattice: Lattice,
    steps: i32,
    search: &AnyMethod,
    budget: &Budget,
) -> [u64; 2] {
    let [x, first] = [200, 200 - steps].map(|steps| lattice.pixel(steps));
    let truth = (f64::from(steps) + 0.5) / f64::from(lattice.steps());
    let classifier = from_pixel_on(first);
    let sampler = MonteCarlo::new(&classifier, 1000).under(NoiseKind::Lattice(lattice));
    let certified = |seed| match certify(search, budget, &sampler, &input(&[x], seed)).unwrap().verdict {
        Verdict::Certified { class: 1, radius, .. } => [1, u64::from(radius > truth)],
        _ => [0, 0],
    };
    (0..trials).into_par_iter().map(certified).reduce(|| [0, 0], |a, b| [a[0] + b[0], a[1] + b[1]])
}

/// Searches make a table for every σ that they look at, so there are fewer trials.
fn certificates_on_the_lattice_are_sound_for_every_quick_search(trials: u64) {
    let (trials, level) = (trials / 10, alpha(0.05));
    for (name, search) in methods() {
        let [certified, wrong] =
            on_the_lattice(trials, Lattice::Bytes, 100, &search, &budget(20, 200, level));
        assert!(certified > trials / 2, "{name}: only {certified} certified");
        assert!(!too_many(wrong, trials, level), "{name}: {wrong} of {trials} wrong");
    }
}

/// Five steps of noise and five to the boundary: noise that is off by half a step would be seen.
fn half_a_step_counts_on_the_lattice(trials: u64) {
    let level = alpha(0.05);
    for lattice in Lattice::ALL {
        let five_steps = cohen(5.0 / f64::from(lattice.steps()));
        let [certified, wrong] =
            on_the_lattice(10 * trials, lattice, 5, &five_steps, &budget(20, 200, level));
        assert!(certified > 9 * trials, "{lattice:?}: only {certified} certified");
        assert!(!too_many(wrong, 10 * trials, level), "{lattice:?}: {wrong} of {} wrong", 10 * trials);
        // and the bound is not far from the truth
        assert!(wrong > trials / 10, "{lattice:?}: {wrong} of {} wrong", 10 * trials);
    }
}

/// Bounds of the class and of the others, together, where no class need have half of the votes.
fn two_sided_certificates_are_sound_for_every_quick_search(trials: u64) {
    let sampler = MonteCarlo::new(&Cells, 1000).under(NoiseKind::Float);
    let level = alpha(0.05);
    for (bound, x) in [(Bound::TwoSided, 0.9), (Bound::Auto, 0.1)] {
        for (name, search) in methods() {
            let budget = Budget::new(20, 200, level).and_then(|budget| budget.with_bound(bound)).unwrap();
            let verdict = |seed| certify(&search, &budget, &sampler, &input(&[x], seed)).unwrap().verdict;
            let (wrong, certified) = (0..trials)
                .into_par_iter()
                .map(|seed| lead_is_wrong(&verdict(seed), x))
                .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
            assert!(certified > trials / 100, "{name} at {x} certifies {certified} of {trials}");
            assert!(!too_many(wrong, trials, level), "{name} at {x}, {bound:?}: {wrong} of {trials} wrong");
        }
    }
}

/// Whether a verdict on `Cells` at `x` bounds a probability wrongly; and whether it certifies at all.
fn lead_is_wrong(verdict: &Verdict, x: f32) -> (u64, u64) {
    let Verdict::Certified { class, sigma, p_lower, p_upper, .. } = *verdict else { return (0, 0) };
    let p = Cells.p(x.into(), sigma);
    let others = (0..3).filter(|other| *other != class).map(|other| p[other]).fold(0.0, f64::max);
    (u64::from(p_lower > p[class] || p_upper.is_some_and(|upper| upper < others)), 1)
}

/// The question whether a radius holds, asked just beyond the truth: after every step one may stop, and the
/// answer is wrong no more often than α says.
fn a_radius_beyond_the_truth_is_rarely_confirmed(trials: u64) {
    let truth = &truths()[0]; // its radius is 0.25 at every σ
    let sampler = MonteCarlo::new(&*truth.classifier, 1000).under(NoiseKind::Float);
    for level in [alpha(0.05), alpha(0.001)] {
        let at =
            |radius| Budget::new(100, 5000, level).and_then(|budget| budget.asking_about(radius)).unwrap();
        let confirmed = |radius: f64, trials: u64| -> u64 {
            let yes = |seed| certify(&common::cohen(0.5), &at(radius), &sampler, &input(&[truth.x], seed));
            let yes = |seed| u64::from(matches!(yes(seed).unwrap().verdict, Verdict::Certified { .. }));
            (0..trials).into_par_iter().map(yes).sum()
        };
        let wrong = confirmed(0.25 + 1e-9, trials);
        assert!(!too_many(wrong, trials, level), "α = {}: {wrong} of {trials} wrong", level.get());
        // and what is far from the truth is told at once
        assert_eq!(confirmed(0.1, 200), 200);
        assert_eq!(confirmed(0.4, 200), 0);
    }
}

#[test]
fn an_easy_question_takes_few_draws() {
    let sampler = MonteCarlo::new(&HalfSpace { dim: 1 }, 100).under(NoiseKind::Float);
    let spent = |radius| {
        let budget =
            Budget::new(20, 100_000, alpha(0.001)).and_then(|budget| budget.asking_about(radius)).unwrap();
        certify(&common::cohen(0.5), &budget, &sampler, &input(&[0.5], 1)).unwrap().passes()
    };
    assert!(spent(0.2) < 500, "{}", spent(0.2));
    assert!(spent(0.8) < 500, "{}", spent(0.8));
    assert!(spent(0.49) > 5000, "{}", spent(0.49));
}

/// `certificates_are_sound_for_every_quick_search` can fail: with the search's draws reused in the certificate it does.
#[test]
fn reused_draws_break_the_promise() {
    /// Answers every phase with the same draws.
    struct Reuse<'a>(MonteCarlo<'a>);

    impl SampleUnderNoise for Reuse<'_> {
        fn sample_under_noise(&self, x: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error> {
            let stream = Stream { phase: Phase::Search, ..draws.stream };
            self.0.sample_under_noise(x, g, &Draws::first(draws.range.len() as u32, stream))
        }
    }

    let truth = &truths()[0];
    let sampler = Reuse(MonteCarlo::new(&*truth.classifier, 1000).under(NoiseKind::Float));
    let level = alpha(0.05);
    let budget = budget(20, 100, level);
    let (_, search) = &methods().into_iter().find(|(name, _)| *name == "grid").unwrap();
    let (wrong, _) = failures(FEW, truth, search, &budget, &sampler);
    assert!(too_many(wrong, FEW, level), "only {wrong} of {FEW} wrong");
}

/// Two classes with the same probability, and a third: whoever names one of them is wrong.
fn a_tie_is_rarely_called(trials: u64) {
    struct Tie;
    impl Classifier for Tie {
        fn input_len(&self) -> usize {
            1
        }
        fn num_classes(&self) -> usize {
            3
        }
        fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
            for (x, row) in batch.iter().zip(out.chunks_mut(3)) {
                row.copy_from_slice(&[-x, *x, if x.abs() > 2.0 { 9.0 } else { -9.0 }]);
            }
            Ok(())
        }
    }
    let level = alpha(0.05);
    let called = |seed: &u64| {
        let sampler = MonteCarlo::new(&Tie, 100).under(NoiseKind::Float);
        predict(&sampler, &input(&[0.0], *seed), sigma(1.0), 100, level).unwrap().class.is_some()
    };
    let wrong = (0..trials).into_par_iter().filter(called).count() as u64;
    assert!(!too_many(wrong, trials, level), "{wrong} of {trials} called");
    assert!(wrong > trials / 50, "only {wrong} of {trials} called: the test is no longer one of α");
}

/// A sampler that loses the votes of a phase, as a remote worker might, is found out before shares are made of the rest.
#[test]
fn lost_votes_are_no_certificate() {
    /// Passes over the first draw of a request of this phase.
    struct Losing<'a>(MonteCarlo<'a>, Phase);

    impl SampleUnderNoise for Losing<'_> {
        fn sample_under_noise(&self, x: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error> {
            let mut draws = draws.clone();
            draws.range.start += u32::from(draws.stream.phase == self.1);
            self.0.sample_under_noise(x, g, &draws)
        }

        fn soft_sample(&self, x: &[f32], g: Smoothed, draws: &Draws) -> Result<(Votes, SoftVotes), Error> {
            let (votes, soft) = self.0.soft_sample(x, g, draws)?;
            let lost = draws.stream.phase == self.1;
            Ok((if lost { Votes::from_iter([(0, votes.total() - 1)]) } else { votes }, soft))
        }
    }

    let (classifier, x) = (HalfSpace { dim: DIM }, [0.5; DIM]);
    let budget = budget(20, 200, alpha(0.001));
    for (name, search) in every_method() {
        let ask = |phase| {
            let sampler = Losing(MonteCarlo::new(&classifier, 100).under(NoiseKind::Float), phase);
            certify(&search, &budget, &sampler, &input(&x, 1))
        };
        let sound = ask(Phase::Predict).unwrap();
        let asked = [
            (Phase::Search, !sound.looks.is_empty()),
            (Phase::Select, sound.selection.is_some()),
            (Phase::Estimate, !sound.estimates.is_empty()),
        ];
        assert!(asked[2].1, "{name}: no draw certifies");
        for (phase, _) in asked.into_iter().filter(|(_, asked)| *asked) {
            let found = ask(phase);
            let told = matches!(&found, Err(Error::Engine(text)) if text.contains("votes were cast for"));
            assert!(told, "{name}, {phase:?}: {found:?}");
        }
    }
    let sampler = Losing(MonteCarlo::new(&classifier, 100).under(NoiseKind::Float), Phase::Predict);
    let predicted = predict(&sampler, &input(&x, 1), sigma(0.5), 200, alpha(0.001));
    assert_eq!(predicted.unwrap_err().to_string(), "engine: 199 votes were cast for 200 draws");
}

#[test]
fn votes_do_not_depend_on_batch_thread_or_piece() {
    let x = vec![0.1; 12];
    let stream = Stream { seed: 7, input: 3, phase: Phase::Estimate };
    let ask = |batch, range| {
        let sampler = MonteCarlo::new(&HalfSpace { dim: 12 }, batch).under(NoiseKind::Float);
        sampler.sample_under_noise(&x, Smoothed::gaussian(sigma(0.5)), &Draws { stream, range }).unwrap()
    };
    let whole = ask(64, 0..1000);
    assert_eq!(whole.total(), 1000);
    assert_eq!(whole, ask(1, 0..1000));
    assert_eq!(whole, ask(999, 0..1000));
    assert_eq!(whole, ask(7, 0..333).merge(ask(50, 333..1000)));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
    assert_eq!(whole, pool.install(|| ask(13, 0..1000)));
}

#[test]
fn vote_shares_match_the_closed_form() {
    let n = 200_000;
    for truth in truths() {
        let sampler = MonteCarlo::new(&*truth.classifier, 1000).under(NoiseKind::Float);
        for level in [0.1, 0.5, 1.3].map(sigma) {
            let draws = Draws::first(n, Stream { seed: 1, input: 0, phase: Phase::Estimate });
            let votes = sampler.sample_under_noise(&[truth.x], Smoothed::gaussian(level), &draws).unwrap();
            let (share, want) = (votes.of(1) as f64 / f64::from(n), (truth.p)(level));
            let error = (want * (1.0 - want) / f64::from(n)).sqrt();
            assert!((share - want).abs() < 4.5 * error, "{}: {share} instead of {want}", truth.name);
        }
    }
}

#[test]
fn the_share_of_a_ball_matches_its_closed_form() {
    for (dim, radius) in [(2, 1.0), (8, 2.0)] {
        let ball = InsideBall { dim, radius };
        let sampler = MonteCarlo::new(&ball, 1000).under(NoiseKind::Float);
        for level in [0.4, 0.7, 1.1].map(sigma) {
            let draws = Draws::first(100_000, Stream { seed: 1, input: 0, phase: Phase::Estimate });
            let votes =
                sampler.sample_under_noise(&vec![0.0; dim], Smoothed::gaussian(level), &draws).unwrap();
            let (share, want) = (votes.of(1) as f64 / 1e5, ball.p(level));
            let error = (want * (1.0 - want) / 1e5).sqrt();
            assert!((share - want).abs() < 4.5 * error, "{dim}: {share} instead of {want}");
        }
    }
}

#[test]
fn searching_beats_a_badly_chosen_sigma() {
    let slab = Slab { dim: 1, half: 1.0 };
    let sampler = MonteCarlo::new(&slab, 500).under(NoiseKind::Float);
    let budget = budget(100, 10_000, alpha(0.001));
    let radius =
        |search: &AnyMethod| match certify(search, &budget, &sampler, &input(&[0.0], 5)).unwrap().verdict {
            Verdict::Certified { radius, .. } => radius,
            Verdict::Abstain(_) => 0.0,
        };
    let bad = radius(&common::cohen(1.3));
    for (name, search) in methods().into_iter().filter(|(name, _)| *name != "cohen") {
        assert!(radius(&search) > 2.0 * bad.max(0.2), "{name}: {} after {bad}", radius(&search));
    }
}
