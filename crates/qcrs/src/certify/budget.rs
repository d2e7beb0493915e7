//! How many draws certify, how sure, and what is asked of them?

use crate::types::{Alpha, Error};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How many draws certify, how sure the certificate is, and what it is about. What cannot be certified cannot be
/// constructed, nor read from a file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Budget {
    n0: u32,
    n: u32,
    alpha: Alpha,
    bound: Bound,
    at_radius: Option<f64>,
}

/// A budget as files have it.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Written {
    n0: u32,
    n: u32,
    alpha: Alpha,
    #[serde(skip_serializing_if = "Bound::is_one_sided", default)]
    bound: Bound,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    at_radius: Option<f64>,
}

impl TryFrom<Written> for Budget {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let Written { n0, n, alpha, bound, at_radius } = written;
        let budget = Self::new(n0, n, alpha)?.with_bound(bound)?;
        at_radius.map_or(Ok(budget), |radius| budget.asking_about(radius))
    }
}

impl From<Budget> for Written {
    fn from(budget: Budget) -> Self {
        let Budget { n0, n, alpha, bound, at_radius } = budget;
        Self { n0, n, alpha, bound, at_radius }
    }
}

/// Which probabilities are bounded, where the search does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// That of the class, as published.
    #[default]
    OneSided,
    /// Those of the class and of the others, apart.
    TwoSided,
    /// Whichever promises more for this input, by the draws that chose σ and the class.
    Auto,
}

impl Bound {
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
    fn is_one_sided(&self) -> bool {
        *self == Self::OneSided
    }
}

impl Budget {
    /// `n0` draws guess the class, `n` bound it from below at `alpha`, as published; at least one each.
    pub fn new(n0: u32, n: u32, alpha: Alpha) -> Result<Self, Error> {
        if n0 == 0 || n == 0 {
            let problem = format!("n0 and n must be at least 1, got n0 = {n0} and n = {n}");
            return Err(Error::Invalid(problem));
        }
        Ok(Self { n0, n, alpha, bound: Bound::OneSided, at_radius: None })
    }

    /// The same with another bound, where the search does not say which.
    pub fn with_bound(self, bound: Bound) -> Result<Self, Error> {
        Self { bound, ..self }.together()
    }

    /// The same, asked only whether the radius is at least `radius`, with as few of the n draws as that takes.
    pub fn asking_about(self, radius: f64) -> Result<Self, Error> {
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(Error::setting("at_radius", format!("must be positive, got {radius}")));
        }
        Self { at_radius: Some(radius), ..self }.together()
    }

    fn together(self) -> Result<Self, Error> {
        if self.at_radius.is_some() && self.bound != Bound::OneSided {
            let problem = "the question whether a radius holds is answered by the one-sided bound only";
            return Err(Error::Invalid(problem.into()));
        }
        Ok(self)
    }

    /// Draws to guess the top class; at least one.
    pub fn n0(&self) -> u32 {
        self.n0
    }

    /// Draws to bound its probability; at least one.
    pub fn n(&self) -> u32 {
        self.n
    }

    /// The probability with which a certificate may be wrong.
    pub fn alpha(&self) -> Alpha {
        self.alpha
    }

    /// What is bounded.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// The radius that is asked about, where it is not the largest: positive and finite.
    pub fn at_radius(&self) -> Option<f64> {
        self.at_radius
    }

    /// The estimation draws of certificate `number` of a plan, `n` each: no two share any.
    pub(super) fn range(number: usize, n: u32) -> Result<Range<u32>, Error> {
        let at = |number: usize| u32::try_from(number as u64 * u64::from(n));
        match (at(number), at(number + 1)) {
            (Ok(start), Ok(end)) => Ok(start..end),
            _ => Err(Error::Invalid(format!("{} certificates of {n} draws are too many", number + 1))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_certified_cannot_be_constructed() {
        let alpha = Alpha::new(0.001).unwrap();
        assert!(Budget::new(0, 100, alpha).is_err() && Budget::new(100, 0, alpha).is_err());
        let budget = Budget::new(100, 1000, alpha).unwrap();
        for radius in [-1.0, 0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(budget.asking_about(radius).is_err(), "{radius}");
        }
        let asked = budget.asking_about(0.5).unwrap();
        assert!(asked.with_bound(Bound::TwoSided).is_err());
        assert!(budget.with_bound(Bound::Auto).unwrap().asking_about(0.5).is_err());
    }

    #[test]
    fn files_hold_no_budget_that_cannot_be_certified() {
        let read = |text: &str| serde_json::from_str::<Budget>(text);
        let whole = r#"{"n0":100,"n":1000,"alpha":0.001,"at_radius":0.5}"#;
        assert_eq!(serde_json::to_string(&read(whole).unwrap()).unwrap(), whole);
        for text in [
            r#"{"n0":100,"n":0,"alpha":0.001}"#,
            r#"{"n0":100,"n":1000,"alpha":1.5}"#,
            r#"{"n0":100,"n":1000,"alpha":0.001,"at_radius":-1.0}"#,
            r#"{"n0":100,"n":1000,"alpha":0.001,"at_radius":0.5,"bound":"two-sided"}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
