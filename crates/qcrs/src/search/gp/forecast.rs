//! Which radius will N draws certify?

use super::super::Sides;
use super::tails::{inverse, tail};
use crate::math::normal_quantile;
use crate::types::{Alpha, Error};

/// The bounds that a certificate at one α will use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forecast {
    /// The normal quantiles of 1 − α, 1 − α/2 and 1 − α/4.
    levels: [f64; 3],
}

/// What is assumed of the classifier at one σ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Truth {
    /// The noise level.
    pub sigma: f64,
    /// Φ⁻¹ of the probability of the class.
    pub z: f64,
    /// ln of the share that the likeliest other class, or the rest if that is more, has of all others.
    pub ln_share: f64,
}

impl Forecast {
    /// For certificates at `alpha`.
    pub fn new(alpha: Alpha) -> Result<Self, Error> {
        let level = |parts| Ok(-normal_quantile(alpha.share(parts).get())?);
        Ok(Self { levels: [level(1)?, level(2)?, level(4)?] })
    }

    /// The radius that `n` draws certify if they fall as expected; not positive where they would not.
    pub fn radius(&self, truth: &Truth, n: f64, sides: Sides) -> f64 {
        let &Truth { sigma, z, ln_share } = truth;
        let [one, half, quarter] = self.levels;
        let others = tail(z).ln;
        match sides {
            Sides::One => sigma * lower(others, n, one),
            Sides::Two => {
                let class = lower(others, n, half);
                let not_other = lower(others + ln_share, n, quarter).max(class);
                0.5 * sigma * (class + not_other)
            }
        }
    }

    /// The same with the better of both bounds.
    pub fn better(&self, truth: &Truth, n: f64) -> (f64, Sides) {
        let [one, two] = [Sides::One, Sides::Two].map(|sides| self.radius(truth, n, sides));
        if two > one { (two, Sides::Two) } else { (one, Sides::One) }
    }
}

/// Φ⁻¹ of the Clopper-Pearson lower bound of a share 1 − e^`ln_others` after `n` draws.
///
/// The bound is a quantile of Beta(n − m, m + 1), m being the votes for others, here by Abramowitz & Stegun
/// 26.5.22; in Φ⁻¹ it is off by 0.01 at the most (n from 128 on, α from .00025 to .05).
fn lower(ln_others: f64, n: f64, level: f64) -> f64 {
    let m = n * ln_others.exp();
    let (a, b) = (n - m, m + 1.0);
    if a < 1.0 {
        return -9.0;
    }
    let (inverse_a, inverse_b) = (1.0 / (2.0 * a - 1.0), 1.0 / (2.0 * b - 1.0));
    let h = 2.0 / (inverse_a + inverse_b);
    let lambda = (level * level - 3.0) / 6.0;
    let w =
        level * (h + lambda).sqrt() / h - (inverse_b - inverse_a) * (lambda + 5.0 / 6.0 - 2.0 / (3.0 * h));
    let odds = b / a * (2.0 * w).exp();
    inverse((odds / (1.0 + odds)).ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::clopper_pearson_lower;

    #[test]
    fn the_forecast_is_close_to_the_bound() {
        for alpha in [0.05, 0.001, 0.0005, 0.00025].map(|alpha| Alpha::new(alpha).unwrap()) {
            let level = -normal_quantile(alpha.get()).unwrap();
            for n in [128, 200, 500, 1000, 5000, 20_000, 100_000_u64] {
                for m in [0, 1, 2, 3, 5, 10, 30, n / 50, n / 10, n / 4, n / 2] {
                    let exact = normal_quantile(clopper_pearson_lower(n - m, n, alpha).unwrap()).unwrap();
                    let found = lower((m as f64 / n as f64).ln(), n as f64, level);
                    assert!((found - exact).abs() < 0.01, "{m} of {n} at {alpha:?}: {found}, not {exact}");
                }
            }
        }
    }
}
