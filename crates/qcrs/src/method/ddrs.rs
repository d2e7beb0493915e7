//! Alfarra et al. 2022 (DDRS): climb a smooth radius, step by step.

use super::given::{GRADIENT_N, LEFT, RIGHT};
use super::{Descriptor, Facts, Given, Plan, PlanCertificate, Qcrs, Scout, Setting};
use crate::math::normal_quantile;
use crate::sample::SoftVotes;
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// Gradient ascent on R̃(σ) = σ/2 (Φ⁻¹(ψ₁) − Φ⁻¹(ψ₂)), where ψ₁ ≥ ψ₂ are the two largest mean
/// probabilities under noise.
///
/// The published programs differentiate the network. Here dR̃/dσ is a central difference with the same noise
/// vectors on both sides (common random numbers): forward passes only, for any model. As the step shrinks it
/// is the derivative that they take, with noise held fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ddrs {
    /// σ₀: where the ascent begins.
    pub sigma: Sigma,
    /// σ stays above this.
    pub low: Sigma,
    /// σ stays below this.
    pub high: Sigma,
    /// K: how many steps.
    pub iterations: u32,
    /// The factor of the gradient in a step.
    pub rate: f64,
    /// Noise vectors per step; each costs two passes.
    pub draws: u32,
    /// Mean probabilities are kept this far from 0 and 1.
    pub clamp: f64,
}

/// Half the width of the difference, as a share of σ: small against the bend of R̃, large against the
/// rounding of scores in f32.
const WIDTH: f64 = 0.01;

const RECIPE: Setting = Setting {
    name: "recipe",
    value: "sane|published|package|script",
    about: "whose settings: ours, which reach the optimum with about as many passes as qcrs; the published training \
            scripts', which move sigma by 0.02 at most; the published package's, 180,000 passes per input; or those \
            of the script behind the DDRS rows of the QCRS paper, which begins at 0.5 for every model",
    default: "sane",
};

const ITERATIONS: Setting =
    Setting { name: "iterations", value: "K", about: "steps of the ascent", default: "the recipe's" };

const RATE: Setting = Setting {
    name: "rate",
    value: "RATE",
    about: "the factor of the gradient in a step",
    default: "the recipe's",
};

const CLAMP: Setting = Setting {
    name: "clamp",
    value: "P",
    about: "how far mean probabilities are kept from 0 and 1",
    default: "the recipe's",
};

/// The settings of an ascent.
pub(super) const ASCENT: [Setting; 7] = [
    LEFT,
    RIGHT,
    Setting { default: "the recipe's: 64, package 100, script 1", ..GRADIENT_N },
    RECIPE,
    ITERATIONS,
    RATE,
    CLAMP,
];

/// Why an ascent does not answer questions about one class.
const NEEDS_ALL_CLASSES: (&str, &str) = (
    "one_class",
    "the ascent follows the probabilities of all classes; leave this out, or take another method",
);

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AscentRecipe {
    #[default]
    Sane,
    Published,
    Package,
    Script,
}

impl Ddrs {
    pub(super) const DESCRIPTOR: Descriptor = Descriptor {
        name: "ddrs",
        about: "gradient ascent on a smooth radius per input (Alfarra et al. 2022), by forward passes",
        settings: &ASCENT,
        read: |given| Ok(Self::read(given)?.into()),
    };

    pub(super) fn read(given: &Given<'_>) -> Result<Self, Error> {
        let Qcrs { sigma, low, high, .. } = given.published()?;
        let base = match given.word(&RECIPE)?.unwrap_or_default() {
            AscentRecipe::Sane => Self::sane(sigma, [low, high]),
            AscentRecipe::Published => Self::published(sigma, [low, high]),
            AscentRecipe::Package => Self::package(sigma, [low, high]),
            AscentRecipe::Script => Self::script()?,
        };
        Ok(Self {
            iterations: given.count("iterations")?.unwrap_or(base.iterations),
            rate: given.number("rate")?.unwrap_or(base.rate),
            draws: given.count("gradient_n")?.unwrap_or(base.draws),
            clamp: given.number("clamp")?.unwrap_or(base.clamp),
            ..base
        })
    }

    pub(super) fn facts(&self) -> Facts {
        Facts {
            region: Some([self.low, self.high]),
            search: self.passes(),
            refuses: &[NEEDS_ALL_CLASSES],
            ..Facts::about(self.sigma)
        }
    }

    /// The settings of the published training scripts: K = 100, rate 1e-4, 64 draws, clamp 0.02. They can
    /// raise σ by 0.02 at most.
    pub fn published(sigma: Sigma, [low, high]: [Sigma; 2]) -> Self {
        Self { sigma, low, high, iterations: 100, rate: 1e-4, draws: 64, clamp: 0.02 }
    }

    /// The settings of the published package: K = 900, rate 0.04, 100 draws, clamp 0.001.
    pub fn package(sigma: Sigma, [low, high]: [Sigma; 2]) -> Self {
        Self { sigma, low, high, iterations: 900, rate: 0.04, draws: 100, clamp: 0.001 }
    }

    /// The settings of the script with which the authors of QCRS ran DDRS: those of the training scripts with a
    /// single draw per step, and σ₀ = 0.5 whatever the classifier was trained with. (It takes the softmax of mean
    /// scores; of a single draw that is the mean softmax.) It has no region; 100 such steps do not leave this one.
    pub fn script() -> Result<Self, Error> {
        let region = [Sigma::new(0.05)?, Sigma::new(1.0)?];
        Ok(Self { draws: 1, ..Self::published(Sigma::new(0.5)?, region) })
    }

    /// Settings that reach the optimum with about as many passes as QCRS: K = 40, 64 draws, a rate with which
    /// they cross the region, clamp 0.001.
    pub fn sane(sigma: Sigma, [low, high]: [Sigma; 2]) -> Self {
        let rate = 0.04 * sigma.get();
        Self { sigma, low, high, iterations: 40, rate, draws: 64, clamp: 0.001 }
    }

    /// Refuses settings that cannot work, before any draw is spent.
    pub fn check(&self) -> Result<(), Error> {
        let Self { sigma, low, high, iterations, rate, draws, clamp } = self;
        let (name, problem) = if !(low <= sigma && sigma <= high && low < high) {
            let (low, sigma, high) = (low.get(), sigma.get(), high.get());
            ("left", format!("the ascent begins at {sigma}, outside the region [{low}, {high}]"))
        } else if *iterations == 0 {
            ("iterations", "an ascent needs at least one step".into())
        } else if !(*rate > 0.0 && rate.is_finite()) {
            ("rate", format!("must be positive, got {rate}"))
        } else if *draws == 0 {
            ("gradient_n", "a step needs at least one draw".into())
        } else if !(*clamp > 0.0 && *clamp < 0.5) {
            ("clamp", format!("must be between 0 and ½, got {clamp}"))
        } else {
            return Ok(());
        };
        Err(Error::setting(name, problem))
    }

    /// Draws per input: two per noise vector of each step.
    pub fn passes(&self) -> u64 {
        u64::from(self.iterations).saturating_mul(2).saturating_mul(self.draws.into())
    }

    /// R̃ at `sigma`.
    fn soft_radius(&self, sigma: f64, soft: &SoftVotes) -> Result<f64, Error> {
        let [first, second] = soft.top_two().map(|p| p.clamp(self.clamp, 1.0 - self.clamp));
        Ok(0.5 * sigma * (normal_quantile(first)? - normal_quantile(second)?))
    }

    /// R̃ and dR̃/dσ at `sigma`, from fresh draws.
    pub fn slope(&self, scout: &mut Scout<'_>, sigma: f64) -> Result<[f64; 2], Error> {
        let ends = [(sigma * (1.0 - WIDTH)).max(Sigma::LEAST), sigma * (1.0 + WIDTH)];
        let soft = scout.soft_pair([Sigma::new(ends[0])?, Sigma::new(ends[1])?], self.draws)?;
        let left = self.soft_radius(ends[0], &soft[0])?;
        let right = self.soft_radius(ends[1], &soft[1])?;
        Ok([0.5 * (left + right), (right - left) / (ends[1] - ends[0])])
    }

    /// Climbs from `start`; `visit` sees every σ with its R̃. Returns the last σ.
    pub(super) fn climb(
        &self,
        scout: &mut Scout<'_>,
        start: Sigma,
        mut visit: impl FnMut(f64, f64),
    ) -> Result<f64, Error> {
        let mut sigma = start.get();
        for _ in 0..self.iterations {
            let [radius, slope] = self.slope(scout, sigma)?;
            visit(sigma, radius);
            sigma = (sigma + self.rate * slope).clamp(self.low.get(), self.high.get());
        }
        Ok(sigma)
    }
}

impl PlanCertificate for Ddrs {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        self.check()?;
        let sigma = self.climb(scout, self.sigma, |_, _| ())?;
        Ok(Plan::certify(scout.at(Sigma::new(sigma)?)).into())
    }
}
