//! What does the network compute?
//!
//! A graph is a list of nodes in an order in which they can be computed; a node's place is the name of
//! its value. Six operators are enough: a matrix times a flattened image is a convolution with a
//! kernel as large as the image, batch normalisation is an affine map, a global mean is a pooling.

use crate::Refusal;

/// Channels, height and width of the value of one image.
pub(crate) type ImageShape = [usize; 3];

/// A value and how it is computed.
#[derive(Clone, Debug)]
pub(crate) struct GraphNode {
    /// Its name in the file.
    pub(crate) name: String,
    pub(crate) op: Op,
    /// The nodes it is computed from.
    pub(crate) inputs: Vec<usize>,
    pub(crate) shape: ImageShape,
}

/// How a value is computed.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// The image.
    Input,
    /// scale · x + shift, channel by channel.
    Affine { scale: Vec<f64>, shift: Vec<f64> },
    /// Cross-correlation, as every framework means by convolution.
    Conv(Conv),
    /// Element by element.
    Activate(Activation),
    /// The sum of two values of the same shape.
    Add,
    /// Over a window of pixels, channel by channel; pixels outside the image do not count.
    Pool(Pool, Window),
}

/// The weights and geometry of a convolution.
#[derive(Clone, Debug)]
pub(crate) struct Conv {
    /// [outputs][inputs / groups][rows][columns], flattened.
    pub(crate) weights: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    pub(crate) outputs: usize,
    pub(crate) groups: usize,
    pub(crate) window: Window,
}

/// A window that moves over an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Rows and columns.
    pub(crate) size: [usize; 2],
    /// The step, down and across.
    pub(crate) stride: [usize; 2],
    /// Pixels added above, left, below, right.
    pub(crate) pad: [usize; 4],
}

/// What a pooling makes of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pool {
    /// The largest.
    Max,
    /// The sum divided by the number of pixels inside the image.
    Mean,
    /// The sum divided by the size of the window.
    PaddedMean,
}

/// What happens to a value after it is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Activation {
    /// x.
    None,
    /// x where it is above 0, else 0.
    Relu,
    /// x where it is above 0, else slope · x.
    Leaky(f32),
    /// x, but at least the first and at most the second.
    Clip(f32, f32),
}

/// No image classifier has more values than this in one image's activation, or more weights in one layer.
pub(crate) const LARGEST: usize = 1 << 28;

impl Window {
    /// The window that covers an image of this size once.
    pub(crate) fn whole([_, height, width]: ImageShape) -> Self {
        Self { size: [height, width], stride: [1, 1], pad: [0; 4] }
    }

    /// How many places the window has, down and across.
    pub(crate) fn places(&self, [_, height, width]: ImageShape) -> Option<[usize; 2]> {
        let Self { size, stride, pad } = self;
        let along = |length: usize, axis: usize| {
            let room = length.checked_add(pad[axis])?.checked_add(pad[axis + 2])?.checked_sub(size[axis])?;
            Some(room.checked_div(stride[axis])? + 1)
        };
        (size[0] > 0 && size[1] > 0).then_some(())?;
        Some([along(height, 0)?, along(width, 1)?])
    }
}

/// How many numbers a value has; `None` if it has none, or more than [`LARGEST`].
pub(crate) fn size(shape: ImageShape) -> Option<usize> {
    let size = shape.iter().try_fold(1usize, |size, side| size.checked_mul(*side))?;
    (1..=LARGEST).contains(&size).then_some(size)
}

impl Op {
    /// How many numbers it holds.
    pub(crate) fn weights(&self) -> usize {
        match self {
            Self::Affine { scale, shift } => scale.len() + shift.len(),
            Self::Conv(conv) => conv.weights.len() + conv.bias.len(),
            Self::Input | Self::Activate(_) | Self::Add | Self::Pool(..) => 0,
        }
    }
}

impl Conv {
    /// Input channels per group.
    pub(crate) fn depth(&self) -> usize {
        self.weights.len() / (self.outputs * self.window.size[0] * self.window.size[1])
    }

    /// The weight of an output channel for an input channel of its group, at a place of the window.
    pub(crate) fn weight(&self, output: usize, input: usize, [y, x]: [usize; 2]) -> f32 {
        let [height, width] = self.window.size;
        self.weights[((output * self.depth() + input) * height + y) * width + x]
    }
}

/// The shape of what `op` makes of `inputs`; an operator that does not fit them is refused.
pub(crate) fn shape(op: &Op, inputs: &[ImageShape]) -> Result<ImageShape, Refusal> {
    let wrong = |problem: String| Err(Refusal::Broken(problem));
    let (first, given) = match (op, inputs) {
        (Op::Input, _) => return wrong("a graph has one input".into()),
        (Op::Add, [first, second]) if first == second => return Ok(*first),
        (Op::Add, _) => return Err(Refusal::Unsupported(format!("the sum of values of shapes {inputs:?}"))),
        (_, [first]) => (*first, first[0]),
        _ => return wrong(format!("an operator of one value got {}", inputs.len())),
    };
    let shape = match op {
        Op::Affine { scale, shift } if scale.len() != given || shift.len() != given => {
            return wrong(format!("{} factors for {given} channels", scale.len()));
        }
        Op::Conv(conv) => {
            let Conv { weights, bias, outputs, groups, window } = conv;
            let [height, width] = window.size;
            let fits = *groups > 0
                && given % groups == 0
                && outputs % groups == 0
                && (given / groups).checked_mul(outputs * height * width) == Some(weights.len())
                && bias.len() == *outputs;
            let Some([down, across]) = window.places(first).filter(|_| fits && *outputs > 0) else {
                return wrong(format!("a convolution {outputs}×{height}×{width} does not fit {first:?}"));
            };
            let [above, left, below, right] = window.pad;
            let padded = [given, above + first[1] + below, left + first[2] + right];
            if size(padded).is_none() {
                return Err(Refusal::Unsupported(format!("a convolution over {padded:?}")));
            }
            [*outputs, down, across]
        }
        Op::Pool(_, window) => {
            let inside = (0..2).all(|axis| window.pad[axis].max(window.pad[axis + 2]) < window.size[axis]);
            let Some([down, across]) = window.places(first).filter(|_| inside) else {
                return wrong(format!("a pooling of {:?} does not fit {first:?}", window.size));
            };
            [given, down, across]
        }
        _ => first,
    };
    if size(shape).is_none() {
        return Err(Refusal::Unsupported(format!("a value of shape {shape:?}")));
    }
    Ok(shape)
}
