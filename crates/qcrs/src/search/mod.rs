//! Which σ should this input get?

mod fixed;
mod probe;

pub use fixed::Fixed;
pub use probe::{Look, Probe};

use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// A way to plan the certificate of one input.
pub trait SigmaSearch: Send + Sync {
    /// Looks at the input through `probe` and settles on a plan.
    fn search(&self, probe: &mut Probe<'_>) -> Result<Plan, Error>;
}

/// What a search decides, from its own draws alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The noise levels to certify at. With K of them each certificate is made at α/K and the
    /// best is kept, which is sound by the union bound.
    pub sigmas: Vec<Sigma>,
}

impl From<Sigma> for Plan {
    fn from(sigma: Sigma) -> Self {
        Self { sigmas: vec![sigma] }
    }
}

/// Every search by name, as the command line and spec.json write it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum SearchSpec {
    /// COHEN: one σ for every input.
    Cohen(Fixed),
}

impl SearchSpec {
    /// The search itself.
    pub fn search(&self) -> &dyn SigmaSearch {
        match self {
            Self::Cohen(search) => search,
        }
    }
}
