//! What should the user of an imported model know?

use super::{CheckpointFormat, Field};
use crate::architecture::Architecture;
use crate::card::{commit, program};
use qcrs::types::Error;
use serde::{Deserialize, Serialize};

/// Where an imported model comes from. How it was trained, and how good it is, is not known here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportCard {
    /// The program that imported it, and its version.
    pub program: String,
    /// The commit it was built from, where known.
    pub commit: Option<String>,
    /// Where the weights come from.
    pub imported: CheckpointSource,
    /// Which network.
    pub architecture: Architecture,
    /// How many numbers training changed.
    pub parameters: i64,
    /// The number of classes.
    pub classes: usize,
    /// Whether the model normalises pixels first.
    pub normalised: bool,
    /// The noise it was trained with, as the user said.
    pub stated_sigma: Option<f64>,
}

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointSource {
    /// The name of the file.
    pub file: String,
    /// Its hash.
    pub blake3: String,
    /// How PyTorch wrote it.
    pub format: CheckpointFormat,
    /// Whose code did.
    pub field: Field,
}

impl ImportCard {
    pub(super) fn new(source: CheckpointSource, network: &crate::network::Network, normalised: bool) -> Self {
        Self {
            program: program(),
            commit: commit(),
            imported: source,
            architecture: network.architecture,
            parameters: network.parameters(),
            classes: network.classes,
            normalised,
            stated_sigma: None,
        }
    }

    /// The card as the metadata of an ONNX file: the main facts each on its own, and the whole as JSON.
    pub fn metadata(&self) -> Result<Vec<(String, String)>, Error> {
        let CheckpointSource { file, blake3, field, .. } = &self.imported;
        let card = serde_json::to_string(self).map_err(|error| Error::Invalid(error.to_string()))?;
        let mut pairs = vec![
            ("qcrs.architecture".to_owned(), self.architecture.to_string()),
            ("qcrs.imported".into(), file.clone()),
            ("qcrs.imported.blake3".into(), blake3.clone()),
            ("qcrs.imported.field".into(), field.to_string()),
            ("qcrs.card".into(), card),
        ];
        pairs.extend(self.stated_sigma.map(|sigma| ("qcrs.sigma".into(), sigma.to_string())));
        Ok(pairs)
    }
}
