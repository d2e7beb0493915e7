//! Which radius will N draws certify?

use super::super::Sides;
use super::tails::{END, inverse, tail};
use crate::math::normal_quantile;
use crate::types::{Alpha, Error};

/// The bounds that a certificate at one α will use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forecast {
    /// The normal quantiles of 1 − α and 1 − α/2.
    levels: [f64; 2],
}

/// What is assumed of the classifier at one σ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Truth {
    /// The noise level.
    pub sigma: f64,
    /// Φ⁻¹ of the probability of the class.
    pub z: f64,
    /// ln of the share that the likeliest other class has of all others.
    pub ln_share: f64,
}

impl Forecast {
    /// For certificates at `alpha`.
    pub fn new(alpha: Alpha) -> Result<Self, Error> {
        let level = |parts| Ok(-normal_quantile(alpha.share(parts).get())?);
        Ok(Self { levels: [level(1)?, level(2)?] })
    }

    /// The radius that `n` draws certify if they fall as expected; not positive where they would certify
    /// none.
    pub fn radius(&self, truth: &Truth, n: f64, sides: Sides) -> f64 {
        let &Truth { sigma, z, ln_share } = truth;
        let [one, half] = self.levels;
        let others = tail(z).ln;
        match sides {
            Sides::One => sigma * lower(others, n, one),
            Sides::Two => {
                let class = lower(others, n, half);
                let not_other = lower(others + ln_share, n, half).max(class);
                0.5 * sigma * (class + not_other)
            }
        }
    }

    /// The same with the better of both bounds.
    pub fn better(&self, truth: &Truth, n: f64) -> f64 {
        self.radius(truth, n, Sides::One).max(self.radius(truth, n, Sides::Two))
    }
}

/// Φ⁻¹ of the Clopper-Pearson lower bound of a share 1 − e^`ln_others` after `n` draws.
///
/// With m votes for others the bound leaves them a quantile of Beta(m + 1, n − m), that is of Fisher's F,
/// whose cube root is nearly normal (Paulson 1942, after Wilson & Hilferty). In Φ⁻¹ this is off by 0.017 at
/// the most, and by 0.002 from ten votes on (n from 128 on, α from .00025 to .05).
fn lower(ln_others: f64, n: f64, level: f64) -> f64 {
    let m = n * ln_others.exp();
    let (others, class) = (m + 1.0, n - m);
    if class < 4.0 {
        return -END; // so few votes for the class certify nothing
    }
    let (a, b) = (1.0 / (9.0 * others), 1.0 / (9.0 * class));
    // the larger root of ((1 − b) t − (1 − a))² = level² (b t² + a); F is t³
    let square = (1.0 - b) * (1.0 - b) - level * level * b;
    let middle = (1.0 - a) * (1.0 - b);
    let rest = (1.0 - a) * (1.0 - a) - level * level * a;
    let t = (middle + (middle * middle - square * rest).max(0.0).sqrt()) / square;
    let odds = others / class * t * t * t;
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
                    let error = if m < 10 { 0.017 } else { 0.002 };
                    assert!((found - exact).abs() < error, "{m} of {n} at {alpha:?}: {found}, not {exact}");
                }
            }
        }
    }
}
