//! What need not be computed for every image?

use crate::Refusal;
use crate::graph::{Conv, GraphNode, LARGEST, Op};

/// The most weights that are scaled, counted each time; usually each is scaled once.
const MOST_WORK: usize = 4 * LARGEST;

/// Leaves out what the output does not need, and moves affine maps into the convolutions before them.
pub(crate) fn fold(mut nodes: Vec<GraphNode>) -> Result<Vec<GraphNode>, Refusal> {
    let (mut at, mut work) = (1, 0);
    while at < nodes.len() {
        let folded = if let (Op::Affine { scale, shift }, &[input]) = (&nodes[at].op, &nodes[at].inputs[..])
            && uses(&nodes, input) == 1
            && !stayed_apart(&nodes, input)
        {
            after(&nodes[input].op, scale, shift).map(|op| (input, op))
        } else {
            None
        };
        match folded {
            Some((input, op)) => {
                work += op.weights();
                if work > MOST_WORK {
                    return Err(Refusal::Unsupported("a long row of factors behind a convolution".into()));
                }
                nodes[input].op = op;
                let was_last = at + 1 == nodes.len();
                replace(&mut nodes, at, input);
                if was_last {
                    nodes.truncate(input + 1);
                }
            }
            None => at += 1,
        }
    }
    let nodes = prune(nodes);
    nodes.iter().try_for_each(finite)?;
    Ok(nodes)
}

fn uses(nodes: &[GraphNode], value: usize) -> usize {
    nodes.iter().flat_map(|node| &node.inputs).filter(|input| **input == value).count()
}

/// Whether a node is a map that could not be folded into the one before it. Nothing is folded into it either:
/// an engine that computes step by step loses the digits of a value there, and no later factor restores them.
fn stayed_apart(nodes: &[GraphNode], at: usize) -> bool {
    matches!((&nodes[at].op, &nodes[at].inputs[..]), (Op::Affine { .. }, &[input])
        if uses(nodes, input) == 1 && matches!(nodes[input].op, Op::Affine { .. } | Op::Conv(_)))
}

/// What `op` becomes when an affine map follows it; `None` if it cannot take the map in without a loss.
fn after(op: &Op, scale: &[f64], shift: &[f64]) -> Option<Op> {
    if !scale.iter().all(|factor| is_whole(*factor)) {
        return None;
    }
    match op {
        Op::Affine { scale: first, shift: then } => {
            let scales = first.iter().zip(scale).map(|(a, b)| Some(a * b).filter(|scale| is_whole(*scale)));
            let shifts = then.iter().zip(scale).zip(shift).map(|((a, b), c)| moved(*a, *b, *c));
            Some(Op::Affine { scale: scales.collect::<Option<_>>()?, shift: shifts.collect::<Option<_>>()? })
        }
        Op::Conv(conv) => {
            let each = conv.weights.len() / conv.outputs;
            let weight = |(at, weight): (usize, &f32)| {
                let exact = f64::from(*weight) * scale[at / each];
                is_whole(exact).then_some(exact as f32)
            };
            let bias = |(at, bias): (usize, &f32)| {
                moved(f64::from(*bias), scale[at], shift[at]).map(|exact| exact as f32)
            };
            let &Conv { outputs, groups, window, .. } = conv;
            let weights = conv.weights.iter().enumerate().map(weight).collect::<Option<_>>()?;
            let bias = conv.bias.iter().enumerate().map(bias).collect::<Option<_>>()?;
            Some(Op::Conv(Conv { weights, bias, outputs, groups, window }))
        }
        _ => None,
    }
}

/// Whether a number keeps all its 24 bits as an f32: below the normal numbers it has fewer, above them none.
fn is_whole(exact: f64) -> bool {
    exact == 0.0 || (exact as f32).is_normal()
}

/// An offset behind an affine map. One of 0 becomes that of the map, which is as exact there as here.
fn moved(offset: f64, scale: f64, shift: f64) -> Option<f64> {
    let exact = offset * scale + shift;
    (offset == 0.0 || is_whole(exact)).then_some(exact)
}

/// Removes node `gone`; the nodes that used it use `instead`.
fn replace(nodes: &mut Vec<GraphNode>, gone: usize, instead: usize) {
    nodes.remove(gone);
    for input in nodes.iter_mut().flat_map(|node| &mut node.inputs) {
        *input = if *input == gone { instead } else { *input - usize::from(*input > gone) };
    }
}

/// Only the nodes that the last one needs.
fn prune(mut nodes: Vec<GraphNode>) -> Vec<GraphNode> {
    for at in (1..nodes.len().saturating_sub(1)).rev() {
        if uses(&nodes, at) == 0 {
            replace(&mut nodes, at, at);
        }
    }
    nodes
}

fn finite(node: &GraphNode) -> Result<(), Refusal> {
    let sound = match &node.op {
        Op::Affine { scale, shift } => scale.iter().chain(shift).all(|value| (*value as f32).is_finite()),
        Op::Conv(conv) => conv.weights.iter().chain(&conv.bias).all(|value| value.is_finite()),
        _ => true,
    };
    if sound { Ok(()) } else { Err(Refusal::Broken(format!("`{}`: its weights overflow", node.name))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Window;
    use crate::{Cnn, Instructions, Precision, reference};
    use qcrs::sample::Classifier;

    const WEIGHTS: [f32; 4] = [0.3, -0.7, 0.55, 0.9];
    const IMAGE: [f32; 2] = [0.8, 0.25];

    /// Factors, one after the other, before and after a matrix of two classes.
    fn network(before: &[f64], after: &[f64]) -> Vec<GraphNode> {
        let shape = [2, 1, 1];
        let factor = |factor: &f64| Op::Affine { scale: vec![*factor; 2], shift: vec![0.0; 2] };
        let (weights, bias, window) = (WEIGHTS.to_vec(), vec![0.0; 2], Window::whole(shape));
        let matrix = Op::Conv(Conv { weights, bias, outputs: 2, groups: 1, window });
        let ops = before.iter().map(factor).chain([matrix]).chain(after.iter().map(factor));
        let node = |(at, op)| GraphNode { name: format!("n{at}"), op, inputs: vec![at], shape };
        let image = GraphNode { name: "image".into(), op: Op::Input, inputs: Vec::new(), shape };
        [image].into_iter().chain(ops.enumerate().map(node)).collect()
    }

    fn scores(nodes: Vec<GraphNode>) -> [f32; 2] {
        let cnn = Cnn::new(&fold(nodes).unwrap(), Instructions::best(), Precision::F32).unwrap();
        let mut scores = [f32::NAN; 2];
        cnn.logits(&IMAGE, &mut scores).unwrap();
        scores
    }

    /// The smallest number above 0.
    const STEP: f64 = 1.401_298_464_324_817e-45;

    /// Weights below the normal numbers have few bits: folded, they would give other scores.
    #[test]
    fn factors_that_would_leave_weights_of_few_bits_are_not_folded() {
        for factors in [&[1e-42_f32][..], &[1e-20, 1e-22], &[1e-30, 1e-13], &[1e-44], &[3e-39]] {
            let nodes = network(&[], &factors.iter().map(|factor| f64::from(*factor)).collect::<Vec<_>>());
            let wanted = reference::scores(&nodes, &IMAGE);
            for (found, wanted) in scores(nodes).iter().zip(wanted) {
                let apart = (f64::from(*found) - wanted).abs() / STEP;
                assert!(apart < 0.51, "{factors:?}: {found:e} is {apart} steps from {wanted:e}");
            }
        }
    }

    /// Engines that multiply step by step find 0, and a large factor does not bring the value back.
    #[test]
    fn a_value_that_vanished_does_not_come_back() {
        for factors in [&[1e-30, 1e-30, 1e30][..], &[1e-30, 1e-30, 1e30, 1e30]] {
            for nodes in [network(&[], factors), network(factors, &[])] {
                let found = scores(nodes);
                assert!(found.iter().all(|score| score.abs() <= 0.0), "{factors:?}: {found:?}");
            }
        }
    }

    #[test]
    fn ordinary_factors_and_zeros_are_folded() {
        for (factors, nodes) in [(&[0.5, 3.0][..], 2), (&[0.0], 2), (&[1e-20, 1e20], 2), (&[1e-42], 3)] {
            assert_eq!(fold(network(&[], factors)).unwrap().len(), nodes, "{factors:?}");
        }
    }

    /// Folded, the weights would overflow although no value does.
    #[test]
    fn factors_that_would_make_weights_overflow_are_not_folded() {
        let nodes = network(&[1e-30], &[1e30, 1e30]);
        let wanted = reference::scores(&nodes, &IMAGE);
        for (found, wanted) in scores(nodes).iter().zip(wanted) {
            assert!((f64::from(*found) / wanted - 1.0).abs() < 1e-6, "{found:e}, not {wanted:e}");
        }
    }
}
