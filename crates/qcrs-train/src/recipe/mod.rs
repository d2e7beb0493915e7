//! Which loss, with which settings? One file per published recipe, every default visible.

pub mod gaussian;
pub mod macer;

use crate::architecture::Architecture;
use crate::images::{Augment, Batch};
use crate::network::{Network, NetworkMode, TrainingPrecision};
use crate::noise::Law;
use crate::random::Random;
use crate::schedule::Schedule;
use qcrs::types::Error;
use serde::{Deserialize, Serialize};
use tch::Tensor;

/// Everything the weights depend on, besides the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingSettings {
    /// Which network.
    pub architecture: Architecture,
    /// Which loss.
    pub method: TrainingMethod,
    /// The law of the noise.
    pub noise: Law,
    /// Its level, in units of the pixel range [0, 1]; 0 trains without noise.
    pub sigma: f64,
    /// How often each image is seen.
    pub epochs: usize,
    /// Images per step.
    pub batch: usize,
    /// What convolutions compute with while training.
    #[serde(default)]
    pub precision: TrainingPrecision,
    /// The largest learning rate.
    pub learning_rate: f64,
    /// How it changes.
    pub schedule: Schedule,
    /// How much of its velocity a weight keeps.
    pub momentum: f64,
    /// Whether the momentum is Nesterov's; all of our own trainings before there was a choice had it.
    #[serde(default = "yes")]
    pub nesterov: bool,
    /// The pull of all weights to 0.
    pub weight_decay: f64,
    /// How images are varied.
    pub augment: Augment,
    /// How many training images are held out to judge by.
    pub held_out: usize,
    /// Where every random choice starts.
    pub seed: u64,
    /// The BLAKE3 hash of the weights that training started from; none: from random ones.
    pub started_from: Option<String>,
}

fn yes() -> bool {
    true
}

/// What a step minimises.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingMethod {
    /// Cross-entropy under noise.
    Gaussian,
    /// Cross-entropy of the smoothed classifier, and its radius.
    Macer(macer::Macer),
}

/// What a step gives.
pub struct TrainingStep {
    /// What to minimise: a mean over the images.
    pub loss: Tensor,
    /// How many images were classified rightly, under the step's noise.
    pub correct: i64,
}

impl TrainingSettings {
    /// Settings that make no sense are an error that says which, before any work is done.
    pub fn check(&self, images: usize) -> Result<(), Error> {
        let wrong = |problem: String| Err(Error::Invalid(problem));
        let Self { sigma, epochs, batch, learning_rate, momentum, weight_decay, .. } = self;
        if !(sigma.is_finite() && *sigma >= 0.0) {
            return wrong(format!("sigma must be finite and not negative, got {sigma}"));
        }
        if *epochs == 0 || *batch == 0 {
            return wrong(format!("epochs and batch must be at least 1, got {epochs} and {batch}"));
        }
        let left = images.saturating_sub(self.held_out);
        if *batch > left {
            let held_out = self.held_out;
            return wrong(format!(
                "a batch of {batch} is larger than the {left} images to train on ({images} less {held_out} held out); choose a smaller --batch"
            ));
        }
        if !(learning_rate.is_finite() && *learning_rate > 0.0) {
            return wrong(format!("the learning rate must be finite and positive, got {learning_rate}"));
        }
        if !((0.0..1.0).contains(momentum) && weight_decay.is_finite() && *weight_decay >= 0.0) {
            return wrong(format!(
                "momentum must be in [0, 1) and weight decay must not be negative, got {momentum} and {weight_decay}"
            ));
        }
        self.schedule.check()?;
        self.noise.check(self.architecture.input().iter().product())?;
        match self.method {
            TrainingMethod::Gaussian => Ok(()),
            TrainingMethod::Macer(_) if *sigma == 0.0 => {
                wrong("MACER needs noise: sigma must be above 0".into())
            }
            TrainingMethod::Macer(macer) => macer.check(),
        }
    }

    /// The noise of `random` on a batch.
    pub(crate) fn noisy(&self, images: &Tensor, epoch: usize, random: Random) -> Tensor {
        self.noise.add(images, self.sigma, epoch, random)
    }

    pub(crate) fn step(
        &self,
        network: &Network,
        batch: &Batch,
        epoch: usize,
        random: Random,
    ) -> TrainingStep {
        let scores = |noisy| network.scores(&noisy, NetworkMode::Train(self.precision));
        match &self.method {
            TrainingMethod::Gaussian => {
                gaussian::step(&scores(self.noisy(&batch.images, epoch, random)), &batch.labels)
            }
            TrainingMethod::Macer(macer) => {
                let copies = self.noisy(&macer.copies(&batch.images), epoch, random);
                macer.step(&scores(copies), &batch.labels, self.sigma)
            }
        }
    }
}

/// How many of `scores`' rows have their largest value at the label.
pub(crate) fn count_correct(scores: &Tensor, labels: &Tensor) -> i64 {
    scores.argmax(1, false).eq_tensor(labels).sum(tch::Kind::Int64).int64_value(&[])
}
