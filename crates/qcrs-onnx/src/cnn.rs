//! How does our own engine run it?

use crate::inspect::File;
use crate::network::Engine;
use qcrs::sample::Classifier;
use qcrs_cnn::{Cnn, Instructions, Precision, Refusal};

/// The engine's name and version, for the record.
pub(crate) fn name(precision: Precision) -> String {
    format!("qcrs-cnn {} {precision}", env!("CARGO_PKG_VERSION"))
}

pub(crate) fn load(
    file: &File,
    shape: [usize; 3],
    instructions: Option<Instructions>,
    precision: Precision,
) -> Result<Cnn, Refusal> {
    let instructions = instructions.unwrap_or_else(Instructions::best);
    Cnn::read(&file.bytes, &file.external, shape, instructions, precision)
}

impl Engine for Cnn {
    fn run(&self, [rows, ..]: [usize; 4], batch: &[f32]) -> Result<([usize; 2], Vec<f32>), String> {
        let mut scores = vec![0.0; rows * self.num_classes()];
        self.logits(batch, &mut scores).map_err(|error| error.to_string())?;
        Ok(([rows, self.num_classes()], scores))
    }

    fn in_place(&self) -> Option<&dyn Classifier> {
        Some(self)
    }
}
