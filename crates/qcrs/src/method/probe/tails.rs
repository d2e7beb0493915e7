//! What are Φ and Φ⁻¹, fast enough to plan with?
//!
//! A plan evaluates them some ten thousand times per input. Nothing here reaches a certificate.

use crate::math::normal_cdf;
use std::f64::consts::TAU;
use std::sync::LazyLock;

/// The table covers |x| ≤ this.
pub(super) const END: f64 = 9.0;
/// Nodes per unit: the cubic between two of them is off by 3e-9 at the most.
const STEPS: f64 = 32.0;

/// What is known of the upper tail Q(x) = 1 − Φ(x) at one x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tail {
    /// ln Q(x).
    pub ln: f64,
    /// The hazard φ(x) / Q(x) = −d ln Q / dx.
    pub hazard: f64,
}

static TABLE: LazyLock<Vec<Tail>> = LazyLock::new(|| {
    (0..=(2.0 * END * STEPS) as u32)
        .map(|node| {
            let x = f64::from(node) / STEPS - END;
            let q = normal_cdf(-x);
            Tail { ln: q.ln(), hazard: density(x) / q }
        })
        .collect()
});

/// ln Q(x) and the hazard, with an absolute error below 1e-8 (relative beyond the table).
pub(super) fn tail(x: f64) -> Tail {
    if x >= END {
        // Laplace's continued fraction, (Abramowitz & Stegun 26.2.14), upside down
        let hazard = x + (1..16).rev().fold(0.0, |rest, i| f64::from(i) / (x + rest));
        return Tail { ln: -0.5 * x * x - 0.5 * TAU.ln() - hazard.ln(), hazard };
    }
    if x <= -END {
        return Tail { ln: -density(x) / -x, hazard: density(x) };
    }
    let place = (x + END) * STEPS;
    let node = (place as usize).min(TABLE.len() - 2); // just below the end it may be rounded up to that
    let (left, right, t) = (TABLE[node], TABLE[node + 1], place - node as f64);
    let at = node as f64 / STEPS - END;
    let slope = |tail: Tail, x: f64| tail.hazard * (tail.hazard - x);
    Tail {
        ln: hermite(t, [left.ln, right.ln], [-left.hazard, -right.hazard]),
        hazard: hermite(t, [left.hazard, right.hazard], [slope(left, at), slope(right, at + 1.0 / STEPS)]),
    }
}

/// The x with ln Q(x) = `ln`, within the table: what lies beyond is cut off at ±9.
pub(super) fn inverse(ln: f64) -> f64 {
    let above = TABLE.partition_point(|tail| tail.ln > ln);
    if above == 0 {
        return -END;
    }
    if above == TABLE.len() {
        return END;
    }
    let (left, right) = (TABLE[above - 1], TABLE[above]);
    let start = (above - 1) as f64 / STEPS - END;
    let mut x = start + (left.ln - ln) / (left.ln - right.ln) / STEPS;
    // on so short a piece Newton's second step is already below the table's error
    for _ in 0..2 {
        let Tail { ln: here, hazard } = tail(x);
        x += (here - ln) / hazard;
    }
    x.clamp(start, start + 1.0 / STEPS)
}

fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / TAU.sqrt()
}

/// The cubic with these values and slopes at the ends of an interval of length 1/`STEPS`.
fn hermite(t: f64, [left, right]: [f64; 2], slopes: [f64; 2]) -> f64 {
    let [rise, fall] = slopes.map(|slope| slope / STEPS);
    let jump = right - left;
    left + t * (rise + t * ((3.0 * jump - 2.0 * rise - fall) + t * (rise + fall - 2.0 * jump)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_agrees_with_the_exact_functions() {
        for i in -1400..1400 {
            let x = f64::from(i) * 0.01 + 0.003;
            let q = normal_cdf(-x);
            let Tail { ln, hazard } = tail(x);
            let size = x.abs().max(1.0);
            assert!((ln - q.ln()).abs() < 1e-8 * size, "ln Q({x}) = {ln}");
            assert!((hazard - density(x) / q).abs() < 1e-8 * size, "hazard at {x}: {hazard}");
            // towards −9 ln Q is flat and its inverse loses digits
            if (-5.0..9.0).contains(&x) {
                assert!((inverse(ln) - x).abs() < 2e-8 * (1.0 + (0.5 * x * x).exp()).min(1e5), "{x}");
            }
        }
        // rounded up to the end of the table
        let last = END.next_down();
        assert!((tail(last).ln - tail(END).ln).abs() < 1e-8, "{:?}", tail(last));
        assert!((inverse(1.0) + END).abs() < 1e-15 && (inverse(-1e3) - END).abs() < 1e-15);
    }
}
