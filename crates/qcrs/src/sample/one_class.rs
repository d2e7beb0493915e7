//! Is it this class, or any other?

use super::{SampleUnderNoise, Votes};
use crate::noise::{Draws, Noise};
use crate::types::Error;

/// The binary classifier "is it `class`?" made of one with more classes: 1 is yes, 0 is no.
pub struct OneClass<'a> {
    /// Who is asked.
    pub inner: &'a dyn SampleUnderNoise,
    /// The class asked about.
    pub class: usize,
}

impl OneClass<'_> {
    /// The answer that is right where the true class is `label`.
    pub fn label(&self, label: usize) -> usize {
        usize::from(label == self.class)
    }
}

impl SampleUnderNoise for OneClass<'_> {
    fn sample_under_noise(&self, x: &[f32], noise: Noise, draws: &Draws) -> Result<Votes, Error> {
        let votes = self.inner.sample_under_noise(x, noise, draws)?;
        let yes = votes.of(self.class);
        Ok(Votes::from_iter([(0, votes.total() - yes), (1, yes)]))
    }
}
