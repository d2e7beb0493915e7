//! What are the scores of a batch of any size?

use crate::device::OutputKind;
use qcrs::noise::{Draws, Noise};
use qcrs::sample::Classifier;
use qcrs::sample::engine::noisy_copies;
use qcrs::types::Error;

/// What an engine does: it runs one batch, on the calling thread, from any thread.
pub(crate) trait Engine: Send + Sync {
    /// Runs a batch of `shape` = [N, C, H, W]; returns [rows, columns] and the scores.
    fn run(&self, shape: [usize; 4], batch: &[f32]) -> Result<([usize; 2], Vec<f32>), String>;

    /// The engine itself, if it scores any number of images and can draw noise where it computes.
    fn in_place(&self) -> Option<&dyn Classifier> {
        None
    }
}

/// A loaded model: an engine, and the checks of each of its answers.
pub(crate) struct CheckedEngine {
    engine: Box<dyn Engine>,
    shape: [usize; 3],
    fixed_batch: Option<usize>,
    output: OutputKind,
    classes: usize,
}

impl CheckedEngine {
    /// Runs a small batch of grey images to learn the number of classes.
    pub(crate) fn new(
        engine: Box<dyn Engine>,
        shape: [usize; 3],
        fixed_batch: Option<usize>,
        output: OutputKind,
    ) -> Result<Self, String> {
        let mut network = Self { engine, shape, fixed_batch, output, classes: 0 };
        // two rows, to detect a model that answers once per batch
        let rows = fixed_batch.unwrap_or(2);
        let grey = vec![0.5; rows * network.input_len()];
        let ([found, classes], scores) = network.engine.run(network.batch_shape(rows), &grey)?;
        if found != rows || classes < 2 || scores.len() != rows * classes {
            return Err(format!(
                "{rows} images gave scores of shape {found}×{classes}; qcrs needs one row of at least two class scores per image"
            ));
        }
        if let Some(score) = scores.iter().find(|score| !score.is_finite()) {
            return Err(format!("a grey image scored {score}; the model's weights or its export are broken"));
        }
        network.classes = classes;
        network.check_rows(&scores)?;
        Ok(network)
    }

    fn batch_shape(&self, rows: usize) -> [usize; 4] {
        let [c, h, w] = self.shape;
        [rows, c, h, w]
    }

    fn run_exactly(&self, batch: &[f32], out: &mut [f32]) -> Result<(), String> {
        let rows = batch.len() / self.input_len();
        let (shape, scores) = self.engine.run(self.batch_shape(rows), batch)?;
        if shape != [rows, self.classes] || scores.len() < out.len() {
            let ([r, c], classes) = (shape, self.classes);
            return Err(format!(
                "a batch of {rows} gave scores of shape {r}×{c} instead of {rows}×{classes}"
            ));
        }
        self.check_rows(&scores)?;
        out.copy_from_slice(&scores[..out.len()]);
        Ok(())
    }

    fn check_rows(&self, scores: &[f32]) -> Result<(), String> {
        if self.output == OutputKind::Logits {
            return Ok(());
        }
        // a score that is not finite is refused where votes are counted
        let finite = |row: &&[f32]| row.iter().all(|p| p.is_finite());
        for row in scores.chunks_exact(self.classes).filter(finite) {
            let sum: f64 = row.iter().map(|&p| f64::from(p)).sum();
            if row.iter().any(|&p| p < 0.0) || (sum - 1.0).abs() > 1e-3 {
                return Err(format!(
                    "the output was said to be probabilities, but a row with sum {sum} is not; say logits instead"
                ));
            }
        }
        Ok(())
    }
}

impl Classifier for CheckedEngine {
    fn input_len(&self) -> usize {
        self.shape.iter().product()
    }

    fn num_classes(&self) -> usize {
        self.classes
    }

    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
        let rows = batch.len() / self.input_len();
        if batch.len() != rows * self.input_len() || out.len() != rows * self.classes {
            let (has, wants) = (batch.len(), self.input_len());
            let text =
                format!("a batch of {has} values is not {} images of {wants}", out.len() / self.classes);
            return Err(Error::Invalid(text));
        }
        if rows == 0 {
            return Ok(());
        }
        let Some(fixed) = self.fixed_batch else {
            return self.run_exactly(batch, out).map_err(Error::Engine);
        };
        for (part, out) in batch.chunks(fixed * self.input_len()).zip(out.chunks_mut(fixed * self.classes)) {
            let mut padded = part.to_vec();
            padded.resize(fixed * self.input_len(), 0.0);
            self.run_exactly(&padded, out).map_err(Error::Engine)?;
        }
        Ok(())
    }

    fn noisy_logits(
        &self,
        x: &[f32],
        parts: &[(Noise, Draws)],
        batch: &mut Vec<f32>,
        out: &mut [f32],
    ) -> Result<(), Error> {
        if let (Some(engine), OutputKind::Logits) = (self.engine.in_place(), self.output) {
            return engine.noisy_logits(x, parts, batch, out);
        }
        noisy_copies(x, parts, batch)?;
        self.logits(batch, out)
    }
}
