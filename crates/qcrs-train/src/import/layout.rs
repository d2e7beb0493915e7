//! Where in a checkpoint are the weights, and under which names? Everyone saves in his own way.

use super::pickle::Pickle;
use super::tensors::View;
use super::values::{Id, PickleValue};
use crate::architecture::Architecture;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Whose code wrote a checkpoint, as far as it can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// Cohen et al. 2019 and those who build on their code: the network is number 1 of a sequence, after
    /// the normalisation of pixels, which has no weights.
    Cohen,
    /// MACER, Zhai et al. 2020: the weights are under `net`, and pixels are not normalised.
    Macer,
    /// Weights, and no word of what happens to the pixels before.
    Plain,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cohen => "cohen",
            Self::Macer => "macer",
            Self::Plain => "plain",
        })
    }
}

impl Field {
    /// Whether such a network normalises pixels itself; none: the file does not tell.
    pub fn normalises(self) -> Option<bool> {
        match self {
            Self::Cohen => Some(true),
            Self::Macer => Some(false),
            Self::Plain => None,
        }
    }
}

/// What a checkpoint says of a network.
pub(super) struct CheckpointLayout<'a> {
    pub(super) field: Field,
    /// What it calls the network.
    pub(super) architecture: Option<&'a str>,
    /// The tensors, by our names.
    pub(super) tensors: BTreeMap<&'a str, &'a View<'a>>,
}

/// `module.` is of DataParallel, which may stand inside the sequence (Cohen) or around it.
const PREFIXES: [&str; 6] = ["module.1.module.", "module.1.", "1.module.", "1.", "module.", ""];

/// Counts batches; batch normalisation does not look at it. PyTorch before 0.4.1 did not count.
const COUNTER: &str = ".num_batches_tracked";

impl<'a> CheckpointLayout<'a> {
    pub(super) fn of(pickle: &'a Pickle<'a>) -> Result<Self, String> {
        let Pickle { values, root, .. } = pickle;
        let inside = |key| values.entry(*root, key).filter(|id| values.dict(*id).is_some());
        let (weights, in_net) = match (inside("state_dict"), inside("net")) {
            (Some(weights), _) => (weights, false),
            (None, Some(weights)) => (weights, true),
            (None, None) => (*root, false),
        };
        let named = named(pickle, weights)?;
        let first = named.first().map_or("", |(name, _)| *name);
        let prefix = PREFIXES.into_iter().find(|prefix| first.starts_with(prefix)).unwrap_or_default();
        let mut tensors = BTreeMap::new();
        for (name, view) in named {
            let own = name
                .strip_prefix(prefix)
                .ok_or_else(|| format!("names {first} and {name}, which cannot be parts of one network"))?;
            tensors.insert(own, view);
        }
        let field = match (prefix.contains("1."), in_net) {
            (true, _) => Field::Cohen,
            (false, true) => Field::Macer,
            (false, false) => Field::Plain,
        };
        let architecture = values.entry(*root, "arch").and_then(|name| values.text(name));
        Ok(Self { field, architecture, tensors })
    }

    /// The architecture that the file names.
    pub(super) fn architecture(&self) -> Result<Architecture, String> {
        let Some(name) = self.architecture else {
            return Err("does not say which network it belongs to; give --arch".into());
        };
        let found = match name.strip_prefix("cifar_") {
            None => name.parse().ok(),
            Some(own) => own.parse().ok().filter(|found| matches!(found, Architecture::CifarResnet(_))),
        };
        found.ok_or_else(|| {
            format!("belongs to a network called '{name}', which is not known here; give --arch")
        })
    }
}

/// The tensors of a state dict, counters left out.
fn named<'a>(pickle: &'a Pickle<'a>, weights: Id) -> Result<Vec<(&'a str, &'a View<'a>)>, String> {
    let values = &pickle.values;
    let entries = values.dict(weights).ok_or("holds no dictionary, so no weights by name")?;
    let mut tensors = Vec::new();
    for (name, value) in entries {
        let name = values.text(*name).ok_or("has a weight whose name is not text")?;
        match values.get(*value) {
            _ if name.ends_with(COUNTER) => {}
            PickleValue::Tensor(view) => tensors.push((name, view)),
            _ => {
                return Err(format!(
                    "'{name}' is not a tensor, and there is no state_dict and no net; save the network's \
                     state_dict with torch.save"
                ));
            }
        }
    }
    if tensors.is_empty() { Err("holds no weights".into()) } else { Ok(tensors) }
}
