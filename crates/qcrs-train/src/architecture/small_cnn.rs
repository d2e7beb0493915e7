//! A network for 28×28 grey images, small enough to travel inside a program.

use super::{head, unit};
use crate::layers::Layer;

/// Mean and deviation of Fashion-MNIST's training pixels. For other grey images it is just a fixed
/// scale: what matters is that training and use agree.
const MEAN: f32 = 0.2860;
const SD: f32 = 0.3530;

/// (inputs, outputs, stride) of the 3×3 convolutions: 28 → 14 → 7 pixels, then the mean.
const CONVOLUTIONS: [(i64, i64, i64); 5] = [(1, 16, 1), (16, 32, 2), (32, 32, 1), (32, 64, 2), (64, 64, 1)];

pub(super) fn layers(classes: usize) -> Vec<Layer> {
    let mut layers = vec![Layer::Normalise { mean: vec![MEAN], sd: vec![SD] }];
    for (number, (inputs, outputs, stride)) in (1..).zip(CONVOLUTIONS) {
        layers.push(unit(format!("conv{number}"), format!("bn{number}"), [inputs, outputs], 3, stride));
        layers.push(Layer::Relu);
    }
    layers.extend(head(64, classes));
    layers
}
