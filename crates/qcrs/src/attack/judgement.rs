//! Is it proved that the smoothed classifier answers otherwise at this point?

use super::Strategy;
use crate::bounds::{clopper_pearson_lower, clopper_pearson_upper};
use crate::sample::Votes;
use crate::types::{Alpha, Error};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The votes at one point, on draws that did not choose it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The search that found the point.
    pub strategy: Strategy,
    /// The distance of the point from the input, rounded up.
    pub distance: f64,
    /// The class that the search expects to win there.
    pub rival: usize,
    /// The draws of the phase `attack` that voted.
    pub draws: Range<u32>,
    /// Their votes.
    pub votes: Votes,
}

impl Judgement {
    /// An upper bound of the lead of `class` over the rival, in shares of all votes: the Clopper-Pearson
    /// upper bound of the class minus the lower bound of the rival, at α/2 each. If it is negative, the
    /// smoothed classifier does not answer `class` at the point; that is wrong with probability at most α,
    /// because the rival was named by other draws.
    pub fn lead_at_most(&self, class: usize, alpha: Alpha) -> Result<f64, Error> {
        let (n, each) = (self.votes.total(), alpha.share(2));
        let upper = clopper_pearson_upper(self.votes.of(class), n, each)?;
        Ok(upper - clopper_pearson_lower(self.votes.of(self.rival), n, each)?)
    }
}
