//! What does a search believe about the σ–radius curve when it ends?

use serde::{Deserialize, Serialize};

/// The curve R(σ) = σ Φ⁻¹(p(σ)) of the class as a search sees it, for pictures: it proves nothing.
///
/// At each σ it is a normal distribution; the middle 90 % are mean ± 1.645 deviations. All numbers are
/// rounded to four digits, which keeps records short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Posterior {
    /// The σ of the grid, rising.
    pub sigma: Vec<f64>,
    /// The believed radius, negative where the class has less than half of the votes.
    pub mean: Vec<f64>,
    /// Its standard deviation.
    pub deviation: Vec<f64>,
}

impl Posterior {
    /// The curve on a grid.
    pub(super) fn new(sigma: &[f64], mean: &[f64], deviation: impl Iterator<Item = f64>) -> Self {
        let all = |values: &[f64]| values.iter().map(|&value| rounded(value)).collect();
        Self { sigma: all(sigma), mean: all(mean), deviation: deviation.map(rounded).collect() }
    }
}

/// `value` to four significant digits.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact values are promised
mod tests {
    use super::rounded;

    #[test]
    fn four_digits_remain() {
        let cases = [(0.123456, 0.1235), (-98766.0, -98770.0), (0.0, 0.0), (1e-9, 1e-9), (0.00099999, 0.001)];
        for (value, want) in cases {
            assert_eq!(rounded(value), want, "{value}");
        }
    }
}
