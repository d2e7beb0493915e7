//! How sure are we that a class is ahead of every other?

use super::clopper_pearson_lower;
use crate::types::{Alpha, Error};

/// Lower bounds that hold together with probability 1 − α.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// The bound of the probability of the class.
    pub class: f64,
    /// The bound, for every other class, of the probability that it does *not* win.
    pub not_other: f64,
}

/// What `n` votes prove about a class that was named beforehand and got `class` of them, where no other class
/// got more than `rival`: the class is bounded from below, and the likeliest other class from above, at α/2
/// each.
///
/// The likeliest other class need not be known: it got at most `rival` votes, and the bound grows with the
/// votes. So the bound fails only if the bound of that one class fails, however many classes there are. Nor
/// can any other class be likelier than what `class` leaves.
///
/// An upper bound u of a share is kept as the lower bound 1 − u of the opposite share, which loses no digits.
///
/// ```
/// # use qcrs::{bounds::two_sided, types::Alpha};
/// let lead = two_sided(1000, 700, 200, Alpha::new(0.001)?)?;
/// assert!(lead.class > 0.65 && lead.not_other > 0.75);
/// # Ok::<(), qcrs::types::Error>(())
/// ```
pub fn two_sided(n: u64, class: u64, rival: u64, alpha: Alpha) -> Result<Lead, Error> {
    let half = alpha.share(2);
    if class.checked_add(rival).is_none_or(|both| both > n) {
        return Err(Error::Invalid(format!("{class} and {rival} votes of {n} are impossible")));
    }
    let class = clopper_pearson_lower(class, n, half)?;
    Ok(Lead { class, not_other: clopper_pearson_lower(n - rival, n, half)?.max(class) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;
    use rand_distr::{Binomial, Distribution};

    /// scipy: beta.ppf(α/2, 700, 301), beta.ppf(α/2, 800, 201).
    #[test]
    fn published_quantiles_bound_each_part() {
        let lead = two_sided(1000, 700, 200, Alpha::new(0.001).unwrap()).unwrap();
        assert!((lead.class - 0.6504201479969677).abs() < 1e-14, "{lead:?}");
        assert!((lead.not_other - 0.7556759238544357).abs() < 1e-14, "{lead:?}");
    }

    #[test]
    fn no_other_class_has_more_than_the_class_leaves() {
        let lead = two_sided(1000, 990, 10, Alpha::new(0.001).unwrap()).unwrap();
        assert!(lead.not_other >= lead.class, "{lead:?}");
    }

    /// 20,000 elections with known shares: the share of the first class is bounded, and the largest share of
    /// all others.
    #[test]
    fn both_bounds_hold_together() {
        let alpha = Alpha::new(0.1).unwrap();
        for shares in [&[0.4, 0.3, 0.1, 0.1, 0.1][..], &[0.3, 0.2, 0.2, 0.2, 0.1], &[0.5, 0.5]] {
            let mut rng = ChaCha8Rng::seed_from_u64(7);
            let mut wrong = 0;
            for _ in 0..20_000 {
                let (mut left, mut rest) = (200, 1.0);
                let votes: Vec<u64> = shares
                    .iter()
                    .map(|share| {
                        let votes =
                            Binomial::new(left, f64::min(share / rest, 1.0)).unwrap().sample(&mut rng);
                        (left, rest) = (left - votes, rest - share);
                        votes
                    })
                    .collect();
                let rival = votes[1..].iter().copied().max().unwrap();
                let lead = two_sided(200, votes[0], rival, alpha).unwrap();
                wrong += u64::from(lead.class > shares[0] || 1.0 - lead.not_other < shares[1]);
            }
            let least = clopper_pearson_lower(wrong, 20_000, Alpha::new(0.05).unwrap()).unwrap();
            assert!(least <= alpha.get(), "{wrong} of 20000 wrong with {shares:?}");
        }
    }

    #[test]
    fn votes_that_cannot_be_are_refused() {
        let alpha = Alpha::new(0.001).unwrap();
        for (n, class, rival) in [(10, 6, 5), (10, 11, 0), (10, 0, 11), (10, u64::MAX, 1), (0, 0, 0)] {
            assert!(two_sided(n, class, rival, alpha).is_err(), "{class} and {rival} of {n}");
        }
    }
}
