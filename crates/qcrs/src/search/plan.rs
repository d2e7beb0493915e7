//! What does a search decide?

use super::{Laws, Posterior};
use crate::noise::Noise;
use crate::types::Sigma;
use serde::{Deserialize, Serialize};

/// What a search decides, from its own draws alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// How the class to certify is named.
    pub naming: Naming,
    /// The noise levels to certify at. With K of them each certificate is made at α/K and the
    /// best is kept, which is sound by the union bound.
    pub sigmas: Vec<Sigma>,
    /// Draws per certificate, none at all included; `None`: as many as the budget has.
    pub n: Option<u32>,
    /// Which bound to use; `None`: what the budget says.
    pub sides: Option<Sides>,
    /// The laws of the noise; `None`: Gaussian.
    pub laws: Option<Laws>,
    /// What is believed of the σ–radius curve, where the search has an opinion.
    pub posterior: Option<Posterior>,
}

impl Plan {
    /// The noise to draw at `sigma`; with laws of its own the first of them, whatever `sigma` is.
    pub fn noise(&self, sigma: Sigma) -> Noise {
        self.laws.map_or(Noise::Gaussian(sigma), |laws| Noise::GeneralizedGaussian(laws.first))
    }
}

impl From<Sigma> for Plan {
    fn from(sigma: Sigma) -> Self {
        let naming = Naming::Select(sigma);
        Self { naming, sigmas: vec![sigma], n: None, sides: None, laws: None, posterior: None }
    }
}

/// How the class to certify is named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Naming {
    /// By n0 fresh draws at this σ.
    Select(Sigma),
    /// This one, by the draws of the search.
    Searched(usize),
}

/// What a certificate bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sides {
    /// The probability of the class from below, at α; any other class may have all the rest.
    #[default]
    One,
    /// That of the class from below, and that of the likeliest other class from above, at α/2 each.
    Two,
}

impl Sides {
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
    pub(crate) fn is_one(&self) -> bool {
        *self == Self::One
    }
}
