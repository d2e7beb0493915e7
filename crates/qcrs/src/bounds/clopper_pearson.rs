//! The Clopper-Pearson bounds.

use crate::math::binomial_upper_tail;
use crate::types::{Alpha, Error};

/// The Clopper-Pearson lower bound: the largest p found with P(Bin(n, p) ≥ k) ≤ α.
pub fn clopper_pearson_lower(k: u64, n: u64, alpha: Alpha) -> Result<f64, Error> {
    if k == 0 {
        return Ok(0.0);
    }
    let (mut lo, mut hi) = (0.0, k as f64 / n as f64);
    for _ in 0..2000 {
        let mid = 0.5 * (lo + hi);
        if mid <= lo || mid >= hi {
            return Ok(lo);
        }
        if binomial_upper_tail(k, n, mid) <= alpha.get() { lo = mid } else { hi = mid }
    }
    Err(Error::NotConverged("clopper_pearson_lower"))
}

/// The Clopper-Pearson upper bound: the smallest p found with P(Bin(n, p) ≤ k) ≤ α.
pub fn clopper_pearson_upper(k: u64, n: u64, alpha: Alpha) -> Result<f64, Error> {
    Ok(1.0 - clopper_pearson_lower(n - k, n, alpha)?)
}

/// The smallest n whose unanimous vote certifies anything at `alpha`: the first with α^(1/n) > ½.
pub fn smallest_n(alpha: Alpha) -> u64 {
    (1..).find(|&n| 0.5_f64.powi(n) < alpha.get()).map_or(0, |n| n as u64)
}
