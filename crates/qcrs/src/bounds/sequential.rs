//! Is a probability above a threshold, when we may look as often as we like?

use crate::math::{ln_lower_tail, ln_pmf, ln_tail_error, ln_upper_tail};
use crate::types::{Alpha, Error};

/// With what evidence a share stands against a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Above it.
    Above,
    /// Below it.
    Below,
    /// Not yet decided.
    Open,
}

/// How `k` votes in `n` stand against the threshold p₀, strictly between 0 and 1: above it at `alpha`, or
/// below it at `give_up`.
///
/// Holds at every n at once, so one may look after each vote and stop when it pleases. Against p ≤ p₀ the
/// likelihood ratio of any p₁ > p₀ is a supermartingale that starts at 1; so is the mean M over p₁ uniform in
/// (p₀, 1), and P(M ever reaches 1/α) ≤ α (Ville 1939; Robbins 1970). The integral is closed:
/// M = P(Bin(n + 1, p₀) ≤ k) / ((n + 1) (1 − p₀) P(Bin(n, p₀) = k)); against p ≥ p₀ with (0, p₀) likewise.
pub fn standing(k: u64, n: u64, p0: f64, alpha: Alpha, give_up: Alpha) -> Result<Standing, Error> {
    if !(p0 > 0.0 && p0 < 1.0) || k > n {
        return Err(Error::Invalid(format!("{k} votes of {n} cannot be held against a share of {p0}")));
    }
    if n == 0 {
        return Ok(Standing::Open);
    }
    let pmf = ln_pmf(k, n, p0)?;
    let spread = ((n + 1) as f64).ln();
    let (below, above) = (ln_lower_tail(k, n + 1, p0)?, ln_upper_tail(k + 1, n + 1, p0)?);
    let error = 4.0 * (ln_tail_error(pmf) + ln_tail_error(below) + spread * f64::EPSILON);
    if below - pmf - spread - (-p0).ln_1p() - error >= -alpha.get().ln() {
        return Ok(Standing::Above);
    }
    let opposite = above - pmf - spread - p0.ln();
    Ok(if opposite >= -give_up.get().ln() { Standing::Below } else { Standing::Open })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against(k: u64, n: u64, p0: f64) -> Standing {
        standing(k, n, p0, Alpha::new(0.001).unwrap(), Alpha::new(0.01).unwrap()).unwrap()
    }

    /// mpmath: the first n at which unanimous votes, or votes against, give M ≥ 1/α by the integral itself.
    #[test]
    fn decisions_fall_where_the_integral_says() {
        for (p0, first) in [(0.5, 13), (0.9, 87), (0.999, 9114)] {
            assert_eq!(against(first - 1, first - 1, p0), Standing::Open, "{p0}");
            assert_eq!(against(first, first, p0), Standing::Above, "{p0}");
        }
        assert_eq!(against(0, 8, 0.5), Standing::Open);
        assert_eq!(against(0, 9, 0.5), Standing::Below);
        assert_eq!(against(710, 1000, 0.65), Standing::Open); // M = 357
        assert_eq!(against(715, 1000, 0.65), Standing::Above); // M = 1501
    }

    #[test]
    fn impossible_questions_are_errors() {
        let alpha = Alpha::new(0.001).unwrap();
        for (k, n, p0) in [(3, 2, 0.5), (1, 2, 0.0), (1, 2, 1.0), (1, 2, f64::NAN)] {
            assert!(standing(k, n, p0, alpha, alpha).is_err(), "{k} {n} {p0}");
        }
        assert_eq!(against(0, 0, 0.5), Standing::Open);
    }
}
