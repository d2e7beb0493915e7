//! Which bound promises more for this input?

use super::{Bound, Budget};
use crate::bounds::two_sided;
use crate::method::Sides;
use crate::noise::Noise;
use crate::radius;
use crate::sample::Votes;
use crate::types::Error;

/// The bound for a certificate of `class` with `n` draws, as the budget asks.
///
/// Judges by `seen`, votes that are never counted in the certificate, so the choice costs nothing.
pub(super) fn choose_sides(
    budget: &Budget,
    class: usize,
    seen: &Votes,
    noise: &Noise,
    n: u32,
) -> Result<Sides, Error> {
    Ok(match budget.bound() {
        Bound::OneSided => Sides::One,
        Bound::TwoSided => Sides::Two,
        Bound::Auto => {
            let (n, alpha) = (u64::from(n), budget.alpha());
            let [ours, rival] = expected(seen, class, n);
            let lead = two_sided(n, ours, rival, alpha)?;
            let one = radius::of_votes(noise, ours, n, alpha)?;
            let two = radius::two_sided(noise, lead.class, lead.not_other)?;
            if two > one { Sides::Two } else { Sides::One }
        }
    })
}

/// How many of `n` votes the class and its strongest rival are expected to get, judging by those `seen`, with
/// half a vote added to each side of each question.
fn expected(seen: &Votes, class: usize, n: u64) -> [u64; 2] {
    let share = |k: u64, of: u64| (k as f64 + 0.5) / (of as f64 + 1.0);
    let (ours, total) = (seen.of(class), seen.total());
    let expected = ((share(ours, total) * n as f64) as u64).min(n);
    let rival = share(seen.most_besides(class), total - ours) * (n - expected) as f64;
    [expected, rival as u64]
}
