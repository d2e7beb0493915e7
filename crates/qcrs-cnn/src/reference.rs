//! What is the right answer, whatever the cost?
//!
//! Every operator by its definition, on plain [C, H, W] arrays of f64: the oracle of the tests.

use crate::graph::{Activation, Conv, GraphNode, ImageShape, Op, Pool, Window};

/// The scores of an image.
pub(crate) fn scores(nodes: &[GraphNode], image: &[f32]) -> Vec<f64> {
    let mut values: Vec<Vec<f64>> = Vec::new();
    for node in nodes {
        let input = |at: usize| (values[node.inputs[at]].as_slice(), nodes[node.inputs[at]].shape);
        values.push(match &node.op {
            Op::Input => image.iter().map(|pixel| f64::from(*pixel)).collect(),
            Op::Affine { scale, shift } => {
                let (x, [_, height, width]) = input(0);
                let channel = |at: usize| at / (height * width);
                x.iter().enumerate().map(|(at, x)| scale[channel(at)] * x + shift[channel(at)]).collect()
            }
            Op::Activate(activation) => input(0).0.iter().map(|x| activate(*activation, *x)).collect(),
            Op::Add => input(0).0.iter().zip(input(1).0).map(|(a, b)| a + b).collect(),
            Op::Conv(conv) => convolve(conv, input(0), node.shape),
            Op::Pool(pool, window) => pooled(*pool, window, input(0), node.shape),
        });
    }
    values.pop().unwrap_or_default()
}

fn activate(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::None => x,
        Activation::Relu => x.max(0.0),
        Activation::Leaky(slope) => {
            if x > 0.0 {
                x
            } else {
                f64::from(slope) * x
            }
        }
        Activation::Clip(low, high) => x.clamp(low.into(), high.into()),
    }
}

/// The pixels of a window at an output place that lie inside the image: (place in the window, pixel).
fn pixels(
    window: &Window,
    [y, x]: [usize; 2],
    [_, height, width]: ImageShape,
) -> impl Iterator<Item = ([usize; 2], usize)> {
    let Window { size, stride, pad } = *window;
    let places = (0..size[0]).flat_map(move |v| (0..size[1]).map(move |u| [v, u]));
    places.filter_map(move |[v, u]| {
        let row = (y * stride[0] + v).checked_sub(pad[0]).filter(|row| *row < height)?;
        let column = (x * stride[1] + u).checked_sub(pad[1]).filter(|column| *column < width)?;
        Some(([v, u], row * width + column))
    })
}

fn places([channels, height, width]: ImageShape) -> impl Iterator<Item = (usize, [usize; 2])> {
    (0..channels * height * width).map(move |at| (at / (height * width), [at / width % height, at % width]))
}

fn convolve(conv: &Conv, (x, from): (&[f64], ImageShape), to: ImageShape) -> Vec<f64> {
    let (plane, depth) = (from[1] * from[2], conv.depth());
    let sum = |(output, place): (usize, [usize; 2])| {
        let first = output / (conv.outputs / conv.groups) * depth;
        let products = pixels(&conv.window, place, from).flat_map(|(tap, pixel)| {
            (0..depth).map(move |c| f64::from(conv.weight(output, c, tap)) * x[(first + c) * plane + pixel])
        });
        products.sum::<f64>() + f64::from(conv.bias[output])
    };
    places(to).map(sum).collect()
}

fn pooled(pool: Pool, window: &Window, (x, from): (&[f64], ImageShape), to: ImageShape) -> Vec<f64> {
    let plane = from[1] * from[2];
    let one = |(channel, place): (usize, [usize; 2])| {
        let seen: Vec<f64> = pixels(window, place, from).map(|(_, at)| x[channel * plane + at]).collect();
        let sum: f64 = seen.iter().sum();
        match pool {
            Pool::Max => seen.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Pool::Mean => sum / seen.len() as f64,
            Pool::PaddedMean => sum / (window.size[0] * window.size[1]) as f64,
        }
    };
    places(to).map(one).collect()
}
