//! What is classified, and where does its noise come from?

use crate::noise::{Phase, Stream};

/// One input of a run.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// What is classified.
    pub pixels: &'a [f32],
    /// The seed of the run.
    pub seed: u64,
    /// Its index in the dataset: each input has its own noise.
    pub index: u32,
}

impl Input<'_> {
    /// The address of its noise vectors for this `phase`.
    pub fn stream(&self, phase: Phase) -> Stream {
        Stream { seed: self.seed, input: self.index, phase }
    }
}
