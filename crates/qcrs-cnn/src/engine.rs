//! All of it: from a file to scores.

use crate::graph::{Node, Shape};
use crate::kernel::{self, Buffer, Instructions, Step};
use crate::plan::{Plan, TOGETHER};
use crate::{External, Refusal, fold, onnx};
use qcrs::noise::{Draws, Noise};
use qcrs::sample::Classifier;
use qcrs::types::Error;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A network that is ready to run.
///
/// Its scores are a function of the image alone: the same bits in any batch, on any thread, and on any
/// processor.
pub struct Cnn {
    pub(crate) instructions: Instructions,
    pub(crate) plan: Plan,
    pub(crate) shape: Shape,
    classes: usize,
    /// Memory of calls that have ended.
    idle: Mutex<Vec<Buffer>>,
}

impl Cnn {
    /// Reads an ONNX model for images of `shape` = [channels, height, width].
    pub fn read(
        model: &[u8],
        external: External<'_>,
        shape: [usize; 3],
        instructions: Instructions,
    ) -> Result<Self, Refusal> {
        let nodes = fold::fold(onnx::read(model, external, shape)?)?;
        Self::new(&nodes, instructions)
    }

    pub(crate) fn new(nodes: &[Node], instructions: Instructions) -> Result<Self, Refusal> {
        let plan = Plan::new(nodes, instructions.isa())?;
        let classes = nodes.last().map_or(0, |node| node.shape[0]);
        Ok(Self { instructions, plan, shape: nodes[0].shape, classes, idle: Mutex::default() })
    }

    /// The instructions it uses; they change its speed only.
    pub fn instructions(&self) -> Instructions {
        self.instructions
    }

    /// Scores some images; `image` writes the pixels of one.
    fn scores(&self, images: usize, image: impl Fn(usize, &mut [f32]), out: &mut [f32]) -> Result<(), Error> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut memory = idle.unwrap_or_else(|| Buffer::new(self.plan.len + self.input_len()));
        let done = self.run(&mut memory, images, image, out);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        done
    }

    fn run(
        &self,
        memory: &mut [f32],
        images: usize,
        image: impl Fn(usize, &mut [f32]),
        out: &mut [f32],
    ) -> Result<(), Error> {
        let Plan { pack, steps, alone, scores, len } = &self.plan;
        let (memory, pixels) = memory.split_at_mut(*len);
        let (early, late) = steps.split_at(*alone);
        for first in (0..images).step_by(TOGETHER) {
            let batch = TOGETHER.min(images - first);
            for at in 0..batch {
                image(first + at, pixels);
                pack.run(self.instructions, pixels, memory, at);
                self.steps(early, memory, at..at + 1)?;
            }
            self.steps(late, memory, 0..batch)?;
            for (at, row) in
                out[first * self.classes..].chunks_exact_mut(self.classes).take(batch).enumerate()
            {
                row.copy_from_slice(&memory[scores.at(at, 0, 0)..][..self.classes]);
            }
        }
        Ok(())
    }

    fn steps(&self, steps: &[(String, Step)], memory: &mut [f32], images: Range<usize>) -> Result<(), Error> {
        steps.iter().try_for_each(|(name, step)| {
            let done = kernel::run(self.instructions, step, memory, images.clone());
            done.map_err(|_| Error::Engine(format!("a value of `{name}` became infinite or no number")))
        })
    }
}

impl Classifier for Cnn {
    fn input_len(&self) -> usize {
        self.shape.iter().product()
    }

    fn num_classes(&self) -> usize {
        self.classes
    }

    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
        let len = self.input_len();
        let images = out.len() / self.classes;
        if batch.len() != images * len || out.len() != images * self.classes {
            let (has, scores) = (batch.len(), out.len());
            return Err(Error::Invalid(format!(
                "a batch of {has} values is not {scores} scores of images of {len}"
            )));
        }
        let copy = |at: usize, pixels: &mut [f32]| pixels.copy_from_slice(&batch[at * len..][..len]);
        self.scores(images, copy, out)
    }

    /// Draws the noise into the memory that the first step reads, image after image.
    fn noisy_logits(
        &self,
        x: &[f32],
        noise: Noise,
        draws: &Draws,
        _: &mut Vec<f32>,
        out: &mut [f32],
    ) -> Result<(), Error> {
        let images = draws.range.len();
        if x.len() != self.input_len() || out.len() != images * self.classes {
            let (has, wants) = (x.len(), self.input_len());
            return Err(Error::Invalid(format!("the input has {has} values, the network takes {wants}")));
        }
        let first = draws.range.start;
        let draw = |at: usize, pixels: &mut [f32]| noise.add(&draws.stream, first + at as u32, x, pixels);
        self.scores(images, draw, out)
    }
}
