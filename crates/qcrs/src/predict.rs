//! PREDICT (Cohen et al. 2019, section 3.2): which class, without a radius?

use crate::bounds::binomial_test_half;
use crate::noise::{Draws, Phase};
use crate::sample::{Input, SampleUnderNoise, Votes, ask};
use crate::types::{Alpha, Error, Sigma};
use serde::Serialize;

/// What the smoothed classifier answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// The class; `None` when the two leading classes are too close to call.
    pub class: Option<usize>,
    /// The probability of a lead as large as this one between classes of equal share.
    pub p_value: f64,
    /// The votes.
    pub votes: Votes,
}

/// Predicts `input` from `n` draws at one `sigma`.
///
/// With probability at least 1 − α the class returned is the smoothed classifier's; σ must not
/// depend on the input, or the answers of different inputs belong to different classifiers.
pub fn predict(
    sampler: &dyn SampleUnderNoise,
    input: &Input,
    sigma: Sigma,
    n: u32,
    alpha: Alpha,
) -> Result<Prediction, Error> {
    let draws = Draws::first(n, input.stream(Phase::Predict));
    let votes = ask(sampler, input.pixels, sampler.at(sigma), &draws)?;
    let ranked = votes.ranked();
    let Some(&(class, first)) = ranked.first() else {
        // without a vote no class is ahead, and with no draws nothing was asked
        let abstains = Prediction { class: None, p_value: 1.0, votes };
        return if n > 0 { Ok(abstains) } else { Err(Error::setting("n", "must be at least 1, got 0")) };
    };
    let second = ranked.get(1).map_or(0, |&(_, count)| count);
    let p_value = binomial_test_half(first, second)?;
    Ok(Prediction { class: (p_value <= alpha.get()).then_some(class), p_value, votes })
}
