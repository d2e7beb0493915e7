//! Which classifier is asked, under which noise?

use crate::noise::{Noise, WrittenLaw};
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// The smoothed classifier g of the papers: a base classifier f under one law of noise. Everything that is
/// looked at, planned or certified is one of these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothed {
    /// Which of the base classifiers at hand; 0 where there is one.
    pub model: u32,
    /// The law of the noise.
    pub noise: Noise,
}

impl Smoothed {
    /// The first base classifier under Gaussian noise.
    pub fn gaussian(sigma: Sigma) -> Self {
        Noise::Gaussian(sigma).into()
    }

    /// The noise level.
    pub fn sigma(&self) -> Sigma {
        self.noise.sigma()
    }
}

impl From<Noise> for Smoothed {
    /// The first base classifier under `noise`.
    fn from(noise: Noise) -> Self {
        Self { model: 0, noise }
    }
}

/// What records have of a smoothed classifier: the number of the model where it is not the first, σ, and the
/// law where it is not Gaussian.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WrittenSmoothed {
    pub model: u32,
    pub sigma: Sigma,
    pub law: Option<WrittenLaw>,
}

impl From<Smoothed> for WrittenSmoothed {
    fn from(Smoothed { model, noise }: Smoothed) -> Self {
        let (sigma, law) = noise.written();
        Self { model, sigma, law }
    }
}

impl TryFrom<WrittenSmoothed> for Smoothed {
    type Error = Error;

    fn try_from(WrittenSmoothed { model, sigma, law }: WrittenSmoothed) -> Result<Self, Error> {
        Ok(Self { model, noise: Noise::read(sigma, law)? })
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
pub(crate) fn is_first(model: &u32) -> bool {
    *model == 0
}
