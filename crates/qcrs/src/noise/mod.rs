//! What is the i-th noise vector of this stream?
//!
//! Noise is a pure function of (seed, input, phase, draw): no state, no order, no clock.

use crate::types::Sigma;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a stream of draws is for. Draws of different phases never coincide, so
/// the samples that chose σ can never be counted again in the certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Choosing σ; these draws carry no guarantee.
    Search = 1,
    /// Guessing the top class (the paper's n0 samples).
    Select = 2,
    /// Bounding its probability (the paper's n samples).
    Estimate = 3,
    /// PREDICT's samples.
    Predict = 4,
    /// σ–radius curves and other pictures.
    Curve = 5,
    /// Fitting something on held-out data.
    Tune = 6,
}

impl Phase {
    /// The name, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Select => "select",
            Self::Estimate => "estimate",
            Self::Predict => "predict",
            Self::Curve => "curve",
            Self::Tune => "tune",
        }
    }
}

/// The address of a sequence of noise vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    /// The seed of the whole run.
    pub seed: u64,
    /// The index of the input in its dataset.
    pub input: u32,
    /// What the draws are for.
    pub phase: Phase,
}

/// A contiguous piece of a stream: the unit of work, batching and sharding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draws {
    /// Where the draws come from.
    pub stream: Stream,
    /// Which of them.
    pub range: Range<u32>,
}

impl Draws {
    /// The first `n` draws of `stream`.
    pub fn first(n: u32, stream: Stream) -> Self {
        Self { stream, range: 0..n }
    }
}

/// The smoothing distribution. A closed set: every variant needs its own radius.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Noise {
    /// Isotropic N(0, σ² I) (Cohen et al. 2019).
    Gaussian(Sigma),
}

impl Noise {
    /// Writes `x` plus the `draw`-th noise vector of `stream` to `out`.
    pub fn add(self, stream: &Stream, draw: u32, x: &[f32], out: &mut [f32]) {
        let Self::Gaussian(sigma) = self;
        for (block, (pixels, out)) in x.chunks(4).zip(out.chunks_mut(4)).enumerate() {
            let eps = normal4(stream, draw, block as u32);
            for ((o, pixel), e) in out.iter_mut().zip(pixels).zip(eps) {
                *o = *pixel + (sigma.get() * e) as f32;
            }
        }
    }
}

fn normal4(stream: &Stream, draw: u32, block: u32) -> [f64; 4] {
    let counter = [draw, block, stream.input, stream.phase as u32];
    let r = philox4x32(counter, [stream.seed as u32, (stream.seed >> 32) as u32]);
    let pair = |u: u32, v: u32| {
        let radius = (-2.0 * ((f64::from(u) + 0.5) / 2f64.powi(32)).ln()).sqrt();
        let angle = std::f64::consts::TAU * (f64::from(v) / 2f64.powi(32));
        [radius * angle.cos(), radius * angle.sin()]
    };
    let ([e0, e1], [e2, e3]) = (pair(r[0], r[1]), pair(r[2], r[3]));
    [e0, e1, e2, e3]
}

fn philox4x32(mut c: [u32; 4], mut k: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let p0 = u64::from(c[0]) * 0xD251_1F53;
        let p1 = u64::from(c[2]) * 0xCD9E_8D57;
        c = [(p1 >> 32) as u32 ^ c[1] ^ k[0], p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ k[1], p0 as u32];
        k = [k[0].wrapping_add(0x9E37_79B9), k[1].wrapping_add(0xBB67_AE85)];
    }
    c
}
