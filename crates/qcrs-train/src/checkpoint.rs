//! What must be remembered to go on after a power cut?

use crate::network::Network;
use crate::sgd::Sgd;
use qcrs::files;
use qcrs::types::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use tch::{Device, Tensor};

/// How far a training has come; everything else follows from the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct TrainingState {
    /// Whole epochs behind us.
    pub(crate) epoch: usize,
    /// Steps of the epoch behind us.
    pub(crate) step: usize,
    /// Sum of the losses of these steps.
    pub(crate) loss: f64,
    /// Images of these steps that were classified rightly.
    pub(crate) correct: i64,
    /// Seconds spent on this epoch.
    pub(crate) seconds: f64,
}

const WEIGHT: &str = "weight/";
const VELOCITY: &str = "velocity/";
const STATE: &str = "state";

/// Saves everything to one file, whole or not at all.
pub(crate) fn save(path: &Path, network: &Network, sgd: &Sgd, state: &TrainingState) -> Result<(), Error> {
    let text = serde_json::to_vec(state).map_err(|error| Error::format(path, error.to_string()))?;
    let ready = |tensor: &Tensor| tensor.detach().to_device(Device::Cpu).contiguous();
    let mut tensors = vec![(STATE.to_owned(), Tensor::from_slice(&text))];
    for weight in network.weights() {
        tensors.push((format!("{WEIGHT}{}", weight.name), ready(&network.tensor(&weight.name))));
    }
    for (name, velocity) in &sgd.velocities {
        tensors.push((format!("{VELOCITY}{name}"), ready(velocity)));
    }
    files::replace(path, |aside| {
        Tensor::write_safetensors(&tensors, aside).map_err(|error| {
            Error::format(
                path,
                format!("{error}; free some disk space, then run the same command again to resume"),
            )
        })
    })
}

/// Reads a file of [`save`] back into a network of the same architecture.
pub(crate) fn load(path: &Path, network: &mut Network, sgd: &mut Sgd) -> Result<TrainingState, Error> {
    let mut found = read(path)?;
    let broken =
        |problem: &str| Error::format(path, format!("{problem}; this is not a checkpoint of qcrs-train"));
    let text = found.remove(STATE).ok_or_else(|| broken("holds no state"))?;
    let text: Vec<u8> = text.try_into().map_err(|_| broken("its state is not text"))?;
    let state = serde_json::from_slice(&text).map_err(|error| broken(&error.to_string()))?;
    let (weights, velocities) = (with_prefix(&found, WEIGHT), with_prefix(&found, VELOCITY));
    network.set(&weights).map_err(|error| Error::format(path, error.to_string()))?;
    for (name, velocity) in &mut sgd.velocities {
        let saved = velocities.get(name).filter(|saved| saved.size() == velocity.size());
        velocity.copy_(saved.ok_or_else(|| broken(&format!("the velocity of {name} is missing")))?);
    }
    Ok(state)
}

/// The weights in a checkpoint, by name.
pub fn weights(path: &Path) -> Result<BTreeMap<String, Tensor>, Error> {
    Ok(with_prefix(&read(path)?, WEIGHT))
}

fn read(path: &Path) -> Result<BTreeMap<String, Tensor>, Error> {
    if !path.exists() {
        return Err(Error::format(path, "there is no such checkpoint"));
    }
    let tensors = Tensor::read_safetensors(path).map_err(|error| {
        Error::format(path, format!("{error}; the checkpoint is damaged, start again in another folder"))
    })?;
    Ok(tensors.into_iter().collect())
}

fn with_prefix(tensors: &BTreeMap<String, Tensor>, prefix: &str) -> BTreeMap<String, Tensor> {
    let named = |(name, tensor): (&String, &Tensor)| {
        name.strip_prefix(prefix).map(|name| (name.to_owned(), tensor.shallow_clone()))
    };
    tensors.iter().filter_map(named).collect()
}
