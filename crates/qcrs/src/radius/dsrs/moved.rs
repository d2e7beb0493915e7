//! What is the mass of the region R under the moved noise?
//!
//! At y = t around δ lies a sphere of equal p_δ. Its points at y' around 0 belong to R where
//! p(t) ≤ Λ(y') p(y') with Λ = λ₁ + λ₂ q/p, that is where t (eᵛ − 1) + k v ≤ ln Λ(teᵛ) with v = ln(y'/t).

use super::laws::{Densities, Ratio, Weights};
use super::quadrature::towards;
use crate::math::lambert_tilt;
use crate::types::Error;

/// R under P_δ, for one λ and one r.
pub(super) struct Moved<'a> {
    laws: &'a Densities,
    weights: Weights,
    r: f64,
    shell: Option<Shell>,
}

/// Where λ₁p + λ₂q is negative near 0 (λ₁ > 0 > λ₂): R lies outside, and may begin anywhere there.
struct Shell {
    /// Λ is 0.
    start: f64,
    /// Λp is largest.
    peak: f64,
}

impl<'a> Moved<'a> {
    pub fn new(laws: &'a Densities, weights: Weights, r: f64) -> Self {
        Self { laws, weights, r, shell: Shell::new(laws, weights) }
    }

    /// The share of the sphere at t that lies in R.
    pub fn share(&self, t: f64) -> Result<f64, Error> {
        match self.laws.second {
            Ratio::None => self.below_level(t, self.weights[0], f64::INFINITY),
            Ratio::Threshold { at, share } => {
                let [outside, added] = self.weights;
                let inner = self.below_level(t, outside + added / share, at)?;
                let outer = self.below_level(t, outside, f64::INFINITY)?;
                Ok(inner + (outer - self.laws.share_within(t, at - t, self.r)).max(0.0))
            }
            Ratio::Variance { peak, rate } => self.between(t, peak, rate),
        }
    }

    /// The share that reaches neither `limit` nor the y' at which p(t) = level · p(y').
    fn below_level(&self, t: f64, level: f64, limit: f64) -> Result<f64, Error> {
        if level <= 0.0 {
            return Ok(0.0);
        }
        let gain = self.laws.gain(t, level.ln())?.min(limit - t);
        Ok(self.laws.share_within(t, gain, self.r))
    }

    /// Λ is smooth: R is below the y' where p(t) = Λp, and above a second such place inside a shell.
    fn between(&self, t: f64, peak: f64, rate: f64) -> Result<f64, Error> {
        let [w1, w2] = self.weights;
        let highest = w1.max(0.0) + w2.max(0.0) * peak.exp();
        if w1 + w2.max(0.0) * peak.exp() <= 0.0 {
            return Ok(0.0); // Λ is nowhere positive
        }
        // what is missing to R, and its derivative
        let lack = |v: f64| {
            let y = t * v.exp();
            let second = w2 * (peak - rate * y).exp();
            let level = w1 + second;
            if level <= 0.0 {
                return (f64::INFINITY, f64::INFINITY);
            }
            (t * v.exp_m1() + self.laws.k * v - level.ln(), y + self.laws.k + rate * y * second / level)
        };
        let high = lambert_tilt(highest.ln(), t, self.laws.k)?;
        let share = |v: f64| self.laws.share_within(t, t * v.exp_m1(), self.r);
        if let Some(Shell { start, peak }) = &self.shell {
            let [start, peak] = [(start / t).ln(), (peak / t).ln()];
            if lack(peak).0 >= 0.0 {
                return Ok(0.0);
            }
            let (inner, outer) = (root(lack, peak, start)?, root(lack, peak, high.max(peak))?);
            return Ok((share(outer) - share(inner)).max(0.0));
        }
        // Λp falls with y': there is one such place
        let mut low = high - 1.0 / self.laws.k;
        while lack(low).0 >= 0.0 {
            low -= 2.0 * (high - low);
        }
        Ok(share(root(lack, low, high)?))
    }

    /// Where the share as a function of t has kinks and steep places: about the y at which Λ jumps or is 0.
    pub fn edges(&self) -> Result<Vec<f64>, Error> {
        let zero = self.laws.zero(self.weights);
        let jump = if let Ratio::Threshold { at, .. } = self.laws.second { Some(at) } else { None };
        let Some(y) = zero.or(jump) else { return Ok(vec![]) };
        // the points at t that reach y are a cap, whose share falls within a few of these widths
        let (centre, width) = (y - 0.5 * self.r * self.r, (2.0 * y / self.laws.dim).sqrt() * self.r);
        let mut edges: Vec<f64> = (-12..=12).map(|i| centre + f64::from(i) * width).collect();
        // where p(t) is Λp at the peak, a shell begins like a root; at either side of a jump is a kink
        if let Some(Shell { peak, .. }) = self.shell {
            edges.extend(self.equal(peak, self.level(peak))?.map_or_else(Vec::new, towards));
        }
        if let Some(y) = jump {
            edges.extend(self.equal(y, self.level(y))?);
            edges.extend(self.equal(y, self.weights[0])?);
        }
        Ok(edges)
    }

    fn level(&self, y: f64) -> f64 {
        self.weights[0] + self.weights[1] * self.laws.second.ratio(y)
    }

    /// The t at which p(t) = level · p(y), if there is one.
    fn equal(&self, y: f64, level: f64) -> Result<Option<f64>, Error> {
        if level <= 0.0 {
            return Ok(None);
        }
        Ok(Some(y + self.laws.gain(y, -level.ln())?))
    }
}

impl Shell {
    /// If λ₁ > 0 > λ₂ and Λ is negative at 0. Λp then rises from 0 to its only peak, and falls:
    /// y d ln(Λp)/dy = rate·y / (e^(rate·(y − start)) − 1) − y − k falls from ∞ to −∞.
    /// (If Λ is positive at 0, this is below 1 − y − k, so that Λp falls everywhere.)
    fn new(laws: &Densities, [w1, w2]: Weights) -> Option<Self> {
        let Ratio::Variance { rate, .. } = laws.second else { return None };
        let start = laws.zero([w1, w2]).filter(|_| w1 > 0.0)?;
        let rises = |y: f64| rate * y > (rate * (y - start)).exp_m1() * (y + laws.k);
        let (mut low, mut high) = (start, 2.0 * start + 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if rises(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(Self { start, peak: high })
    }
}

/// The root of `f` between `inside`, where it is negative, and `outside`, where it is not: Newton's
/// iteration, and bisection where that leaves the interval.
fn root(f: impl Fn(f64) -> (f64, f64), mut inside: f64, mut outside: f64) -> Result<f64, Error> {
    let mut v = outside;
    for step in 0..300 {
        let (value, slope) = f(v);
        if value < 0.0 {
            inside = v;
        } else {
            outside = v;
        }
        let (low, high) = (inside.min(outside), inside.max(outside));
        let newton = v - value / slope;
        // a small step would prove nothing where the slope is steep, and it is near the start of a shell;
        // a small value does, and as the steps shrink quadratically, the next one is the last
        if value.abs() <= 1e-9 {
            return Ok(newton.clamp(low, high));
        }
        // every third step halves the interval: where Λ is almost 0, Newton's would creep
        let creeps = step % 3 == 2;
        v = if newton > low && newton < high && !creeps { newton } else { 0.5 * (low + high) };
        if v <= low || v >= high {
            return Ok(inside);
        }
    }
    Err(Error::NotConverged("the border of the worst region"))
}
