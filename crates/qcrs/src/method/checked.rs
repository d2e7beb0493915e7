//! Which method, with settings that can work?

use super::{AnyMethod, Cohen, Plan, PlanCertificate, Probe, Qcrs, Scout};
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// A method whose settings were checked. Settings that cannot work cannot be constructed, nor read from a
/// file. Everything that [`AnyMethod`] tells can be asked of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "AnyMethod", into = "AnyMethod")]
pub struct Method(AnyMethod);

impl Method {
    /// COHEN: one σ for every input.
    pub fn cohen(sigma: Sigma) -> Self {
        Self(Cohen { sigma }.into())
    }

    /// QCRS with our repairs, for a classifier trained with `sigma`.
    pub fn qcrs(sigma: Sigma) -> Result<Self, Error> {
        Self::new(Qcrs::scaled_to(sigma)?.repaired())
    }

    /// PROBE, for a classifier trained with `sigma`.
    pub fn probe(sigma: Sigma) -> Result<Self, Error> {
        let Qcrs { low, high, .. } = Qcrs::scaled_to(sigma)?;
        Self::new(Probe::new(sigma, [low, high], Probe::LAMBDA))
    }

    /// Checks the settings once, so that no later code has to.
    pub fn new(method: impl Into<AnyMethod>) -> Result<Self, Error> {
        let method = method.into();
        method.check()?;
        Ok(Self(method))
    }
}

impl Deref for Method {
    type Target = AnyMethod;

    fn deref(&self) -> &AnyMethod {
        &self.0
    }
}

impl TryFrom<AnyMethod> for Method {
    type Error = Error;

    fn try_from(settings: AnyMethod) -> Result<Self, Error> {
        Self::new(settings)
    }
}

impl From<Method> for AnyMethod {
    fn from(method: Method) -> Self {
        method.0
    }
}

impl PlanCertificate for Method {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        self.0.plan(scout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Grid, Winner};

    #[test]
    fn what_cannot_work_can_neither_be_constructed_nor_read() {
        let sigma = |value| Sigma::new(value).unwrap();
        let grid = |points| {
            let winner = Winner::Fresh { draws: 10 };
            AnyMethod::Grid(Grid { sigma: sigma(0.5), low: sigma(0.1), high: sigma(1.0), points, winner })
        };
        assert!(Method::new(grid(0)).is_err());
        let good = Method::new(grid(24)).unwrap();
        let text = serde_json::to_string(&good).unwrap();
        assert_eq!(serde_json::from_str::<Method>(&text).unwrap(), good);
        let forged = text.replace("\"points\":24", "\"points\":0");
        let error = serde_json::from_str::<Method>(&forged).unwrap_err().to_string();
        assert!(error.contains("points: a grid has 2 to 65536 points, got 0"), "{error}");
        assert_eq!(Method::new(AnyMethod::Cohen(Cohen { sigma: sigma(0.5) })).unwrap().name(), "cohen");
    }
}
