//! Within which radius does the majority predictor answer the class or abstain?

use super::verdict::{best, is_under_two_laws};
use super::{Budget, Estimate};
use crate::bounds::clopper_pearson_lower;
use crate::radius;
use crate::types::{Alpha, Error};
use serde::{Deserialize, Serialize};

/// The majority predictor answers with the class that more than half of all noisy copies vote for, and
/// abstains where there is none. Within `radius` it answers `class` or abstains; beside the verdict, this is
/// a statement of its own, which also holds with probability 1 − α.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailSafe {
    /// The class that was named before these votes were cast; it need not be the true one.
    pub class: usize,
    /// The l2 radius, rounded down.
    pub radius: f64,
    /// Whether the class is shown to have more than half of the copies of the input itself. If not, the
    /// predictor may abstain there and everywhere around, and the radius may say nothing.
    pub answers: bool,
}

/// The fail-safe radius of the certificate that the verdict of [`decide`](super::decide) rests on.
///
/// `None` where a class that is not the certificate's may have more than half of the copies; for a question
/// about one radius, whose number of draws depends on the votes; and for a law of noise that has no such
/// radius. Each of K certificates has it at α/K, so that it holds for the one that is kept.
pub fn fail_safe(estimates: &[Estimate], budget: &Budget) -> Result<Option<FailSafe>, Error> {
    if budget.at_radius().is_some() || is_under_two_laws(estimates) {
        return Ok(None);
    }
    let alpha = budget.alpha().share(estimates.len().max(1));
    match estimates {
        [only] => of_votes(only, alpha),
        _ => best(estimates, budget)?.map_or(Ok(None), |(estimate, _)| of_votes(estimate, alpha)),
    }
}

/// The likeliest other class got at most as many votes as the one with most, and the bound grows with the
/// votes: so it fails only where that one class's own bound fails, however many classes there are. This needs
/// the class to have been named without these votes.
fn of_votes(estimate: &Estimate, alpha: Alpha) -> Result<Option<FailSafe>, Error> {
    let Estimate { smoothed, class, votes, .. } = estimate;
    let n = votes.total();
    let not_other = clopper_pearson_lower(n - votes.most_besides(*class), n, alpha)?;
    let Some(radius) = radius::fail_safe(&smoothed.noise, not_other)? else { return Ok(None) };
    let p_lower = clopper_pearson_lower(votes.of(*class), n, alpha)?;
    Ok(Some(FailSafe { class: *class, radius, answers: radius::has_majority(&smoothed.noise, p_lower) }))
}
