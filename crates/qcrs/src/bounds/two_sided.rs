//! How sure are we that a class is ahead of every other?

use super::clopper_pearson_lower;
use crate::sample::Votes;
use crate::types::{Alpha, Error};

/// Lower bounds that hold together with probability 1 − α.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// Of the probability of the class.
    pub class: f64,
    /// Of the probability that any one other class does *not* win.
    pub not_other: f64,
}

/// What `votes` prove of `class`, with `runner_up` named beforehand: the class is bounded from below at
/// α/2; the runner-up, and all other classes as one, from above at α/4 each. No single class is likelier
/// than the larger of the two, nor than what `class` leaves.
///
/// An upper bound u of a share is kept as the lower bound 1 − u of the opposite share, which loses no digits.
pub fn two_sided(votes: &Votes, class: usize, runner_up: usize, alpha: Alpha) -> Result<Lead, Error> {
    let (half, quarter) = (alpha.share(2), alpha.share(4));
    let n = votes.total();
    let (ours, theirs) = (votes.of(class), votes.of(runner_up));
    let class = clopper_pearson_lower(ours, n, half)?;
    let not_runner_up = clopper_pearson_lower(n - theirs, n, quarter)?;
    let not_rest = clopper_pearson_lower(ours + theirs, n, quarter)?;
    Ok(Lead { class, not_other: not_runner_up.min(not_rest).max(class) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy: beta.ppf(α/2, 700, 301), beta.ppf(α/4, 800, 201), beta.ppf(α/4, 740, 261).
    #[test]
    fn published_quantiles_bound_each_part() {
        let votes = Votes::from_iter([(3, 700), (5, 200), (1, 60), (7, 40)]);
        let lead = two_sided(&votes, 3, 5, Alpha::new(0.001).unwrap()).unwrap();
        assert!((lead.class - 0.6504201479969677).abs() < 1e-14, "{lead:?}");
        assert!((lead.not_other - 0.7530281323224354).abs() < 1e-14, "{lead:?}");
        // the pooled rest rules where the runner-up was named badly
        let lead = two_sided(&votes, 3, 7, Alpha::new(0.001).unwrap()).unwrap();
        assert!((lead.not_other - 0.6893187702257819).abs() < 1e-14, "{lead:?}");
    }

    #[test]
    fn no_other_class_has_more_than_the_class_leaves() {
        let votes = Votes::from_iter([(0, 990), (1, 10)]);
        let lead = two_sided(&votes, 0, 1, Alpha::new(0.001).unwrap()).unwrap();
        assert!(lead.not_other >= lead.class, "{lead:?}");
    }
}
