//! PREDICT (Cohen et al. 2019, section 3.2): which class, without a radius?

mod majority;

pub use majority::{MajorityPrediction, predict_majority};

use crate::bounds::binomial_test_half;
use crate::noise::{Draws, Noise, Phase};
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
    let alpha = left_of(alpha, sampler.at(sigma).noise, n)?;
    let votes = draw(sampler, input, sigma, n)?;
    let ranked = votes.ranked();
    let Some(&(class, first)) = ranked.first() else {
        // without a vote no class is ahead
        return Ok(Prediction { class: None, p_value: 1.0, votes });
    };
    let second = ranked.get(1).map_or(0, |&(_, count)| count);
    let p_value = binomial_test_half(first, second)?;
    Ok(Prediction { class: (p_value <= alpha).then_some(class), p_value, votes })
}

/// What is left of α when each of the `n` draws may differ from one of the exact law. The draws are made at
/// the very point that is asked about, so that each of their dimensions counts.
fn left_of(alpha: Alpha, noise: Noise, n: u32) -> Result<f64, Error> {
    let lost = match noise {
        Noise::Lattice(law) => (law.correction() * f64::from(n)).next_up(),
        Noise::Gaussian(_) | Noise::GeneralizedGaussian(_) => 0.0,
    };
    let left = if lost > 0.0 { (alpha.get() - lost).next_down() } else { alpha.get() };
    if left > 0.0 {
        return Ok(left);
    }
    let problem = format!(
        "{n} draws may differ from exact noise with a probability of {lost:e}, and alpha is {}",
        alpha.get()
    );
    Err(Error::setting("alpha", problem + "; give a larger alpha or fewer draws"))
}

/// The votes of `n` draws of this phase, at least one.
fn draw(sampler: &dyn SampleUnderNoise, input: &Input, sigma: Sigma, n: u32) -> Result<Votes, Error> {
    if n == 0 {
        return Err(Error::setting("n", "must be at least 1, got 0"));
    }
    let draws = Draws::first(n, input.stream(Phase::Predict));
    ask(sampler, input.pixels, sampler.at(sigma), &draws)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseKind;

    /// d τ at σ = 1 is 1.5e-12 for 3,072 pixels.
    #[test]
    fn what_the_draws_may_be_off_by_is_taken_off_alpha() {
        let left = |kind: NoiseKind, alpha: f64, n| {
            left_of(Alpha::new(alpha).unwrap(), kind.at(Sigma::new(1.0).unwrap(), 3072), n)
        };
        let [bytes, _, float] = NoiseKind::ALL;
        assert_eq!(left(float, 0.001, 100_000).unwrap().to_bits(), 0.001_f64.to_bits());
        let lost = 0.001 - left(bytes, 0.001, 100_000).unwrap();
        assert!((1.4e-7..1.6e-7).contains(&lost), "{lost}");
        let error = left(bytes, 1e-7, 100_000).unwrap_err().to_string();
        assert!(error.starts_with("alpha: 100000 draws may differ"), "{error}");
    }
}
