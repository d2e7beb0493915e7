//! MACER (Zhai et al. 2020): maximises the radius of the smoothed classifier beside its accuracy.
//!
//! Per batch of B images with k noisy copies each: p̄ = mean softmax(f), q̄ = mean softmax(β f),
//! q1 ≥ q2 the two largest of q̄, gap = Φ⁻¹(q1) − Φ⁻¹(q2);
//! loss = ( −Σ ln(p̄_y + 1e-10) + λ σ/2 Σ (γ − gap) ) / B,
//! the second sum over the images whose q1 is the label's and whose gap is at most γ.

use super::{TrainingMethod, TrainingSettings, TrainingStep, count_correct, gaussian};
use crate::architecture::Architecture;
use crate::schedule::Schedule;
use qcrs::types::Error;
use serde::{Deserialize, Serialize};
use tch::{Kind, Tensor};

/// The recipe's own settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Macer {
    /// Noisy copies per image.
    pub k: usize,
    /// The weight of the radius.
    pub lambda: f64,
    /// Gaps beyond this are good enough.
    pub gamma: f64,
    /// The inverse temperature of q̄.
    pub beta: f64,
}

/// Probabilities are kept this far from 0 and 1 before Φ⁻¹. The published code does not, and drops
/// the images whose f32 probability has become 0; in f64 with this limit, z stays within ±5.2.
const LIMIT: f64 = 1e-7;

/// The published settings for CIFAR-10 and, where they differ, ImageNet. The published network has no
/// normalisation layer; ours keeps it, so that weights can go on from Gaussian augmentation.
pub fn published(architecture: Architecture, sigma: f64) -> TrainingSettings {
    let imagenet = matches!(architecture, Architecture::ImagenetResnet(_));
    // at σ = .25, .50 and 1.0; at 1.0 on CIFAR-10 the paper starts with λ = 0 until the rate first falls, we do not
    let [quarter, half, one] = if imagenet { [6.0, 3.0, 3.0] } else { [12.0, 4.0, 12.0] };
    let lambda = match sigma {
        small if small < 0.5 => quarter,
        medium if medium < 1.0 => half,
        _ => one,
    };
    let macer = Macer { k: if imagenet { 2 } else { 16 }, lambda, gamma: 8.0, beta: 16.0 };
    TrainingSettings {
        method: TrainingMethod::Macer(macer),
        nesterov: false,
        epochs: if imagenet { 120 } else { 440 },
        batch: 64,
        learning_rate: if imagenet { 0.1 } else { 0.01 },
        schedule: Schedule::Step(if imagenet { vec![30, 60, 90] } else { vec![200, 400] }),
        weight_decay: 5e-4,
        ..gaussian::short(architecture, sigma)
    }
}

/// A short training from weights that Gaussian augmentation has brought near: about as many noisy
/// copies as [`gaussian::short`] shows, and a rate that rises and falls.
pub fn short(architecture: Architecture, sigma: f64) -> TrainingSettings {
    let mut settings = published(architecture, sigma);
    if let TrainingMethod::Macer(macer) = &mut settings.method {
        macer.k = macer.k.min(4);
    }
    let schedule = Schedule::OneCycle { warm_up: 0.2 };
    TrainingSettings { epochs: 5, learning_rate: 0.02, schedule, nesterov: true, ..settings }
}

impl Macer {
    pub(super) fn check(&self) -> Result<(), Error> {
        let Self { k, lambda, gamma, beta } = self;
        let good = |value: &f64| value.is_finite() && *value >= 0.0;
        if *k > 0 && good(lambda) && good(gamma) && good(beta) && *beta > 0.0 {
            return Ok(());
        }
        Err(Error::Invalid(format!("MACER needs k ≥ 1, λ ≥ 0, γ ≥ 0 and β > 0, got {self:?}")))
    }

    /// Each image k times in a row.
    pub(super) fn copies(&self, images: &Tensor) -> Tensor {
        images.repeat_interleave_self_int(self.k as i64, 0, None)
    }

    pub(super) fn step(&self, scores: &Tensor, labels: &Tensor, sigma: f64) -> TrainingStep {
        let classes = scores.size()[1];
        self.loss(&scores.view([-1, self.k as i64, classes]), labels, sigma)
    }

    /// The loss of scores of shape [B, k, classes].
    fn loss(&self, scores: &Tensor, labels: &Tensor, sigma: f64) -> TrainingStep {
        let batch = scores.size()[0] as f64;
        let soft =
            |scores: Tensor| scores.softmax(2, Kind::Double).mean_dim([1i64].as_slice(), false, Kind::Double);
        let p = soft(scores.shallow_clone());
        let surprise = -(p.gather(1, &labels.unsqueeze(1), false) + 1e-10).log().sum(Kind::Double);

        let (top, classes) = soft(scores * self.beta).topk(2, 1, true, true);
        let z = top.clamp(LIMIT, 1.0 - LIMIT).special_ndtri();
        let gap = z.select(1, 0) - z.select(1, 1);
        let right = classes.select(1, 0).eq_tensor(labels);
        let counts = right.logical_and(&gap.le(self.gamma)).to_kind(Kind::Double);
        let missing = ((-gap + self.gamma) * counts).sum(Kind::Double) * (sigma / 2.0);

        let loss = (surprise + missing * self.lambda) / batch;
        TrainingStep { loss: loss.to_kind(scores.kind()), correct: count_correct(&p, labels) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACER: Macer = Macer { k: 2, lambda: 12.0, gamma: 8.0, beta: 2.0 };

    /// Probabilities whose logarithms are the scores, so that softmax gives them back.
    fn scores(images: &[[[f64; 3]; 2]]) -> Tensor {
        let flat: Vec<f64> = images.iter().flatten().flatten().map(|p| p.ln()).collect();
        Tensor::from_slice(&flat).view([images.len() as i64, 2, 3])
    }

    #[test]
    fn the_loss_is_that_of_the_formula() {
        // image 0: softmax (.7,.2,.1), (.5,.3,.2); β = 2 squares and normalises:
        //   (.49,.04,.01)/.54 and (.25,.09,.04)/.38, mean q = (.7826511, .1554581, .0618908)
        //   z = .7811779 and −1.0133015 (mpmath), gap 1.7944794; label 0 is right: 8 − gap = 6.2055206
        //   p_0 = .6, −ln = .5108256
        // image 1: the same scores with label 1 are wrong: only −ln .25 = 1.3862944
        // image 2: sure of class 2: (1e-9, 1e-9, 1), gap 10.4 > 8: only −ln(1 − 2e-9) = 0
        let sure = [1e-9, 1e-9, 1.0 - 2e-9];
        let image = [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]];
        let step =
            MACER.loss(&scores(&[image, image, [sure, sure]]), &Tensor::from_slice(&[0i64, 1, 2]), 0.5);
        let expected = (0.5108256 + 1.3862944 + 12.0 * 0.25 * 6.2055206) / 3.0;
        let found = step.loss.double_value(&[]);
        assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
        assert_eq!(step.correct, 2);
    }

    #[test]
    fn certainty_gives_neither_nan_nor_infinite_slopes() {
        let sharp = Macer { beta: 16.0, ..MACER };
        let values =
            Tensor::from_slice(&[200.0f32, 0.0, 0.0, 200.0, 0.0, 0.0, 0.0, 30.0, 0.0, 30.0, 0.0, 0.0]);
        let scores = values.view([2, 2, 3]).set_requires_grad(true);
        let step = sharp.loss(&scores, &Tensor::from_slice(&[0i64, 1]), 0.25);
        step.loss.backward();
        assert!(step.loss.double_value(&[]).is_finite());
        assert_eq!(scores.grad().isfinite().all().int64_value(&[]), 1);
    }

    #[test]
    fn copies_of_an_image_stand_together() {
        let images = Tensor::from_slice(&[1.0f32, 2.0]).view([2, 1, 1, 1]);
        let copies: Vec<f32> = MACER.copies(&images).view([-1]).try_into().unwrap();
        assert_eq!(copies, [1.0, 1.0, 2.0, 2.0]);
    }
}
