//! What does the method make of votes that were already cast?

use qcrs::certify::Outcome;
use qcrs::noise::{Draws, Noise};
use qcrs::sample::{SampleUnderNoise, Votes};
use qcrs::types::{Error, Sigma};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Answers with the votes of a record, in the order in which they were cast. A question that the
/// record does not answer is an error: then the record does not belong to the spec.
pub struct Recorded(Mutex<VecDeque<(Sigma, Votes)>>);

impl Recorded {
    /// Every vote of `outcome`.
    pub fn new(outcome: &Outcome) -> Self {
        let looks = outcome.looks.iter().chain([&outcome.selection]);
        let looks = looks.map(|look| (look.sigma, look.votes.clone()));
        let estimates = outcome.estimates.iter().map(|estimate| (estimate.sigma, estimate.votes.clone()));
        Self(Mutex::new(looks.chain(estimates).collect()))
    }
}

impl SampleUnderNoise for Recorded {
    fn sample_under_noise(&self, _: &[f32], noise: Noise, draws: &Draws) -> Result<Votes, Error> {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = (draws.range.len() as u64, noise);
        match left.pop_front() {
            Some((sigma, votes)) if wanted == (votes.total(), Noise::Gaussian(sigma)) => Ok(votes),
            Some((sigma, votes)) => {
                let (total, sigma) = (votes.total(), sigma.get());
                let at = match noise {
                    Noise::Gaussian(at) => at,
                    Noise::GeneralizedGaussian(law) => law.sigma(),
                };
                let (asked, at) = (wanted.0, at.get());
                Err(Error::Invalid(format!(
                    "there are {total} votes at σ = {sigma} where the spec asks for {asked} at σ = {at}"
                )))
            }
            None => Err(Error::Invalid("votes are missing that the spec asks for".into())),
        }
    }
}
