//! Which bound promises more for this input?

use super::{Bound, Budget};
use crate::bounds::two_sided;
use crate::method::Sides;
use crate::radius;
use crate::sample::Votes;
use crate::types::{Error, Sigma};

/// The bound for a certificate of `class` with `n` draws.
///
/// Judges by `seen`, votes that are never counted in the certificate, so the choice costs nothing.
pub(super) fn choose_sides(
    budget: &Budget,
    planned: Option<Sides>,
    class: usize,
    seen: &Votes,
    sigma: Sigma,
    n: u32,
) -> Result<Sides, Error> {
    Ok(match (planned, budget.bound()) {
        (Some(planned), _) => planned,
        (None, Bound::OneSided) => Sides::One,
        (None, Bound::TwoSided) => Sides::Two,
        (None, Bound::Auto) => {
            let (n, alpha) = (u64::from(n), budget.alpha());
            let [ours, rival] = expected(seen, class, n);
            let lead = two_sided(n, ours, rival, alpha)?;
            let one = radius::gaussian_of_votes(ours, n, alpha, sigma)?;
            let two = radius::gaussian_two_sided(lead.class, lead.not_other, sigma)?;
            if two > one { Sides::Two } else { Sides::One }
        }
    })
}

/// How many of `n` votes the class and the strongest other may get after those `seen`: half a vote more for
/// either side of each question.
fn expected(seen: &Votes, class: usize, n: u64) -> [u64; 2] {
    let share = |k: u64, of: u64| (k as f64 + 0.5) / (of as f64 + 1.0);
    let (ours, total) = (seen.of(class), seen.total());
    let expected = ((share(ours, total) * n as f64) as u64).min(n);
    let rival = share(seen.most_besides(class), total - ours) * (n - expected) as f64;
    [expected, rival as u64]
}
