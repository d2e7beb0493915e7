//! Which kinds of search are there?

use serde::{Deserialize, Serialize};
use std::fmt;

/// A kind of search. The best point of each is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Random directions.
    Random,
    /// The directions to the nearest images of other classes.
    NearestImages,
    /// Groups of neighbouring values, one after the other, each kept if the class loses votes.
    Coordinates,
    /// Along a line towards the boundary, to where the class loses votes, and from there in the direction in
    /// which it loses most.
    Boundary,
}

impl Strategy {
    /// All of them, in the order in which they search. Each begins with what those before it found.
    pub const ALL: [Self; 4] = [Self::Random, Self::NearestImages, Self::Coordinates, Self::Boundary];

    /// The passes of the search that this one and those before it may spend: the last needs most.
    pub(super) fn may_spend(self, passes: u32) -> u32 {
        match self {
            Self::Random => passes / 12,
            Self::NearestImages => passes / 6,
            Self::Coordinates => passes / 3,
            Self::Boundary => passes,
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Random => "random directions",
            Self::NearestImages => "nearest images",
            Self::Coordinates => "coordinates",
            Self::Boundary => "boundary",
        })
    }
}
