//! Cohen et al. 2019: one σ for every input.

use super::{Descriptor, Facts, Plan, PlanCertificate, Scout};
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// The same σ for every input; spends nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cohen {
    /// The σ.
    pub sigma: Sigma,
}

impl Cohen {
    pub(super) const DESCRIPTOR: Descriptor = Descriptor {
        name: "cohen",
        about: "one sigma for every input (Cohen et al. 2019)",
        settings: &[],
        read: |given| Ok(Self { sigma: given.published()?.sigma }.into()),
    };

    #[allow(clippy::unused_self, clippy::unnecessary_wraps)] // the signature of every method
    pub(super) fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    pub(super) fn facts(&self) -> Facts {
        Facts { has_one_sigma: true, ..Facts::about(self.sigma) }
    }
}

impl PlanCertificate for Cohen {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        Ok(Plan::certify(scout.at(self.sigma)).into())
    }
}
