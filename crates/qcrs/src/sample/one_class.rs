//! Is it this class, or any other?

use super::{SampleUnderNoise, Smoothed, Votes};
use crate::noise::Draws;
use crate::types::{Error, Sigma};

/// The binary classifier "is it `class`?" made of one with more classes: 1 is yes, 0 is no.
pub struct OneClass<'a> {
    /// The sampler that is asked.
    pub inner: &'a dyn SampleUnderNoise,
    /// The class asked about.
    pub class: usize,
}

impl OneClass<'_> {
    /// The answer that is right where the true class is `label`.
    pub fn label(&self, label: usize) -> usize {
        usize::from(label == self.class)
    }

    fn answers(&self, votes: &Votes) -> Votes {
        let yes = votes.of(self.class);
        Votes::from_iter([(0, votes.total() - votes.rejected() - yes), (1, yes)]).rejecting(votes.rejected())
    }
}

impl SampleUnderNoise for OneClass<'_> {
    fn sample_under_noise(&self, x: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error> {
        Ok(self.answers(&self.inner.sample_under_noise(x, g, draws)?))
    }

    fn sample_each(&self, x: &[f32], parts: &[(Smoothed, Draws)]) -> Result<Vec<Votes>, Error> {
        let each = self.inner.sample_each(x, parts)?;
        Ok(each.iter().map(|votes| self.answers(votes)).collect())
    }

    fn at(&self, sigma: Sigma) -> Smoothed {
        self.inner.at(sigma)
    }
}
