//! Which method, with settings that can work?

use super::SearchSpec;
use crate::types::Error;
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// A method whose settings were checked. What cannot work cannot be constructed, nor read from a file; everything that
/// [`SearchSpec`] tells can be asked of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SearchSpec", into = "SearchSpec")]
pub struct Method(SearchSpec);

impl Method {
    /// Checks the settings once, so that no later code has to.
    pub fn new(settings: SearchSpec) -> Result<Self, Error> {
        settings.check()?;
        Ok(Self(settings))
    }
}

impl Deref for Method {
    type Target = SearchSpec;

    fn deref(&self) -> &SearchSpec {
        &self.0
    }
}

impl TryFrom<SearchSpec> for Method {
    type Error = Error;

    fn try_from(settings: SearchSpec) -> Result<Self, Error> {
        Self::new(settings)
    }
}

impl From<Method> for SearchSpec {
    fn from(method: Method) -> Self {
        method.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Fixed, Grid, Winner};
    use crate::types::Sigma;

    #[test]
    fn what_cannot_work_can_neither_be_constructed_nor_read() {
        let sigma = |value| Sigma::new(value).unwrap();
        let grid = |points| {
            let winner = Winner::Fresh { draws: 10 };
            SearchSpec::Grid(Grid { sigma: sigma(0.5), low: sigma(0.1), high: sigma(1.0), points, winner })
        };
        assert!(Method::new(grid(0)).is_err());
        let good = Method::new(grid(24)).unwrap();
        let text = serde_json::to_string(&good).unwrap();
        assert_eq!(serde_json::from_str::<Method>(&text).unwrap(), good);
        let forged = text.replace("\"points\":24", "\"points\":0");
        let error = serde_json::from_str::<Method>(&forged).unwrap_err().to_string();
        assert!(error.contains("points: a grid has 2 to 65536 points, got 0"), "{error}");
        assert_eq!(Method::new(SearchSpec::Cohen(Fixed { sigma: sigma(0.5) })).unwrap().name(), "cohen");
    }
}
