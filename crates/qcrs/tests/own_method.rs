//! Does the promise hold for a search that somebody else wrote, and that does its worst?

mod common;

use common::{alpha, budget, few_and_many, input, sigma, too_many};
use qcrs::certify::{Budget, Verdict, certify};
use qcrs::method::{Dsrs, Look, Plan, PlanCertificate, Scout, Second, Sides};
use qcrs::noise::{Draws, NoiseKind};
use qcrs::sample::{MonteCarlo, SampleUnderNoise, Smoothed, Votes};
use qcrs::testing::{Cells, HalfSpace};
use qcrs::types::{Error, Sigma};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

few_and_many![a_search_that_does_its_worst_makes_no_more_wrong_certificates_than_alpha_allows];

/// Numbers that no seed repeats: the search may do as it likes.
struct Moods(AtomicU64);

impl Moods {
    fn new() -> Self {
        Self(AtomicU64::new(1))
    }

    /// A number below `end`.
    fn below(&self, end: u64) -> u64 {
        let state = self.0.fetch_add(0x9E37_79B9_7F4A_7C15, Relaxed);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}

const SIGMAS: [f64; 4] = [0.15, 0.3, 0.6, 1.2];

/// Looks everywhere, and plans for whatever was luckiest; how it plans is chance.
struct Worst(Moods);

impl Worst {
    /// Looks at the same σ again and again, and plans as many draws as would have certified most: what stops where it
    /// looks best would be wrong far too often, if any of these draws were counted in the certificate.
    fn stop_where_it_looks_best(scout: &mut Scout<'_>, sigma: Sigma) -> Result<Plan, Error> {
        let (mut votes, mut best) = (Votes::default(), (0.0, 200, 0));
        for _ in 0..40 {
            votes = votes.merge(scout.look(sigma, 5)?.votes);
            let class = votes.elected()?;
            let radius = scout.radius(&Look::new(Smoothed::gaussian(sigma), votes.clone()), class)?;
            if radius > best.0 {
                best = (radius, votes.total() as u32, class);
            }
        }
        let (_, n, class) = best;
        Ok(Plan::certify(scout.at(sigma)).for_class(class).with_draws(n).into())
    }
}

impl PlanCertificate for Worst {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        let Self(moods) = self;
        if moods.below(2) == 0 {
            return Self::stop_where_it_looks_best(scout, sigma(SIGMAS[moods.below(4) as usize]));
        }
        let mut luckiest = (0.0, sigma(SIGMAS[0]), 0);
        for value in SIGMAS {
            for _ in 0..3 {
                let look = scout.look(sigma(value), 5 + moods.below(40) as u32)?;
                let class = look.votes.elected()?;
                let radius = scout.predicted_radius(&look, class)?;
                if radius >= luckiest.0 {
                    luckiest = (radius, sigma(value), class);
                }
            }
        }
        let (_, sigma, class) = luckiest;
        let single = Plan::certify(scout.at(sigma));
        let single = match moods.below(3) {
            0 => single.for_class(class),
            1 => single.for_class(moods.below(5) as usize), // there are fewer classes
            _ => single,
        };
        let single = if moods.below(2) == 0 { single } else { single.with_draws(moods.below(201) as u32) };
        let single = match moods.below(3) {
            0 => single.by(Sides::One),
            1 => single.by(Sides::Two),
            _ => single,
        };
        let plan = match moods.below(4) {
            0 => Plan::best_of(SIGMAS.map(|value| scout.at(common::sigma(value))).to_vec(), scout.at(sigma))?,
            _ => single.into(),
        };
        match moods.below(50) {
            0 => panic!("a search of its own"),
            1 => Err(Error::Invalid("a search of its own".into())),
            _ => Ok(plan),
        }
    }
}

/// How many certificates are wrong, how many there are, and how many searches broke off.
#[derive(Default)]
struct Tally {
    wrong: u64,
    certified: u64,
    broken: u64,
}

/// Asks for a certificate of `x` with each of so many seeds; `is_wrong` compares a verdict with the truth.
fn tally(
    trials: u64,
    search: &dyn PlanCertificate,
    budget: &Budget,
    sampler: &MonteCarlo<'_>,
    x: &[f32],
    is_wrong: impl Fn(&Verdict) -> bool + Sync,
) -> Tally {
    let one =
        |seed| match catch_unwind(AssertUnwindSafe(|| certify(search, budget, sampler, &input(x, seed)))) {
            Ok(Ok(outcome)) => {
                let certified = matches!(outcome.verdict, Verdict::Certified { .. });
                let wrong = certified && is_wrong(&outcome.verdict);
                Tally { wrong: u64::from(wrong), certified: u64::from(certified), broken: 0 }
            }
            Ok(Err(_)) | Err(_) => Tally { broken: 1, ..Tally::default() },
        };
    let add = |a: Tally, b: Tally| Tally {
        wrong: a.wrong + b.wrong,
        certified: a.certified + b.certified,
        broken: a.broken + b.broken,
    };
    (0..trials).into_par_iter().map(one).reduce(Tally::default, add)
}

/// On three cells, whose truth is known: p_lower above the class's probability, or p_upper below another's.
fn a_search_that_does_its_worst_makes_no_more_wrong_certificates_than_alpha_allows(trials: u64) {
    std::panic::set_hook(Box::new(|_| ())); // its panics are expected, and there are hundreds
    let sampler = MonteCarlo::new(&Cells, 1000).under(NoiseKind::Float);
    for level in [alpha(0.05), alpha(0.001)] {
        for x in [0.1, 0.9] {
            let is_wrong = |verdict: &Verdict| {
                let &Verdict::Certified { class, sigma, p_lower, p_upper, .. } = verdict else {
                    return false;
                };
                let p = Cells.p(f64::from(x), sigma);
                let others = (0..3).filter(|other| *other != class).map(|other| p[other]).fold(0.0, f64::max);
                class > 2 || p_lower > p[class] || p_upper.is_some_and(|upper| upper < others)
            };
            let found =
                tally(trials, &Worst(Moods::new()), &budget(20, 200, level), &sampler, &[x], is_wrong);
            let (wrong, level_) = (found.wrong, level.get());
            assert!(found.certified > trials / 100, "x = {x}: {} certified", found.certified);
            assert!(found.broken > trials / 100, "x = {x}: {} broke off", found.broken);
            assert!(!too_many(wrong, trials, level), "x = {x}, α = {level_}: {wrong} of {trials} wrong");
        }
    }
}

type Planning = fn(&mut Scout<'_>) -> Result<Plan, Error>;

/// A search that asks for what it must not have.
struct Greedy(Planning);

impl PlanCertificate for Greedy {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        (self.0)(scout)
    }
}

/// Votes for class 1 without asking anything.
struct Yes;
impl SampleUnderNoise for Yes {
    fn sample_under_noise(&self, _: &[f32], _: Smoothed, draws: &Draws) -> Result<Votes, Error> {
        Ok([(1, draws.range.len() as u64)].into_iter().collect())
    }
}

#[test]
fn plans_that_cannot_be_certified_are_errors() {
    let cases: [(&str, Planning); 7] = [
        (
            "planned 201 draws, but the budget has 200",
            (|scout| Ok(Plan::certify(scout.at(sigma(0.5))).with_draws(201).into())),
        ),
        ("planned 4294967295 draws", |scout| {
            Ok(Plan::certify(scout.at(sigma(0.5))).for_class(0).with_draws(u32::MAX).into())
        }),
        ("1 to 65536 smoothed classifiers, got 0", |scout| Plan::best_of(Vec::new(), scout.at(sigma(0.5)))),
        ("1 to 65536 smoothed classifiers, got 65537", |scout| {
            let g = scout.at(sigma(0.5));
            Plan::best_of(vec![g; 65_537], g)
        }),
        ("made for inputs of 64 values, and the input has 1", |_| {
            let dsrs = Dsrs { sigma: sigma(0.5), k: 20, second: Second::Threshold };
            Ok(dsrs.laws(64)?.into())
        }),
        ("the share of σ must be at least 0.1 and below 1", |_| {
            let dsrs = Dsrs { sigma: sigma(0.5), k: 20, second: Second::Variance(5.0) };
            Ok(dsrs.laws(64)?.into())
        }),
        // all draws of the search, and then one more
        ("draws", |scout| {
            scout.look(sigma(0.5), u32::MAX)?;
            scout.look(sigma(0.5), u32::MAX)?;
            Ok(Plan::certify(scout.at(sigma(0.5))).into())
        }),
    ];
    for (says, plan) in cases {
        let outcome = certify(&Greedy(plan), &budget(20, 200, alpha(0.001)), &Yes, &input(&[0.5], 0));
        let error = outcome.expect_err(says).to_string();
        assert!(error.contains(says), "{says}: {error}");
    }
    // no draws, no certificate
    let nothing = Greedy(|scout| Ok(Plan::certify(scout.at(sigma(0.5))).with_draws(0).into()));
    let outcome = certify(&nothing, &budget(20, 200, alpha(0.001)), &Yes, &input(&[0.5], 0)).unwrap();
    assert!(matches!(outcome.verdict, Verdict::Abstain(_)) && outcome.estimates.is_empty());
}

/// The searches that come with qcrs refuse settings that cannot work when they are asked, checked before or not.
#[test]
fn methods_that_cannot_be_certified_make_no_plan() {
    use qcrs::method::{AnyMethod, Grid, InstaRs, Iss, Probe, Qcrs, Winner};
    let low_high = [sigma(0.1), sigma(1.0)];
    let mut bad: Vec<AnyMethod> = Vec::new();
    for (_, search) in common::every_method() {
        bad.extend(match search {
            AnyMethod::Grid(grid) => {
                let none = Grid { points: 0, ..grid.clone() };
                let turned = Grid { low: sigma(1.0), high: sigma(0.1), ..grid.clone() };
                vec![none, turned, Grid { winner: Winner::Fresh { draws: 0 }, ..grid }]
                    .into_iter()
                    .map(AnyMethod::Grid)
                    .collect()
            }
            AnyMethod::Qcrs(qcrs) => vec![AnyMethod::Qcrs(Qcrs { draws: 0, ..qcrs })],
            AnyMethod::Iss(iss) => vec![AnyMethod::Iss(Iss { draws: 0, ..iss })],
            AnyMethod::InstaRs(insta) => vec![AnyMethod::InstaRs(InstaRs { starts: Vec::new(), ..insta })],
            AnyMethod::Probe(_) => vec![AnyMethod::Probe(Probe::new(sigma(0.5), low_high, -1.0))],
            AnyMethod::Dsrs(dsrs) => {
                vec![AnyMethod::Dsrs(Dsrs { second: Second::Variance(f64::NAN), ..dsrs })]
            }
            _ => Vec::new(),
        });
    }
    assert!(bad.len() >= 8, "{bad:?}");
    let sampler = MonteCarlo::new(&HalfSpace { dim: common::DIM }, 100).under(NoiseKind::Float);
    let x = [0.5; common::DIM];
    for search in bad {
        let outcome = certify(&search, &budget(20, 200, alpha(0.001)), &sampler, &input(&x, 0));
        assert!(outcome.is_err(), "{search:?}: {outcome:?}");
    }
}

/// A σ is checked where it is made, so that no search can plan for one that is none.
#[test]
fn there_is_no_noise_level_that_cannot_be_drawn() {
    for value in [0.0, -1.0, 1e-8, f64::NAN, f64::INFINITY] {
        assert!(Sigma::new(value).is_err(), "{value}");
    }
}
