//! Which bound promises more for this input?

use super::{Bound, Budget};
use crate::bounds::{clopper_pearson_lower, two_sided};
use crate::radius;
use crate::sample::Votes;
use crate::search::Sides;
use crate::types::{Error, Sigma};

/// The runner-up for a certificate of `class`, or `None` for a one-sided one.
///
/// Judges by `seen`, votes that are never counted in the certificate, so the choice costs nothing.
pub(super) fn runner_up(
    budget: &Budget,
    planned: Option<Sides>,
    named: Option<usize>,
    (class, seen): (usize, &Votes),
    (sigma, n): (Sigma, u32),
) -> Result<Option<usize>, Error> {
    let second = seen.ranked().into_iter().map(|(other, _)| other).find(|other| *other != class);
    // where nobody else was seen, any other class will do: the rest is bounded too
    let rival = named.or(second).unwrap_or(usize::from(class == 0));
    Ok(match (planned, budget.bound) {
        (Some(Sides::One), _) | (None, Bound::OneSided) => None,
        (Some(Sides::Two), _) | (None, Bound::TwoSided) => Some(rival),
        (None, Bound::Auto) => {
            let expected = expected(seen, class, rival, n);
            let alpha = budget.alpha;
            let p_lower = clopper_pearson_lower(expected.of(class), u64::from(n), alpha)?;
            let lead = two_sided(&expected, class, rival, alpha)?;
            let one = radius::gaussian(p_lower, sigma)?;
            let two = radius::gaussian_two_sided(lead.class, lead.not_other, sigma)?;
            (two > one).then_some(rival)
        }
    })
}

/// What `n` votes may look like after those `seen`: half a vote more for either side of each question.
fn expected(seen: &Votes, class: usize, rival: usize, n: u32) -> Votes {
    let share = |k: u64, of: u64| (k as f64 + 0.5) / (of as f64 + 1.0);
    let (ours, total) = (seen.of(class), seen.total());
    let ours = ((share(ours, total) * f64::from(n)) as u64).min(n.into());
    let others = u64::from(n) - ours;
    let theirs = (share(seen.of(rival), total - seen.of(class)) * others as f64) as u64;
    // the rest is one class here: only its sum is looked at
    let rest = class.max(rival) + 1;
    Votes::from_iter([(class, ours), (rival, theirs), (rest, others - theirs)])
}
