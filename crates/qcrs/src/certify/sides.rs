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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Alpha, Sigma};

    fn votes(counts: &[u64]) -> Votes {
        counts.iter().copied().enumerate().collect()
    }

    /// 1000 · 60.5/101 = 599.01, and 401 · 30.5/41 = 298.3.
    #[test]
    fn half_a_vote_is_added_to_each_side() {
        for (seen, expected_votes) in
            [(&[60, 30, 10][..], [599, 298]), (&[], [500, 250]), (&[100], [995, 2]), (&[0, 100], [4, 991])]
        {
            assert_eq!(expected(&votes(seen), 0, 1000), expected_votes, "{seen:?}");
        }
    }

    #[test]
    fn the_bound_with_the_larger_radius_is_chosen() {
        let budget = Budget::new(100, 1000, Alpha::USUAL).unwrap().with_bound(Bound::Auto).unwrap();
        let noise = Noise::Gaussian(Sigma::new(0.5).unwrap());
        for (seen, sides) in [
            (&[700, 300][..], Sides::One),
            (&[450, 200, 200, 150], Sides::Two),
            // neither has any
            (&[500, 500], Sides::One),
        ] {
            assert_eq!(choose_sides(&budget, 0, &votes(seen), &noise, 1000).unwrap(), sides, "{seen:?}");
        }
    }
}
