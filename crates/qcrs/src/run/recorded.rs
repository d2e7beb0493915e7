//! What does the method make of votes that were already cast?

use super::Spec;
use crate::certify::Outcome;
use crate::method::Look;
use crate::noise::Draws;
use crate::sample::{SampleUnderNoise, Smoothed, SoftVotes, Votes};
use crate::types::{Error, Sigma};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Answers with the votes of a record, in the order in which they were cast. A question that the
/// record does not answer is an error: then the record does not belong to the spec.
pub(super) struct Recorded<'a> {
    left: Mutex<VecDeque<Look>>,
    spec: &'a Spec,
}

impl<'a> Recorded<'a> {
    /// The votes of `outcome` that came before the certificates, cast in a run of `spec`.
    pub(super) fn new(outcome: &Outcome, spec: &'a Spec) -> Self {
        let left = outcome.looks.iter().chain(&outcome.selection).cloned().collect();
        Self { left: Mutex::new(left), spec }
    }

    fn next(&self, g: Smoothed, draws: &Draws) -> Result<Look, Error> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let look = left.pop_front().ok_or_else(|| missing("votes"))?;
        let (total, asked) = (look.votes.total(), draws.range.len() as u64);
        if (total, look.smoothed) == (asked, g) {
            return Ok(look);
        }
        let words = |Smoothed { model, noise }: Smoothed| {
            let model = if model == 0 { String::new() } else { format!(" of model {model}") };
            format!("σ = {} of {} noise{model}", noise.sigma().get(), noise.name())
        };
        let (found, wanted) = (words(look.smoothed), words(g));
        Err(Error::Invalid(format!(
            "there are {total} votes at {found} where the spec asks for {asked} at {wanted}"
        )))
    }
}

fn missing(what: &str) -> Error {
    Error::Invalid(format!("{what} that the spec asks for are missing"))
}

impl SampleUnderNoise for Recorded<'_> {
    fn sample_under_noise(&self, _: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error> {
        Ok(self.next(g, draws)?.votes)
    }

    fn soft_sample(&self, _: &[f32], g: Smoothed, draws: &Draws) -> Result<(Votes, SoftVotes), Error> {
        let look = self.next(g, draws)?;
        Ok((look.votes, look.soft.ok_or_else(|| missing("probabilities"))?))
    }

    fn at(&self, sigma: Sigma) -> Smoothed {
        self.spec.at(sigma)
    }
}
