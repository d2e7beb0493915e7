//! What do votes prove?

use super::Budget;
use crate::bounds::{Standing, clopper_pearson_lower, smallest_n, standing, two_sided};
use crate::method::Sides;
use crate::noise::{GeneralizedGaussian, Noise};
use crate::radius;
use crate::radius::dsrs::{self, DoubleSampling, Shares};
use crate::sample::Votes;
use crate::types::{Alpha, Error, Sigma};
use serde::{Deserialize, Serialize};

/// What certification says about one input.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The classifier smoothed with `sigma` answers `class` everywhere within `radius` of the input.
    Certified {
        /// The class.
        class: usize,
        /// The l2 radius, rounded down.
        radius: f64,
        /// The noise level it holds for.
        sigma: Sigma,
        /// The lower bound of the class's probability at this σ.
        p_lower: f64,
        /// The upper bound of every other class's, where it was bounded apart.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        p_upper: Option<f64>,
    },
    /// Nothing is claimed.
    Abstain(Reason),
}

/// Why nothing is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The guessed class may have less than half of the votes, or less than the runner-up.
    BelowHalf {
        /// The class.
        class: usize,
        /// The lower bound of its probability.
        p_lower: f64,
        /// The noise level.
        sigma: Sigma,
    },
    /// Even a unanimous vote of this many draws proves nothing at this α.
    TooFewDraws {
        /// The smallest number of draws that could.
        smallest: u64,
    },
    /// The search expected no radius worth its draws, and spent none.
    NotTried,
    /// The radius asked about was not shown.
    NotShown {
        /// The class.
        class: usize,
        /// The noise level.
        sigma: Sigma,
        /// Whether the votes speak against it; if not, the draws were too few to tell.
        refuted: bool,
    },
}

/// The votes of one certificate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// The noise level.
    pub sigma: Sigma,
    /// The class guessed beforehand.
    pub class: usize,
    /// What is bounded, as settled beforehand.
    #[serde(skip_serializing_if = "Sides::is_one", default)]
    pub sides: Sides,
    /// The law of the noise, where it is not Gaussian.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub law: Option<GeneralizedGaussian>,
    /// The fresh votes.
    pub votes: Votes,
}

impl Estimate {
    /// The noise that the votes were cast under.
    pub fn noise(&self) -> Noise {
        self.law.map_or(Noise::Gaussian(self.sigma), Noise::GeneralizedGaussian)
    }
}

/// The chance with which a question about a radius is given up although the answer is yes. It can cost
/// an answer, never make a wrong one.
const GIVE_UP: f64 = 0.01;

/// What K certificates prove together: each is made at α/K, the largest radius is kept. Under generalized noise
/// one or two laws make a single certificate.
pub fn decide(estimates: &[Estimate], budget: &Budget) -> Result<Verdict, Error> {
    if let Some(law) = estimates.first().and_then(|estimate| estimate.law) {
        return by_laws(estimates, &law, budget.alpha());
    }
    let alpha = budget.alpha().share(estimates.len().max(1));
    let mut best: Option<(f64, Verdict)> = None;
    for estimate in estimates {
        let (value, verdict) = match budget.at_radius() {
            Some(radius) => answer(estimate, radius, alpha)?,
            None => largest(estimate, alpha)?,
        };
        if best.is_none_or(|(least, _)| value > least) {
            best = Some((value, verdict));
        }
    }
    Ok(best.map_or(Verdict::Abstain(Reason::NotTried), |(_, verdict)| verdict))
}

/// What votes under one or two generalized laws prove.
fn by_laws(estimates: &[Estimate], first: &GeneralizedGaussian, alpha: Alpha) -> Result<Verdict, Error> {
    let votes = |estimate: &Estimate| (estimate.votes.of(estimate.class), estimate.votes.total());
    let (p_lower, radius) = match estimates {
        [only] => {
            let (k, n) = votes(only);
            let p_lower = clopper_pearson_lower(k, n, alpha)?;
            (p_lower, dsrs::generalized_gaussian(p_lower, first)?)
        }
        [one, other @ Estimate { law: Some(second), .. }] => {
            let shares = Shares::of_votes(votes(one), votes(other), alpha)?;
            (shares.first[0], DoubleSampling::new(first, second)?.radius(&shares)?)
        }
        _ => return Err(Error::Invalid("a certificate rests on one law or on two".into())),
    };
    let (class, sigma) = (estimates[0].class, estimates[0].sigma);
    Ok(match radius {
        Some(radius) => Verdict::Certified { class, radius, sigma, p_lower, p_upper: None },
        None => Verdict::Abstain(Reason::BelowHalf { class, p_lower, sigma }),
    })
}

/// The largest radius that follows, with a value to compare verdicts by.
fn largest(estimate: &Estimate, alpha: Alpha) -> Result<(f64, Verdict), Error> {
    let &Estimate { sigma, class, sides, ref votes, .. } = estimate;
    let (p_lower, p_upper, radius, smallest) = match sides {
        Sides::One => {
            let p_lower = clopper_pearson_lower(votes.of(class), votes.total(), alpha)?;
            (p_lower, None, radius::gaussian(p_lower, sigma)?, smallest_n(alpha))
        }
        Sides::Two => {
            let lead = two_sided(votes.total(), votes.of(class), votes.most_besides(class), alpha)?;
            let radius = radius::gaussian_two_sided(lead.class, lead.not_other, sigma)?;
            let p_upper = (1.0 - lead.not_other).next_up();
            (lead.class, Some(p_upper), radius, smallest_n(alpha.share(2)))
        }
    };
    Ok(match radius {
        Some(radius) => (radius, Verdict::Certified { class, radius, sigma, p_lower, p_upper }),
        None if votes.total() < smallest => {
            (f64::NEG_INFINITY, Verdict::Abstain(Reason::TooFewDraws { smallest }))
        }
        None => (p_lower - 1.0, Verdict::Abstain(Reason::BelowHalf { class, p_lower, sigma })),
    })
}

/// Whether `radius` holds, with a value to compare verdicts by.
fn answer(estimate: &Estimate, radius: f64, alpha: Alpha) -> Result<(f64, Verdict), Error> {
    let &Estimate { sigma, class, .. } = estimate;
    let p_lower = radius::gaussian_share(radius, sigma);
    Ok(match stands(estimate, radius, alpha)? {
        Standing::Above => (1.0, Verdict::Certified { class, radius, sigma, p_lower, p_upper: None }),
        standing => {
            // no draw at all speaks against a radius that f64 cannot tell from an infinite one
            let refuted = standing == Standing::Below && estimate.votes.total() > 0;
            (0.0, Verdict::Abstain(Reason::NotShown { class, sigma, refuted }))
        }
    })
}

/// Whether the votes so far answer the question about `radius`, at the `alpha` of this certificate.
pub(crate) fn is_decided(estimate: &Estimate, radius: f64, alpha: Alpha) -> Result<bool, Error> {
    Ok(stands(estimate, radius, alpha)? != Standing::Open)
}

/// How the votes so far stand against what `radius` asks of them.
fn stands(estimate: &Estimate, radius: f64, alpha: Alpha) -> Result<Standing, Error> {
    let Estimate { sigma, class, votes, .. } = estimate;
    let share = radius::gaussian_share(radius, *sigma);
    if share >= 1.0 {
        return Ok(Standing::Below); // no number of draws shows it in f64
    }
    standing(votes.of(*class), votes.total(), share, alpha, Alpha::new(GIVE_UP)?)
}
