//! ResNets for ImageNet (He et al. 2016), with torchvision's names and its stride in the 3×3
//! convolution of a bottleneck; the normalisation of pixels is the first layer.

use super::{basic_block, head, shortcut, unit};
use crate::layers::Layer;

/// Mean and deviation of ImageNet's pixels, as the field uses them.
const MEAN: [f32; 3] = [0.485, 0.456, 0.406];
const SD: [f32; 3] = [0.229, 0.224, 0.225];

const WIDTHS: [i64; 4] = [64, 128, 256, 512];

/// A bottleneck gives four times its width.
const EXPANSION: i64 = 4;

pub(super) fn layers(depth: u32, classes: usize) -> Vec<Layer> {
    let bottlenecks = depth >= 50;
    let blocks = if bottlenecks { [3, 4, 6, 3] } else { [2, 2, 2, 2] };
    let mut layers = vec![
        Layer::Normalise { mean: MEAN.to_vec(), sd: SD.to_vec() },
        unit("conv1", "bn1", [3, WIDTHS[0]], 7, 2),
        Layer::Relu,
        Layer::MaxPool,
    ];
    let mut inputs = WIDTHS[0];
    for (stage, (width, blocks)) in (1..).zip(WIDTHS.into_iter().zip(blocks)) {
        for block in 0..blocks {
            let name = format!("layer{stage}.{block}");
            let stride = if stage > 1 && block == 0 { 2 } else { 1 };
            let outputs = if bottlenecks { width * EXPANSION } else { width };
            layers.push(if bottlenecks {
                bottleneck(&name, [inputs, width, outputs], stride)
            } else {
                basic_block(&name, [inputs, outputs], stride)
            });
            inputs = outputs;
        }
    }
    layers.extend(head(inputs, classes));
    layers
}

fn bottleneck(name: &str, [inputs, width, outputs]: [i64; 3], stride: i64) -> Layer {
    let part = |number: u32, size, kernel, stride| {
        unit(format!("{name}.conv{number}"), format!("{name}.bn{number}"), size, kernel, stride)
    };
    let body = vec![
        part(1, [inputs, width], 1, 1),
        Layer::Relu,
        part(2, [width, width], 3, stride),
        Layer::Relu,
        part(3, [width, outputs], 1, 1),
    ];
    Layer::Residual { body, shortcut: shortcut(name, [inputs, outputs], stride) }
}
