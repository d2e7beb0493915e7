//! Are the two leading classes equally likely?

use crate::math::{ln_tail_error, ln_upper_tail};
use crate::types::Error;

/// The p-value of the exact two-sided binomial test of `n1` against `n2` votes at ½, as PREDICT
/// uses it (Cohen et al. 2019, section 3.1; Hung & Fithian 2019): min(1, 2 P(Bin(n1 + n2, ½) ≥ max)).
///
/// Rounded up: never below the truth, and at most 4e-14 (relative) above it for p-values of 1e-9
/// and more, 1e-12 down to 1e-300. A unanimous vote and no vote at all are exact.
pub fn binomial_test_half(n1: u64, n2: u64) -> Result<f64, Error> {
    let n = n1
        .checked_add(n2)
        .ok_or_else(|| Error::Invalid(format!("{n1} and {n2} votes are more than can be counted")))?;
    if n1 == n2 {
        return Ok(1.0);
    }
    if n1 == 0 || n2 == 0 {
        let halvings = i32::try_from(n - 1).unwrap_or(i32::MAX);
        // 2^−1075 and less would round to 0, which is below the truth
        return Ok(0.5_f64.powi(halvings).max(f64::from_bits(1)));
    }
    let ln_tail = ln_upper_tail(n1.max(n2), n, 0.5)?;
    let p_value = 2.0 * (ln_tail + ln_tail_error(ln_tail)).exp();
    Ok(p_value.next_up().min(1.0))
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact values are promised
mod tests {
    use super::*;

    #[test]
    fn edges() {
        assert_eq!(binomial_test_half(0, 0).unwrap(), 1.0);
        assert_eq!(binomial_test_half(7, 7).unwrap(), 1.0);
        assert_eq!(binomial_test_half(4, 3).unwrap(), 1.0);
        assert_eq!(binomial_test_half(1, 0).unwrap(), 1.0);
        assert_eq!(binomial_test_half(0, 11).unwrap(), 0.0009765625);
        assert!(binomial_test_half(100_000, 0).unwrap() > 0.0);
        assert!(binomial_test_half(100_000, 1).unwrap() > 0.0);
        assert!(binomial_test_half(u64::MAX, 1).is_err());
        assert!(binomial_test_half(u64::MAX - 1, 1).is_err());
    }
}
