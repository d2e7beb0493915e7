//! Can rounding make two certificates contradict each other?
//!
//! Noisy copies of an image betray it by their last bits: a float x + σε is what rounding left of it, and how
//! it was rounded depends on x. The networks here read those bits (Voráček & Hein, ICLR 2023, describe the
//! family), with operators that every engine has. They answer the grey image 128/255 with class 0 and the grey
//! image 127/255, which is closer than 0.06, with class 1, both with a radius far above that.

mod common;

use common::suite::{Suite, tests};
#[allow(clippy::wildcard_imports)] // the words that models are written in
use common::*;
use qcrs::method::Method;
use qcrs::noise::{Lattice, NoiseKind};
use qcrs::sample::Input;
use qcrs::types::{Alpha, Sigma};
use qcrs::{Budget, Certifier};
use qcrs_onnx::{EngineChoice, LoadOptions, load};
use rten_onnx::onnx::{DataType, GraphProto, ModelProto, NodeProto, TensorProto};
use std::process::ExitCode;

const SIDES: [usize; 3] = [1, 12, 16];
const VALUES: usize = 192;

/// The pixel that the networks know.
fn known() -> f32 {
    Lattice::Bytes.pixel(128)
}

/// A network of 1×1 convolutions on one channel: each is `factor · x + term`, rounded once.
#[derive(Default)]
struct Network {
    nodes: Vec<NodeProto>,
    numbers: Vec<TensorProto>,
}

impl Network {
    fn linear(&mut self, from: &str, factor: f32, term: f32) -> String {
        let to = format!("v{}", self.nodes.len());
        let (kernel, bias) = (format!("k{to}"), format!("b{to}"));
        self.numbers.push(tensor(&kernel, &[1, 1, 1, 1], &[factor]));
        self.numbers.push(tensor(&bias, &[1], &[term]));
        self.nodes.push(with_ints(node("Conv", &[from, &kernel, &bias], &to), "kernel_shape", &[1, 1]));
        to
    }

    fn apply(&mut self, operator: &str, from: &[&str]) -> String {
        let to = format!("v{}", self.nodes.len());
        self.nodes.push(node(operator, from, &to));
        to
    }

    /// max(x, 0) of factor · x.
    fn relu(&mut self, from: &str, factor: f32) -> String {
        let scaled = self.linear(from, factor, 0.0);
        self.apply("Relu", &[&scaled])
    }

    /// |one − other|, in units of 2⁻²⁵.
    fn apart(&mut self, one: &str, other: &str) -> String {
        let minus = self.linear(other, -1.0, 0.0);
        let difference = self.apply("Add", &[one, &minus]);
        let [above, below] = [1.0, -1.0].map(|sign| self.relu(&difference, sign * 2.0_f32.powi(25)));
        self.apply("Add", &[&above, &below])
    }

    /// Class 1 wins where the mean of `what` over the pixels is above `limit`.
    fn finish(mut self, what: &str, limit: f32) -> ModelProto {
        let mean = self.apply("GlobalAveragePool", &[what]);
        let flat = self.apply("Flatten", &[&mean]);
        self.nodes.push(with_int(node("Gemm", &[&flat, "w", "wb"], "y"), "transB", 1));
        self.numbers.push(tensor("w", &[2, 1], &[0.0, 1.0]));
        self.numbers.push(tensor("wb", &[2], &[limit, 0.0]));
        let mut model = Tiny::new().model();
        *graph(&mut model) = GraphProto {
            node: self.nodes,
            initializer: self.numbers,
            input: vec![port("x", DataType::FLOAT, &[None, Some(SIDES[0]), Some(SIDES[1]), Some(SIDES[2])])],
            output: vec![port("y", DataType::FLOAT, &[None, Some(2)])],
            ..Default::default()
        };
        model
    }
}

/// Is (x − a) + a = x in floats? Of noisy copies of a that is always so.
fn exact_recovery() -> ModelProto {
    let mut network = Network::default();
    let noise = network.linear("x", 1.0, -known());
    let back = network.linear(&noise, 1.0, known());
    let lost = network.apart("x", &back);
    network.finish(&lost, 1e-3)
}

/// Are negative pixels even multiples of 2⁻²⁵? Those of a + σε are, and those of its neighbour are odd.
fn parity_of_the_last_bit() -> ModelProto {
    let mut network = Network::default();
    let negative = network.relu("x", -1.0);
    let one_minus = network.linear(&negative, -1.0, 1.0);
    let back = network.linear(&one_minus, -1.0, 1.0);
    let lost = network.apart(&negative, &back);
    network.finish(&lost, 1e-3)
}

/// How large are the bits of all pixels below 2⁻²³ on average? They are larger near the neighbour.
fn sum_of_low_bits() -> ModelProto {
    let mut network = Network::default();
    let plus = network.linear("x", 1.0, 1.0);
    let back = network.linear(&plus, 1.0, -1.0);
    let lost = network.apart("x", &back);
    network.finish(&lost, LIMIT_OF_LOW_BITS)
}

/// Between the means of the noisy copies of the two images, 0.71 and 1.02; their deviations are 0.07 and 0.09.
const LIMIT_OF_LOW_BITS: f32 = 0.86;

/// The certificates of the two grey images contradict each other if their classes differ and one radius
/// reaches the other image.
fn contradict(model: &ModelProto, engine: EngineChoice, noise: NoiseKind) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let options = LoadOptions { engine, threads: 2, ..LoadOptions::default() };
    let model = load(&write(folder.path(), model), SIDES, &options).unwrap();
    let budget = Budget::new(100, 2000, Alpha::new(0.001).unwrap()).unwrap();
    let certifier =
        Certifier::new(model, Method::cohen(Sigma::new(0.5).unwrap())).budget(budget).under(noise);
    let certificates = [128, 127].map(|k| {
        let pixels = [Lattice::Bytes.pixel(k); VALUES];
        certifier.certify_input(&Input { pixels: &pixels, seed: 7, index: k as u32 }).unwrap()
    });
    let distance = (VALUES as f64).sqrt() / 255.0;
    let [one, other] = &certificates;
    let reaches = certificates.iter().any(|certificate| certificate.radius() > Some(distance));
    println!("{engine} {noise:?}: {one}; {other}, {distance:.3} away");
    one.class().is_some() && other.class().is_some() && one.class() != other.class() && reaches
}

fn check(model: &ModelProto, engine: EngineChoice) {
    assert!(contradict(model, engine, NoiseKind::Float), "the attack must work, or it shows nothing");
    assert!(!contradict(model, engine, NoiseKind::default()), "two certificates contradict each other");
}

fn exact_recovery_never_contradicts_itself_on_the_lattice(engine: EngineChoice) {
    check(&exact_recovery(), engine);
}

fn parity_never_contradicts_itself_on_the_lattice(engine: EngineChoice) {
    check(&parity_of_the_last_bit(), engine);
}

fn low_bits_never_contradict_themselves_on_the_lattice(engine: EngineChoice) {
    check(&sum_of_low_bits(), engine);
}

fn main() -> ExitCode {
    let mut suite = Suite::from_args();
    on(
        ENGINES,
        &mut suite,
        tests![
            exact_recovery_never_contradicts_itself_on_the_lattice,
            parity_never_contradicts_itself_on_the_lattice,
            low_bits_never_contradict_themselves_on_the_lattice,
        ],
    );
    suite.run()
}
