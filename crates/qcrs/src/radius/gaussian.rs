//! How far does a vote share under Gaussian noise protect?

use crate::bounds::clopper_pearson_lower;
use crate::math::{normal_cdf, normal_quantile_lower};
use crate::types::{Alpha, Error, Sigma};

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

/// The radius that `k` of `n` votes certify at `alpha`: [`gaussian`] of their Clopper-Pearson lower bound.
pub fn gaussian_of_votes(k: u64, n: u64, alpha: Alpha, sigma: Sigma) -> Result<Option<f64>, Error> {
    gaussian(clopper_pearson_lower(k, n, alpha)?, sigma)
}

/// The certified l2 radius σ/2 (Φ⁻¹(p_A) − Φ⁻¹(p_B)) of Gaussian smoothing (Cohen et al. 2019, Theorem 1),
/// where the class has at least `p_lower` and every other class fails to win with at least `not_other`
/// = 1 − p_B; `None` when the class may not be ahead.
///
/// Rounded down: never above the true product.
pub fn gaussian_two_sided(p_lower: f64, not_other: f64, sigma: Sigma) -> Result<Option<f64>, Error> {
    if let Some(wrong) = [p_lower, not_other].into_iter().find(|p| !(0.0..1.0).contains(p)) {
        return Err(Error::Invalid(format!("a lower bound of a probability lies in [0, 1), got {wrong}")));
    }
    let (less, more) = (p_lower.min(not_other), p_lower.max(not_other));
    // 1 − more is exact from ½ on, so this says p_A > p_B without rounding; below ½ it is at least ½
    if less <= 1.0 - more {
        return Ok(None);
    }
    let quantiles = normal_quantile_lower(less)? + normal_quantile_lower(more)?;
    let radius = 0.5 * sigma.get() * quantiles.next_down();
    Ok(Some(radius.next_down().max(0.0)))
}

/// The share Φ(r/σ) that certifies radius r, rounded up.
pub fn gaussian_share(radius: f64, sigma: Sigma) -> f64 {
    // the quotient is off by half a unit, Φ by 5e-16 of itself (normal_cdf)
    let share = normal_cdf((radius / sigma.get()).next_up());
    share * (1.0 + 4.0 * f64::EPSILON)
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact values are promised
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
        for sigma in [Sigma::LEAST, 1e300, f64::MAX] {
            let found = radius(0.9, sigma).unwrap().unwrap();
            assert!(found >= 0.0 && found.is_finite(), "{sigma} {found}");
        }
        // Φ⁻¹(½ + 2⁻⁵³) = 2.783e-16 (mpmath)
        let least = radius(0.5_f64.next_up(), Sigma::LEAST).unwrap().unwrap();
        assert!((0.0..=Sigma::LEAST * 2.783e-16).contains(&least), "{least}");
    }

    /// mpmath; the votes are the README's.
    #[test]
    fn votes_certify_the_radius_of_their_lower_bound() {
        let of = |k| gaussian_of_votes(k, 100_000, Alpha::USUAL, Sigma::new(0.5).unwrap());
        let found = of(99_000).unwrap().unwrap();
        assert!((found - 1.144_999_977_606_883).abs() < 1e-12, "{found}");
        assert_eq!(of(50_000).unwrap(), None);
        assert!(of(100_001).is_err());
    }

    /// mpmath: σ/2 (Φ⁻¹(p_A) + Φ⁻¹(1 − p_B)).
    #[test]
    fn the_lead_over_the_others_is_halved() {
        let two = |p, q| gaussian_two_sided(p, q, Sigma::new(0.5).unwrap()).unwrap();
        let close = |got: Option<f64>, want: f64| {
            let got = got.unwrap();
            assert!(got <= want && got > want - 2e-15, "{got} {want}");
        };
        close(two(0.99, 0.995), 1.2255442943974353);
        close(two(0.45, 0.7), 0.09968479146324166);
        assert_eq!(two(0.25, 0.75), None);
        assert_eq!(two(0.25_f64.next_up(), 0.75), Some(0.0));
        assert_eq!(two(0.4, 0.55), None);
        assert_eq!(two(0.0, 0.9), None);
        assert_eq!(two(0.3, 0.4), None);
        assert!(gaussian_two_sided(1.0, 0.9, Sigma::new(0.5).unwrap()).is_err());
        assert!(gaussian_two_sided(0.9, f64::NAN, Sigma::new(0.5).unwrap()).is_err());
    }

    #[test]
    fn the_share_of_a_radius_certifies_it() {
        for (r, sigma) in [(0.25, 0.5), (1.0, 0.25), (1e-9, 0.5), (0.7, 0.12)] {
            let sigma = Sigma::new(sigma).unwrap();
            let share = gaussian_share(r, sigma);
            let back = sigma.get() * crate::math::normal_quantile(share).unwrap();
            assert!(back >= r && back < r * (1.0 + 1e-6), "{r} {back}");
        }
    }
}
