//! How does our own engine run it?

use super::{EngineRequest, Refused, Started};
use crate::inspect::File;
use crate::network::Engine;
use qcrs::sample::Classifier;
use qcrs_cnn::{Cnn, Instructions, Precision, Refusal};

pub(super) fn start(request: &EngineRequest<'_>) -> Result<Started, Refused> {
    let &EngineRequest { file, shape, instructions, precision, .. } = request;
    let engine = load(file, shape, instructions, precision)?;
    let slow = instructions.unwrap_or_else(Instructions::best).are_slow();
    Ok(Started {
        engine: Box::new(engine),
        name: format!("qcrs-cnn {} {precision}", env!("CARGO_PKG_VERSION")),
        slow: slow.then_some("this processor lacks AVX2 and FMA, without which ours is very slow"),
    })
}

impl From<Refusal> for Refused {
    fn from(why: Refusal) -> Self {
        match why {
            Refusal::Broken(_) => Self::Broken(why.to_string()),
            Refusal::Unsupported(_) => Self::Unable(why.to_string()),
        }
    }
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
