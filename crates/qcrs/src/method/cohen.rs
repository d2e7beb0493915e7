//! Cohen et al. 2019: one σ for every input.

use super::{Plan, PlanCertificate, Scout};
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// The same σ for every input; spends nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cohen {
    /// The σ.
    pub sigma: Sigma,
}

impl PlanCertificate for Cohen {
    fn plan(&self, _: &mut Scout<'_>) -> Result<Plan, Error> {
        Ok(self.sigma.into())
    }
}
