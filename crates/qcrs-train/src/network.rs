//! What are a network's weights, and what does it answer?

use crate::architecture::Architecture;
use crate::layers::{self, ConvNorm, Layer, NORM_EPSILON, Role, Weight};
use crate::random::{Purpose, Random};
use qcrs::types::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::str::FromStr;
use tch::{Device, Kind, Tensor};

/// How far a running mean moves towards that of a batch (PyTorch's default).
const NORM_MOMENTUM: f64 = 0.1;

/// Whether batch normalisation looks at the batch or at what it remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkMode {
    /// Normalise by the batch, and remember its mean and variance.
    Train(TrainingPrecision),
    /// Normalise by the remembered values: an image's scores do not depend on its neighbours.
    Use,
}

/// The numbers that convolutions compute with in training. Weights, their gradients, the statistics of
/// batch normalisation, the last layer and the loss are f32 in any case, and so is a finished network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingPrecision {
    /// 24 bits.
    #[default]
    F32,
    /// 8 bits: nearly twice as fast where the processor knows them.
    Bf16,
}

impl FromStr for TrainingPrecision {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "f32" => Ok(Self::F32),
            "bf16" => Ok(Self::Bf16),
            _ => Err(Error::Invalid(format!("a precision is f32 or bf16; got '{text}'"))),
        }
    }
}

/// An architecture with weights.
pub struct Network {
    /// Which network.
    pub architecture: Architecture,
    /// The number of scores.
    pub classes: usize,
    layers: Vec<Layer>,
    tensors: BTreeMap<String, Tensor>,
    device: Device,
}

impl Network {
    /// A network with the random weights of `seed`.
    pub fn new(architecture: Architecture, classes: usize, seed: u64, device: Device) -> Self {
        let layers = architecture.layers(classes);
        // drawn on the CPU, so that every device starts from the same weights
        let fill = |weight: &Weight| (weight.name.clone(), start(weight).to_device(device));
        let random = Random::at(seed, Purpose::Weights, [0, 0]);
        let tensors = random.in_torch(|| layers::weights(&layers).iter().map(fill).collect());
        let network = Self { architecture, classes, layers, tensors, device };
        for weight in network.weights().iter().filter(|weight| weight.role.is_trained()) {
            let _ = network.tensor(&weight.name).set_requires_grad(true);
        }
        network
    }

    /// The same network for pixels as they are.
    #[must_use]
    pub fn without_normalisation(mut self) -> Self {
        self.layers.retain(|layer| !matches!(layer, Layer::Normalise { .. }));
        self
    }

    /// Where the weights live.
    pub fn device(&self) -> Device {
        self.device
    }

    /// The layers, from pixels to scores.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// All weights, in the order of the layers.
    pub fn weights(&self) -> Vec<Weight> {
        layers::weights(&self.layers)
    }

    /// How many numbers training may change.
    pub fn parameters(&self) -> i64 {
        let trained = |weight: &Weight| weight.role.is_trained();
        self.weights()
            .iter()
            .filter(|weight| trained(weight))
            .map(|weight| weight.shape.iter().product::<i64>())
            .sum()
    }

    /// The weight of this name; the same storage, not a copy.
    ///
    /// # Panics
    ///
    /// If the network has none of this name.
    pub fn tensor(&self, name: &str) -> Tensor {
        self.tensors[name].shallow_clone()
    }

    /// The values of a weight.
    pub fn values(&self, name: &str) -> Vec<f32> {
        let flat = self.tensor(name).detach().to_device(Device::Cpu).contiguous();
        let mut values = vec![0.0; flat.numel()];
        flat.copy_data(&mut values, flat.numel());
        values
    }

    /// Takes over weights by name; too few, too many or other shapes are an error and change nothing.
    pub fn set(&mut self, tensors: &BTreeMap<String, Tensor>) -> Result<(), Error> {
        let (architecture, classes) = (self.architecture, self.classes);
        let expected = self.weights();
        for weight in &expected {
            let problem = match tensors.get(&weight.name) {
                None => "is missing".to_owned(),
                Some(found) if found.size() != weight.shape => {
                    format!("has shape {:?} instead of {:?}", found.size(), weight.shape)
                }
                Some(_) => continue,
            };
            return Err(Error::Invalid(format!(
                "these are not the weights of {architecture} with {classes} classes: {} {problem}",
                weight.name
            )));
        }
        if let Some(stranger) = tensors.keys().find(|name| !self.tensors.contains_key(*name)) {
            return Err(Error::Invalid(format!(
                "these are not the weights of {architecture} with {classes} classes: it has no {stranger}"
            )));
        }
        tch::no_grad(|| {
            for weight in &expected {
                self.tensor(&weight.name).copy_(&tensors[&weight.name]);
            }
        });
        Ok(())
    }

    /// Whether every weight is a number.
    pub fn is_finite(&self) -> bool {
        self.tensors.values().all(|tensor| tensor.isfinite().all().int64_value(&[]) == 1)
    }

    /// The scores of a batch of shape [N, C, H, W] with pixels in [0, 1] plus noise.
    pub fn scores(&self, images: &Tensor, mode: NetworkMode) -> Tensor {
        // the same values, channels innermost in memory: convolutions are a quarter faster
        let images = images.permute([0, 2, 3, 1]).contiguous().permute([0, 3, 1, 2]);
        self.run(&self.layers, images, mode)
    }

    fn run(&self, layers: &[Layer], x: Tensor, mode: NetworkMode) -> Tensor {
        layers.iter().fold(x, |x, layer| self.step(layer, &x, mode))
    }

    fn step(&self, layer: &Layer, x: &Tensor, mode: NetworkMode) -> Tensor {
        match layer {
            Layer::Normalise { mean, sd } => (x - self.per_channel(mean)) / self.per_channel(sd),
            Layer::ConvNorm(unit) => self.conv_norm(unit, x, mode),
            Layer::Relu => x.relu(),
            Layer::MaxPool => x.max_pool2d([3, 3], [2, 2], [1, 1], [1, 1], false),
            Layer::Residual { body, shortcut } => {
                let short = self.run(shortcut, x.shallow_clone(), mode);
                (self.run(body, x.shallow_clone(), mode) + short).relu()
            }
            Layer::GlobalAverage => x.mean_dim([2i64, 3].as_slice(), false, Kind::Float),
            Layer::Linear { name, .. } => {
                x.linear(&self.tensor(&format!("{name}.weight")), Some(self.tensor(&format!("{name}.bias"))))
            }
        }
    }

    fn conv_norm(&self, unit: &ConvNorm, x: &Tensor, mode: NetworkMode) -> Tensor {
        let ConvNorm { conv, norm, kernel, stride, .. } = unit;
        let kind =
            if mode == NetworkMode::Train(TrainingPrecision::Bf16) { Kind::BFloat16 } else { Kind::Float };
        let kernels = self.tensor(&format!("{conv}.weight")).to_kind(kind);
        let part = |name: &str| Some(self.tensor(&format!("{norm}.{name}")));
        let (stride, padding) = ([*stride; 2], [kernel / 2; 2]);
        x.to_kind(kind).conv2d(&kernels, None::<Tensor>, stride, padding, [1, 1], 1).batch_norm(
            part("weight"),
            part("bias"),
            part("running_mean"),
            part("running_var"),
            mode != NetworkMode::Use,
            NORM_MOMENTUM,
            NORM_EPSILON,
            true,
        )
    }

    fn per_channel(&self, values: &[f32]) -> Tensor {
        Tensor::from_slice(values).view([1, -1, 1, 1]).to_device(self.device)
    }
}

fn start(weight: &Weight) -> Tensor {
    let shape = weight.shape.as_slice();
    let cpu = (Kind::Float, Device::Cpu);
    match weight.role {
        Role::Kernel => {
            let [outputs, _, height, width] = [shape[0], shape[1], shape[2], shape[3]];
            Tensor::randn(shape, cpu) * (2.0 / (outputs * height * width) as f64).sqrt()
        }
        Role::Scale | Role::Variance => Tensor::ones(shape, cpu),
        Role::Shift | Role::Mean => Tensor::zeros(shape, cpu),
        Role::Linear { inputs } => {
            let limit = 1.0 / (inputs as f64).sqrt();
            Tensor::zeros(shape, cpu).uniform_(-limit, limit)
        }
    }
}
