//! What is the number, and how sure are we of it?

use super::bootstrap::bootstrap;
use crate::bounds::proportion_interval;
use crate::types::{Alpha, Error};
use serde::Serialize;

/// A number computed from the inputs seen, with a 95 % interval for the same number over all
/// inputs of that kind. The interval is about the choice of inputs; it does not cover the Monte
/// Carlo error of each certificate, whose α the spec states.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The lower end; `None` when the values seen allow no interval.
    pub low: Option<f64>,
    /// The upper end; `None` when the values seen allow no interval.
    pub high: Option<f64>,
}

impl Estimate {
    /// The share k/n with its two-sided 95 % Clopper-Pearson interval; n must not be 0.
    pub fn proportion(k: usize, n: usize) -> Result<Self, Error> {
        let (k, n) = (k as u64, n as u64);
        if n == 0 || k > n {
            return Err(Error::Invalid(format!("{k} of {n} is no share")));
        }
        let (low, high) = proportion_interval(k, n, Alpha::new(0.05)?)?;
        Ok(Self { value: k as f64 / n as f64, low: Some(low), high: Some(high) })
    }

    /// The same in percent.
    #[must_use]
    pub fn in_percent(self) -> Self {
        let hundred = |x: f64| 100.0 * x;
        Self { value: hundred(self.value), low: self.low.map(hundred), high: self.high.map(hundred) }
    }

    /// The mean of `values` with its 95 % BCa bootstrap interval; `None` when there are no values.
    ///
    /// The same values in the same order give the same interval, always. Values that are all
    /// equal, or only one, give no interval rather than one of width 0.
    pub fn mean(values: &[f64]) -> Result<Option<Self>, Error> {
        if values.is_empty() {
            return Ok(None);
        }
        let pairs: Vec<(f64, f64)> = values.iter().map(|&value| (value, 0.0)).collect();
        bootstrap(&pairs, |mean, _| mean).map(Some)
    }
}

/// A lower bound of the true certified accuracy, where `accuracy` of `m` inputs is counted with certificates that are
/// each wrong with probability up to `alpha`; holds with probability 1 − `rho` (Bernstein's inequality), and is at
/// least 0.
///
/// Cohen et al.'s √(α(1−α) ln(1/ρ)/m) lacks the inequality's factor 2, so that it fails up to four times as often
/// as ρ says.
pub fn high_probability_accuracy(accuracy: f64, m: usize, alpha: Alpha, rho: Alpha) -> f64 {
    let (a, log, m) = (alpha.get(), -rho.get().ln(), m as f64);
    let third = log / (3.0 * m);
    (accuracy - a - third - (third * third + 2.0 * a * (1.0 - a) * log / m).sqrt()).max(0.0)
}
