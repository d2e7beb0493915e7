//! What is the i-th noise vector of this stream?
//!
//! Noise is a pure function of (seed, input, phase, draw): no state, no order, no clock.
//!
//! | file       | question it answers                                        |
//! |------------|------------------------------------------------------------|
//! | `seed`     | which seed makes the noise?                                |
//! | `philox`   | which random words belong to this address?                 |
//! | `words`    | which of them make one draw?                               |
//! | `normal`   | which normals do two random words make?                    |
//! | `tail`     | how far out can a normal lie?                              |
//! | `gaussian` | what are the normals of one draw, in order and fast?       |
//! | `gamma`    | which gamma variable belongs to this address?              |
//! | `lattice`  | what is Gaussian noise on images of whole steps?           |
//! | `generalized` | what is generalized Gaussian noise?                     |
//! | `kind`     | how is Gaussian noise drawn in this run?                   |
//! | `copies`   | what are the noisy copies of one input?                    |

// code is compiled for an instruction set only where it is inlined into pulp's dispatch
#![allow(clippy::inline_always)]

mod copies;
mod gamma;
mod gaussian;
mod generalized;
mod kind;
mod lattice;
mod normal;
mod philox;
mod seed;
mod tail;
#[cfg(test)]
mod tests;
mod words;

use crate::types::{Error, Sigma};
pub use copies::NoisyCopies;
pub use generalized::GeneralizedGaussian;
pub use kind::{NoiseChoice, NoiseKind};
pub use lattice::{Lattice, LatticeGaussian};
pub use seed::Seed;
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
    /// Checking a classifier and measuring its speed; nothing of this is in a record.
    Measure = 7,
    /// Searching certified balls for points with another answer, and judging them.
    Attack = 8,
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
            Self::Measure => "measure",
            Self::Attack => "attack",
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

impl Stream {
    /// The key of its random words.
    #[inline(always)]
    fn key(&self) -> [u32; 2] {
        [self.seed as u32, (self.seed >> 32) as u32]
    }
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

/// Hands out the draws of one stream, each once.
#[derive(Clone, Debug)]
pub struct Fresh {
    stream: Stream,
    next: u32,
}

impl Fresh {
    /// All draws of `stream`.
    pub fn of(stream: Stream) -> Self {
        Self { stream, next: 0 }
    }

    /// The next `n` of them; an error when the stream has no more.
    pub fn take(&mut self, n: u32) -> Result<Draws, Error> {
        let end = self.next.checked_add(n).ok_or_else(|| {
            Error::Invalid(format!("more than {} draws of one input are asked for; ask for fewer", u32::MAX))
        })?;
        let range = self.next..end;
        self.next = end;
        Ok(Draws { stream: self.stream, range })
    }
}

/// The law of the smoothing noise. A closed set: `radius` answers for each of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// N(0, σ² I) (Cohen et al. 2019) rounded to the steps of the pixels.
    Lattice(LatticeGaussian),
    /// N(0, σ² I) in floats: certificates do not cover what rounding does to x + ε.
    Gaussian(Sigma),
    /// Density ∝ ‖ε‖^(−2k) exp(−‖ε‖²/2s²), perhaps truncated (Li et al. 2022), in floats.
    GeneralizedGaussian(GeneralizedGaussian),
}

impl Noise {
    /// The noise level.
    pub fn sigma(self) -> Sigma {
        match self {
            Self::Lattice(law) => law.sigma,
            Self::Gaussian(sigma) => sigma,
            Self::GeneralizedGaussian(law) => law.sigma(),
        }
    }

    /// What the law is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lattice(_) => "lattice Gaussian",
            Self::Gaussian(_) => "Gaussian",
            Self::GeneralizedGaussian(_) => "generalized Gaussian",
        }
    }

    /// Refuses inputs with another number of values than the law was made for, and a law that cannot be
    /// drawn.
    pub fn fits(self, values: usize) -> Result<(), Error> {
        let made_for = match self {
            Self::Gaussian(_) => return Ok(()),
            Self::Lattice(law) => {
                law.check()?;
                law.dim
            }
            Self::GeneralizedGaussian(law) => law.dim(),
        };
        if made_for as usize == values {
            return Ok(());
        }
        Err(Error::Invalid(format!(
            "the noise was made for inputs of {made_for} values, and the input has {values}"
        )))
    }
}

/// A law that is not Gaussian in floats, as files have it beside σ. The fields of each law tell it from the
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum WrittenLaw {
    Lattice(WrittenLattice),
    GeneralizedGaussian(GeneralizedGaussian),
}

/// A lattice law beside its σ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenLattice {
    lattice: Lattice,
    dim: u32,
}

impl Noise {
    /// What files have of it: σ, and the law where it is not Gaussian in floats, the only one of version 0.1.
    pub(crate) fn written(self) -> (Sigma, Option<WrittenLaw>) {
        let law = match self {
            Self::Lattice(LatticeGaussian { lattice, dim, .. }) => {
                Some(WrittenLaw::Lattice(WrittenLattice { lattice, dim }))
            }
            Self::Gaussian(_) => None,
            Self::GeneralizedGaussian(law) => Some(WrittenLaw::GeneralizedGaussian(law)),
        };
        (self.sigma(), law)
    }

    /// The noise that a file means by `sigma` and `law`.
    pub(crate) fn read(sigma: Sigma, law: Option<WrittenLaw>) -> Result<Self, Error> {
        let noise = match law {
            None => Self::Gaussian(sigma),
            Some(WrittenLaw::Lattice(WrittenLattice { lattice, dim })) => {
                Self::Lattice(LatticeGaussian { sigma, lattice, dim })
            }
            Some(WrittenLaw::GeneralizedGaussian(law)) => Self::GeneralizedGaussian(law),
        };
        if noise.sigma() == sigma {
            return Ok(noise);
        }
        let (said, has) = (sigma.get(), noise.sigma().get());
        Err(Error::Invalid(format!("sigma is {said}, but the law of the noise has {has}")))
    }
}

/// The smallest f32 that is not below `sigma`.
///
/// Pixels are f32, the claimed σ is f64. The radius grows with σ, so the noise really added must
/// never be weaker than the claim: rounding to nearest could certify half a unit too much.
fn round_up(sigma: f64) -> f32 {
    let nearest = sigma as f32;
    if f64::from(nearest) < sigma { nearest.next_up() } else { nearest }
}

#[cfg(test)]
mod scale {
    use super::{Noise, Phase, Stream, round_up};
    use crate::types::Sigma;

    #[test]
    fn the_scale_is_the_smallest_f32_that_is_not_below_sigma() {
        for sigma in [0.25, 0.5, 0.1, 0.12, 1.0 / 3.0, 0.7, 1.0 + 1e-12, 1.0 - 1e-12, 1e-60, 3.4e38] {
            let scale = round_up(sigma);
            assert!(f64::from(scale) >= sigma, "{sigma}");
            assert!(f64::from(scale.next_down()) < sigma, "{sigma}");
        }
        // and it is what the noise is scaled by: 0.7 is above the nearest f32
        let noise = |sigma: f64| {
            let mut out = [0.0; 64];
            let stream = Stream { seed: 1, input: 2, phase: Phase::Estimate };
            let copies = Noise::Gaussian(Sigma::new(sigma).unwrap()).copies_of(&[0.0; 64]).unwrap();
            copies.write(&stream, 3, &mut out);
            out
        };
        assert_eq!(
            noise(0.7).map(f32::to_bits),
            noise(1.0).map(|value| (value * 0.7_f32.next_up()).to_bits())
        );
    }
}
