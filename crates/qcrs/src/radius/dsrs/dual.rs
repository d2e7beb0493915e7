//! How little can a set of known probabilities weigh after its noise has moved by r?
//!
//! Let A have the probabilities P(A) and Q(A). For all numbers λ₁, λ₂, and whatever A is,
//!
//! P(A − δ) ≥ λ₁ P(A) + λ₂ Q(A) − ∫ (λ₁p + λ₂q − p_δ)₊   (weak duality; Li et al. 2022, section 4),
//!
//! so the right side is a valid bound whatever the search for λ did. The integral is taken over the region R
//! = {p_δ ≤ λ₁p + λ₂q}, which is symmetric about the axis of δ: what lies in R at a distance from 0, and from
//! δ, is a cap of a sphere.

use super::laws::{Densities, Weights};
use super::moved::Moved;
use super::quadrature::{Node, Quadrature, towards};
use crate::math::Sphere;
use crate::types::Error;

/// What is known about P(A) and Q(A): the ends of their intervals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub p: [f64; 2],
    pub q: [f64; 2],
}

impl Known {
    /// The smallest λ₁ P(A) + λ₂ Q(A).
    fn least(&self, [w1, w2]: Weights) -> f64 {
        w1 * self.p[usize::from(w1 < 0.0)] + w2 * self.q[usize::from(w2 < 0.0)]
    }
}

/// The masses of R under P and Q, which are the derivatives of the integral above; and theirs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Masses {
    pub p: f64,
    pub q: f64,
    /// ∂P/∂λ₁, ∂P/∂λ₂ = ∂Q/∂λ₁, ∂Q/∂λ₂.
    pub slopes: [f64; 3],
}

/// The laws with their quadrature: everything that does not depend on r and λ.
#[derive(Clone, Debug)]
pub(super) struct Dual {
    pub laws: Densities,
    quadrature: Quadrature,
}

impl Dual {
    pub fn new(laws: Densities) -> Self {
        let quadrature = Quadrature::new(&laws);
        Self { laws, quadrature }
    }

    /// A lower bound of P(A − δ) for |δ| = r (in units of s), minus the largest error of the computation.
    pub fn bound(&self, known: &Known, weights: Weights, r: f64) -> Result<f64, Error> {
        let edges = self.laws.zero(weights).map_or_else(Vec::new, towards);
        let covered = self.quadrature.expect(&edges, |node| self.covered(weights, node, r))?;
        let region = Moved::new(&self.laws, weights, r);
        let moved = self.quadrature.expect(&region.edges()?, |node| region.share(node.t))?;
        Ok(known.least(weights) - covered.value + moved.value
            - covered.error
            - moved.error
            - self.rounding(weights, r))
    }

    /// What rounding can do to a bound: through the shares of spheres and of the gamma distribution and
    /// through q/p (some 1e-13 in all), and through the last bits of ln Λ, by which the border of R moves:
    /// y by y/(y + k) of them, and R's mass by `steepest`/r of that.
    fn rounding(&self, weights: Weights, r: f64) -> f64 {
        let y = self.quadrature.highest();
        let border = 8.0 * f64::EPSILON * y / (y + self.laws.k) * self.laws.steepest() / r;
        let each = 16.0 * Sphere::ERROR + Quadrature::BEYOND + border;
        each * (1.0 + weights[0].abs() + weights[1].abs())
    }

    /// λ₁P + λ₂Q of the part of R at one distance from 0, in units of p.
    fn covered(&self, [w1, w2]: Weights, node: &Node, r: f64) -> Result<f64, Error> {
        let level = w1 + w2 * node.ratio;
        if level <= 0.0 {
            return Ok(0.0);
        }
        let gain = self.laws.gain(node.t, -level.ln())?;
        Ok(level * self.laws.sphere.below(-Densities::plane(node.t, gain, r)))
    }

    /// The masses of R, without a bound of their error: for the search.
    pub fn masses(&self, [w1, w2]: Weights, r: f64) -> Result<Masses, Error> {
        let edges = self.laws.zero([w1, w2]).map_or_else(Vec::new, towards);
        let mut masses = Masses::default();
        for node in self.quadrature.coarse(&edges).iter() {
            let level = w1 + w2 * node.ratio;
            if level <= 0.0 {
                continue;
            }
            let gain = self.laws.gain(node.t, -level.ln())?;
            let plane = Densities::plane(node.t, gain, r);
            let share = node.share * self.laws.sphere.below(-plane);
            // d gain / d ln(level) = −y/(y + k) at y = t + gain, and d plane / d gain = 1/(√(2t) r)
            let y = node.t + gain;
            let slope = node.share * self.laws.sphere.density(plane) * y
                / ((y + self.laws.k) * (2.0 * node.t).sqrt() * r * level);
            masses.p += share;
            masses.q += share * node.ratio;
            for (sum, factor) in masses.slopes.iter_mut().zip([1.0, node.ratio, node.ratio * node.ratio]) {
                *sum += slope * factor;
            }
        }
        Ok(masses)
    }
}
