//! Where do values live?
//!
//! Values of the same shape and frame share memory when their lives do not overlap. Frames are zero from the
//! start and are never written, so memory is never shared between different geometries.

use super::stages::{Stage, is_winograd};
use super::{TOGETHER, filled_up};
use crate::graph::{GraphNode, ImageShape, Op, Window};
use crate::kernel::{Place, ValueFormat};

/// A frame of zeros: above, left, below, right.
type Frame = [usize; 4];

/// What makes two values exchangeable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Geometry {
    shape: ImageShape,
    frame: Frame,
    pixel: usize,
    /// Whether every image of a batch has its own.
    own: bool,
}

pub(super) struct Memory {
    geometries: Vec<Geometry>,
    /// The last stage that needs each stage's value.
    last_use: Vec<usize>,
    /// For each stage, the stages it reads; the second is added and may be overwritten.
    inputs: Vec<Vec<usize>>,
    places: Vec<Option<Place>>,
    free: Vec<(Geometry, Place)>,
    len: usize,
}

impl Memory {
    pub(super) fn new<N: ValueFormat>(nodes: &[GraphNode], stages: &[Stage], alone: usize) -> Self {
        let mut last_use: Vec<usize> = (0..stages.len()).collect();
        let mut frames = vec![[0; 4]; stages.len()];
        let mut only_direct = true;
        for (at, stage) in stages.iter().enumerate() {
            for input in &stage.inputs {
                last_use[*input] = at;
            }
            let Some(&from) = stage.inputs.first() else { continue };
            let winograd = is_winograd::<N>(&nodes[stage.node], stages[from].shape);
            if let Op::Conv(conv) = &nodes[stage.node].op {
                let frame = frame(&conv.window, winograd, stages[from].shape, stage.shape);
                frames[from] = std::array::from_fn(|side| frames[from][side].max(frame[side]));
            }
            let direct = matches!(nodes[stage.node].op, Op::Conv(_)) && !winograd && from == 0;
            only_direct &= !stage.inputs.contains(&0) || (direct && stage.inputs.len() == 1);
        }
        let last = stages.len() - 1;
        last_use[last] = last + 1;
        let geometry = |(at, stage): (usize, &Stage)| Geometry {
            shape: stage.shape,
            frame: frames[at],
            // a direct convolution reads number by number: the image's few colours need no filling up
            pixel: match at {
                0 if only_direct => stage.shape[0],
                // the scores keep all their bits
                _ if at == last => N::WORDS * filled_up(stage.shape[0]),
                _ => filled_up(stage.shape[0]),
            },
            own: at >= alone || last_use[at] >= alone,
        };
        Self {
            geometries: stages.iter().enumerate().map(geometry).collect(),
            last_use,
            inputs: stages.iter().map(|stage| stage.inputs.clone()).collect(),
            places: vec![None; stages.len()],
            free: Vec::new(),
            len: 0,
        }
    }

    /// Where the value of a stage lives.
    pub(super) fn place(&self, stage: usize) -> Place {
        self.places[stage].expect("a stage comes after those it needs")
    }

    /// How many numbers all values need.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Finds a place for the value of `stage`, and frees what is needed no longer.
    pub(super) fn take(&mut self, stage: usize) {
        let geometry = self.geometries[stage];
        let dies = |input: &usize| self.last_use[*input] == stage;
        // a summand that no other stage needs is overwritten: each of its numbers is read just before; but
        // not the input of a convolution, which reads a number more than once
        let worked_on = self.inputs[stage].first();
        let summand = self.inputs[stage].get(1).copied().filter(|summand| Some(summand) != worked_on);
        let overwritten = summand.filter(|input| dies(input) && self.geometries[*input] == geometry);
        let mut dying: Vec<usize> = self.inputs[stage].iter().copied().filter(dies).collect();
        dying.dedup();
        let place = match overwritten {
            Some(input) => {
                dying.retain(|other| *other != input);
                self.place(input)
            }
            None => match self.free.iter().position(|(free, _)| *free == geometry) {
                Some(at) => self.free.swap_remove(at).1,
                None => self.extend(geometry),
            },
        };
        for input in dying {
            self.free.push((self.geometries[input], self.place(input)));
        }
        self.places[stage] = Some(place);
    }

    fn extend(&mut self, geometry: Geometry) -> Place {
        let Geometry { shape, frame, pixel, own } = geometry;
        let [_, height, width] = shape;
        let row = (frame[1] + width + frame[3]) * pixel;
        let size = ((frame[0] + height + frame[2]) * row).next_multiple_of(filled_up(1));
        // what is too large is refused afterwards
        let start = self.len.saturating_add(frame[0] * row + frame[1] * pixel);
        self.len = self.len.saturating_add(if own { TOGETHER * size } else { size });
        Place { start, image: if own { size } else { 0 }, row, pixel, shape }
    }
}

/// The zeros that a convolution reads around its input.
fn frame(window: &Window, winograd: bool, from: ImageShape, to: ImageShape) -> Frame {
    let [above, left, below, right] = window.pad;
    if !winograd {
        return [above, left, below, right];
    }
    // whole tiles are read, also where they hang over the edge
    let read = |outputs: usize| outputs.next_multiple_of(crate::kernel::TILE) + 2;
    let beyond = |outputs: usize, before: usize, length: usize| read(outputs).saturating_sub(before + length);
    [above, left, beyond(to[1], above, from[1]), beyond(to[2], left, from[2])]
}
