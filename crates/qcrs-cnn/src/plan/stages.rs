//! Which nodes are done in one go?

use super::{filled_up, is_plain};
use crate::graph::{Activation, GraphNode, ImageShape, Op};
use crate::kernel::ValueFormat;
use crate::{Precision, Refusal};

/// A node that is computed, with what follows it.
pub(super) struct Stage {
    /// The node that gives the stage its work; the image itself for the first.
    pub(super) node: usize,
    /// The stages it needs: what it works on, and what is added.
    pub(super) inputs: Vec<usize>,
    pub(super) activation: Activation,
    /// For the image and for element-wise work: scale and shift per channel.
    pub(super) affine: (Vec<f64>, Vec<f64>),
    pub(super) shape: ImageShape,
}

/// The stages of a graph; the first is the image.
pub(super) fn stages(nodes: &[GraphNode]) -> Result<Vec<Stage>, Refusal> {
    let mut stages: Vec<Stage> = Vec::new();
    // the stage that makes the value of each node
    let mut of: Vec<usize> = Vec::new();
    let mut uses = vec![0; nodes.len()];
    nodes.iter().flat_map(|node| &node.inputs).for_each(|input| uses[*input] += 1);
    for (at, node) in nodes.iter().enumerate() {
        let last = |input: usize| of[input] == stages.len() - 1 && uses[input] == 1;
        let joined = match &node.op {
            // the stage before takes it in, if no other node needs its value as it was
            Op::Activate(activation) if last(node.inputs[0]) => {
                let before = &mut stages[of[node.inputs[0]]];
                let takes =
                    is_plain(before.activation) && before.node != 0 && takes_tail(&nodes[before.node].op);
                if takes {
                    before.activation = *activation;
                }
                takes
            }
            Op::Add => {
                let late = node.inputs.iter().copied().filter(|input| last(*input)).max();
                let late = late.filter(|late| {
                    let before = &stages[of[*late]];
                    is_plain(before.activation)
                        && before.inputs.len() == 1
                        && takes_tail(&nodes[before.node].op)
                });
                if let Some(late) = late {
                    let other = node.inputs.iter().copied().find(|input| *input != late);
                    let other =
                        of[other.ok_or_else(|| Refusal::Unsupported("a value plus itself".into()))?];
                    stages[of[late]].inputs.push(other);
                }
                late.is_some()
            }
            Op::Affine { scale, shift } if of.get(node.inputs[0]) == Some(&0) && at == 1 && uses[0] == 1 => {
                stages[0].affine = (scale.clone(), shift.clone());
                true
            }
            _ => false,
        };
        if !joined {
            stages.push(stage(at, node, &of)?);
        }
        of.push(if joined { joined_to(node, &of) } else { stages.len() - 1 });
    }
    Ok(stages)
}

/// The stage that took a node in: the latest of those it works on.
fn joined_to(node: &GraphNode, of: &[usize]) -> usize {
    node.inputs.iter().map(|input| of[*input]).max().unwrap_or(0)
}

fn takes_tail(op: &Op) -> bool {
    matches!(op, Op::Conv(_) | Op::Affine { .. } | Op::Add)
}

fn stage(at: usize, node: &GraphNode, of: &[usize]) -> Result<Stage, Refusal> {
    let channels = node.shape[0];
    let same = (vec![1.0; channels], vec![0.0; channels]);
    let (affine, activation) = match &node.op {
        Op::Affine { scale, shift } => ((scale.clone(), shift.clone()), Activation::None),
        Op::Activate(activation) => (same, *activation),
        Op::Conv(conv) if conv.groups != 1 => {
            return Err(Refusal::Unsupported(format!("a convolution in {} groups", conv.groups)));
        }
        _ => (same, Activation::None),
    };
    let inputs = node.inputs.iter().map(|input| of[*input]).collect();
    Ok(Stage { node: at, inputs, activation, affine, shape: node.shape })
}

/// Whether Winograd's way is worth it for a convolution; this depends on the graph and the precision alone.
pub(super) fn is_winograd<N: ValueFormat>(node: &GraphNode, from: ImageShape) -> bool {
    let Op::Conv(conv) = &node.op else { return false };
    let window = conv.window;
    let [_, height, width] = node.shape;
    N::PRECISION == Precision::F32
        && window.size == [3, 3]
        && window.stride == [1, 1]
        && from[0] >= 8
        && conv.outputs >= 8
        && height.min(width) > 1
}

/// How many of the stages are done image by image.
pub(super) fn alone<N: ValueFormat>(nodes: &[GraphNode], stages: &[Stage]) -> usize {
    let numbers = |shape: ImageShape| filled_up(shape[0]) * shape[1] * shape[2];
    let heavy = |stage: &Stage| {
        let Op::Conv(conv) = &nodes[stage.node].op else { return false };
        let from = stages[stage.inputs[0]].shape;
        let spread = if is_winograd::<N>(&nodes[stage.node], from) { 4 } else { 1 };
        conv.weights.len() * spread > 2 * (numbers(from) + numbers(stage.shape))
    };
    stages.iter().skip(1).position(heavy).map_or(stages.len(), |at| at + 1)
}
