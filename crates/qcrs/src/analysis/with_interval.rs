//! What is the number, and how sure are we of it?

use super::bootstrap::bootstrap;
use crate::bounds::proportion_interval;
use crate::math::{ln_tail_error, ln_upper_tail};
use crate::types::{Alpha, Error};
use serde::Serialize;

/// A number computed from the inputs seen, with a 95 % interval for the same number over all
/// inputs of that kind. The interval is about the choice of inputs; it does not cover the Monte
/// Carlo error of each certificate, whose α the spec states.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WithInterval {
    /// The number.
    pub value: f64,
    /// The lower end; `None` when the values seen allow no interval.
    pub low: Option<f64>,
    /// The upper end; `None` when the values seen allow no interval.
    pub high: Option<f64>,
}

impl WithInterval {
    /// The share k/n with its two-sided 95 % Clopper-Pearson interval; n must not be 0.
    pub fn proportion(k: usize, n: usize) -> Result<Self, Error> {
        let (k, n) = (k as u64, n as u64);
        if n == 0 || k > n {
            return Err(Error::Invalid(format!("{k} of {n} is not a share")));
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

/// The most of `m` certificates that are wrong, with probability 1 − `rho`, when each is wrong with
/// probability at most `alpha`, independently of the others: their number is then no larger than a binomial
/// one.
///
/// Cohen et al. use Bernstein's inequality for this, but without its factor 2, so their bound fails up to
/// four times as often as ρ says. With the factor it gives 6.3 of 500 at α = ρ = 0.001, where this one gives
/// 4.
pub fn most_wrong(m: u64, alpha: Alpha, rho: Alpha) -> Result<u64, Error> {
    let mut wrong = 0;
    while wrong < m && largest_tail(wrong + 1, m, alpha)? > rho.get() {
        wrong += 1;
    }
    Ok(wrong)
}

/// An upper bound of P(Bin(m, α) ≥ k), whatever its rounding error.
fn largest_tail(k: u64, m: u64, alpha: Alpha) -> Result<f64, Error> {
    let ln_tail = ln_upper_tail(k, m, alpha.get())?;
    Ok((ln_tail + ln_tail_error(ln_tail)).exp().next_up())
}
