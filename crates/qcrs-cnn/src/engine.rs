//! All of it: from a file to scores.

mod profile;

pub use profile::LayerTime;

use crate::graph::{GraphNode, ImageShape};
use crate::kernel::{self, Bf16, Buffer, Instructions, Overflow, Step, Unit, ValueFormat};
use crate::plan::{ExecutionPlan, TOGETHER};
use crate::{External, Precision, Refusal, fold, onnx};
use qcrs::noise::{Draws, Noise};
use qcrs::sample::Classifier;
use qcrs::sample::engine::Request;
use qcrs::types::Error;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A network that is ready to run.
///
/// Its scores are a function of the image alone: the same bits in any batch, on any thread, and on any
/// processor.
pub struct Cnn {
    instructions: Instructions,
    network: Box<dyn Executor>,
    shape: ImageShape,
    classes: usize,
}

impl Cnn {
    /// Reads an ONNX model for images of `shape` = [channels, height, width].
    pub fn read(
        model: &[u8],
        external: External<'_>,
        shape: [usize; 3],
        instructions: Instructions,
        precision: Precision,
    ) -> Result<Self, Refusal> {
        let nodes = fold::fold(onnx::read(model, external, shape)?)?;
        Self::new(&nodes, instructions, precision)
    }

    pub(crate) fn new(
        nodes: &[GraphNode],
        instructions: Instructions,
        precision: Precision,
    ) -> Result<Self, Refusal> {
        let network: Box<dyn Executor> = match precision {
            Precision::F32 => Box::new(Runner::<f32>::new(nodes, instructions)?),
            Precision::Bf16 => Box::new(Runner::<Bf16>::new(nodes, instructions)?),
        };
        let classes = nodes.last().map_or(0, |node| node.shape[0]);
        Ok(Self { instructions, network, shape: nodes[0].shape, classes })
    }

    /// The instructions it uses; they change its speed only.
    pub fn instructions(&self) -> Instructions {
        self.instructions
    }

    /// Whether `instructions` can compute in `precision` as fast as they can in any.
    pub fn is_fast(instructions: Instructions, precision: Precision) -> bool {
        match precision {
            Precision::F32 => !instructions.are_slow(),
            Precision::Bf16 => Unit::best(instructions.isa()) != Unit::Emulated,
        }
    }

    /// Multiplications, additions and comparisons per image, by the definition of the layers.
    pub fn work(&self) -> u64 {
        self.network.work()
    }

    /// Times every step on one thread, on made-up images.
    pub fn profile(&self, rounds: usize) -> Vec<LayerTime> {
        let pixels: Vec<f32> = (0..self.input_len()).map(|at| (at % 255) as f32 / 255.0).collect();
        self.network.profile(&pixels, rounds)
    }
}

/// Steps on values that are kept in some way.
trait Executor: Send + Sync {
    /// Scores as many images as `out` has room for; `image` writes the pixels of one. If a value becomes
    /// infinite or NaN on the way, the image gets NaN, which is never a vote.
    fn scores(&self, image: &dyn Fn(usize, &mut [f32]), out: &mut [f32]);
    fn work(&self) -> u64;
    fn profile(&self, pixels: &[f32], rounds: usize) -> Vec<LayerTime>;
}

/// Steps on values that are kept as `N`.
pub(crate) struct Runner<N: ValueFormat> {
    pub(crate) instructions: Instructions,
    pub(crate) plan: ExecutionPlan<N>,
    /// Memory of calls that have ended.
    idle: Mutex<Vec<Workspace<N>>>,
}

struct Workspace<N> {
    values: Buffer<N>,
    /// The image that is about to go in.
    pixels: Vec<f32>,
}

impl<N: ValueFormat> Runner<N> {
    fn new(nodes: &[GraphNode], instructions: Instructions) -> Result<Self, Refusal> {
        let plan = ExecutionPlan::new(nodes, instructions.isa())?;
        Ok(Self { instructions, plan, idle: Mutex::default() })
    }

    fn memory(&self) -> Workspace<N> {
        let pixels = self.plan.pack.to.shape.iter().product();
        Workspace { values: Buffer::new(self.plan.len), pixels: vec![0.0; pixels] }
    }

    /// Scores up to [`TOGETHER`] images; the first one has the number `first`.
    fn group(
        &self,
        memory: &mut Workspace<N>,
        first: usize,
        image: &dyn Fn(usize, &mut [f32]),
        out: &mut [f32],
    ) -> Result<(), Overflow> {
        let ExecutionPlan { pack, steps, alone, scores, .. } = &self.plan;
        let Workspace { values, pixels } = memory;
        let (early, late) = steps.split_at(*alone);
        let (classes, parts) = (scores.shape[0], scores.pixel / N::WORDS);
        let batch = out.len() / classes;
        for at in 0..batch {
            image(first + at, pixels);
            pack.run(self.instructions, pixels, values, at);
            self.steps(early, values, at..at + 1)?;
        }
        self.steps(late, values, 0..batch)?;
        for (at, row) in out.chunks_exact_mut(classes).enumerate() {
            let first = scores.at(at, 0, 0);
            for (class, score) in row.iter_mut().enumerate() {
                *score = N::whole(values, first + class, parts);
            }
        }
        Ok(())
    }

    fn steps(
        &self,
        steps: &[(String, Step<N>)],
        values: &mut [N],
        images: Range<usize>,
    ) -> Result<(), Overflow> {
        steps.iter().try_for_each(|(_, step)| kernel::run(self.instructions, step, values, images.clone()))
    }
}

impl<N: ValueFormat> Executor for Runner<N> {
    fn scores(&self, image: &dyn Fn(usize, &mut [f32]), out: &mut [f32]) {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut memory = idle.unwrap_or_else(|| self.memory());
        let classes = self.plan.scores.shape[0];
        for (turn, out) in out.chunks_mut(TOGETHER * classes).enumerate() {
            let first = turn * TOGETHER;
            if self.group(&mut memory, first, image, out).is_ok() {
                continue;
            }
            // one after the other in fresh memory: nothing depends on the other images of a batch, on what an
            // overflow left behind, or on what is read past the end of a value and multiplied by 0
            for (at, row) in out.chunks_exact_mut(classes).enumerate() {
                memory = self.memory();
                if self.group(&mut memory, first + at, image, row).is_err() {
                    row.fill(f32::NAN);
                }
            }
            memory = self.memory();
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
    }

    fn work(&self) -> u64 {
        Runner::work(self)
    }

    fn profile(&self, pixels: &[f32], rounds: usize) -> Vec<LayerTime> {
        self.layers(pixels, rounds)
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
            let (has, scores, classes) = (batch.len(), out.len(), self.classes);
            return Err(Error::Invalid(format!(
                "a batch of {has} values in images of {len} does not fit {scores} scores of {classes} classes"
            )));
        }
        let copy = |at: usize, pixels: &mut [f32]| pixels.copy_from_slice(&batch[at * len..][..len]);
        self.network.scores(&copy, out);
        Ok(())
    }

    /// Draws the noise into the memory that the first step reads, image after image.
    fn noisy_logits(
        &self,
        x: &[f32],
        parts: &[(Noise, Draws)],
        _: &mut Vec<f32>,
        out: &mut [f32],
    ) -> Result<(), Error> {
        if x.len() != self.input_len() {
            let (has, wants) = (x.len(), self.input_len());
            return Err(Error::Invalid(format!("the input has {has} values, the network takes {wants}")));
        }
        let request = Request::new(x, parts)?;
        let images = request.copies();
        if out.len() != images * self.classes {
            let (room, classes) = (out.len(), self.classes);
            return Err(Error::Invalid(format!(
                "there is room for {room} scores, {images} images have {classes} each"
            )));
        }
        self.network.scores(&|at, pixels| request.write(at, pixels), out);
        Ok(())
    }
}
