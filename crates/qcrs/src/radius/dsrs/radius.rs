//! How far does the bound stay above one half?
//!
//! Lengths are in units of s. A radius is a promise for every smaller move too, and each of the two searches
//! proves that in its own way.

use super::dual::{Dual, Known};
use super::laws::Weights;
use super::multipliers::best_weights;
use crate::types::Error;

/// The steps in which the radius of one law is found.
const FINE: f64 = 1e-8;
/// Where the search for the radius of two laws stops; both in units of 1 / [`Densities::steepest`].
///
/// [`Densities::steepest`]: super::laws::Densities::steepest
const NEAR: f64 = 5e-6;

/// The radius of P(A) ≥ `p_lower` alone, and the λ that proves it.
///
/// It covers every smaller move: ∫ min(λ₁p, p_δ) is an integral of volumes common to two balls, one about
/// 0 and one about δ, and they fall as |δ| grows; with them the bound falls, for every λ₁.
pub(super) fn one_law(dual: &Dual, p_lower: f64) -> Result<(f64, Weights), Error> {
    let known = Known { p: [p_lower, 1.0], q: [0.0, f64::INFINITY] };
    let mut weights = [1.0, 0.0];
    let mut passes = |r: f64| {
        weights = best_weights(dual, &known, weights, r)?;
        Ok::<_, Error>(dual.bound(&known, weights, r)? > 0.5)
    };
    let unit = 1.0 / dual.laws.steepest();
    let (mut low, mut high) = (0.0, unit);
    while passes(high)? {
        (low, high) = (high, 2.0 * high);
    }
    while high - low > FINE * unit {
        let middle = 0.5 * (low + high);
        if passes(middle)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok((low, weights))
}

/// The radius of what is `known` under both laws, from one that is `proven` upward.
///
/// Where λ₂ < 0 the balls have holes, and a bound at r alone says nothing about smaller moves. But
/// no probability changes faster than [`Densities::steepest`], so a bound of ½ + steepest · h at r proves all
/// of r − h to r; the search goes up in steps that are so covered, and that shrink as the bound does.
///
/// [`Densities::steepest`]: super::laws::Densities::steepest
pub(super) fn two_laws(
    dual: &Dual,
    known: &Known,
    (mut proven, start): (f64, Weights),
) -> Result<f64, Error> {
    let steepest = dual.laws.steepest();
    let mut weights = start;
    let mut covered = |r: f64| {
        weights = best_weights(dual, known, weights, r)?;
        Ok::<_, Error>((dual.bound(known, weights, r)? - 0.5) / steepest)
    };
    let mut spare = covered(proven)?;
    // how much of the steepest fall the bound has: at first, all of it
    let mut fall = 1.0;
    // more than the whole probability: no set has both shares, so one interval missed; claim no more
    while spare > NEAR / steepest && spare <= 0.5 / steepest {
        let step = spare / (1.0 + fall);
        let left = covered(proven + step)?;
        if left >= step {
            fall = (1.02 * (spare - left) / step).clamp(0.1, 1.0);
            (proven, spare) = (proven + step, left);
        } else if fall < 1.0 {
            fall = 1.0;
        } else {
            break; // the search for λ was not good enough
        }
    }
    Ok(proven)
}
