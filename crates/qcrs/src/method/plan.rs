//! What does a search decide?

use super::{Laws, Posterior};
use crate::noise::Noise;
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// More σ than any certificate could be shared between: α would be gone.
const MOST_SIGMAS: usize = 1 << 16;

/// What a search decides, from its own draws alone: what is certified, for which class and from how many draws.
/// A plan that cannot be certified cannot be constructed; one that asks for more draws than the budget has is refused
/// before any of them is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub(crate) naming: Naming,
    /// With K of them each certificate is made at α/K and the best is kept, which is sound by the union bound.
    pub(crate) sigmas: Vec<Sigma>,
    /// Draws per certificate; `None`: as many as the budget has.
    pub(crate) n: Option<u32>,
    /// Which bound to use; `None`: what the budget says.
    pub(crate) sides: Option<Sides>,
    /// The laws of the noise; `None`: Gaussian.
    pub(crate) laws: Option<Laws>,
    pub(crate) posterior: Option<Posterior>,
}

impl Plan {
    /// The best of several certificates, each at its σ and its share of α; the class is named at `select`.
    pub fn best_of(sigmas: Vec<Sigma>, select: Sigma) -> Result<Self, Error> {
        if sigmas.is_empty() || sigmas.len() > MOST_SIGMAS {
            let problem = format!("a plan has 1 to {MOST_SIGMAS} noise levels, got {}", sigmas.len());
            return Err(Error::Invalid(problem));
        }
        Ok(Self { sigmas, ..select.into() })
    }

    /// A certificate under laws of its own.
    pub fn under(laws: Laws) -> Self {
        Self { laws: Some(laws), ..laws.first.sigma().into() }
    }

    /// No certificate: none is expected to be worth its draws. `class` is what the search took the input for.
    pub fn nothing(class: usize, sigma: Sigma) -> Self {
        Self { naming: Naming::Searched(class), sigmas: Vec::new(), ..sigma.into() }
    }

    /// The same for the class that the search's own draws named, instead of n0 fresh ones.
    #[must_use]
    pub fn for_class(self, class: usize) -> Self {
        Self { naming: Naming::Searched(class), ..self }
    }

    /// The same with `n` draws for each certificate; without any, nothing is certified.
    #[must_use]
    pub fn with_draws(mut self, n: u32) -> Self {
        if n == 0 {
            self.sigmas.clear();
        }
        Self { n: Some(n), ..self }
    }

    /// The same by this bound, whatever the budget says.
    #[must_use]
    pub fn by(self, sides: Sides) -> Self {
        Self { sides: Some(sides), ..self }
    }

    /// The same with what the search believes of the σ–radius curve, for the record.
    #[must_use]
    pub fn believing(self, posterior: Posterior) -> Self {
        Self { posterior: Some(posterior), ..self }
    }

    /// The noise levels to certify at; none if nothing is tried.
    pub fn sigmas(&self) -> &[Sigma] {
        &self.sigmas
    }

    /// The noise to draw at `sigma`; with laws of its own the first of them, whatever `sigma` is.
    pub(crate) fn noise(&self, sigma: Sigma) -> Noise {
        self.laws.map_or(Noise::Gaussian(sigma), |laws| Noise::GeneralizedGaussian(laws.first))
    }
}

impl From<Sigma> for Plan {
    /// One certificate at this σ; n0 fresh draws name its class.
    fn from(sigma: Sigma) -> Self {
        let naming = Naming::Select(sigma);
        Self { naming, sigmas: vec![sigma], n: None, sides: None, laws: None, posterior: None }
    }
}

/// How the class to certify is named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Naming {
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
