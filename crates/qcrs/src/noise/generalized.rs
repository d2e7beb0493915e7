//! What is generalized Gaussian noise (Li et al. 2022, "Double sampling randomized smoothing")?
//!
//! Its density is ∝ ‖ε‖^(−2k) exp(−‖ε‖²/2s²): ε = s √(2t) u with t ~ Gamma(d/2 − k, 1) and u uniform
//! on the sphere. With k close to d/2, ‖ε‖ varies as much in any dimension as that of a short vector.

#[cfg(test)]
mod tests;

use super::gamma::gamma_draw;
use super::gaussian::normals;
use super::words::GROUP;
use super::{Stream, round_up};
use crate::math::{gamma_quantile, gamma_shares};
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// The smallest share of the law that a truncation may keep: its draws are found by trial.
const SMALLEST_SHARE: f64 = 0.01;

/// The density ∝ ‖ε‖^(−2k) exp(−‖ε‖²/2s²) with s = σ √(d/(d−2k)), so that E‖ε‖² = d σ² whatever k is;
/// or the same conditioned on t = ‖ε‖²/2s² ≤ T.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Fields", into = "Fields")]
pub struct GeneralizedGaussian {
    sigma: Sigma,
    k: u32,
    dim: u32,
    threshold: Option<f64>,
}

/// What is written to a file, before it is checked.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    sigma: Sigma,
    k: u32,
    dim: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
}

impl GeneralizedGaussian {
    /// The law on inputs of `dim` values; `dim` is even and 1 ≤ `k` ≤ dim/2 − 1.
    pub fn new(sigma: Sigma, k: u32, dim: usize) -> Result<Self, Error> {
        let dim = u32::try_from(dim)
            .map_err(|_| Error::Invalid(format!("generalized Gaussian noise on {dim} values is too long")))?;
        if dim % 2 == 1 || dim < 4 {
            return Err(Error::Invalid(format!(
                "generalized Gaussian noise needs an even number of values, at least 4, got {dim}; use Gaussian noise"
            )));
        }
        if k == 0 || k > dim / 2 - 1 {
            let most = dim / 2 - 1;
            return Err(Error::Invalid(format!(
                "generalized Gaussian noise on {dim} values needs k between 1 and {most}, got {k}"
            )));
        }
        Ok(Self { sigma, k, dim, threshold: None })
    }

    /// The law conditioned on t ≤ T, where T is such that this happens with probability `share`
    /// (T is then rounded to `f32`, so that it does not depend on the last bit of a logarithm).
    pub fn truncated(self, share: f64) -> Result<Self, Error> {
        if !(SMALLEST_SHARE..1.0).contains(&share) {
            return Err(Error::Invalid(format!(
                "a truncation keeps a share of at least {SMALLEST_SHARE} and less than 1, got {share}"
            )));
        }
        let threshold = f64::from(gamma_quantile(self.shape(), share)? as f32);
        Ok(Self { threshold: Some(threshold), ..self })
    }

    /// σ: the root of the mean of a squared element, were it not truncated.
    pub fn sigma(&self) -> Sigma {
        self.sigma
    }

    /// The exponent k.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// The number of values d of an input.
    pub fn dim(&self) -> u32 {
        self.dim
    }

    /// The shape d/2 − k of the gamma distribution of t.
    pub fn shape(&self) -> u32 {
        self.dim / 2 - self.k
    }

    /// s = σ √(d/(d − 2k)), rounded to nearest.
    pub fn scale(&self) -> f64 {
        self.sigma.get() * (f64::from(self.dim) / f64::from(2 * self.shape())).sqrt()
    }

    /// T, if t is truncated.
    pub fn threshold(&self) -> Option<f64> {
        self.threshold
    }

    /// t of this draw.
    fn draw(&self, stream: &Stream, draw: u32) -> f64 {
        let accepted = |t: &f64| self.threshold.is_none_or(|threshold| *t <= threshold);
        let mut attempts = (0..).map(|attempt| gamma_draw(self.shape(), stream, draw, attempt));
        attempts.find(accepted).expect("one draw in a hundred is accepted, and there are four billion")
    }

    /// `out = x + ε`.
    ///
    /// What rounding does: the factor s √(2t) / ‖normals‖ is rounded up to `f32`, as σ of Gaussian noise is.
    /// The errors of t, of the norm and of s (some 1e-15) are far below that step (6e-8), so except in about
    /// one draw of ten million ‖ε‖ is not shorter than claimed, and never by more than 1e-14 of it; it is
    /// longer by 6e-8 on average, and longer noise only adds to the true radius. Where two laws are compared,
    /// that changes a share by some 1e-7, which is far less than votes can tell.
    pub(super) fn add(&self, stream: &Stream, draw: u32, x: &[f32], out: &mut [f32]) {
        static BEST: LazyLock<pulp::Arch> = LazyLock::new(pulp::Arch::new);
        assert_eq!(x.len(), out.len(), "the noisy copy must be as long as the input");
        self.add_on(*BEST, stream, draw, x, out);
    }

    /// The same with the instructions of `arch`.
    fn add_on(&self, arch: pulp::Arch, stream: &Stream, draw: u32, x: &[f32], out: &mut [f32]) {
        let length = self.scale() * (2.0 * self.draw(stream, draw)).sqrt();
        arch.dispatch(AddDirection { stream, draw, length, x, out });
    }
}

/// `out = x + length · u`, as a job that pulp compiles once for every instruction set.
struct AddDirection<'a> {
    stream: &'a Stream,
    draw: u32,
    length: f64,
    x: &'a [f32],
    out: &'a mut [f32],
}

impl pulp::WithSimd for AddDirection<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { stream, draw, length, x, out } = self;
        // 64 sums side by side, and then those in order: the same order on every processor
        let mut squares = [0.0_f64; GROUP];
        for (group, out) in (0..).zip(out.chunks_mut(GROUP)) {
            let normals = normals(stream, draw, group);
            out.copy_from_slice(&normals[..out.len()]);
            for (square, value) in squares.iter_mut().zip(&*out) {
                *square += f64::from(*value) * f64::from(*value);
            }
        }
        let norm = squares.iter().sum::<f64>().sqrt();
        let factor = round_up(length / norm);
        for (out, x) in out.iter_mut().zip(x) {
            *out = x + factor * *out;
        }
    }
}

impl TryFrom<Fields> for GeneralizedGaussian {
    type Error = Error;

    fn try_from(Fields { sigma, k, dim, threshold }: Fields) -> Result<Self, Error> {
        let law = Self::new(sigma, k, dim as usize)?;
        let Some(threshold) = threshold else { return Ok(law) };
        let (share, _) = gamma_shares(law.shape(), threshold);
        // a little room, because the share that was asked for is not exactly that of the rounded T
        if !(0.99 * SMALLEST_SHARE..1.0).contains(&share) {
            return Err(Error::Invalid(format!(
                "a truncation at {threshold} keeps a share of {share}; it must be at least {SMALLEST_SHARE} and less than 1"
            )));
        }
        Ok(Self { threshold: Some(threshold), ..law })
    }
}

impl From<GeneralizedGaussian> for Fields {
    fn from(GeneralizedGaussian { sigma, k, dim, threshold }: GeneralizedGaussian) -> Self {
        Self { sigma, k, dim, threshold }
    }
}
