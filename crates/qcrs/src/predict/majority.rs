//! The majority predictor: which class has more than half of all noisy copies?

use super::draw;
use crate::bounds::clopper_pearson_lower;
use crate::radius::has_majority;
use crate::sample::{Input, SampleUnderNoise, Votes};
use crate::types::{Alpha, Error, Sigma};
use serde::Serialize;

/// What the majority predictor answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MajorityPrediction {
    /// The class; `None` when no class is shown to have more than half of the copies.
    pub class: Option<usize>,
    /// The lower bound, at α/2, of the probability of the class with most votes.
    pub p_lower: f64,
    /// The votes.
    pub votes: Votes,
}

/// Predicts the class that more than half of all noisy copies of `input` vote for, from `n` draws at one
/// `sigma`; rejected copies count as draws. Fail-safe radii ([`FailSafe`](crate::certify::FailSafe)) are about
/// this predictor, with the same σ.
///
/// With probability at least 1 − α the class returned has that majority. A class without one is confirmed
/// with probability at most α/2 if its share is ½, and that probability falls faster than the share below: so
/// two classes with ½ each are the worst case, which costs α. The class with most votes, or one that is only
/// ahead of the second ([`predict`](super::predict)), would not do: where no class has a majority, a class
/// within a fail-safe radius of another class's certificate may still have most votes.
pub fn predict_majority(
    sampler: &dyn SampleUnderNoise,
    input: &Input,
    sigma: Sigma,
    n: u32,
    alpha: Alpha,
) -> Result<MajorityPrediction, Error> {
    let votes = draw(sampler, input, sigma, n)?;
    let Some(&(class, most)) = votes.ranked().first() else {
        return Ok(MajorityPrediction { class: None, p_lower: 0.0, votes });
    };
    let p_lower = clopper_pearson_lower(most, votes.total(), alpha.share(2))?;
    let answers = has_majority(&sampler.at(sigma).noise, p_lower);
    Ok(MajorityPrediction { class: answers.then_some(class), p_lower, votes })
}
