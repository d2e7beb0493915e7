//! What are Φ(x) and Φ⁻¹(p)?

use crate::types::Error;
use std::f64::consts::{SQRT_2, TAU};

pub(super) const LN_SQRT_TAU: f64 = 0.918938533204672741780;
const FRAC_1_SQRT_TAU: f64 = 0.398942280401432677940;

/// Below this tail probability (about Φ(−1)) the tail itself is computed, above it the part between 0 and x.
const TAIL: f64 = 0.16;

/// How much [`normal_quantile_lower`] takes off: more than the error of [`normal_quantile`].
const QUANTILE_MARGIN: f64 = 3.0 * f64::EPSILON;

/// Φ(x) = P(N(0, 1) ≤ x), with full relative precision in the lower tail too.
///
/// Relative error at most 5e-16 against mpmath for x ≥ −37.5; further down Φ(x) leaves the normal
/// range of `f64` and the result fades to 0. NaN gives NaN.
pub fn normal_cdf(x: f64) -> f64 {
    if x.abs() < 1.0 {
        return 0.5 + central(x);
    }
    // beyond 39 the tail is below the smallest f64, and far beyond x² overflows
    let tail = if x.abs() > 39.0 { 0.0 } else { density(x) * mills(x.abs()) };
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// Φ⁻¹(p) for p strictly between 0 and 1.
///
/// Starts from a rational approximation and polishes it on Φ; the tail of a p above ½ is 1 − p,
/// which is exact. Relative error at most 4e-16 against mpmath for every p down to 5e-324 and up
/// to 1 − 2⁻⁵³.
pub fn normal_quantile(p: f64) -> Result<f64, Error> {
    if !(p > 0.0 && p < 1.0) {
        return Err(Error::Invalid(format!(
            "a normal quantile needs a probability between 0 and 1, got {p}"
        )));
    }
    let tail = p.min(1.0 - p);
    let size = if tail > TAIL { central_quantile(tail)? } else { tail_quantile(tail)? };
    Ok(if p < 0.5 { -size } else { size })
}

/// A value never above Φ⁻¹(p), and at most 1.1e-15 (relative) below it.
pub fn normal_quantile_lower(p: f64) -> Result<f64, Error> {
    let x = normal_quantile(p)?;
    Ok(x - x.abs() * QUANTILE_MARGIN)
}

/// φ(x); the rounding error of x² would grow to x² ulps in the exponential, so it is carried along.
fn density(x: f64) -> f64 {
    let square = x * x;
    let lost = x.mul_add(x, -square);
    (-0.5 * square).exp() * (1.0 - 0.5 * lost) * FRAC_1_SQRT_TAU
}

/// Φ(x) − ½ = (x − x³/6 + x⁵/40 − …) / √(2π) for |x| ≤ 1.1: little cancels there, 18 terms reach 1e-20.
fn central(x: f64) -> f64 {
    let half = 0.5 * x * x;
    let odd = |i: u32| 1.0 / f64::from(2 * i + 1);
    FRAC_1_SQRT_TAU * x * (0..18).rev().fold(0.0, |sum, i| odd(i) - half / f64::from(i + 1) * sum)
}

/// Mills' ratio (1 − Φ(x)) / φ(x) for x > 0.9, by Laplace's continued fraction 1/(x+ 1/(x+ 2/(x+ …
/// (Abramowitz & Stegun 26.2.14).
fn mills(x: f64) -> f64 {
    mills_of((300.0 / (x * x)) as u32 + 8, x)
}

/// The same with a given number of terms. All are positive, so going backwards no error grows.
///
/// What is cut off is replaced by its limit r = x + (m+1)/r. With 300/x² + 8 terms the truncation
/// error is below 2e-17.
fn mills_of(terms: u32, x: f64) -> f64 {
    let rest = 0.5 * (x + (x * x + 4.0 * f64::from(terms + 1)).sqrt());
    1.0 / (1..=terms).rev().fold(rest, |rest, i| x + f64::from(i) / rest)
}

/// The x ≥ 0 with 1 − Φ(x) = tail, for tail in [0.16, ½]: the inverse series to start, then Halley.
fn central_quantile(tail: f64) -> Result<f64, Error> {
    let q = 0.5 - tail;
    let lost = (0.5 - q) - tail;
    let s = q * TAU.sqrt();
    let mut x = s * (1.0 + s * s * (1.0 / 6.0 + s * s * (7.0 / 120.0 + s * s * 127.0 / 5040.0)));
    for _ in 0..20 {
        let newton = (central(x) - q - lost) / density(x);
        let step = newton / (1.0 + 0.5 * x * newton);
        x -= step;
        // convergence is cubic, so what is left is below 1e-18
        if step.abs() <= 1e-7 * x {
            return Ok(x);
        }
    }
    Err(Error::NotConverged("normal_quantile"))
}

/// The x > 0 with 1 − Φ(x) = tail, for tail ≤ 0.16: a rational start, then Newton on ln(1 − Φ(x)).
///
/// The start is Abramowitz & Stegun 26.2.23, good to 4.5e-4. The logarithm makes the error in x
/// 1/x² times the absolute error of ln(1 − Φ), and never under- or overflows.
fn tail_quantile(tail: f64) -> Result<f64, Error> {
    let ln_tail = tail.ln();
    let t = SQRT_2 * (-ln_tail).sqrt();
    let above = 2.515517 + t * (0.802853 + t * 0.010328);
    let below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308));
    let mut x = t - above / below;
    for _ in 0..20 {
        let ratio = mills(x);
        let square = x * x;
        let lost = x.mul_add(x, -square);
        let excess = (-0.5 * square - ln_tail) + (ratio.ln() - LN_SQRT_TAU) - 0.5 * lost;
        let step = excess * ratio;
        x += step;
        // convergence is quadratic, so what is left is below 1e-17
        if step.abs() <= 3e-9 * x {
            return Ok(x);
        }
    }
    Err(Error::NotConverged("normal_quantile"))
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact values are promised
mod tests {
    use super::*;

    #[test]
    fn edges() {
        assert_eq!(normal_cdf(0.0), 0.5);
        assert_eq!(normal_cdf(f64::INFINITY), 1.0);
        assert_eq!(normal_cdf(f64::NEG_INFINITY), 0.0);
        assert_eq!(normal_cdf(-1e200), 0.0);
        assert!(normal_cdf(f64::NAN).is_nan());
        assert_eq!(normal_quantile(0.5).unwrap(), 0.0);
        assert_eq!(normal_quantile_lower(0.5).unwrap(), 0.0);
    }

    #[test]
    fn no_quantile_outside_the_open_interval() {
        for p in [0.0, 1.0, -0.1, 1.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(normal_quantile(p).is_err(), "{p}");
            assert!(normal_quantile_lower(p).is_err(), "{p}");
        }
    }

    #[test]
    fn the_continued_fraction_has_enough_terms() {
        for x in [0.95, 1.0, 1.3, 2.0, 3.0, 5.0, 9.0, 15.0, 37.0] {
            let more = mills_of(4 * ((300.0 / (x * x)) as u32 + 8), x);
            assert!((mills(x) / more - 1.0).abs() <= f64::EPSILON, "{x}");
        }
    }

    #[test]
    fn the_quantile_is_the_same_on_both_sides() {
        for p in [0.25, 0.125, 0.4375, 2.0_f64.powi(-30), 2.0_f64.powi(-53)] {
            assert_eq!(normal_quantile(p).unwrap(), -normal_quantile(1.0 - p).unwrap(), "{p}");
        }
    }
}
