//! One line per input.

use crate::certify::{Outcome, Verdict};
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
    /// What a memory bank made of it, where there is one: this is then the answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bank: Option<FromBank>,
}

/// The answer of a memory bank, which remembers earlier answers and contradicts none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FromBank {
    /// What is certified; nothing where the bank leaves nothing of it.
    pub ball: Option<Ball>,
    /// Where it comes from, in words.
    pub why: String,
}

/// A class that holds within a radius.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ball {
    /// The class.
    pub class: usize,
    /// The l2 radius, rounded down.
    pub radius: f64,
}

impl Record {
    /// What is certified about the input, all told.
    pub fn certified(&self) -> Option<Ball> {
        match (&self.bank, &self.finding) {
            (_, Finding::Failed { .. }) => None,
            (Some(bank), _) => bank.ball,
            (None, Finding::Outcome(outcome)) => match outcome.verdict {
                Verdict::Certified { class, radius, .. } => Some(Ball { class, radius }),
                Verdict::Abstain(_) => None,
            },
        }
    }
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
    /// Its share of the wall time: the k-th part while k inputs were under way.
    pub seconds: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_failed_is_certified_by_no_bank() {
        let bank = Some(FromBank { ball: Some(Ball { class: 3, radius: 0.5 }), why: "inside ball 0".into() });
        let finding = Finding::Failed { error: "NaN".into() };
        assert_eq!(Record { index: 0, label: Some(3), finding, bank }.certified(), None);
    }
}
