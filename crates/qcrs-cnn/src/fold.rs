//! What need not be computed for every image?

use crate::Refusal;
use crate::graph::{Conv, LARGEST, Node, Op};

/// Weights that are scaled, one by one; as a rule each is scaled once.
const MOST_WORK: usize = 4 * LARGEST;

/// Leaves out what the output does not need, and moves affine maps into the convolutions before them.
pub(crate) fn fold(mut nodes: Vec<Node>) -> Result<Vec<Node>, Refusal> {
    let (mut at, mut work) = (1, 0);
    while at < nodes.len() {
        let folded = if let (Op::Affine { scale, shift }, &[input]) = (&nodes[at].op, &nodes[at].inputs[..])
            && uses(&nodes, input) == 1
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

fn uses(nodes: &[Node], value: usize) -> usize {
    nodes.iter().flat_map(|node| &node.inputs).filter(|input| **input == value).count()
}

/// What `op` becomes when an affine map follows it; none if it cannot take it in.
fn after(op: &Op, scale: &[f64], shift: &[f64]) -> Option<Op> {
    match op {
        Op::Affine { scale: first, shift: then } => Some(Op::Affine {
            scale: first.iter().zip(scale).map(|(a, b)| a * b).collect(),
            shift: then.iter().zip(scale).zip(shift).map(|((a, b), c)| a * b + c).collect(),
        }),
        Op::Conv(conv) => {
            let each = conv.weights.len() / conv.outputs;
            let weight = |(at, weight): (usize, &f32)| (f64::from(*weight) * scale[at / each]) as f32;
            let bias = |(at, bias): (usize, &f32)| (f64::from(*bias) * scale[at] + shift[at]) as f32;
            let &Conv { outputs, groups, window, .. } = conv;
            let weights = conv.weights.iter().enumerate().map(weight).collect();
            let bias = conv.bias.iter().enumerate().map(bias).collect();
            Some(Op::Conv(Conv { weights, bias, outputs, groups, window }))
        }
        _ => None,
    }
}

/// Takes node `gone` out; who used it uses `instead`.
fn replace(nodes: &mut Vec<Node>, gone: usize, instead: usize) {
    nodes.remove(gone);
    for input in nodes.iter_mut().flat_map(|node| &mut node.inputs) {
        *input = if *input == gone { instead } else { *input - usize::from(*input > gone) };
    }
}

/// Only the nodes that the last one needs.
fn prune(mut nodes: Vec<Node>) -> Vec<Node> {
    for at in (1..nodes.len().saturating_sub(1)).rev() {
        if uses(&nodes, at) == 0 {
            replace(&mut nodes, at, at);
        }
    }
    nodes
}

fn finite(node: &Node) -> Result<(), Refusal> {
    let sound = match &node.op {
        Op::Affine { scale, shift } => scale.iter().chain(shift).all(|value| (*value as f32).is_finite()),
        Op::Conv(conv) => conv.weights.iter().chain(&conv.bias).all(|value| value.is_finite()),
        _ => true,
    };
    if sound { Ok(()) } else { Err(Refusal::Broken(format!("`{}`: its weights overflow", node.name))) }
}
