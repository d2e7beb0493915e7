//! How probable are the classes under noise, on average? For searches that climb a smooth radius.

use crate::math::exp;
use serde::{Deserialize, Serialize};

/// What the scores of a classifier mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scores {
    /// Softmax makes probabilities of them.
    #[default]
    Logits,
    /// They are probabilities.
    Probabilities,
}

/// The sum of the class probabilities of noisy copies, in units of 2⁻³². Carries no guarantee.
///
/// Whole numbers, so that merging is exact and a sum never depends on batch size, threads or shards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SoftVotes(Vec<u64>);

/// One whole probability.
const UNIT: f64 = (1_u64 << 32) as f64;

impl SoftVotes {
    /// Adds the probabilities of one noisy copy.
    pub(super) fn add(&mut self, row: &[f32], scores: Scores) {
        self.0.resize(row.len(), 0);
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weight = |score: f32| match scores {
            Scores::Logits => exp(f64::from(score) - f64::from(largest)),
            Scores::Probabilities => f64::from(score).max(0.0),
        };
        let total: f64 = row.iter().map(|score| weight(*score)).sum();
        for (sum, score) in self.0.iter_mut().zip(row) {
            *sum += (weight(*score) / total * UNIT).round() as u64;
        }
    }

    /// Adds the probabilities of other copies.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
        self
    }

    /// The two largest mean probabilities, the larger first; zero for a class that is not there.
    pub fn top_two(&self) -> [f64; 2] {
        let total: u64 = self.0.iter().sum();
        let mut sums = self.0.clone();
        sums.sort_unstable_by(|a, b| b.cmp(a));
        [0, 1].map(|place| sums.get(place).map_or(0.0, |sum| *sum as f64 / total.max(1) as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_softmax_and_merge_exactly() {
        let rows = [[1.0_f32, 3.0, -2.0], [0.5, 0.25, 4.0], [90.0, -90.0, 0.0]];
        let mut all = SoftVotes::default();
        for row in &rows {
            all.add(row, Scores::Logits);
        }
        let mut parts = [SoftVotes::default(), SoftVotes::default()];
        parts[0].add(&rows[0], Scores::Logits);
        for row in &rows[1..] {
            parts[1].add(row, Scores::Logits);
        }
        let [a, b] = parts;
        assert_eq!(a.merge(b).merge(SoftVotes::default()), all);
        // numpy: softmax of each row, mean
        let [first, second] = all.top_two();
        assert!((first - 0.382385889).abs() < 1e-9, "{first}");
        assert!((second - 0.318307617).abs() < 1e-9, "{second}");
    }

    #[test]
    fn probabilities_are_taken_as_they_are() {
        let mut votes = SoftVotes::default();
        votes.add(&[0.2, 0.7, 0.1], Scores::Probabilities);
        let [first, second] = votes.top_two();
        assert!((first - 0.7).abs() < 1e-7 && (second - 0.2).abs() < 1e-7, "{first} {second}");
    }
}
