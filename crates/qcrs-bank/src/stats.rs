//! What is in a bank?

use crate::bank::Bank;
use serde::Serialize;
use std::collections::BTreeMap;

/// A bank in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stats {
    /// The number of balls.
    pub entries: usize,
    /// How many certificates with a name were answered, with a ball or without.
    pub answered: usize,
    /// Channels, height and width of every image.
    pub shape: [usize; 3],
    /// The classifier of these certificates, if it was named.
    pub classifier: Option<String>,
    /// The number of balls of each class.
    pub classes: BTreeMap<usize, u64>,
    /// The smallest radius, its quartiles and the largest; `None` for an empty bank.
    pub radii: Option<[f64; 5]>,
    /// The probability with which any of the balls is wrong: at most the sum over all certificates that were
    /// offered, rounded up, and never more than 1.
    pub failure_probability: f64,
    /// The length of the file.
    pub bytes: u64,
}

impl Bank {
    /// The bank in numbers.
    pub fn stats(&self) -> Stats {
        let mut classes = BTreeMap::new();
        for ball in &self.balls {
            *classes.entry(ball.class).or_insert(0) += 1;
        }
        let mut radii: Vec<f64> = self.balls.iter().map(|ball| ball.radius).collect();
        radii.sort_by(f64::total_cmp);
        let radii = radii.len().checked_sub(1).map(|last| [0, 1, 2, 3, 4].map(|part| radii[last * part / 4]));
        Stats {
            entries: self.len(),
            answered: self.answered(),
            shape: self.shape(),
            classifier: self.classifier().map(Into::into),
            classes,
            radii,
            failure_probability: if self.is_empty() { 0.0 } else { self.risk.min(1.0) },
            bytes: self.bytes(),
        }
    }
}
