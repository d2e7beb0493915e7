//! How does our own engine run it?

use crate::inspect::File;
use crate::network::Run;
use qcrs::sample::Classifier;
use qcrs_cnn::{Cnn, Instructions, Refusal};

/// The engine's name and version, for the record.
pub(crate) const NAME: &str = concat!("qcrs-cnn ", env!("CARGO_PKG_VERSION"), " f32");

pub(crate) fn load(
    file: &File,
    shape: [usize; 3],
    instructions: Option<Instructions>,
) -> Result<Cnn, Refusal> {
    Cnn::read(&file.bytes, &file.external, shape, instructions.unwrap_or_else(Instructions::best))
}

impl Run for Cnn {
    fn run(&self, [rows, ..]: [usize; 4], batch: &[f32]) -> Result<([usize; 2], Vec<f32>), String> {
        let mut scores = vec![0.0; rows * self.num_classes()];
        self.logits(batch, &mut scores).map_err(|error| error.to_string())?;
        Ok(([rows, self.num_classes()], scores))
    }

    fn in_place(&self) -> Option<&dyn Classifier> {
        Some(self)
    }
}
