//! Which steps, in which order, and where do values live?
//!
//! A convolution takes in the sum and the activation that follow it. Early layers are done image by
//! image, so that their large values stay in the cache; from the first layer whose weights outweigh its
//! values on, a few images go through together, so that the weights are read once for all of them.

mod limits;
mod memory;
mod stages;

use crate::Refusal;
use crate::graph::{Activation, GraphNode, Op};
use crate::kernel::{CHANNELS, Convolution, Epilogue, Isa, Map, Pack, Place, Pooling, Step, ValueFormat};
use memory::Memory;
use stages::Stage;

/// The most images that go through together.
pub(crate) const TOGETHER: usize = 8;

/// What the engine does, and how much memory it needs for it.
pub(crate) struct ExecutionPlan<N: ValueFormat> {
    pub(crate) pack: Pack,
    /// The steps with the name of the node each one makes.
    pub(crate) steps: Vec<(String, Step<N>)>,
    /// How many of the steps are done image by image.
    pub(crate) alone: usize,
    /// The scores.
    pub(crate) scores: Place,
    /// How many numbers the workspace holds.
    pub(crate) len: usize,
}

impl<N: ValueFormat> ExecutionPlan<N> {
    pub(crate) fn new(nodes: &[GraphNode], isa: Isa) -> Result<Self, Refusal> {
        let stages = stages::stages(nodes)?;
        let ends_with_conv = stages.last().is_some_and(|stage| matches!(nodes[stage.node].op, Op::Conv(_)));
        if N::WORDS > 1 && !ends_with_conv {
            let what = format!("{}, unless a matrix or a convolution gives the scores", N::PRECISION);
            return Err(Refusal::Unsupported(what));
        }
        let alone = stages::alone::<N>(nodes, &stages);
        let mut memory = Memory::new::<N>(nodes, &stages, alone);
        (0..stages.len()).for_each(|stage| memory.take(stage));
        limits::check::<N>(nodes, &stages, &memory)?;
        let pack = pack(&stages[0], memory.place(0));
        let mut steps = Vec::new();
        let mut scratch = 0;
        for (at, stage) in stages.iter().enumerate().skip(1) {
            let places: Vec<Place> = stage.inputs.iter().map(|input| memory.place(*input)).collect();
            let step = step::<N>(nodes, stage, &places, memory.place(at), isa);
            if let Step::Conv(conv) = &step {
                scratch = scratch.max(conv.scratch_len());
            }
            steps.push((nodes[stage.node].name.clone(), step));
        }
        let end = memory.len();
        for (_, step) in &mut steps {
            if let Step::Conv(conv) = step {
                conv.put_scratch(end);
            }
        }
        let scores = memory.place(stages.len() - 1);
        Ok(Self { pack, steps, alone: alone.saturating_sub(1), scores, len: end + scratch })
    }
}

fn pack(stage: &Stage, to: Place) -> Pack {
    let narrow = |values: &[f64]| values.iter().map(|value| *value as f32).collect();
    let (scale, shift) = &stage.affine;
    Pack { to, scale: narrow(scale), shift: narrow(shift) }
}

fn step<N: ValueFormat>(
    nodes: &[GraphNode],
    stage: &Stage,
    places: &[Place],
    to: Place,
    isa: Isa,
) -> Step<N> {
    let from = places[0];
    let tail = Epilogue { add: places.get(1).copied(), activation: stage.activation };
    match &nodes[stage.node].op {
        Op::Conv(conv) => {
            let winograd = stages::is_winograd::<N>(&nodes[stage.node], from.shape);
            Step::Conv(N::Conv::new(conv, [from, to], tail, isa, winograd))
        }
        Op::Pool(pool, window) => Step::Pooling(Pooling { from, to, pool: *pool, window: *window }),
        _ => {
            let filled = |values: &[f64]| {
                let mut filled: Vec<f32> = values.iter().map(|value| *value as f32).collect();
                filled.resize(to.pixel, 0.0);
                filled
            };
            let (scale, shift) = &stage.affine;
            Step::Map(Map { from, to, tail, scale: filled(scale), shift: filled(shift) })
        }
    }
}

/// Channels as they are kept.
fn filled_up(channels: usize) -> usize {
    channels.next_multiple_of(CHANNELS)
}

fn is_plain(activation: Activation) -> bool {
    activation == Activation::None
}
