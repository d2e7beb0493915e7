//! Which nodes make a network?

use super::parts::{self, OnnxAxis, int, ints, node, port, tensor};
use super::protobuf::Message;
use super::{INPUT, OUTPUT};
use crate::layers::{ConvNorm, Layer, NORM_EPSILON};
use crate::network::Network;

pub(super) fn graph(network: &Network) -> Message {
    let mut builder = Builder { network, nodes: Vec::new(), tensors: Vec::new() };
    let last = builder.chain(network.layers(), INPUT);
    builder.add("Identity", &[&last], OUTPUT, &[]);
    let [channels, height, width] = network.architecture.input().map(|size| OnnxAxis::Size(size as i64));
    let input = port(INPUT, &[OnnxAxis::Any("N"), channels, height, width]);
    let output = port(OUTPUT, &[OnnxAxis::Any("N"), OnnxAxis::Size(network.classes as i64)]);
    parts::graph(&builder.nodes, &builder.tensors, &input, &output)
}

struct Builder<'a> {
    network: &'a Network,
    nodes: Vec<Message>,
    tensors: Vec<Message>,
}

impl Builder<'_> {
    /// Adds layers one after the other; gives the name of what comes out.
    fn chain(&mut self, layers: &[Layer], input: &str) -> String {
        layers.iter().fold(input.to_owned(), |x, layer| self.layer(layer, &x))
    }

    fn layer(&mut self, layer: &Layer, x: &str) -> String {
        match layer {
            Layer::Normalise { mean, sd } => {
                let shape = [1, mean.len() as i64, 1, 1];
                self.tensors.push(tensor("normalise.mean", &shape, mean));
                self.tensors.push(tensor("normalise.sd", &shape, sd));
                let centred = self.next("Sub", &[x, "normalise.mean"], &[]);
                self.next("Div", &[&centred, "normalise.sd"], &[])
            }
            Layer::ConvNorm(unit) => self.conv_norm(unit, x),
            Layer::Relu => self.next("Relu", &[x], &[]),
            Layer::MaxPool => {
                let square = [ints("kernel_shape", &[3, 3]), ints("strides", &[2, 2]), ints("pads", &[1; 4])];
                self.next("MaxPool", &[x], &square)
            }
            Layer::Residual { body, shortcut } => {
                let (long, short) = (self.chain(body, x), self.chain(shortcut, x));
                let sum = self.next("Add", &[&long, &short], &[]);
                self.next("Relu", &[&sum], &[])
            }
            Layer::GlobalAverage => {
                let mean = self.next("GlobalAveragePool", &[x], &[]);
                self.next("Flatten", &[&mean], &[int("axis", 1)])
            }
            Layer::Linear { name, inputs, outputs } => {
                let (matrix, offset) = (format!("{name}.weight"), format!("{name}.bias"));
                self.tensors.push(tensor(&matrix, &[*outputs, *inputs], &self.network.values(&matrix)));
                self.tensors.push(tensor(&offset, &[*outputs], &self.network.values(&offset)));
                self.next("Gemm", &[x, &matrix, &offset], &[int("transB", 1)])
            }
        }
    }

    fn conv_norm(&mut self, unit: &ConvNorm, x: &str) -> String {
        let ConvNorm { conv, inputs, outputs, kernel, stride, .. } = unit;
        let (kernels, offsets) = fold(self.network, unit);
        let (weight, bias) = (format!("{conv}.weight"), format!("{conv}.bias"));
        self.tensors.push(tensor(&weight, &[*outputs, *inputs, *kernel, *kernel], &kernels));
        self.tensors.push(tensor(&bias, &[*outputs], &offsets));
        let settings = [
            ints("kernel_shape", &[*kernel; 2]),
            ints("strides", &[*stride; 2]),
            ints("pads", &[kernel / 2; 4]),
        ];
        self.next("Conv", &[x, &weight, &bias], &settings)
    }

    fn next(&mut self, operator: &str, inputs: &[&str], attributes: &[Message]) -> String {
        let name = format!("{}_{}", operator.to_lowercase(), self.nodes.len());
        self.add(operator, inputs, &name, attributes);
        name
    }

    fn add(&mut self, operator: &str, inputs: &[&str], output: &str, attributes: &[Message]) {
        self.nodes.push(node(operator, inputs, output, attributes));
    }
}

/// Kernels and offsets of one convolution that does what convolution and normalisation did:
/// γ (w∗x − m)/√(v + ε) + β = (γ/√(v + ε) · w)∗x + (β − γ m/√(v + ε)). In f64, rounded once.
fn fold(network: &Network, unit: &ConvNorm) -> (Vec<f32>, Vec<f32>) {
    let part = |name: &str| network.values(&format!("{}.{name}", unit.norm)).into_iter().map(f64::from);
    let kernels = network.values(&format!("{}.weight", unit.conv));
    let scale: Vec<f64> =
        part("weight").zip(part("running_var")).map(|(gamma, v)| gamma / (v + NORM_EPSILON).sqrt()).collect();
    let offsets = part("bias")
        .zip(part("running_mean").zip(&scale))
        .map(|(beta, (mean, scale))| (beta - mean * scale) as f32)
        .collect();
    let size = kernels.len() / scale.len();
    let folded =
        kernels.iter().enumerate().map(|(at, w)| (f64::from(*w) * scale[at / size]) as f32).collect();
    (folded, offsets)
}
