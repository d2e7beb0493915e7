//! What do votes prove?

use super::{Budget, Estimate};
use crate::bounds::{Standing, clopper_pearson_lower, smallest_n, standing, two_sided};
use crate::method::Sides;
use crate::noise::{GeneralizedGaussian, Noise};
use crate::radius;
use crate::radius::dsrs::{DoubleSampling, Shares};
use crate::sample::Smoothed;
use crate::types::{Alpha, Error, Sigma};
use serde::{Deserialize, Serialize};
use std::fmt;

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
        /// The upper bound of every other class's probability, if it was bounded separately.
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
        /// Whether the votes speak against it; if not, there were too few draws to tell.
        refuted: bool,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BelowHalf { .. } => f.write_str("below half"),
            Self::TooFewDraws { .. } => f.write_str("too few draws"),
            Self::NotTried => f.write_str("not tried"),
            Self::NotShown { refuted: true, .. } => f.write_str("radius refuted"),
            Self::NotShown { .. } => f.write_str("radius not shown"),
        }
    }
}

/// The probability with which a question about a radius is given up although the answer is yes. It can cost
/// an answer, but never makes a wrong one.
const GIVE_UP: f64 = 0.01;

/// What K certificates prove together: each is made at α/K, and the largest radius is kept. Votes under two
/// generalized laws make a single certificate.
pub fn decide(estimates: &[Estimate], budget: &Budget) -> Result<Verdict, Error> {
    if let [one, other] = estimates
        && let Some(laws) = both_generalized(one, other)
    {
        return under_two_laws(one, other, laws, budget.alpha());
    }
    Ok(best(estimates, budget)?.map_or(Verdict::Abstain(Reason::NotTried), |(_, verdict)| verdict))
}

/// Of certificates that are each made at their share of α, the one to keep, and what it proves.
pub(super) fn best<'a>(
    estimates: &'a [Estimate],
    budget: &Budget,
) -> Result<Option<(&'a Estimate, Verdict)>, Error> {
    let alpha = budget.alpha().share(estimates.len().max(1));
    let mut best: Option<(f64, &Estimate, Verdict)> = None;
    for estimate in estimates {
        let (value, verdict) = match budget.at_radius() {
            Some(radius) => answer(estimate, radius, alpha)?,
            None => largest(estimate, alpha)?,
        };
        if best.is_none_or(|(least, ..)| value > least) {
            best = Some((value, estimate, verdict));
        }
    }
    Ok(best.map(|(_, estimate, verdict)| (estimate, verdict)))
}

/// Whether votes under two generalized laws make a single certificate.
pub(super) fn is_under_two_laws(estimates: &[Estimate]) -> bool {
    matches!(estimates, [one, other] if both_generalized(one, other).is_some())
}

/// The laws of two certificates, if both are generalized. These are never the best of two ([`Plan::best_of`]
/// refuses them), but one certificate under a first and a second law.
fn both_generalized(one: &Estimate, other: &Estimate) -> Option<[GeneralizedGaussian; 2]> {
    match (one.smoothed.noise, other.smoothed.noise) {
        (Noise::GeneralizedGaussian(first), Noise::GeneralizedGaussian(second)) => Some([first, second]),
        _ => None,
    }
}

/// What votes for the same class under two generalized laws prove.
fn under_two_laws(
    one: &Estimate,
    other: &Estimate,
    [first, second]: [GeneralizedGaussian; 2],
    alpha: Alpha,
) -> Result<Verdict, Error> {
    let (class, sigma) = (one.class, one.sigma());
    if other.class != class || other.smoothed.model != one.smoothed.model {
        return Err(Error::Invalid("two laws make one certificate only for the same class and model".into()));
    }
    let votes = |estimate: &Estimate| (estimate.votes.of(class), estimate.votes.total());
    let shares = Shares::of_votes(votes(one), votes(other), alpha)?;
    let p_lower = shares.first[0];
    Ok(match DoubleSampling::new(&first, &second)?.radius(&shares)? {
        Some(radius) => Verdict::Certified { class, radius, sigma, p_lower, p_upper: None },
        None => Verdict::Abstain(Reason::BelowHalf { class, p_lower, sigma }),
    })
}

/// The largest radius that follows, with a value to compare verdicts by.
fn largest(estimate: &Estimate, alpha: Alpha) -> Result<(f64, Verdict), Error> {
    let &Estimate { smoothed: Smoothed { noise, .. }, class, sides, ref votes } = estimate;
    let sigma = noise.sigma();
    let (p_lower, p_upper, radius, smallest) = match sides {
        Sides::One => {
            let p_lower = clopper_pearson_lower(votes.of(class), votes.total(), alpha)?;
            (p_lower, None, radius::one_sided(&noise, p_lower)?, smallest_n(alpha))
        }
        Sides::Two => {
            let lead = two_sided(votes.total(), votes.of(class), votes.most_besides(class), alpha)?;
            let radius = radius::two_sided(&noise, lead.class, lead.not_other)?;
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
    let (class, sigma) = (estimate.class, estimate.sigma());
    let p_lower = radius::share(&estimate.smoothed.noise, radius)?;
    Ok(match stands(estimate, radius, alpha)? {
        Standing::Above => (1.0, Verdict::Certified { class, radius, sigma, p_lower, p_upper: None }),
        standing => {
            // a radius that f64 cannot tell from infinity is `Below` without a draw, and that refutes nothing
            let refuted = standing == Standing::Below && estimate.votes.total() > 0;
            (0.0, Verdict::Abstain(Reason::NotShown { class, sigma, refuted }))
        }
    })
}

/// Whether the votes so far answer the question about `radius`, at the `alpha` of this certificate.
pub(crate) fn is_decided(estimate: &Estimate, radius: f64, alpha: Alpha) -> Result<bool, Error> {
    Ok(stands(estimate, radius, alpha)? != Standing::Open)
}

/// How the votes so far compare with the share that `radius` needs.
fn stands(estimate: &Estimate, radius: f64, alpha: Alpha) -> Result<Standing, Error> {
    let Estimate { smoothed, class, votes, .. } = estimate;
    let share = radius::share(&smoothed.noise, radius)?;
    if share >= 1.0 {
        return Ok(Standing::Below); // no number of draws shows it in f64
    }
    standing(votes.of(*class), votes.total(), share, alpha, Alpha::new(GIVE_UP)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A certificate of class 0 under Gaussian noise.
    fn estimate(level: f64, votes: &[u64], sides: Sides) -> Estimate {
        let smoothed = Smoothed::gaussian(Sigma::new(level).unwrap());
        Estimate { smoothed, class: 0, sides, votes: votes.iter().copied().enumerate().collect() }
    }

    fn usual() -> Budget {
        Budget::new(100, 1000, Alpha::USUAL).unwrap()
    }

    /// scipy: beta.ppf(α/2, 700, 301) and 1 − beta.ppf(α/2, 800, 201).
    #[test]
    fn a_two_sided_verdict_names_both_bounds() {
        let verdict = decide(&[estimate(0.5, &[700, 200, 100], Sides::Two)], &usual()).unwrap();
        let Verdict::Certified { p_lower, p_upper: Some(p_upper), .. } = verdict else {
            panic!("{verdict:?}");
        };
        assert!((p_lower - 0.6504201479969677).abs() < 1e-14, "{p_lower}");
        assert!((p_upper - 0.2443240761455643).abs() < 1e-14, "{p_upper}");
    }

    /// Ten votes that agree prove something at 0.001, and eleven at 0.0005.
    #[test]
    fn draws_are_too_few_only_where_a_unanimous_vote_proves_nothing() {
        for (votes, sides, smallest) in [
            (&[9, 0][..], Sides::One, Some(10)),
            (&[8, 2], Sides::One, None),
            (&[10, 10], Sides::One, None),
            (&[10, 0], Sides::Two, Some(11)),
            (&[6, 5], Sides::Two, None),
        ] {
            let verdict = decide(&[estimate(0.5, votes, sides)], &usual()).unwrap();
            let found = match verdict {
                Verdict::Abstain(Reason::TooFewDraws { smallest }) => Some(smallest),
                Verdict::Abstain(Reason::BelowHalf { .. }) => None,
                _ => panic!("{votes:?}: {verdict:?}"),
            };
            assert_eq!(found, smallest, "{votes:?}");
        }
    }

    #[test]
    fn a_radius_is_refuted_by_votes_only() {
        for (votes, radius, refuted) in [
            (&[][..], 0.5, false),
            (&[], 1e9, false), // it needs a share that rounds to 1
            (&[5, 5], 0.5, false),
            (&[500, 500], 0.5, true),
        ] {
            let budget = usual().asking_about(radius).unwrap();
            let verdict = decide(&[estimate(0.5, votes, Sides::One)], &budget).unwrap();
            let Verdict::Abstain(Reason::NotShown { refuted: found, .. }) = verdict else {
                panic!("{votes:?}: {verdict:?}");
            };
            assert_eq!(found, refuted, "{votes:?} {radius}");
        }
    }

    #[test]
    fn of_equal_certificates_the_first_is_kept() {
        let both = [0.25, 0.5].map(|level| estimate(level, &[5, 5], Sides::One));
        let (kept, _) = best(&both, &usual().asking_about(0.5).unwrap()).unwrap().unwrap();
        assert_eq!(kept, &both[0]);
    }

    #[test]
    fn two_laws_are_asked_about_one_class_of_one_model() {
        let law = |level| GeneralizedGaussian::new(Sigma::new(level).unwrap(), 20, 64).unwrap();
        let under = |level| Estimate {
            smoothed: Noise::GeneralizedGaussian(law(level)).into(),
            ..estimate(level, &[90, 10], Sides::One)
        };
        let (one, other) = (under(0.5), under(0.4));
        assert!(decide(&[one.clone(), other.clone()], &usual()).is_ok());
        let another_class = Estimate { class: 1, ..other.clone() };
        let another_model = Estimate { smoothed: Smoothed { model: 1, ..other.smoothed }, ..other };
        for other in [another_class, another_model] {
            assert!(decide(&[one.clone(), other.clone()], &usual()).is_err(), "{other:?}");
        }
    }

    #[test]
    fn a_reason_is_told_in_words() {
        let (class, sigma) = (0, Sigma::new(0.5).unwrap());
        for (reason, words) in [
            (Reason::BelowHalf { class, p_lower: 0.4, sigma }, "below half"),
            (Reason::TooFewDraws { smallest: 10 }, "too few draws"),
            (Reason::NotTried, "not tried"),
            (Reason::NotShown { class, sigma, refuted: true }, "radius refuted"),
            (Reason::NotShown { class, sigma, refuted: false }, "radius not shown"),
        ] {
            assert_eq!(reason.to_string(), words);
        }
    }
}
