//! The radius of Gaussian smoothing.

use crate::math::normal_quantile;
use crate::types::{Error, Sigma};

/// The certified l2 radius σ Φ⁻¹(p) of Gaussian smoothing (Cohen et al. 2019,
/// Theorem 1 with p_B = 1 − p_A), rounded down; `None` when p < ½ certifies nothing.
pub fn gaussian(p_lower: f64, sigma: Sigma) -> Result<Option<f64>, Error> {
    if p_lower < 0.5 {
        return Ok(None);
    }
    Ok(Some(sigma.get() * normal_quantile(p_lower)?))
}
