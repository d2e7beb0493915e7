//! What does a certificate promise?

use crate::method::AnyMethod;
use serde::{Deserialize, Serialize};

/// The promise a certificate makes (docs/guarantees.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// One σ for all inputs, chosen beforehand: the radius holds for the deployed classifier.
    FixedSigma,
    /// A σ per input: the radius holds for the classifier smoothed with that σ, frozen.
    FrozenSigma,
    /// One σ for a class, chosen beforehand: the radius holds for the question whether it is that class.
    ClassWise,
    /// A bank remembers all answers and contradicts none: the radius holds for the bank's answers from then
    /// on.
    MemoryBank,
}

impl Guarantee {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::FixedSigma, Self::FrozenSigma, Self::ClassWise, Self::MemoryBank];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::FixedSigma => "fixed-sigma",
            Self::FrozenSigma => "frozen-sigma",
            Self::ClassWise => "class-wise",
            Self::MemoryBank => "memory-bank",
        }
    }

    /// What certificates of `method` promise, when asked about all classes or about one.
    pub fn of(method: &AnyMethod, one_class: Option<usize>) -> Self {
        match (method.facts().has_one_sigma, one_class) {
            (true, None) => Self::FixedSigma,
            (true, Some(_)) => Self::ClassWise,
            (false, _) => Self::FrozenSigma,
        }
    }
}
