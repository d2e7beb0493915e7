//! Which of PyTorch's two file formats is it, and where are its parts?

use super::tensors::Storages;
use super::{archive, legacy};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How `torch.save` wrote a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckpointFormat {
    /// A row of pickles and raw numbers: PyTorch before 1.6.
    Legacy,
    /// A ZIP archive: PyTorch 1.6 and later.
    Zip,
}

/// The parts of a file.
pub(super) struct Container<'a> {
    pub(super) format: CheckpointFormat,
    /// The pickle of the saved object.
    pub(super) pickle: Cow<'a, [u8]>,
    pub(super) storages: Storages<'a>,
}

/// Takes a file apart; its first bytes say what it is, for names lie.
pub(super) fn open(file: &[u8]) -> Result<Container<'_>, String> {
    if file.starts_with(legacy::MAGIC) {
        legacy::open(file)
    } else if file.starts_with(archive::MAGIC) {
        archive::open(file)
    } else {
        Err("is not a checkpoint: torch.save writes files that begin differently".into())
    }
}
