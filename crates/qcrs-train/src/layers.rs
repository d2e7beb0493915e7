//! What is a network made of?
//!
//! A network is a list of layers. Training, export and the import of foreign weights all walk this one
//! list, so they cannot disagree about a stride.

/// A square convolution without bias, followed by batch normalisation: the unit of every network here.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvNorm {
    /// The name of the convolution in weight files.
    pub conv: String,
    /// The name of the normalisation in weight files.
    pub norm: String,
    /// Channels that come in.
    pub inputs: i64,
    /// Channels that go out.
    pub outputs: i64,
    /// The side of the kernel, odd; the image is padded by half of it.
    pub kernel: i64,
    /// The step from one output pixel to the next.
    pub stride: i64,
}

/// One step from pixels to class scores.
#[derive(Clone, Debug, PartialEq)]
pub enum Layer {
    /// (x − mean) / sd, channel by channel.
    Normalise {
        /// One per channel.
        mean: Vec<f32>,
        /// One per channel.
        sd: Vec<f32>,
    },
    /// A convolution and its batch normalisation.
    ConvNorm(ConvNorm),
    /// max(x, 0).
    Relu,
    /// The maximum over 3×3 pixels, every second one, padded by one.
    MaxPool,
    /// relu(body(x) + shortcut(x)); an empty shortcut is x itself.
    Residual {
        /// The longer way.
        body: Vec<Layer>,
        /// The shorter way.
        shortcut: Vec<Layer>,
    },
    /// The mean over all pixels, per channel.
    GlobalAverage,
    /// A x + b.
    Linear {
        /// The name in weight files.
        name: String,
        /// The length of x.
        inputs: i64,
        /// The number of scores.
        outputs: i64,
    },
}

/// The small constant that batch normalisation adds to a variance (PyTorch's default).
pub const NORM_EPSILON: f64 = 1e-5;

/// What a tensor of weights is for: decides how it starts, and whether gradients move it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Convolution kernels: normal with variance 2/(k² · outputs) (He et al. 2015, fan-out).
    Kernel,
    /// Scales of a normalisation: 1.
    Scale,
    /// Shifts of a normalisation: 0.
    Shift,
    /// The running mean: 0; follows the batches, not the gradient.
    Mean,
    /// The running variance: 1; follows the batches, not the gradient.
    Variance,
    /// Matrix or offset of a linear layer: uniform up to 1/√inputs (PyTorch's default).
    Linear {
        /// The length of the layer's input.
        inputs: i64,
    },
}

impl Role {
    /// Whether the optimiser moves it.
    pub fn is_trained(self) -> bool {
        !matches!(self, Self::Mean | Self::Variance)
    }
}

/// A named tensor of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// Its name in weight files: PyTorch's.
    pub name: String,
    /// Its shape.
    pub shape: Vec<i64>,
    /// What it is for.
    pub role: Role,
}

/// All weights of a list of layers, in order.
pub fn weights(layers: &[Layer]) -> Vec<Weight> {
    layers.iter().flat_map(weights_of).collect()
}

fn weights_of(layer: &Layer) -> Vec<Weight> {
    let weight = |name: &str, part: &str, shape: &[i64], role| Weight {
        name: format!("{name}.{part}"),
        shape: shape.into(),
        role,
    };
    match layer {
        Layer::Normalise { .. } | Layer::Relu | Layer::MaxPool | Layer::GlobalAverage => Vec::new(),
        Layer::ConvNorm(unit) => {
            let ConvNorm { conv, norm, inputs, outputs, kernel, .. } = unit;
            vec![
                weight(conv, "weight", &[*outputs, *inputs, *kernel, *kernel], Role::Kernel),
                weight(norm, "weight", &[*outputs], Role::Scale),
                weight(norm, "bias", &[*outputs], Role::Shift),
                weight(norm, "running_mean", &[*outputs], Role::Mean),
                weight(norm, "running_var", &[*outputs], Role::Variance),
            ]
        }
        Layer::Residual { body, shortcut } => [weights(body), weights(shortcut)].concat(),
        Layer::Linear { name, inputs, outputs } => {
            let role = Role::Linear { inputs: *inputs };
            vec![weight(name, "weight", &[*outputs, *inputs], role), weight(name, "bias", &[*outputs], role)]
        }
    }
}
