//! The bound against its definition, summed by brute force.

use super::dual::{Dual, Known};
use super::laws::{Densities, Ratio, Weights};
use crate::math::{gamma_density, gauss_legendre};
use crate::noise::GeneralizedGaussian;
use crate::types::Sigma;

/// ∫ (λ₁p + λ₂q − p_δ)₊ over distance and angle: no caps, no W, no second centre.
fn excess(laws: &Densities, [w1, w2]: Weights, r: f64) -> f64 {
    let middle = f64::from(laws.shape).sqrt();
    let (low, high) = ((middle - 7.0).max(0.0) / 2.0, middle + 7.0);
    let cut = match laws.second {
        Ratio::Threshold { at, .. } => at.sqrt(),
        _ => laws.zero([w1, w2]).map_or(middle, f64::sqrt).min(high),
    };
    let angles: Vec<(f64, f64)> = angles(laws.dim);
    let unit = gauss_legendre(16);
    let at = |root: f64| {
        let t = root * root;
        let level = w1 + w2 * laws.second.ratio(t);
        let over = |(x, share): &(f64, f64)| {
            let gain = 0.5 * r * r - (2.0 * t).sqrt() * r * x;
            share * (level - (-gain - laws.k * (gain / t).ln_1p()).exp()).max(0.0)
        };
        2.0 * root * gamma_density(laws.shape, t) * angles.iter().map(over).sum::<f64>()
    };
    let between = |low: f64, high: f64| {
        let half = (high - low) / 80.0;
        let panel = |i: i32| {
            let middle = low + f64::from(2 * i + 1) * half;
            half * unit.iter().map(|(x, weight)| weight * at(middle + half * x)).sum::<f64>()
        };
        (0..40).map(panel).sum::<f64>()
    };
    between(low, cut) + between(cut, high)
}

/// First coordinates of a direction, and their shares.
fn angles(dim: f64) -> Vec<(f64, f64)> {
    let reach = f64::min(8.0 / dim.sqrt(), 1.0);
    let steps = 1000;
    let at = |i: i32| {
        let x = reach * ((f64::from(i) + 0.5) / f64::from(steps) * 2.0 - 1.0);
        (x, (0.5 * (dim - 3.0) * (-x * x).ln_1p()).exp())
    };
    let all: Vec<_> = (0..steps).map(at).collect();
    let total: f64 = all.iter().map(|(_, share)| share).sum();
    all.into_iter().map(|(x, share)| (x, share / total)).collect()
}

fn law(sigma: f64, d: usize, k: u32) -> GeneralizedGaussian {
    GeneralizedGaussian::new(Sigma::new(sigma).unwrap(), k, d).unwrap()
}

#[test]
fn the_bound_is_what_weak_duality_says() {
    let known = Known { p: [0.9, 0.95], q: [0.92, 0.99] };
    let lambdas = [
        [8.0, 0.0],
        [8.0, 3.0],
        [-2.0, 3.0],
        [20.0, -1.0],
        [20.0, -6.0],
        [5.0, -20.0],
        [0.0, 4.0],
        [-1.0, -1.0],
        [-20.0, 1.0], // of a narrow law nowhere positive
    ];
    for (d, k) in [(3072, 1530), (784, 300), (150_528, 75_260), (64, 20)] {
        let first = law(0.5, d, k);
        for second in [law(0.4, d, k), first.truncated(0.6).unwrap()] {
            let dual =
                Dual::new(Densities::new(&first, Densities::compare(&first, &second).unwrap()).unwrap());
            for (weights, r) in lambdas.into_iter().flat_map(|weights| [(weights, 0.3), (weights, 1.2)]) {
                let [p, q] = [(0, [0.9, 0.95]), (1, [0.92, 0.99])]
                    .map(|(i, ends)| ends[usize::from(weights[i] < 0.0)]);
                let r = r / first.scale();
                let want = weights[0] * p + weights[1] * q - excess(&dual.laws, weights, r);
                let found = dual.bound(&known, weights, r).unwrap();
                // 3e-6 is the error of the sum by brute force
                assert!(found < want + 3e-6, "{second:?}, {weights:?}, {r}: {found} is above {want}");
                assert!(found > want - 5e-6, "{second:?}, {weights:?}, {r}: {found} is far below {want}");
            }
        }
    }
}

/// In a few dimensions caps begin so sharply that the error of a sum over panels is not bounded by halving
/// them.
#[test]
fn few_dimensions_are_refused() {
    for d in [4, 12, 62] {
        assert!(Densities::new(&law(0.5, d, 1), Ratio::None).is_err(), "d = {d}");
    }
}

/// The steepest fall of a probability is that of the half-space beyond 0: its density there.
#[test]
fn nothing_falls_faster_than_the_steepest() {
    for (d, k) in [(3072, 1530), (784, 300), (64, 20), (64, 31), (64, 1)] {
        let laws = Densities::new(&law(0.5, d, k), Ratio::None).unwrap();
        let near = |x: f64| laws.sphere.below(x) - 0.5;
        let steps = 20_000;
        let density = |i: i32| {
            let root = (f64::from(i) + 0.5) / f64::from(steps) * (f64::from(laws.shape).sqrt() + 7.0);
            let t = root * root;
            2.0 * root * gamma_density(laws.shape, t) * near(1e-4 / (2.0 * t).sqrt()) / 1e-4
        };
        let width = (f64::from(laws.shape).sqrt() + 7.0) / f64::from(steps);
        let slope = (0..steps).map(density).sum::<f64>() * width;
        let bound = laws.steepest();
        assert!(bound > slope && bound < 1.25 * slope, "d = {d}, k = {k}: {slope} and {bound}");
    }
}
