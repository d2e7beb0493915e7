//! Which λ gives the best bound?
//!
//! The bound is concave in λ. Its derivative by λ₂ is q − Q(R), which falls as λ₂ grows, where q is the
//! lower end of what is known of Q(A) if λ₂ > 0 and the upper end if λ₂ < 0; and likewise for λ₁. So for
//! each λ₁ the best λ₂ is a root, or 0; and so is the best λ₁, while λ₂ follows. That also settles which
//! ends of the intervals are the worst case. Nothing here has to be exact: the bound is checked.

use super::dual::{Dual, Known, Masses};
use super::laws::Weights;
use crate::types::Error;

/// How near the masses come to their targets, of P and of Q: the bound is flat at its top.
const TOLERANCE: [f64; 2] = [1e-7, 1e-9];
/// ln |λ| stays within this: beyond, rounding is all that would be left of the bound.
const FURTHEST: f64 = 25.0;
/// The longest step in ln |λ|.
const LONGEST: f64 = 3.0;

/// The best λ for |δ| = r, looked for from `start`.
pub(super) fn best_weights(dual: &Dual, known: &Known, start: Weights, r: f64) -> Result<Weights, Error> {
    let mut second = start[1];
    let first = along(known.p, TOLERANCE[0], start[0], |w1| {
        let mut masses = Masses::default();
        second = along(known.q, TOLERANCE[1], second, |w2| {
            masses = dual.masses([w1, w2], r)?;
            Ok((masses.q, masses.slopes[2]))
        })?;
        // the slope while λ₂ follows, so that Q(R) stays what it is; or while it stays 0
        let [pp, pq, qq] = masses.slopes;
        let follow = if second.abs() > 0.0 && qq > 0.0 { pq * pq / qq } else { 0.0 };
        Ok((masses.p, pp - follow))
    })?;
    Ok([first, second])
}

/// The w at which a mass that grows with w is within `known`, or at its nearer end if that is not so
/// at 0; `mass` gives the mass and its derivative, and is asked last at the w that is returned
/// (or next to it, should the steps run out).
fn along(
    known: [f64; 2],
    tolerance: f64,
    start: f64,
    mut mass: impl FnMut(f64) -> Result<(f64, f64), Error>,
) -> Result<f64, Error> {
    let (at_zero, _) = mass(0.0)?;
    let (target, sign) = if at_zero < known[0] - tolerance {
        (known[0], 1.0)
    } else if at_zero > known[1] + tolerance {
        (known[1], -1.0)
    } else {
        return Ok(0.0);
    };
    // in ln |w|, in which the excess grows
    let (mut low, mut high) = (-FURTHEST, FURTHEST);
    let mut x = if start * sign > 0.0 { start.abs().ln() } else { 0.0 };
    for _ in 0..100 {
        let (value, slope) = mass(sign * x.exp())?;
        let excess = sign * (value - target);
        if excess.abs() <= tolerance {
            break;
        }
        if excess > 0.0 {
            high = x;
        } else {
            low = x;
        }
        let newton = (excess / (slope * x.exp())).clamp(-LONGEST, LONGEST);
        let next = x - newton;
        // a slope of zero gives NaN, which lies in no interval
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        if (next - x).abs() <= 1e-12 {
            break;
        }
        x = next;
    }
    Ok(sign * x.exp())
}
