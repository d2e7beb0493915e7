//! The radius of Gaussian smoothing.

use crate::math::normal_quantile_lower;
use crate::types::{Error, Sigma};

/// The certified l2 radius σ Φ⁻¹(p) of Gaussian smoothing (Cohen et al. 2019, Theorem 1 with
/// p_B = 1 − p_A); `None` when p < ½ certifies nothing.
///
/// Rounded down: never above the true product, and at most 1.5e-15 (relative) below it.
pub fn gaussian(p_lower: f64, sigma: Sigma) -> Result<Option<f64>, Error> {
    if !(0.0..1.0).contains(&p_lower) {
        return Err(Error::Invalid(format!("a lower bound of a probability lies in [0, 1), got {p_lower}")));
    }
    if p_lower < 0.5 {
        return Ok(None);
    }
    let radius = sigma.get() * normal_quantile_lower(p_lower)?;
    Ok(Some(radius.next_down().max(0.0)))
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact values are what is promised
mod tests {
    use super::*;

    fn radius(p: f64, sigma: f64) -> Result<Option<f64>, Error> {
        gaussian(p, Sigma::new(sigma)?)
    }

    #[test]
    fn half_is_accepted_and_less_is_not() {
        assert_eq!(radius(0.5, 0.25).unwrap(), Some(0.0));
        assert_eq!(radius(0.5_f64.next_down(), 0.25).unwrap(), None);
        assert_eq!(radius(0.0, 0.25).unwrap(), None);
    }

    #[test]
    fn an_impossible_bound_is_an_error() {
        for p in [1.0, 1.5, -0.1, f64::NAN, f64::INFINITY] {
            assert!(radius(p, 0.25).is_err(), "{p}");
        }
    }

    #[test]
    fn no_sigma_makes_the_radius_negative_or_infinite() {
        for sigma in [f64::from_bits(1), 1e-300, 1e300, f64::MAX] {
            let found = radius(0.9, sigma).unwrap().unwrap();
            assert!(found >= 0.0 && found.is_finite(), "{sigma} {found}");
        }
        assert_eq!(radius(0.5_f64.next_up(), f64::from_bits(1)).unwrap(), Some(0.0));
    }
}
