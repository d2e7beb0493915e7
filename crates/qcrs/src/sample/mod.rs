//! How does the base classifier vote under noise?

pub mod engine;
mod from_fn;
mod input;
mod input_transform;
mod monte_carlo;
mod one_class;
mod one_image;
mod smoothed;
mod soft;
mod voter;
mod votes;
mod watched;

pub use from_fn::{FromFn, from_fn};
pub use input::Input;
pub use input_transform::{InputTransform, Transformed};
pub use monte_carlo::MonteCarlo;
#[doc(hidden)] // public for our own programs only
pub use monte_carlo::argmax;
pub use one_class::OneClass;
pub use one_image::is_function_of_one_image;
pub use smoothed::Smoothed;
pub(crate) use smoothed::{WrittenSmoothed, is_first};
pub use soft::{Scores, SoftVotes};
pub use voter::Voter;
pub(crate) use voter::{check_confidence, nearest_told};
pub use votes::Votes;
pub use watched::Watched;

use crate::noise::{Draws, Fresh, Noise};
use crate::types::{Error, Sigma};
use std::sync::Arc;

/// A base classifier f, as an engine implements it or a user provides it.
pub trait Classifier: Sync {
    /// The number of values in one input.
    fn input_len(&self) -> usize;

    /// The number of classes.
    fn num_classes(&self) -> usize;

    /// Scores a row-major batch of any size, writing one row of `num_classes` scores per input.
    ///
    /// Called from several threads at once; an implementation should use one thread per call.
    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error>;

    /// Scores `x` plus each draw of each of the `parts`, in order, as [`Classifier::logits`] would score the
    /// copies. A part may have no draws.
    ///
    /// Provided by writing the copies to `batch`; an engine that can draw the noise where it computes
    /// does without, see [`engine`].
    fn noisy_logits(
        &self,
        x: &[f32],
        parts: &[(Noise, Draws)],
        batch: &mut Vec<f32>,
        out: &mut [f32],
    ) -> Result<(), Error> {
        engine::noisy_copies(x, parts, batch)?;
        self.logits(batch, out)
    }
}

/// Refuses a classifier that has nothing to look at, or nothing to say.
fn has_values_and_classes(classifier: &dyn Classifier) -> Result<(), Error> {
    let (values, classes) = (classifier.input_len(), classifier.num_classes());
    if values > 0 && classes > 0 {
        return Ok(());
    }
    Err(Error::Engine(format!(
        "the classifier takes {values} values and has {classes} classes; it needs at least one of each"
    )))
}

/// A pointer to a classifier is a classifier.
macro_rules! forward {
    ($($pointer:ty: $($bound:ident),*;)*) => {$(
        impl<C: $($bound +)* ?Sized> Classifier for $pointer {
            fn input_len(&self) -> usize {
                (**self).input_len()
            }

            fn num_classes(&self) -> usize {
                (**self).num_classes()
            }

            fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
                (**self).logits(batch, out)
            }

            fn noisy_logits(
                &self,
                x: &[f32],
                parts: &[(Noise, Draws)],
                batch: &mut Vec<f32>,
                out: &mut [f32],
            ) -> Result<(), Error> {
                (**self).noisy_logits(x, parts, batch, out)
            }
        }
    )*};
}
forward! {
    &C: Classifier;
    Box<C>: Classifier;
    Arc<C>: Classifier, Send;
}

/// SAMPLEUNDERNOISE of Cohen et al. 2019: the only thing the statistics see.
///
/// Implemented for any [`Classifier`] by [`MonteCarlo`]; implemented directly by a sampler that can do better
/// (noise on the GPU, a remote worker, a stored tally). The library asks through [`ask`] and [`ask_each`],
/// which count the votes.
pub trait SampleUnderNoise: Sync {
    /// Classifies `x` plus each of the `draws` with the classifier and under the noise of `g`, and counts the
    /// winners.
    fn sample_under_noise(&self, x: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error>;

    /// The votes of each of the `parts` apart. Provided by asking for one after the other; a sampler that
    /// works in batches may fill them across parts.
    fn sample_each(&self, x: &[f32], parts: &[(Smoothed, Draws)]) -> Result<Vec<Votes>, Error> {
        parts.iter().map(|(g, draws)| self.sample_under_noise(x, *g, draws)).collect()
    }

    /// Votes with the mean probabilities beside them, for searches only.
    fn soft_sample(&self, _: &[f32], _: Smoothed, _: &Draws) -> Result<(Votes, SoftVotes), Error> {
        Err(Error::Invalid("this sampler counts votes only; the search needs the scores".into()))
    }

    /// The smoothed classifier that σ stands for here. If several networks were each told their σ, it is that
    /// of the network that was told the nearest.
    fn at(&self, sigma: Sigma) -> Smoothed {
        Smoothed::gaussian(sigma)
    }
}

/// The votes for `draws`, one for each: a sampler that loses votes would change the shares of the others.
pub fn ask(sampler: &dyn SampleUnderNoise, x: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error> {
    sampler.sample_under_noise(x, g, draws)?.for_each_of(draws)
}

/// The same for several parts at once, so that the classifier's batches need not end where a part does.
pub fn ask_each(
    sampler: &dyn SampleUnderNoise,
    x: &[f32],
    parts: &[(Smoothed, Draws)],
) -> Result<Vec<Votes>, Error> {
    let votes = sampler.sample_each(x, parts)?;
    if votes.len() != parts.len() {
        let (got, asked) = (votes.len(), parts.len());
        return Err(Error::Engine(format!("{got} tallies came back for {asked} questions")));
    }
    votes.into_iter().zip(parts).map(|(votes, (_, draws))| votes.for_each_of(draws)).collect()
}

/// The votes of the next `n` draws of a stream, one for each.
pub fn fresh_votes(
    sampler: &dyn SampleUnderNoise,
    x: &[f32],
    g: Smoothed,
    n: u32,
    fresh: &mut Fresh,
) -> Result<Votes, Error> {
    ask(sampler, x, g, &fresh.take(n)?)
}
