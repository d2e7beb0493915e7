//! Which curves explain the votes?
//!
//! The Laplace approximation of a Gaussian process seen through binomial counts with a probit link
//! (Rasmussen & Williams 2006, algorithm 3.1, with counts instead of single labels).

use super::linear::{Lower, Square, dot};
use super::tails::{Tail, tail};
use crate::types::Error;

/// What is believed about a curve at the points of a grid before any vote.
#[derive(Clone, Debug)]
pub(super) struct Prior {
    /// Its mean.
    pub mean: Vec<f64>,
    /// Its covariance.
    pub covariance: Square,
}

/// Votes at one grid point: each is a yes with probability Φ(f / scale), f being the curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    /// Votes for.
    pub yes: u64,
    /// Votes against.
    pub no: u64,
    /// The scale of the link.
    pub scale: f64,
}

/// What is believed about the curve after the votes: a normal distribution around the likeliest curve.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// The likeliest curve.
    pub mean: Vec<f64>,
    /// The covariance around it.
    pub covariance: Square,
}

impl Fit {
    /// The standard deviation at grid point `at`.
    pub fn deviation(&self, at: usize) -> f64 {
        self.covariance.at(at, at).max(0.0).sqrt()
    }
}

/// How well a value f of the curve explains the votes of one grid point.
#[derive(Clone, Copy, Debug, Default)]
struct Likelihood {
    /// ln p(votes | f).
    ln: f64,
    /// Its slope.
    slope: f64,
    /// The negative of its second derivative.
    bend: f64,
}

impl Likelihood {
    fn of(count: &Count, f: f64) -> Self {
        let t = f / count.scale;
        let side = |votes: u64, x: f64| {
            if votes == 0 {
                return Self::default();
            }
            let (votes, Tail { ln, hazard }) = (votes as f64, tail(x));
            Self {
                ln: votes * ln,
                slope: votes * hazard / count.scale,
                bend: votes * hazard * (hazard - x) / count.scale.powi(2),
            }
        };
        let (yes, no) = (side(count.yes, -t), side(count.no, t));
        Self { ln: yes.ln + no.ln, slope: yes.slope - no.slope, bend: (yes.bend + no.bend).max(0.0) }
    }

    /// At every grid point.
    fn all(counts: &[Count], f: &[f64]) -> Vec<Self> {
        counts.iter().zip(f).map(|(count, f)| Self::of(count, *f)).collect()
    }
}

/// Newton's method: the posterior is log-concave, so it has one peak, and a step that would overshoot
/// is halved until it does not.
///
/// Only grid points with votes take part; what they say about all points follows from the peak.
pub(super) fn laplace(prior: &Prior, counts: &[Count]) -> Result<Fit, Error> {
    let asked: Vec<usize> = (0..counts.len()).filter(|&at| counts[at].yes + counts[at].no > 0).collect();
    let counts: Vec<Count> = asked.iter().map(|&at| counts[at]).collect();
    let covariance = Square::from_fn(asked.len(), |i, j| prior.covariance.at(asked[i], asked[j]));
    let start: Vec<f64> = asked.iter().map(|&at| prior.mean[at]).collect();
    let ln_likelihood =
        |f: &[f64]| -> f64 { counts.iter().zip(f).map(|(count, f)| Likelihood::of(count, *f).ln).sum() };
    // a = K⁻¹ (f − mean), carried along so that K is never inverted
    let mut a = vec![0.0; counts.len()];
    let mut f = start.clone();
    let mut height = ln_likelihood(&f);
    for _ in 0..100 {
        let here = Likelihood::all(&counts, &f);
        let (root, lower) = curvature(&covariance, &here)?;
        let b: Vec<f64> =
            here.iter().zip(&f).zip(&start).map(|((l, f), mean)| l.bend * (f - mean) + l.slope).collect();
        let inner: Vec<f64> = covariance.times(&b).iter().zip(&root).map(|(x, root)| x * root).collect();
        let inner = lower.solve_transposed(&lower.solve(&inner));
        let target: Vec<f64> = b.iter().zip(&inner).zip(&root).map(|((b, x), root)| b - x * root).collect();

        let mut step = 1.0;
        let moved = loop {
            let next: Vec<f64> = a.iter().zip(&target).map(|(a, target)| a + step * (target - a)).collect();
            let shift = covariance.times(&next);
            let next_f: Vec<f64> = start.iter().zip(&shift).map(|(mean, shift)| mean + shift).collect();
            let next_height = ln_likelihood(&next_f) - 0.5 * dot(&next, &shift);
            if next_height >= height - 1e-9 * height.abs().max(1.0) || step < 1e-6 {
                let moved = f.iter().zip(&next_f).map(|(f, next)| (f - next).abs()).fold(0.0, f64::max);
                (a, f, height) = (next, next_f, next_height);
                break moved;
            }
            step *= 0.5;
        };
        if moved <= 1e-7 * prior.covariance.at(0, 0).sqrt() {
            let (root, lower) = curvature(&covariance, &Likelihood::all(&counts, &f))?;
            return Ok(everywhere(prior, &asked, &a, &root, &lower));
        }
    }
    Err(Error::NotConverged("the fit of a curve to the votes"))
}

/// W^½ and the factor of B = I + W^½ K W^½, where W is the curvature of the likelihood.
fn curvature(covariance: &Square, here: &[Likelihood]) -> Result<(Vec<f64>, Lower), Error> {
    let root: Vec<f64> = here.iter().map(|l| l.bend.sqrt()).collect();
    let b = Square::from_fn(root.len(), |i, j| {
        root[i] * covariance.at(i, j) * root[j] + f64::from(u8::from(i == j))
    });
    Ok((root, b.cholesky()?))
}

/// What the peak at the points that were `asked` says of all: the mean + K a and the covariance K − K W^½ B⁻¹
/// W^½ K.
fn everywhere(prior: &Prior, asked: &[usize], a: &[f64], root: &[f64], lower: &Lower) -> Fit {
    let all = 0..prior.mean.len();
    let seen = |at: usize| asked.iter().map(move |&other| prior.covariance.at(at, other));
    let mean =
        all.clone().map(|at| prior.mean[at] + seen(at).zip(a).map(|(k, a)| k * a).sum::<f64>()).collect();
    let columns: Vec<Vec<f64>> = all
        .map(|at| lower.solve(&seen(at).zip(root).map(|(k, root)| k * root).collect::<Vec<_>>()))
        .collect();
    let covariance =
        Square::from_fn(columns.len(), |i, j| prior.covariance.at(i, j) - dot(&columns[i], &columns[j]));
    Fit { mean, covariance }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> (Prior, [Count; 3]) {
        let sigmas = [0.25, 0.5, 1.0_f64];
        let covariance = Square::from_fn(3, |i, j| {
            let distance = (sigmas[i] / sigmas[j]).ln() / 0.7;
            0.64 * ((-0.5 * distance * distance).exp() + if i == j { 1e-8 } else { 0.0 })
        });
        let count = |yes, no, scale| Count { yes, no, scale };
        (Prior { mean: vec![0.2; 3], covariance }, [count(30, 2, 0.25), count(0, 0, 0.5), count(5, 11, 1.0)])
    }

    /// mpmath with 40 digits: the root of the gradient, and the inverse of the second derivatives there.
    #[test]
    fn the_fit_is_the_peak_and_its_curvature() {
        let (prior, counts) = small();
        let fit = laplace(&prior, &counts).unwrap();
        let peak = [0.380379139901, -0.0175827198938, -0.385623732727];
        let deviations = [0.0859686370455, 0.497162151981, 0.2995937748];
        for at in 0..3 {
            assert!((fit.mean[at] - peak[at]).abs() < 1e-7, "{:?}", fit.mean);
            assert!((fit.deviation(at) - deviations[at]).abs() < 1e-7, "{at}: {}", fit.deviation(at));
        }
        assert!((fit.covariance.at(0, 1) - 0.00404802981499).abs() < 1e-7);
    }

    /// The exact posterior, integrated on a grid: mean (.394, −.393), deviation (.089, .301).
    #[test]
    fn the_fit_is_close_to_the_exact_posterior() {
        let (prior, counts) = small();
        let fit = laplace(&prior, &counts).unwrap();
        for (at, mean, deviation) in [(0, 0.394, 0.089), (2, -0.393, 0.301)] {
            assert!((fit.mean[at] - mean).abs() < 0.2 * deviation, "{:?}", fit.mean);
            assert!((fit.deviation(at) / deviation - 1.0).abs() < 0.05);
        }
    }

    #[test]
    fn without_votes_nothing_is_learnt() {
        let (prior, counts) = small();
        let none = counts.map(|count| Count { yes: 0, no: 0, ..count });
        let fit = laplace(&prior, &none).unwrap();
        assert!(fit.mean.iter().all(|mean| (mean - 0.2).abs() < 1e-12));
        assert!((fit.deviation(1) - 0.8).abs() < 1e-6);
    }

    #[test]
    fn extreme_votes_converge() {
        let (prior, counts) = small();
        let cases = [(1_000_000, 0), (0, 1_000_000), (999_999, 1), (u64::from(u32::MAX), 7)];
        for ((yes, no), scale) in cases.into_iter().flat_map(|case| [(case, 1e-3), (case, 0.5), (case, 30.0)])
        {
            let fit = laplace(&prior, &counts.map(|_| Count { yes, no, scale })).unwrap();
            let sign = if yes > no { 1.0 } else { -1.0 };
            assert!(fit.mean.iter().all(|mean| mean.is_finite() && mean * sign > 0.0), "{yes} {no} {scale}");
            assert!((0..3).all(|at| fit.deviation(at) < 0.81));
        }
    }
}
