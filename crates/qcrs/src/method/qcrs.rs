//! Kung and Chen 2024 (QCRS): bisection on the sign of dR/dσ.

use super::given::{GRADIENT_N, LEFT, RIGHT};
use super::{Descriptor, Facts, Given, Look, Pairs, Plan, PlanCertificate, Scout, Setting};
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// Halves [`low`, `high`] until it is no longer than `tolerance`, going where the radius grows,
/// then keeps the better of the midpoint and `sigma`.
///
/// The released program and its repairs differ in six decisions. Each is a field, so that an ablation can
/// switch it alone. [`Qcrs::paper`] has one of the repairs, without which σ − τ may fall below zero, and
/// [`Qcrs::repaired`] has all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Qcrs {
    /// σ₀: the noise the classifier was trained with, and the fallback.
    pub sigma: Sigma,
    /// Left end of the search region.
    pub low: Sigma,
    /// Right end of the search region.
    pub high: Sigma,
    /// ε: stop when the interval is no longer than this.
    pub tolerance: f64,
    /// τ: half the width of the central difference.
    pub step: f64,
    /// Draws per look.
    pub draws: u32,
    /// Whether the two looks of a difference share their noise.
    pub pairs: Pairs,
    /// What is compared.
    pub objective: Objective,
    /// Whether τ follows the interval.
    pub tau: Tau,
    /// Where to go when both sides are equal.
    pub plateau: Plateau,
    /// What the final σ must show to replace σ₀.
    pub accept: Accept,
    /// What to do where σ − τ falls below the region.
    pub negative_sigma: NegativeSigma,
}

/// The radius that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// What the look's own draws certify, as released.
    Look,
    /// What the certificate's n draws are expected to certify.
    Final,
}

/// The width of the central difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tau {
    /// τ throughout, as released.
    Constant,
    /// At most a quarter of the interval: a finite τ biases the optimum.
    Shrinking,
}

/// The way out of a zero gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plateau {
    /// Against the last direction, as released (there called momentum).
    Alternate,
    /// Towards σ₀ where that certifies (the σ that certify form an interval), else to less noise.
    TowardsStart,
}

/// The rejection test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accept {
    /// A larger radius for whatever class wins there, as released.
    AnyClass,
    /// A larger radius for the class that wins at σ₀.
    SameClass,
}

/// The left end of a difference that leaves the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NegativeSigma {
    /// Looks no further left than the region's left end.
    Floor,
    /// Lets σ − τ go below zero, where the radius counts as negative, as released.
    Emulate,
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Left,
    Right,
}

/// A finer search has more ends than can be listed.
const MOST_HALVINGS: u32 = 16;

const EPSILON: Setting = Setting {
    name: "epsilon",
    value: "E",
    about: "stop when the interval of sigma is this short",
    default: "the preset's, else 0.06 sigma",
};

const TAU: Setting = Setting {
    name: "tau",
    value: "TAU",
    about: "half the width of a difference, in units of sigma",
    default: "the preset's, else 0.3 sigma",
};

const EPSILON_STEP: Setting = Setting {
    name: "epsilon_step",
    value: "S",
    about: "the published program's way to give tau: tau = epsilon / this",
    default: "by tau",
};

const MODE: Setting = Setting {
    name: "mode",
    value: "default|paper",
    about: "with our repairs, or exactly as published (except negative_sigma)",
    default: "default",
};

const PAIRS: Setting = Setting {
    name: "pairs",
    value: "common|independent",
    about: "the noise of the two looks of a difference",
    default: "the mode's",
};

const OBJECTIVE: Setting = Setting {
    name: "objective",
    value: "look|final",
    about: "compare radii of the look's own draws, or as expected of the final n",
    default: "the mode's",
};

const TAU_RULE: Setting = Setting {
    name: "tau_rule",
    value: "constant|shrinking",
    about: "a constant tau, or at most a quarter of the interval",
    default: "the mode's",
};

const PLATEAU: Setting = Setting {
    name: "plateau",
    value: "alternate|towards-start",
    about: "where to search when the difference is zero",
    default: "the mode's",
};

const ACCEPT: Setting = Setting {
    name: "accept",
    value: "any-class|same-class",
    about: "whether the sigma found must win for the same class as the sigma of the training",
    default: "the mode's",
};

const NEGATIVE_SIGMA: Setting = Setting {
    name: "negative_sigma",
    value: "floor|emulate",
    about: "what happens where sigma - tau leaves the region on the left",
    default: "floor",
};

/// [`Qcrs::paper`] or [`Qcrs::repaired`].
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    #[default]
    Default,
    Paper,
}

impl Qcrs {
    pub(super) const DESCRIPTOR: Descriptor = Descriptor {
        name: "qcrs",
        about: "quasiconcave search per input (Kung & Chen 2024)",
        settings: &[
            LEFT,
            RIGHT,
            EPSILON,
            TAU,
            EPSILON_STEP,
            GRADIENT_N,
            MODE,
            PAIRS,
            OBJECTIVE,
            TAU_RULE,
            PLATEAU,
            ACCEPT,
            NEGATIVE_SIGMA,
        ],
        read: |given| Ok(Self::read(given)?.into()),
    };

    fn read(given: &Given<'_>) -> Result<Self, Error> {
        let base = match given.word(&MODE)?.unwrap_or_default() {
            Mode::Paper => given.published()?,
            Mode::Default => given.published()?.repaired(),
        };
        Ok(Self {
            pairs: given.word(&PAIRS)?.unwrap_or(base.pairs),
            objective: given.word(&OBJECTIVE)?.unwrap_or(base.objective),
            tau: given.word(&TAU_RULE)?.unwrap_or(base.tau),
            plateau: given.word(&PLATEAU)?.unwrap_or(base.plateau),
            accept: given.word(&ACCEPT)?.unwrap_or(base.accept),
            negative_sigma: given.word(&NEGATIVE_SIGMA)?.unwrap_or(base.negative_sigma),
            ..base
        })
    }

    pub(super) fn facts(&self) -> Facts {
        let region = Some([self.low, self.high]);
        Facts { region, search: self.passes(), ..Facts::about(self.sigma) }
    }

    /// Algorithm 1 as released, with floored σ − τ.
    pub fn paper(sigma: Sigma, [low, high]: [Sigma; 2], tolerance: f64, step: f64) -> Self {
        Self {
            sigma,
            low,
            high,
            tolerance,
            step,
            draws: 500,
            pairs: Pairs::Independent,
            objective: Objective::Look,
            tau: Tau::Constant,
            plateau: Plateau::Alternate,
            accept: Accept::AnyClass,
            negative_sigma: NegativeSigma::Floor,
        }
    }

    /// The same search with every repair switched on.
    #[must_use]
    pub fn repaired(self) -> Self {
        Self {
            pairs: Pairs::Common,
            objective: Objective::Final,
            tau: Tau::Shrinking,
            plateau: Plateau::TowardsStart,
            accept: Accept::SameClass,
            ..self
        }
    }

    /// Refuses settings that cannot work, before any draw is spent.
    pub fn check(&self) -> Result<(), Error> {
        let Self { low, high, tolerance, step, draws, .. } = self;
        let (name, problem) = if low >= high {
            let (low, high) = (low.get(), high.get());
            ("left", format!("must be below the right end; the search region [{low}, {high}] is empty"))
        } else if !(*tolerance > 0.0 && tolerance.is_finite()) {
            ("epsilon", format!("must be positive, got {tolerance}"))
        } else if *tolerance < 4.0 * f64::EPSILON * high.get() {
            ("epsilon", format!("{tolerance} is less than the spacing of numbers near {}", high.get()))
        } else if !(*step > 0.0 && step.is_finite()) {
            ("tau", format!("must be positive, got {step}"))
        } else if *draws == 0 {
            ("gradient_n", "a look needs at least one draw".into())
        } else {
            return Ok(());
        };
        Err(Error::setting(name, problem))
    }

    /// Draws per input: one look at σ₀, two per halving, two for the rejection test.
    pub fn passes(&self) -> u64 {
        u64::from(self.halvings()).saturating_mul(2).saturating_add(3).saturating_mul(self.draws.into())
    }

    /// How often the region is halved.
    pub fn halvings(&self) -> u32 {
        ((self.high.get() - self.low.get()) / self.tolerance).log2().ceil().max(1.0) as u32
    }

    /// Every σ at which the bisection can end, in rising order. The search itself may still keep σ₀.
    pub(crate) fn ends(&self) -> Vec<f64> {
        let cells = 1_u64 << self.halvings().min(MOST_HALVINGS);
        let width = (self.high.get() - self.low.get()) / cells as f64;
        (0..cells).map(|cell| self.low.get() + width * (cell as f64 + 0.5)).collect()
    }

    /// The bisection itself: asks `radii` for R at both ends of each difference and returns the
    /// last midpoint. `start` is R(σ₀), which the plateau rule may need.
    ///
    /// Under [`NegativeSigma::Emulate`] the left end may be zero or negative.
    #[doc(hidden)] // public for our own tests only
    pub fn bisect(
        &self,
        start: f64,
        mut radii: impl FnMut([f64; 2]) -> Result<[f64; 2], Error>,
    ) -> Result<Sigma, Error> {
        let (mut low, mut high) = (self.low.get(), self.high.get());
        let mut last = Direction::Right; // so that an all-zero path begins to the left, as released
        loop {
            let mid = 0.5 * (low + high);
            let tau = match self.tau {
                Tau::Constant => self.step,
                Tau::Shrinking => self.step.min((high - low) / 4.0),
            };
            let left_end = match self.negative_sigma {
                NegativeSigma::Floor => (mid - tau).max(self.low.get()),
                NegativeSigma::Emulate => mid - tau,
            };
            let [left, right] = radii([left_end, mid + tau])?;
            last = if right > left {
                Direction::Right
            } else if right < left {
                Direction::Left
            } else {
                self.leave_plateau(mid, start, last)
            };
            match last {
                Direction::Right => low = mid,
                Direction::Left => high = mid,
            }
            if high - low <= self.tolerance {
                return Sigma::new(0.5 * (low + high));
            }
        }
    }

    fn leave_plateau(&self, mid: f64, start: f64, last: Direction) -> Direction {
        match self.plateau {
            Plateau::Alternate if last == Direction::Right => Direction::Left,
            Plateau::Alternate => Direction::Right,
            Plateau::TowardsStart if start > 0.0 && self.sigma.get() > mid => Direction::Right,
            Plateau::TowardsStart => Direction::Left,
        }
    }

    /// R of `class` as the search sees it: 0 where another class wins.
    fn radius(&self, scout: &Scout<'_>, look: &Look, class: usize) -> Result<f64, Error> {
        if look.votes.winner() != Some(class) {
            return Ok(0.0);
        }
        match self.objective {
            Objective::Look => scout.radius(look, class),
            Objective::Final => scout.predicted_radius(look, class),
        }
    }

    /// R at both ends of a difference. A negative σ draws the same noise as |σ| and negates the
    /// radius; σ = 0 adds no noise and certifies nothing, and a σ that is too small to draw counts as 0.
    fn difference(&self, scout: &mut Scout<'_>, ends: [f64; 2], class: usize) -> Result<[f64; 2], Error> {
        if ends[0].abs() < Sigma::LEAST {
            let look = scout.look(Sigma::new(ends[1])?, self.draws)?;
            return Ok([0.0, self.radius(scout, &look, class)?]);
        }
        let sigmas = [Sigma::new(ends[0].abs())?, Sigma::new(ends[1])?];
        let [left, right] = scout.difference(sigmas, self.draws, self.pairs)?;
        Ok([self.radius(scout, &left, class)? * ends[0].signum(), self.radius(scout, &right, class)?])
    }
}

impl PlanCertificate for Qcrs {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        self.check()?;
        // the class that every later look is about
        let start = scout.look(self.sigma, self.draws)?;
        let class = start.votes.elected()?;
        let start = self.radius(scout, &start, class)?;

        let found = self.bisect(start, |ends| self.difference(scout, ends, class))?;

        // rejection test, on fresh draws: the draws that chose σ̂ flatter it
        let looks = scout.pair([self.sigma, found], self.draws, self.pairs)?;
        let mut radii = [0.0; 2];
        for (radius, look) in radii.iter_mut().zip(&looks) {
            let class = match self.accept {
                Accept::SameClass => class,
                Accept::AnyClass => look.votes.elected()?,
            };
            *radius = self.radius(scout, look, class)?;
        }
        let best = if radii[1] > radii[0] { found } else { self.sigma };
        Ok(Plan::certify(scout.at(best)).into())
    }
}
