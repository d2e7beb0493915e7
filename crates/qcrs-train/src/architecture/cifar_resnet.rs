//! ResNets for CIFAR-10 as in Cohen et al.'s code: widths 16, 32 and 64, (depth − 2)/6 blocks each,
//! a 1×1 convolution where the width changes, and the normalisation of pixels as the first layer.

use super::{basic_block, head, unit};
use crate::layers::Layer;

/// Mean and deviation of CIFAR-10's training pixels, as the field uses them.
const MEAN: [f32; 3] = [0.4914, 0.4822, 0.4465];
const SD: [f32; 3] = [0.2023, 0.1994, 0.2010];

const WIDTHS: [i64; 3] = [16, 32, 64];

pub(super) fn layers(depth: u32, classes: usize) -> Vec<Layer> {
    let mut layers = vec![
        Layer::Normalise { mean: MEAN.to_vec(), sd: SD.to_vec() },
        unit("conv1", "bn1", [3, WIDTHS[0]], 3, 1),
        Layer::Relu,
    ];
    let mut width = WIDTHS[0];
    for (stage, outputs) in (1..).zip(WIDTHS) {
        for block in 0..(depth - 2) / 6 {
            let stride = if stage > 1 && block == 0 { 2 } else { 1 };
            layers.push(basic_block(&format!("layer{stage}.{block}"), [width, outputs], stride));
            width = outputs;
        }
    }
    layers.extend(head(width, classes));
    layers
}
