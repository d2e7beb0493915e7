//! One line per input.

use crate::certify::Outcome;
use serde::{Deserialize, Serialize};

/// What a run found out about one input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The index of the input in its dataset.
    pub index: u32,
    /// Its true class, where known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub label: Option<usize>,
    /// What was found.
    pub finding: Finding,
}

/// A certificate with its evidence, or the reason why this input cannot have one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// The classifier gave scores that cannot vote; the text names draw and class.
    Failed {
        /// What went wrong.
        error: String,
    },
    /// Votes and verdict.
    Outcome(Outcome),
}

/// How long one input took; kept apart, so that records compare byte for byte.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The index of the input in its dataset.
    pub index: u32,
    /// Wall time of this input alone, as if nothing else had run.
    pub seconds: f64,
}
