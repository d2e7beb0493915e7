//! How many draws certify, how sure, and what is asked of them?

use crate::types::{Alpha, Error};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How many draws certify, how sure the certificate is, and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Draws to guess the top class.
    pub n0: u32,
    /// Draws to bound its probability.
    pub n: u32,
    /// The probability with which a certificate may be wrong.
    pub alpha: Alpha,
    /// What is bounded.
    #[serde(skip_serializing_if = "Bound::is_one_sided", default)]
    pub bound: Bound,
    /// Ask only whether the radius is at least this, with as few of the n draws as that takes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at_radius: Option<f64>,
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
    /// `n0` draws guess the class, `n` bound it from below at `alpha`, as published.
    pub fn new(n0: u32, n: u32, alpha: Alpha) -> Self {
        Self { n0, n, alpha, bound: Bound::OneSided, at_radius: None }
    }

    /// Refuses settings that cannot work, before any draw is spent.
    pub fn check(&self) -> Result<(), Error> {
        let &Self { n0, n, bound, at_radius, .. } = self;
        let problem = if n0 == 0 || n == 0 {
            format!("n0 and n must be at least 1, got n0 = {n0} and n = {n}")
        } else if let Some(radius) = at_radius.filter(|radius| !(*radius > 0.0 && radius.is_finite())) {
            format!("a radius to ask about must be positive, got {radius}; see --at-radius")
        } else if at_radius.is_some() && bound != Bound::OneSided {
            "the question whether a radius holds is answered by the one-sided bound; leave --bound out".into()
        } else {
            return Ok(());
        };
        Err(Error::Invalid(problem))
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
