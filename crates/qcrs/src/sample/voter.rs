//! What does one base classifier vote for, and which σ was it made for?

use super::{Classifier, Scores, argmax};
use crate::math::exp;
use crate::types::{Error, Sigma};

/// A base classifier among those that a sampler asks, and how its scores become votes.
#[derive(Clone, Copy)]
pub struct Voter<'a> {
    /// The classifier.
    pub classifier: &'a dyn Classifier,
    /// What its scores mean.
    pub scores: Scores,
    /// The σ that the network was told, if it was made for one of several.
    pub told: Option<Sigma>,
    /// A copy whose likeliest class has a smaller probability than this is rejected; `None`: every copy
    /// votes.
    pub confidence: Option<f64>,
}

impl<'a> Voter<'a> {
    /// A classifier that gives logits and is always sure.
    pub fn new(classifier: &'a dyn Classifier) -> Self {
        Self { classifier, scores: Scores::default(), told: None, confidence: None }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        check_confidence(self.confidence)
    }

    /// The class that a row of finite scores votes for; `None` when it is rejected.
    pub(super) fn vote(&self, row: &[f32]) -> Option<usize> {
        let class = argmax(row);
        match self.confidence {
            Some(least) if self.probability(row, class) < least => None,
            _ => Some(class),
        }
    }

    /// The probability of the likeliest class, with the same bits on every processor.
    fn probability(&self, row: &[f32], class: usize) -> f64 {
        let top = f64::from(row[class]);
        match self.scores {
            Scores::Logits => 1.0 / row.iter().map(|score| exp(f64::from(*score) - top)).sum::<f64>(),
            Scores::Probabilities => top,
        }
    }
}

/// Refuses a confidence that no probability can have, or that every one has.
pub(crate) fn check_confidence(confidence: Option<f64>) -> Result<(), Error> {
    match confidence {
        Some(least) if !(0.0..1.0).contains(&least) => {
            let problem = format!("a probability can be required to be from 0 to below 1, not {least}");
            Err(Error::setting("confidence", problem))
        }
        _ => Ok(()),
    }
}

/// The number of the classifier that was told the σ nearest to `sigma` in ln σ, the smaller of two equally
/// near; the first where none was told any.
pub(crate) fn nearest_told(told: impl Iterator<Item = Option<Sigma>>, sigma: Sigma) -> u32 {
    // σ/σ' ≥ 1 or its inverse orders as |ln σ − ln σ'| does, and needs no logarithm
    let distance = |told: Sigma| {
        let (a, b) = (told.get(), sigma.get());
        if a > b { a / b } else { b / a }
    };
    let told = told.zip(0..).filter_map(|(told, number)| Some((told?, number)));
    let nearer = |best: (Sigma, u32), next: (Sigma, u32)| {
        let order = distance(next.0).total_cmp(&distance(best.0)).then(next.0.get().total_cmp(&best.0.get()));
        if order.is_lt() { next } else { best }
    };
    told.reduce(nearer).map_or(0, |(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::HalfSpace;

    #[test]
    fn the_network_that_was_told_the_nearest_sigma_is_asked() {
        let level = |sigma: f64| Sigma::new(sigma).unwrap();
        let nearest =
            |told: &[f64], sigma| nearest_told(told.iter().map(|told| Some(level(*told))), level(sigma));
        for (sigma, number) in [(0.01, 1), (0.17, 1), (0.18, 2), (0.35, 2), (0.36, 0), (3.0, 0), (0.25, 2)] {
            assert_eq!(nearest(&[0.5, 0.125, 0.25], sigma), number, "{sigma}");
        }
        // halfway in ln σ, the smaller
        assert_eq!(nearest(&[0.5, 0.125], 0.25), 1);
        assert_eq!(nearest_told([None, None].into_iter(), level(0.25)), 0);
    }

    #[test]
    fn a_copy_that_is_not_sure_enough_is_rejected() {
        let half = HalfSpace { dim: 1 };
        let voter = |scores, confidence| Voter { scores, confidence, ..Voter::new(&half) };
        // softmax of (0, 1) gives 0.731 to the second class
        for (least, vote) in
            [(None, Some(1)), (Some(0.0), Some(1)), (Some(0.73), Some(1)), (Some(0.74), None)]
        {
            assert_eq!(voter(Scores::Logits, least).vote(&[0.0, 1.0]), vote, "{least:?}");
        }
        assert_eq!(voter(Scores::Probabilities, Some(0.6)).vote(&[0.55, 0.45]), None);
        assert_eq!(voter(Scores::Probabilities, Some(0.5)).vote(&[0.55, 0.45]), Some(0));
        for least in [1.0, -0.1, f64::NAN] {
            assert!(voter(Scores::Logits, Some(least)).check().is_err(), "{least}");
        }
    }
}
