//! Which votes does a certificate rest on?

use crate::method::Sides;
use crate::noise::WrittenLaw;
use crate::sample::{Smoothed, Votes, WrittenSmoothed, is_first};
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// The votes of one certificate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenEstimate", into = "WrittenEstimate")]
pub struct Estimate {
    /// The smoothed classifier that voted.
    pub smoothed: Smoothed,
    /// The class guessed beforehand.
    pub class: usize,
    /// What is bounded, as decided beforehand.
    pub sides: Sides,
    /// The fresh votes.
    pub votes: Votes,
}

impl Estimate {
    /// The noise level.
    pub fn sigma(&self) -> Sigma {
        self.smoothed.sigma()
    }
}

/// An estimate as files have it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEstimate {
    #[serde(skip_serializing_if = "is_first", default)]
    model: u32,
    sigma: Sigma,
    class: usize,
    #[serde(skip_serializing_if = "Sides::is_one", default)]
    sides: Sides,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    law: Option<WrittenLaw>,
    votes: Votes,
}

impl From<Estimate> for WrittenEstimate {
    fn from(Estimate { smoothed, class, sides, votes }: Estimate) -> Self {
        let WrittenSmoothed { model, sigma, law } = smoothed.into();
        Self { model, sigma, class, sides, law, votes }
    }
}

impl TryFrom<WrittenEstimate> for Estimate {
    type Error = Error;

    fn try_from(written: WrittenEstimate) -> Result<Self, Error> {
        let WrittenEstimate { model, sigma, class, sides, law, votes } = written;
        Ok(Self { smoothed: WrittenSmoothed { model, sigma, law }.try_into()?, class, sides, votes })
    }
}
