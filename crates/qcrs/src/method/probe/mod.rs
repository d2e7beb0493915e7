//! PROBE: a curve with its uncertainty, and draws where the best σ may lie.
//!
//! | file       | question it answers                                          |
//! |------------|--------------------------------------------------------------|
//! | `linear`   | how is a small symmetric positive definite system solved?    |
//! | `tails`    | what are Φ and Φ⁻¹, fast enough to plan with?                |
//! | `laplace`  | which curves explain the votes?                              |
//! | `belief`   | what do the votes say of the class and its runner-up?        |
//! | `forecast` | which radius will N draws certify?                           |
//! | `acquire`  | where may the best σ lie, and what is it worth to know?      |
//! | `planner`  | which σ, how many draws, which bound?                        |
//! | `explore`  | where to look next, and when is enough known?                |
//! | `pilot`    | which price of a draw spends a given number of passes?       |

mod acquire;
mod belief;
mod explore;
mod forecast;
mod laplace;
mod linear;
mod pilot;
mod planner;
mod tails;

pub use pilot::Pilot;

use super::given::{LEFT, RIGHT};
use super::posterior::rounded;
use super::{Descriptor, Facts, Given, Plan, PlanCertificate, Qcrs, Scout, Setting, Slow};
use crate::sample::Votes;
use crate::types::{Error, Sigma};
use belief::{Belief, Priors};
use explore::Explored;
use planner::Choice;
use serde::{Deserialize, Serialize};

/// The points of the σ grid.
const POINTS: usize = 24;
/// The first looks go to every third of them.
const STRIDE: usize = 3;
/// The first look at σ₀ is this many times as long, because it names the class.
const ANCHOR: u32 = 4;
/// Every search may take this many draws; a longer one may take only a share of the draws of its certificate.
const SHORT: u32 = 2000;
/// Where draws have a price, which usually ends a search, it may take at most this many.
const LONG: u32 = 8000;

/// Looks where the best σ may lie until that is known well enough, then plans σ, class, bound and number
/// of draws, all from the draws of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// σ₀: the noise the classifier was trained with; the class is the one that wins around it.
    pub sigma: Sigma,
    /// Left end of the search region.
    pub low: Sigma,
    /// Right end of the search region.
    pub high: Sigma,
    /// λ: the radius that one draw must bring, for a classifier with σ₀ = 0.5 and in proportion for others.
    /// At 0, draws are free, and every certificate takes as many as the budget has.
    pub lambda: f64,
    /// Draws per first look.
    pub first: u32,
    /// Draws per round at first; later rounds take a fifth of all draws so far.
    pub batch: u32,
    /// The most draws of a search.
    pub most: u32,
    /// Stop when knowing the curve would bring less than this part of the radius.
    pub tolerance: f64,
    /// Into how many parts the final plan divides each step of the grid, so that σ may lie between two
    /// points; 1 for runs that do not say.
    #[serde(skip_serializing_if = "is_one", default = "one")]
    pub parts: u32,
}

fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
fn is_one(parts: &u32) -> bool {
    *parts == 1
}

const LAMBDA: Setting = Setting {
    name: "lambda",
    value: "L",
    about: "stop when another draw adds less than this much radius (times sigma/0.5); 0: always use all n draws",
    default: "1e-6",
};

const PASSES: Setting = Setting {
    name: "passes",
    value: "P",
    about: "instead of lambda: the passes per input to aim at on average; a search of 20 inputs sets lambda",
    default: "by lambda",
};

/// The plan decides the bound and the number of draws.
const REFUSES: &[(&str, &str)] = &[
    ("bound", "probe chooses the bound itself; leave this out"),
    ("at_radius", "probe plans its draws for the largest radius; leave this out, or ask with another method"),
];

impl Probe {
    /// The usual price of a draw.
    pub const LAMBDA: f64 = 1e-6;

    pub(super) const DESCRIPTOR: Descriptor = Descriptor {
        name: "probe",
        about: "draws where the best sigma may lie, then as many as the radius is worth",
        settings: &[LEFT, RIGHT, LAMBDA, PASSES],
        read: |given| Ok(Self::read(given)?.into()),
    };

    fn read(given: &Given<'_>) -> Result<Self, Error> {
        if given.has("passes") && given.has("lambda") {
            return Err(Error::setting("passes", "sets lambda; give one of the two"));
        }
        let Qcrs { sigma, low, high, .. } = given.published()?;
        Ok(Self::new(sigma, [low, high], given.number("lambda")?.unwrap_or(Self::LAMBDA)))
    }

    pub(super) fn facts(&self) -> Facts {
        Facts {
            region: Some([self.low, self.high]),
            search: self.passes(),
            names_the_class: true,
            refuses: REFUSES,
            slow: Slow::Search([self.low, self.high]),
            ..Facts::about(self.sigma)
        }
    }

    /// The search with its usual settings.
    pub fn new(sigma: Sigma, [low, high]: [Sigma; 2], lambda: f64) -> Self {
        // a search that no price ends should stay small beside the certificate
        let most = if lambda > 0.0 { LONG } else { SHORT };
        Self { sigma, low, high, lambda, first: 16, batch: 96, most, tolerance: 0.002, parts: 4 }
    }

    /// The factor of a price λ: radii are in proportion to σ₀.
    fn unit(&self) -> f64 {
        self.sigma.get() / 0.5
    }

    /// Refuses settings that cannot work, before any draw is spent.
    pub fn check(&self) -> Result<(), Error> {
        let Self { low, high, lambda, first, batch, tolerance, parts, .. } = self;
        let problem = if low >= high {
            let (low, high) = (low.get(), high.get());
            let problem = format!("must be below the right end; the search region [{low}, {high}] is empty");
            return Err(Error::setting("left", problem));
        } else if self.sigma < *low || self.sigma > *high {
            let (sigma, low, high) = (self.sigma.get(), low.get(), high.get());
            let problem = format!("the class is named at {sigma}, outside the region [{low}, {high}]");
            return Err(Error::setting("sigma", problem));
        } else if !(*lambda >= 0.0 && lambda.is_finite()) {
            let problem = format!("the price of a draw must be 0 or positive, got {lambda}");
            return Err(Error::setting("lambda", problem));
        } else if *first == 0 || *batch < 8 {
            format!("a first look needs at least 1 draw and a round 8, got {first} and {batch}")
        } else if !(*tolerance >= 0.0 && tolerance.is_finite()) {
            format!("the tolerance must be 0 or positive, got {tolerance}")
        } else if !(1..=16).contains(parts) {
            format!("a step of the grid can have 1 to 16 parts, got {parts}")
        } else {
            return Ok(());
        };
        Err(Error::Invalid(problem))
    }

    /// The most draws that a search takes.
    pub fn passes(&self) -> u64 {
        let first = u64::from(self.first) * (POINTS.div_ceil(STRIDE) as u64 + u64::from(ANCHOR));
        // the last round begins before `most`; shared out in multiples of eight, it may be four draws longer
        // at each of four points
        first + u64::from(self.most) + u64::from(self.round(self.most)) + 16
    }

    /// The draws of the round after `spent` draws.
    fn round(&self, spent: u32) -> u32 {
        self.batch.max(spent / 5)
    }

    /// The grid with every step in so many `parts`, even in ln σ and rounded to four digits, which keeps
    /// records short.
    fn grid(&self, parts: usize) -> Result<Vec<Sigma>, Error> {
        let (low, high) = (self.low.get(), self.high.get());
        let last = (POINTS - 1) * parts;
        let at = |i: usize| low * (high / low).powf(i as f64 / last as f64);
        (0..=last).map(|i| Sigma::new(rounded(at(i)))).collect()
    }

    /// What `votes`, those at each point of the grid, say about all σ that a certificate may take.
    fn between(&self, votes: &[Votes]) -> Result<Belief, Error> {
        let parts = self.parts as usize;
        let sigmas: Vec<f64> = self.grid(parts)?.iter().map(|sigma| sigma.get()).collect();
        let mut spread = vec![Votes::default(); sigmas.len()];
        for (place, votes) in spread.iter_mut().step_by(parts).zip(votes) {
            place.clone_from(votes);
        }
        let start = self.sigma.get();
        Belief::new(&Priors::new(&sigmas, start), &sigmas, &spread, start)
    }
}

impl PlanCertificate for Probe {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        let Explored { planner, belief, votes, .. } = self.explore(scout)?;
        let fine = self.between(&votes)?;
        scout.believe(belief.posterior());
        Ok(match planner.best(&fine) {
            Some(Choice { at, n, sides, .. }) => {
                let g = scout.at(Sigma::new(fine.sigmas[at])?);
                Plan::certify(g).for_class(fine.class).with_draws(n).by(sides).into()
            }
            None => Plan::Nothing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::forecast::Forecast;
    use super::planner::Planner;
    use super::*;
    use crate::types::Alpha;

    fn search(parts: u32) -> Probe {
        let [sigma, low, high] = [0.5, 0.12, 1.7].map(|sigma| Sigma::new(sigma).unwrap());
        Probe { parts, ..Probe::new(sigma, [low, high], 1e-6) }
    }

    /// What is believed about the same votes on the grid, with `parts` parts per step.
    fn believed(parts: u32, seed: u64) -> Belief {
        let grid: Vec<f64> = search(1).grid(1).unwrap().iter().map(|sigma| sigma.get()).collect();
        search(parts).between(&belief::tests::tally(&grid, seed)).unwrap()
    }

    #[test]
    fn votes_say_the_same_of_their_points_however_fine_the_grid() {
        for seed in 0..8 {
            let (coarse, fine) = (believed(1, seed), believed(4, seed));
            assert_eq!((fine.sigmas.len(), fine.class), (93, coarse.class));
            for at in 0..24 {
                assert!((fine.sigmas[4 * at] - coarse.sigmas[at]).abs() < 1e-15);
                let means = [fine.radius.mean[4 * at], coarse.radius.mean[at]];
                let deviations = [fine.radius.deviation(4 * at), coarse.radius.deviation(at)];
                assert!((means[0] - means[1]).abs() < 1e-9, "{seed}, {at}: {means:?}");
                assert!((deviations[0] - deviations[1]).abs() < 1e-9, "{seed}, {at}: {deviations:?}");
            }
        }
    }

    #[test]
    fn a_plan_between_two_points_is_never_expected_to_bring_less() {
        let forecast = Forecast::new(Alpha::new(0.001).unwrap()).unwrap();
        let planner = Planner { forecast, price: 1e-6, sizes: planner::sizes(100_000), reference: 2000 };
        let gain = |seed| {
            let [coarse, fine] = [1, 4].map(|parts| planner.best(&believed(parts, seed)));
            let (coarse, fine) = (coarse.map_or(0.0, |c| c.value), fine.map_or(0.0, |c| c.value));
            assert!(fine >= coarse - 1e-9, "{seed}: {fine} {coarse}");
            fine / coarse.max(1e-9) - 1.0
        };
        let gains: Vec<f64> = (0..8).map(gain).collect();
        assert!(gains.iter().any(|gain| *gain > 1e-3), "{gains:?}");
    }

    #[test]
    fn a_run_that_does_not_say_plans_on_the_grid_itself() {
        let old = serde_json::to_value(search(1)).unwrap();
        assert_eq!(old.get("parts"), None);
        assert_eq!(serde_json::from_value::<Probe>(old).unwrap(), search(1));
        let new = serde_json::to_value(search(4)).unwrap();
        assert_eq!(serde_json::from_value::<Probe>(new).unwrap(), search(4));
        for parts in [0, 17] {
            assert!(search(parts).check().unwrap_err().to_string().contains("1 to 16 parts"));
        }
    }
}
