//! Random graphs: is every answer that of the reference, and are its bits the same everywhere?

use crate::engine::Cnn;
use crate::fold::fold;
use crate::graph::{Activation, Conv, GraphNode, ImageShape, Op, Pool, Window, shape};
use crate::kernel::Instructions;
use crate::reference;
use crate::{Precision, Refusal};
use proptest::prelude::*;
use qcrs::noise::{Draws, Lattice, NoiseKind, Phase, Stream};
use qcrs::sample::Classifier;
use qcrs::types::Sigma;

/// Numbers that look random and are the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 40) as f32) / (1u64 << 23) as f32 - 1.0
    }

    fn many(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.next()).collect()
    }

    fn below(&mut self, limit: usize) -> usize {
        (f32::midpoint(self.next(), 1.0) * limit as f32) as usize % limit
    }
}

struct Graph {
    nodes: Vec<GraphNode>,
    numbers: Numbers,
}

impl Graph {
    fn push(&mut self, op: Op, inputs: &[usize]) -> bool {
        let shapes: Vec<ImageShape> = inputs.iter().map(|input| self.nodes[*input].shape).collect();
        let fits = shape(&op, &shapes);
        if let Ok(shape) = fits {
            let name = format!("n{}", self.nodes.len());
            self.nodes.push(GraphNode { name, op, inputs: inputs.to_vec(), shape });
        }
        fits.is_ok()
    }

    fn last(&self) -> usize {
        self.nodes.len() - 1
    }

    fn conv(&mut self, input: usize, outputs: usize, window: Window) -> bool {
        let inputs = self.nodes[input].shape[0];
        let taps = inputs * window.size[0] * window.size[1];
        let scale = 1.0 / (taps as f32).sqrt();
        let weights = self.numbers.many(outputs * taps).iter().map(|w| w * scale).collect();
        let bias = self.numbers.many(outputs);
        self.push(Op::Conv(Conv { weights, bias, outputs, groups: 1, window }), &[input])
    }

    fn affine(&mut self, input: usize) {
        let channels = self.nodes[input].shape[0];
        let scale = self.numbers.many(channels).iter().map(|s| f64::from(*s) + 1.5).collect();
        let shift = self.numbers.many(channels).iter().map(|s| f64::from(*s)).collect();
        self.push(Op::Affine { scale, shift }, &[input]);
    }

    fn window(&mut self, sizes: &[usize]) -> Window {
        let mut pick = |from: &[usize]| from[self.numbers.below(from.len())];
        let size = [pick(sizes), pick(sizes)];
        let stride = [pick(&[1, 1, 2]), pick(&[1, 1, 2])];
        Window { size, stride, pad: std::array::from_fn(|side| pick(&[0, 1, 2]).min(size[side % 2] - 1)) }
    }

    /// Layers of whole numbers, small enough for bf16 and f32 to be exact.
    fn whole_numbers(seed: u64, input: ImageShape) -> Self {
        let start = GraphNode { name: "image".into(), op: Op::Input, inputs: Vec::new(), shape: input };
        let mut graph = Self { nodes: vec![start], numbers: Numbers(seed) };
        for _ in 0..=graph.numbers.below(4) {
            let at = graph.last();
            let same = graph.nodes[at].shape[0];
            if graph.numbers.below(4) == 0 {
                let window = graph.window(&[1, 2, 3]);
                graph.push(Op::Pool(Pool::Max, window), &[at]);
                continue;
            }
            let shortcut = graph.numbers.below(3) == 0;
            let outputs = if shortcut { same } else { 1 + graph.numbers.below(70) };
            let window = if shortcut {
                Window { size: [3, 3], stride: [1, 1], pad: [1; 4] }
            } else {
                graph.window(&[1, 1, 2, 3, 5, 7])
            };
            if graph.conv(at, outputs, window) && shortcut {
                graph.push(Op::Add, &[graph.last(), at]);
            }
            graph.push(Op::Activate(Activation::Clip(-8.0, 8.0)), &[graph.last()]);
        }
        let whole = Window::whole(graph.nodes[graph.last()].shape);
        graph.conv(graph.last(), 10, whole);
        for node in &mut graph.nodes {
            if let Op::Conv(conv) = &mut node.op {
                let largest = conv.weights.iter().fold(0.0, |most: f32, w| most.max(w.abs()));
                conv.weights.iter_mut().for_each(|w| *w = (1.4 * *w / largest).round());
                conv.bias.iter_mut().for_each(|b| *b = (2.0 * *b).round());
            }
        }
        graph
    }

    /// A few layers, then the mean and a matrix.
    fn random(seed: u64, input: ImageShape) -> Self {
        let start = GraphNode { name: "image".into(), op: Op::Input, inputs: Vec::new(), shape: input };
        let mut graph = Self { nodes: vec![start], numbers: Numbers(seed) };
        for _ in 0..=graph.numbers.below(6) {
            let (at, same) = (graph.last(), graph.nodes[graph.last()].shape[0]);
            match graph.numbers.below(9) {
                0 => graph.affine(at),
                1 => {
                    let window = graph.window(&[1, 2, 3]);
                    let pool = [Pool::Max, Pool::Mean, Pool::PaddedMean][graph.numbers.below(3)];
                    graph.push(Op::Pool(pool, window), &[at]);
                }
                2 => {
                    let which = graph.numbers.below(3);
                    let activation = [Activation::Relu, Activation::Leaky(0.1), Activation::Clip(-0.3, 0.4)];
                    graph.push(Op::Activate(activation[which]), &[at]);
                }
                3 | 4 => {
                    let outputs = 1 + graph.numbers.below(40);
                    let window = Window { size: [3, 3], stride: [1, 1], pad: graph.window(&[2, 3]).pad };
                    graph.conv(at, outputs, window);
                }
                5 | 6 => {
                    // a block with a shortcut, and sometimes another use of its parts
                    let window = Window { size: [3, 3], stride: [1, 1], pad: [1; 4] };
                    let point = Window { size: [1, 1], stride: [1, 1], pad: [0; 4] };
                    graph.conv(at, same, window);
                    if graph.numbers.below(2) == 0 {
                        graph.affine(graph.last());
                    }
                    let body = graph.last();
                    let short = if graph.numbers.below(2) == 0 { at } else { body + 1 };
                    if short != at {
                        graph.conv(at, same, point);
                    }
                    let order = if graph.numbers.below(2) == 0 { [body, short] } else { [short, body] };
                    graph.push(Op::Add, &order);
                    if graph.numbers.below(3) > 0 {
                        graph.push(Op::Activate(Activation::Relu), &[graph.last()]);
                    }
                    if graph.numbers.below(4) == 0 {
                        graph.push(Op::Add, &[graph.last(), body]);
                    }
                }
                _ => {
                    let outputs = 1 + graph.numbers.below(70);
                    let window = graph.window(&[1, 1, 2, 3, 5, 7]);
                    graph.conv(at, outputs, window);
                }
            }
        }
        let whole = Window::whole(graph.nodes[graph.last()].shape);
        if graph.numbers.below(2) == 0 {
            graph.push(Op::Pool(Pool::Mean, whole), &[graph.last()]);
        }
        let whole = Window::whole(graph.nodes[graph.last()].shape);
        graph.conv(graph.last(), 10, whole);
        graph
    }
}

fn logits(nodes: &[GraphNode], isa: Instructions, precision: Precision, batch: &[f32]) -> Vec<f32> {
    let cnn = Cnn::new(nodes, isa, precision).unwrap();
    let mut out = vec![f32::NAN; batch.len() / cnn.input_len() * 10];
    cnn.logits(batch, &mut out).unwrap();
    out
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// A random graph scores images as the reference does, with the same bits everywhere and in any batch.
fn agree(
    seed: u64,
    shape: ImageShape,
    images: usize,
    precision: Precision,
    tolerance: f64,
) -> Result<(), TestCaseError> {
    let mut graph = Graph::random(seed, shape);
    let len = shape.iter().product();
    let batch = graph.numbers.many(images * len);
    let expected: Vec<f64> =
        batch.chunks_exact(len).flat_map(|image| reference::scores(&graph.nodes, image)).collect();
    let size = expected.iter().fold(1.0, |size: f64, score| size.max(score.abs()));
    let nodes = fold(graph.nodes.clone()).unwrap();
    let mut first: Option<Vec<f32>> = None;
    for isa in Instructions::here() {
        let found = logits(&nodes, isa, precision, &batch);
        prop_assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            let error = (f64::from(*found) - expected).abs();
            prop_assert!(error < tolerance * size, "{isa:?}: {found} {expected}");
        }
        let first = first.get_or_insert(found.clone());
        prop_assert_eq!(bits(&found), bits(first), "{:?}", isa);
    }
    let alone = logits(&nodes, Instructions::best(), precision, &batch[(images - 1) * len..]);
    prop_assert_eq!(bits(&alone), bits(&first.unwrap()[(images - 1) * 10..]));
    Ok(())
}

/// Small images of a few colours.
fn shapes() -> impl Strategy<Value = ImageShape> {
    (1usize..5, 1usize..20, 1usize..20).prop_map(|(colours, height, width)| [colours, height, width])
}

proptest! {
    #[test]
    fn random_graphs_give_the_answers_of_the_reference(seed: u64, shape in shapes(), images in 1usize..12) {
        agree(seed, shape, images, Precision::F32, 1e-5)?;
    }
}

proptest! {
    // one number at a time, in software, on the portable path: slow
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn bf16_is_exact_on_small_whole_numbers(
        seed: u64,
        colours in 1usize..5,
        height in 1usize..36,
        width in 1usize..36,
        images in 1usize..12,
    ) {
        let shape = [colours, height, width];
        let mut graph = Graph::whole_numbers(seed, shape);
        let batch: Vec<f32> =
            graph.numbers.many(images * colours * height * width).iter().map(|x| (4.0 * x).round()).collect();
        let images = batch.chunks_exact(colours * height * width);
        let expected: Vec<f32> =
            images.flat_map(|image| reference::scores(&graph.nodes, image)).map(|x| x as f32).collect();
        for isa in Instructions::here() {
            prop_assert_eq!(&logits(&graph.nodes, isa, Precision::Bf16, &batch), &expected, "{:?}", isa);
        }
    }

    #[test]
    fn random_graphs_in_bf16_give_about_the_answers_of_the_reference(
        seed: u64,
        shape in shapes(),
        images in 1usize..12,
    ) {
        agree(seed, shape, images, Precision::Bf16, 0.05)?;
    }
}

#[test]
fn bf16_needs_a_matrix_that_gives_the_scores() {
    let mut graph = Graph::random(5, [3, 9, 7]);
    graph.push(Op::Pool(Pool::Mean, Window::whole([10, 1, 1])), &[graph.last()]);
    let refused = Cnn::new(&graph.nodes, Instructions::best(), Precision::Bf16).err();
    let why = "bf16, unless a matrix or a convolution gives the scores";
    assert_eq!(refused, Some(Refusal::Unsupported(why.into())));
    assert!(Cnn::new(&graph.nodes, Instructions::best(), Precision::F32).is_ok());
}

/// In bf16 a row of one number takes the room of 32.
#[test]
fn weights_that_would_not_fit_are_refused_before_they_are_laid_out() {
    let shape = [1, 1 << 20, 1];
    let image = GraphNode { name: "image".into(), op: Op::Input, inputs: Vec::new(), shape };
    let mut graph = Graph { nodes: vec![image], numbers: Numbers(1) };
    graph.conv(0, 1, Window::whole(shape));
    let refusal = Cnn::new(&graph.nodes, Instructions::best(), Precision::Bf16).err().unwrap();
    assert!(refusal.to_string().contains("weights; 5.4e8 is the limit"), "{refusal}");
}

#[test]
fn a_value_that_overflows_is_never_a_score_and_harms_no_other_image() {
    let point = Window { size: [1, 1], stride: [1, 1], pad: [0; 4] };
    let conv = |weight: f32| {
        Op::Conv(Conv { weights: vec![weight], bias: vec![0.0], outputs: 1, groups: 1, window: point })
    };
    let image = GraphNode { name: "image".into(), op: Op::Input, inputs: Vec::new(), shape: [1, 1, 1] };
    let mut graph = Graph { nodes: vec![image], numbers: Numbers(1) };
    // −∞ before the activation, 0 after it: it must still be detected
    graph.push(conv(-3e38), &[0]);
    graph.push(Op::Activate(Activation::Relu), &[1]);
    let precisions = [Precision::F32, Precision::Bf16];
    for (isa, precision) in Instructions::here().into_iter().flat_map(|isa| precisions.map(|p| (isa, p))) {
        let cnn = Cnn::new(&graph.nodes, isa, precision).unwrap();
        let mut out = [f32::NAN];
        cnn.logits(&[1.0], &mut out).unwrap();
        assert_eq!(out[0].to_bits(), 0);
        for pixel in [2.0, f32::NAN, f32::INFINITY] {
            for at in 0..11 {
                let mut pixels = [1.0; 11];
                pixels[at] = pixel;
                let mut out = [7.0; 11];
                cnn.logits(&pixels, &mut out).unwrap();
                let right =
                    |(i, score): (usize, &f32)| if i == at { score.is_nan() } else { score.to_bits() == 0 };
                assert!(out.iter().enumerate().all(right), "{pixel} at {at}: {out:?}");
            }
        }
    }
}

#[test]
fn noise_drawn_in_place_is_the_noise_of_the_copies() {
    let nodes = fold(Graph::random(5, [3, 9, 7]).nodes).unwrap();
    let cnn = Cnn::new(&nodes, Instructions::best(), Precision::F32).unwrap();
    let x: Vec<f32> = Numbers(2).many(189).iter().map(|x| Lattice::Fine.nearest(x.fract().abs())).collect();
    let stream = Stream { seed: 3, input: 4, phase: Phase::Estimate };
    let part =
        |kind: NoiseKind, level, range| (kind.at(Sigma::new(level).unwrap(), 189), Draws { stream, range });
    let fine = NoiseKind::Lattice(Lattice::Fine);
    let parts = [part(NoiseKind::Float, 0.5, 5..11), part(fine, 0.1, 11..11), part(fine, 0.25, 11..24)];
    let copy = |draw: u32| {
        let (noise, _) = parts[if draw < 11 { 0 } else { 2 }];
        let mut copy = vec![0.0; 189];
        noise.copies_of(&x).unwrap().write(&stream, draw, &mut copy);
        copy
    };
    let copies: Vec<f32> = (5..24).flat_map(copy).collect();
    let (mut expected, mut found) = (vec![f32::NAN; 190], vec![f32::NAN; 190]);
    cnn.logits(&copies, &mut expected).unwrap();
    cnn.noisy_logits(&x, &parts, &mut Vec::new(), &mut found).unwrap();
    assert_eq!(bits(&found), bits(&expected));
    assert!(cnn.noisy_logits(&x[1..], &parts, &mut Vec::new(), &mut found).is_err());
    assert!(cnn.logits(&copies[1..], &mut expected).is_err());
}
