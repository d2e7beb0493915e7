//! What do we keep of one input?

use crate::certify::{FailSafe, Outcome, Verdict};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a run found out about one input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The index of the input in its dataset.
    pub index: u32,
    /// Its true class, where known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub label: Option<usize>,
    /// The file that it came from, within its dataset, where it had one of its own. Records of version 0.2 have
    /// none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    /// Which image it is: its [`pixel_hash`](crate::data::pixel_hash). Records of version 0.2 have none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pixels: Option<String>,
    /// What was found.
    pub finding: Finding,
    /// What a memory bank made of it, where there is one: this is then the answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bank: Option<FromBank>,
}

/// The answer of a memory bank, which remembers earlier answers and contradicts none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FromBank {
    /// What is certified; `None` if the bank leaves nothing of it.
    pub ball: Option<Ball>,
    /// Where it comes from.
    pub why: BankReason,
}

/// What a bank did with a certificate. Records and results.tsv hold it in the words of `Display`, which are
/// part of the formats: old files have them too, so they must stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum BankReason {
    /// Nothing.
    AsCertified,
    /// Made it smaller, because of this ball of another class.
    CutBy(u64),
    /// Answered with this ball, which holds the input.
    Inside(u64),
    /// There was none.
    NoCertificate,
    /// Refused it: this ball of another class touches the input.
    Touches(u64),
}

impl fmt::Display for BankReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsCertified => f.write_str("as certified"),
            Self::CutBy(ball) => write!(f, "cut by ball {ball}"),
            Self::Inside(ball) => write!(f, "inside ball {ball}"),
            Self::NoCertificate => f.write_str("no certificate"),
            Self::Touches(ball) => write!(f, "touches ball {ball} of another class"),
        }
    }
}

impl From<BankReason> for String {
    fn from(reason: BankReason) -> Self {
        reason.to_string()
    }
}

impl TryFrom<String> for BankReason {
    type Error = String;

    /// Reads the five forms that are written, and nothing else.
    fn try_from(words: String) -> Result<Self, String> {
        let ball = |before: &str, after: &str| -> Option<u64> {
            let digits = words.strip_prefix(before)?.strip_suffix(after)?;
            // not +7 or 007
            digits.parse().ok().filter(|number: &u64| number.to_string() == digits)
        };
        let said = match words.as_str() {
            "as certified" => Some(Self::AsCertified),
            "no certificate" => Some(Self::NoCertificate),
            _ => ball("cut by ball ", "")
                .map(Self::CutBy)
                .or_else(|| ball("inside ball ", "").map(Self::Inside))
                .or_else(|| ball("touches ball ", " of another class").map(Self::Touches)),
        };
        said.ok_or_else(|| format!("{words:?} is not what a bank says"))
    }
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
    /// What is certified about the input: by the bank if there is one, else by its own votes.
    pub fn certified(&self) -> Option<Ball> {
        match (&self.bank, &self.finding) {
            (_, Finding::Failed { .. }) => None,
            (Some(bank), _) => bank.ball,
            (None, _) => self.own(),
        }
    }

    /// Whether the answer rests on the votes of this record, and not on those of another ball of a bank.
    pub fn rests_on_own_votes(&self) -> bool {
        let why = self.bank.as_ref().map(|bank| bank.why);
        !matches!(why, Some(BankReason::Inside(_) | BankReason::Touches(_)))
    }

    /// Within which radius the majority predictor answers a class or abstains, where the votes show one. There
    /// is none with a bank, whose answers are not those of the predictor.
    pub fn fail_safe(&self) -> Option<FailSafe> {
        match &self.finding {
            Finding::Outcome(outcome) if self.bank.is_none() => outcome.fail_safe,
            _ => None,
        }
    }

    /// What its own votes certify, whatever a bank made of it.
    pub fn own(&self) -> Option<Ball> {
        match &self.finding {
            Finding::Outcome(Outcome { verdict: Verdict::Certified { class, radius, .. }, .. }) => {
                Some(Ball { class: *class, radius: *radius })
            }
            _ => None,
        }
    }
}

/// A certificate with its evidence, or the reason why this input cannot have one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::large_enum_variant)] // almost all are outcomes
pub enum Finding {
    /// Something about the input could not be computed: a score that cannot vote, a series that does not
    /// converge.
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

    /// Files of every version hold these words.
    #[test]
    fn the_reasons_of_a_bank_are_read_as_they_were_ever_written() {
        for (words, reason) in [
            ("as certified", BankReason::AsCertified),
            ("cut by ball 17", BankReason::CutBy(17)),
            ("inside ball 0", BankReason::Inside(0)),
            ("no certificate", BankReason::NoCertificate),
            ("touches ball 18446744073709551615 of another class", BankReason::Touches(u64::MAX)),
        ] {
            assert_eq!(serde_json::to_value(reason).unwrap(), words);
            assert_eq!(BankReason::try_from(words.to_owned()), Ok(reason));
        }
        for words in [
            "",
            "cut",
            "cut by ball ",
            "cut by ball +17",
            "cut by ball 017",
            "cut by ball 17 of another class",
            "inside ball -1",
            "touches ball 17",
            "touches ball 18446744073709551616 of another class",
            "As certified",
        ] {
            let error = BankReason::try_from(words.to_owned()).unwrap_err();
            assert!(error.contains(&format!("{words:?}")), "{error}");
        }
    }

    #[test]
    fn an_input_that_failed_is_certified_by_no_bank() {
        let bank = Some(FromBank { ball: Some(Ball { class: 3, radius: 0.5 }), why: BankReason::Inside(0) });
        let finding = Finding::Failed { error: "NaN".into() };
        assert_eq!(
            Record { index: 0, label: Some(3), file: None, pixels: None, finding, bank }.certified(),
            None
        );
    }
}
