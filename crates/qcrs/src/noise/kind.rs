//! How is Gaussian noise drawn, wherever a method asks for a σ?

use super::{Lattice, LatticeGaussian, Noise};
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// How Gaussian noise is drawn. One for all inputs of a run: it is part of the classifier that is certified.
///
/// Files have it by the name of its generator: other noise is another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum NoiseKind {
    /// In whole steps of the pixels; certificates hold for what a computer computes.
    Lattice(Lattice),
    /// In floats; certificates do not cover rounding.
    Float,
}

/// What a user asks for; the images decide on which lattice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoiseChoice {
    /// Noise in whole steps of the pixels.
    #[default]
    Lattice,
    /// Noise in floats.
    Float,
}

impl NoiseChoice {
    /// The kind of noise for images on this lattice.
    pub fn on(self, lattice: Lattice) -> NoiseKind {
        match self {
            Self::Lattice => NoiseKind::Lattice(lattice),
            Self::Float => NoiseKind::Float,
        }
    }
}

impl std::str::FromStr for NoiseChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "lattice" => Ok(Self::Lattice),
            "float" => Ok(Self::Float),
            other => Err(Error::setting("noise", format!("must be lattice or float, got {other}"))),
        }
    }
}

impl From<NoiseKind> for NoiseChoice {
    fn from(kind: NoiseKind) -> Self {
        match kind {
            NoiseKind::Lattice(_) => Self::Lattice,
            NoiseKind::Float => Self::Float,
        }
    }
}

impl Default for NoiseKind {
    /// That of 8-bit images.
    fn default() -> Self {
        Self::Lattice(Lattice::Bytes)
    }
}

impl NoiseKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Lattice(Lattice::Bytes), Self::Lattice(Lattice::Fine), Self::Float];

    /// The name of the generator.
    pub fn generator(self) -> &'static str {
        match self {
            Self::Lattice(Lattice::Bytes) => "philox4x32-10 lattice 1/255 v1",
            Self::Lattice(Lattice::Fine) => "philox4x32-10 lattice 1/4096 v1",
            Self::Float => "philox4x32-10 box-muller v1",
        }
    }

    /// The noise of this kind with level σ for inputs of `dim` values.
    pub fn at(self, sigma: Sigma, dim: usize) -> Noise {
        match self {
            // an input of more values than this fits no law
            Self::Lattice(lattice) => {
                let dim = u32::try_from(dim).unwrap_or(u32::MAX);
                Noise::Lattice(LatticeGaussian { sigma, lattice, dim })
            }
            Self::Float => Noise::Gaussian(sigma),
        }
    }

    /// The lattice that inputs must lie on, if there is one.
    pub fn lattice(self) -> Option<Lattice> {
        match self {
            Self::Lattice(lattice) => Some(lattice),
            Self::Float => None,
        }
    }
}

impl From<NoiseKind> for String {
    fn from(kind: NoiseKind) -> Self {
        kind.generator().into()
    }
}

impl TryFrom<String> for NoiseKind {
    type Error = Error;

    fn try_from(name: String) -> Result<Self, Error> {
        let known = Self::ALL.into_iter().find(|kind| kind.generator() == name);
        known.ok_or_else(|| Error::Invalid(format!("this version does not know the noise {name}")))
    }
}
