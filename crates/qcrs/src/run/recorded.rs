//! What does the method make of votes that were already cast?

use crate::certify::Outcome;
use crate::method::Look;
use crate::noise::{Draws, Noise};
use crate::sample::{SampleUnderNoise, SoftVotes, Votes};
use crate::types::Error;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Answers with the votes of a record, in the order in which they were cast. A question that the
/// record does not answer is an error: then the record does not belong to the spec.
pub(super) struct Recorded(Mutex<VecDeque<Look>>);

impl Recorded {
    /// The votes of `outcome` that came before the certificates.
    pub(super) fn new(outcome: &Outcome) -> Self {
        Self(Mutex::new(outcome.looks.iter().chain(&outcome.selection).cloned().collect()))
    }

    fn next(&self, noise: Noise, draws: &Draws) -> Result<Look, Error> {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let look = left.pop_front().ok_or_else(|| missing("votes"))?;
        let (total, asked) = (look.votes.total(), draws.range.len() as u64);
        let at = noise.sigma();
        if (total, look.sigma) == (asked, at) {
            return Ok(look);
        }
        let (sigma, at) = (look.sigma.get(), at.get());
        Err(Error::Invalid(format!(
            "there are {total} votes at σ = {sigma} where the spec asks for {asked} at σ = {at}"
        )))
    }
}

fn missing(what: &str) -> Error {
    Error::Invalid(format!("{what} are missing that the spec asks for"))
}

impl SampleUnderNoise for Recorded {
    fn sample_under_noise(&self, _: &[f32], noise: Noise, draws: &Draws) -> Result<Votes, Error> {
        Ok(self.next(noise, draws)?.votes)
    }

    fn soft_sample(&self, _: &[f32], noise: Noise, draws: &Draws) -> Result<(Votes, SoftVotes), Error> {
        let look = self.next(noise, draws)?;
        Ok((look.votes, look.soft.ok_or_else(|| missing("probabilities"))?))
    }
}
