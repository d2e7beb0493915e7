//! Cohen et al. 2019: one σ for every input.

use super::{Plan, Probe, SigmaSearch};
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// The same σ for every input; spends nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fixed {
    /// The σ.
    pub sigma: Sigma,
}

impl SigmaSearch for Fixed {
    fn search(&self, _: &mut Probe<'_>) -> Result<Plan, Error> {
        Ok(self.sigma.into())
    }
}
