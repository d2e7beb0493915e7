//! Gaussian augmentation (Cohen, Rosenfeld & Kolter 2019): the network sees every image with one
//! fresh noise vector per epoch, and learns by plain cross-entropy.

use super::{TrainingMethod, TrainingSettings, TrainingStep, count_correct};
use crate::architecture::Architecture;
use crate::images::Augment;
use crate::network::TrainingPrecision;
use crate::noise::Law;
use crate::schedule::Schedule;
use tch::Tensor;

/// The short recipe: a million images instead of four and a half, for a machine without a GPU.
pub fn short(architecture: Architecture, sigma: f64) -> TrainingSettings {
    TrainingSettings {
        architecture,
        method: TrainingMethod::Gaussian,
        noise: Law::Gaussian,
        sigma,
        epochs: 22,
        batch: 128,
        precision: TrainingPrecision::F32,
        learning_rate: 0.2,
        schedule: Schedule::OneCycle { warm_up: 0.2 },
        momentum: 0.9,
        nesterov: true,
        weight_decay: 5e-4,
        augment: augment(architecture),
        held_out: 2000,
        seed: 0,
        started_from: None,
    }
}

/// The published recipe, from Cohen et al.'s code: batch 400 of their experiments, not the 256 of
/// their command line's default. What stays ours: 2,000 images are held out, and an epoch ends with the last full batch.
pub fn published(architecture: Architecture, sigma: f64) -> TrainingSettings {
    TrainingSettings {
        nesterov: false,
        epochs: 90,
        batch: 400,
        learning_rate: 0.1,
        schedule: Schedule::Step(vec![30, 60]),
        weight_decay: 1e-4,
        ..short(architecture, sigma)
    }
}

/// The noise of DSRS (Li et al. 2022) instead of the Gaussian, with its training settings:
/// k = 380 for 28×28 grey, 1530 for CIFAR, 75260 for ImageNet; k grows over 100 epochs. For ImageNet only k is theirs:
/// they go on from Cohen et al.'s network, for 6 epochs at a rate of 0.001. Their rate falls an epoch later.
pub fn generalized(architecture: Architecture, sigma: f64) -> TrainingSettings {
    let k = match architecture {
        Architecture::SmallCnn => 380,
        Architecture::CifarResnet(_) => 1530,
        Architecture::ImagenetResnet(_) => 75260,
    };
    TrainingSettings {
        nesterov: false,
        noise: Law::GeneralizedGaussian { k, warm_up_epochs: 100 },
        epochs: 150,
        batch: 256,
        learning_rate: 0.01,
        schedule: Schedule::Step(vec![50, 100]),
        weight_decay: 1e-4,
        ..short(architecture, sigma)
    }
}

/// Colour images are cut and mirrored as in Cohen et al.'s code (ImageNet by cutting 224 out of what the
/// data gives, not by its random rescaling). Grey ones stay as they are: digits and letters have a
/// direction, Fashion-MNIST's shoes all point left, and a small network under noise does not overfit.
pub(super) fn augment(architecture: Architecture) -> Augment {
    match architecture {
        Architecture::SmallCnn => Augment { pad: 0, flip: false },
        Architecture::CifarResnet(_) => Augment { pad: 4, flip: true },
        Architecture::ImagenetResnet(_) => Augment { pad: 0, flip: true },
    }
}

pub(super) fn step(scores: &Tensor, labels: &Tensor) -> TrainingStep {
    TrainingStep { loss: scores.cross_entropy_for_logits(labels), correct: count_correct(scores, labels) }
}
