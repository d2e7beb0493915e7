//! How often is it right?

use crate::images::Images;
use crate::network::{Network, NetworkMode};
use crate::noise::Law;
use crate::random::{Purpose, Random};
use crate::recipe::count_correct;
use qcrs::types::Error;
use serde::{Deserialize, Serialize};

/// How many images were classified rightly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectCount {
    /// Right ones.
    pub correct: u64,
    /// All of them.
    pub of: u64,
}

impl CorrectCount {
    /// The share of right ones; none without images.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.correct as f64 / self.of as f64)
    }
}

/// The noise that an evaluation adds: one draw per image.
#[derive(Clone, Copy, Debug)]
pub struct Under {
    /// Its law.
    pub noise: Law,
    /// Its level; 0 for clean images.
    pub sigma: f64,
    /// Which draws.
    pub seed: u64,
}

const BATCH: usize = 250;

/// Counts how many of the images `ids` are classified rightly.
pub fn count(network: &Network, images: &Images, ids: &[usize], under: Under) -> Result<CorrectCount, Error> {
    let mut correct = 0;
    for (number, ids) in ids.chunks(BATCH).enumerate() {
        let batch = images.plain(ids, network.architecture.input(), network.device())?;
        let random = Random::at(under.seed, Purpose::Evaluate, [number as u64, 0]);
        correct += tch::no_grad(|| {
            // the law as it is after its warm-up
            let noisy = under.noise.add(&batch.images, under.sigma, usize::MAX, random);
            count_correct(&network.scores(&noisy, NetworkMode::Use), &batch.labels)
        });
    }
    Ok(CorrectCount { correct: correct.cast_unsigned(), of: ids.len() as u64 })
}
