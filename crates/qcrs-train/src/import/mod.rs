//! How do the weights of others come in? From PyTorch's checkpoints, which are read and never run.
//!
//! | file        | question it answers                                            |
//! |-------------|----------------------------------------------------------------|
//! | `bytes`     | what are the next bytes, if there are any?                     |
//! | `tensors`   | which numbers is a tensor?                                     |
//! | `values`    | what can stand in a checkpoint?                                |
//! | `globals`   | which names of Python may it mention?                          |
//! | `pickle`    | what does a pickle say?                                        |
//! | `container` | which of the two file formats is it?                           |
//! | `legacy`    | what is in a file before PyTorch 1.6?                          |
//! | `archive`   | what is in a file since PyTorch 1.6?                           |
//! | `layout`    | where are the weights, and under which names?                  |
//! | `card`      | what should the user of an imported model know?                |

mod archive;
mod bytes;
mod card;
mod container;
mod globals;
mod layout;
mod legacy;
mod pickle;
mod tensors;
mod values;

pub use card::{CheckpointSource, ImportCard};
pub use container::CheckpointFormat;
pub use layout::Field;

use crate::architecture::Architecture;
use crate::layers;
use crate::network::Network;
use layout::CheckpointLayout;
use qcrs::types::Error;
use std::collections::BTreeMap;
use std::path::Path;
use tch::{Device, Tensor};
use tensors::Storages;

/// What the user says of a checkpoint; what is left out is read from the file, or asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    /// Which network.
    pub architecture: Option<Architecture>,
    /// How many classes: a check, for the last layer tells.
    pub classes: Option<usize>,
    /// Whether the network normalises pixels first.
    pub normalised: Option<bool>,
    /// The noise it was trained with: a note for the card.
    pub sigma: Option<f64>,
}

/// Reads a checkpoint of PyTorch. Nothing in it is run. The network has exactly the weights of the file,
/// all of them numbers; anything missing, left over or of another shape is an error.
pub fn read(path: &Path, told: &Told) -> Result<(Network, ImportCard), Error> {
    if let Some(sigma) = told.sigma.filter(|sigma| !(sigma.is_finite() && *sigma >= 0.0)) {
        return Err(Error::Invalid(format!("sigma must be finite and not negative, got {sigma}")));
    }
    let file = std::fs::read(path).map_err(Error::io(path))?;
    let (network, mut card) =
        decode(&file, told).map_err(|problem| Error::format(path, printable(&problem)))?;
    card.imported.file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    card.stated_sigma = told.sigma;
    Ok((network, card))
}

/// A problem may quote the file, which may hold what a terminal obeys, and much of it.
fn printable(problem: &str) -> String {
    const LONGEST: usize = 500;
    problem.chars().take(LONGEST).map(|char| if char.is_control() { '?' } else { char }).collect()
}

fn decode(file: &[u8], told: &Told) -> Result<(Network, ImportCard), String> {
    let container = container::open(file)?;
    let pickle = pickle::read(&container.pickle)?;
    let layout = CheckpointLayout::of(&pickle)?;
    let architecture = told.architecture.map_or_else(|| layout.architecture(), Ok)?;
    let normalised = told.normalised.or(layout.field.normalises()).ok_or(
        "does not say whether its network normalises pixels itself; give --normalise yes or --normalise no",
    )?;
    let weights = weights(&layout, &container.storages, file.len())?;
    let classes = classes(&layout, architecture)?;
    if let Some(told) = told.classes.filter(|told| *told != classes) {
        return Err(format!("its last layer has {classes} classes, not the {told} that you gave"));
    }
    let mut network = Network::new(architecture, classes, 0, Device::Cpu);
    if !normalised {
        network = network.without_normalisation();
    }
    network.set(&weights).map_err(|error| error.to_string())?;
    let source = CheckpointSource {
        file: String::new(),
        blake3: blake3::hash(file).to_string(),
        format: container.format,
        field: layout.field,
    };
    let card = ImportCard::new(source, &network, normalised);
    Ok((network, card))
}

/// The number of classes by the last layer, whose other size must be the architecture's.
fn classes(layout: &CheckpointLayout<'_>, architecture: Architecture) -> Result<usize, String> {
    const LAST: &str = "fc.weight";
    let own = layers::weights(&architecture.layers(1)).into_iter().find(|weight| weight.name == LAST);
    let inputs = own.and_then(|weight| usize::try_from(*weight.shape.last()?).ok());
    let shape = layout.tensors.get(LAST).map(|view| view.shape.as_slice());
    match shape {
        Some([classes, found]) if Some(*found) == inputs && *classes > 0 => Ok(*classes),
        Some(shape) => Err(format!(
            "these are not the weights of {architecture}: {LAST} has shape {shape:?} instead of [classes, {}]",
            inputs.unwrap_or_default()
        )),
        None => Err(format!("these are not the weights of {architecture}: {LAST} is missing")),
    }
}

/// The numbers of all tensors. Tensors may share a storage, but not so that a small file fills the memory.
fn weights(
    layout: &CheckpointLayout<'_>,
    storages: &Storages<'_>,
    limit: usize,
) -> Result<BTreeMap<String, Tensor>, String> {
    let mut left = limit;
    let mut weights = BTreeMap::new();
    for (name, view) in &layout.tensors {
        let at = |problem: String| format!("{name}: {problem}");
        left = left.checked_sub(view.count().map_err(at)?).ok_or_else(|| {
            format!("{name}: with this tensor there are more numbers than the file has bytes; it is damaged")
        })?;
        let values = view.read(storages).map_err(at)?;
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(at(format!("holds the value {value}; only finite weights make a classifier")));
        }
        if name.ends_with("running_var") && values.iter().any(|value| *value < 0.0) {
            return Err(at("holds a negative variance; the file is damaged".into()));
        }
        let shape: Result<Vec<i64>, _> = view.shape.iter().map(|size| i64::try_from(*size)).collect();
        let shape = shape.map_err(|error| at(error.to_string()))?;
        let tensor = Tensor::f_from_slice(&values).and_then(|flat| flat.f_view(shape.as_slice()));
        weights.insert((*name).to_owned(), tensor.map_err(|error| at(error.to_string()))?);
    }
    Ok(weights)
}
