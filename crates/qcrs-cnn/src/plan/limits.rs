//! Is it small enough to be run at all?
//!
//! A few bytes of a file can ask for any amount of padding, so sizes are checked before memory is allocated.
//! The limits are far above any image classifier.

use super::memory::Memory;
use super::stages::{Stage, is_winograd};
use crate::Refusal;
use crate::graph::{GraphNode, LARGEST, Op};
use crate::kernel::ValueFormat;

/// Multiplications and comparisons per image; a ResNet-152 on 224×224 pixels has 2³³·⁴.
const MOST_WORK: f64 = (1_u64 << 42) as f64;

pub(super) fn check<N: ValueFormat>(
    nodes: &[GraphNode],
    stages: &[Stage],
    memory: &Memory,
) -> Result<(), Refusal> {
    let refuse = |what: String| Err(Refusal::Unsupported(what));
    let (mut weights, mut work) = (0.0, 0.0);
    for (at, stage) in stages.iter().enumerate().skip(1) {
        let (from, to) = (memory.place(stage.inputs[0]), memory.place(at));
        let [_, height, width] = to.shape;
        let taps = match &nodes[stage.node].op {
            Op::Conv(_) if is_winograd::<N>(&nodes[stage.node], from.shape) => 36 * from.pixel,
            Op::Conv(conv) => {
                let [rows, columns] = conv.window.size;
                rows * (columns * from.pixel).next_multiple_of(N::PIECE)
            }
            Op::Pool(_, window) => window.size[0].min(from.shape[1]) * window.size[1].min(from.shape[2]),
            _ => 1,
        };
        let each = taps as f64 * to.pixel as f64;
        weights += if matches!(nodes[stage.node].op, Op::Conv(_)) { each } else { 0.0 };
        work += each * (height * width) as f64;
    }
    if memory.len() > LARGEST {
        let (values, bytes) = (memory.len(), LARGEST * size_of::<N>());
        return refuse(format!(
            "a network of {values} values at a time; {LARGEST} ({} MB) is the limit",
            bytes >> 20
        ));
    }
    if weights > 2.0 * LARGEST as f64 {
        return refuse(format!(
            "a network of {weights:.1e} weights; {:.1e} is the limit",
            2.0 * LARGEST as f64
        ));
    }
    if work > MOST_WORK {
        return refuse(format!(
            "a network of {work:.1e} multiplications per image; {MOST_WORK:.1e} is the limit"
        ));
    }
    Ok(())
}
