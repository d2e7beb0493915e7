//! What is to be certified?

use crate::noise::{GeneralizedGaussian, Noise};
use crate::radius::dsrs::Second;
use crate::sample::Smoothed;
use crate::types::Error;
use serde::{Deserialize, Serialize};

/// More candidates than α could be shared among.
const MOST_CANDIDATES: usize = 1 << 16;

/// What a method decides, from the draws of its search alone. A plan that cannot be certified cannot be
/// constructed; one that asks for more draws than the budget has is refused before any of them is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Nothing: no certificate is expected to be worth its draws.
    Nothing,
    /// One smoothed classifier.
    One(OneCertificate),
    /// The best of several, each at its share of α.
    BestOf(BestOf),
    /// One smoothed classifier, asked under two laws of noise.
    TwoLaws(TwoLaws),
}

impl Plan {
    /// A certificate about `g`: its class is named by n0 fresh draws, and it has as many draws and the bound
    /// that the budget says.
    pub fn certify(g: Smoothed) -> OneCertificate {
        OneCertificate { smoothed: g, class: None, n: None, sides: None }
    }

    /// The best of certificates about each of the `candidates`, all for the class that n0 fresh draws of
    /// `select` name. With K of them each is made at α/K, which is sound by the union bound.
    pub fn best_of(candidates: Vec<Smoothed>, select: Smoothed) -> Result<Self, Error> {
        if candidates.is_empty() || candidates.len() > MOST_CANDIDATES {
            let count = candidates.len();
            let problem = format!("a plan has 1 to {MOST_CANDIDATES} smoothed classifiers, got {count}");
            return Err(Error::Invalid(problem));
        }
        if candidates.iter().any(|g| matches!(g.noise, Noise::GeneralizedGaussian(_))) {
            // two certificates under two laws could not be told from the best of two
            let problem = "the best of several certificates is chosen under Gaussian noise only";
            return Err(Error::Invalid(problem.into()));
        }
        Ok(Self::BestOf(BestOf { candidates, select }))
    }

    /// The smoothed classifiers that certificates are made about; none where nothing is tried.
    pub fn candidates(&self) -> Vec<Smoothed> {
        match self {
            Self::Nothing => Vec::new(),
            Self::One(single) => vec![single.smoothed],
            Self::BestOf(best_of) => best_of.candidates.clone(),
            Self::TwoLaws(laws) => vec![laws.smoothed(laws.first)],
        }
    }
}

/// A plan for one certificate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneCertificate {
    pub(crate) smoothed: Smoothed,
    /// `None`: n0 fresh draws name it.
    pub(crate) class: Option<usize>,
    /// `None`: as many as the budget has.
    pub(crate) n: Option<u32>,
    /// `None`: as the budget says.
    pub(crate) sides: Option<Sides>,
}

impl OneCertificate {
    /// The same for the class that the search's own draws named, instead of n0 fresh ones.
    #[must_use]
    pub fn for_class(self, class: usize) -> Self {
        Self { class: Some(class), ..self }
    }

    /// The same with `n` draws; without any, nothing is certified.
    #[must_use]
    pub fn with_draws(self, n: u32) -> Self {
        Self { n: Some(n), ..self }
    }

    /// The same by this bound, whatever the budget says.
    #[must_use]
    pub fn by(self, sides: Sides) -> Self {
        Self { sides: Some(sides), ..self }
    }
}

impl From<OneCertificate> for Plan {
    fn from(single: OneCertificate) -> Self {
        if single.n == Some(0) { Self::Nothing } else { Self::One(single) }
    }
}

/// A plan for the best of several certificates, by [`Plan::best_of`].
#[derive(Clone, Debug, PartialEq)]
pub struct BestOf {
    pub(crate) candidates: Vec<Smoothed>,
    pub(crate) select: Smoothed,
}

/// A plan for one certificate from votes under two laws, by [`Dsrs::laws`](super::Dsrs::laws): P gets the
/// first half of the draws, Q the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoLaws {
    /// Which of the base classifiers is asked.
    pub(crate) model: u32,
    /// P, which the certificate is about.
    pub(crate) first: GeneralizedGaussian,
    /// What Q is.
    pub(crate) second: Second,
}

impl TwoLaws {
    /// The base classifier under one of the laws.
    pub(crate) fn smoothed(&self, law: GeneralizedGaussian) -> Smoothed {
        Smoothed { model: self.model, noise: Noise::GeneralizedGaussian(law) }
    }
}

impl From<TwoLaws> for Plan {
    fn from(laws: TwoLaws) -> Self {
        Self::TwoLaws(laws)
    }
}

/// What a certificate bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sides {
    /// The probability of the class from below, at α; any other class may have all the rest.
    #[default]
    One,
    /// The probability of the class from below, and that of the likeliest other class from above, at α/2
    /// each.
    Two,
}

impl Sides {
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
    pub(crate) fn is_one(&self) -> bool {
        *self == Self::One
    }
}
