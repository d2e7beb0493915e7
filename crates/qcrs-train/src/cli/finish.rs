//! What does a training leave behind? A model, and a card that says what it is worth.

use super::options::TrainOptions;
use anyhow::{Context, Result};
use qcrs::data::Split;
use qcrs_train::architecture::Architecture;
use qcrs_train::card::{Accuracy, Card, Data};
use qcrs_train::images::Images;
use qcrs_train::log;
use qcrs_train::network::Network;
use qcrs_train::onnx;
use qcrs_train::train::{CHECKPOINT, LOG, SPEC, Training, TrainingSpec, read_weights};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tch::{Device, Tensor};

const MODEL: &str = "model.onnx";
const CARD: &str = "card.json";

/// The images that the result is tested on: never those it was trained on.
pub fn test_set(options: &TrainOptions, training: &Images) -> Result<Option<Images>> {
    let path = options.test.as_ref().unwrap_or(&options.data);
    let test = options.open(path, Split::Test).with_context(|| match &options.test {
        Some(_) => "the images to test the result on".to_owned(),
        None => {
            format!("{} has no test part to test the result on; give test images with --test", path.display())
        }
    })?;
    if test.about.blake3 != training.about.blake3 {
        // now, not after hours of training
        test.check_shape(options.arch.input()).with_context(|| path.display().to_string())?;
        if test.classes > training.classes {
            let (path, has, knows) = (path.display(), test.classes, training.classes);
            return super::refuse(format!(
                "{path}: these images have {has} classes, the training images {knows}; give images of the same classes"
            ));
        }
        return Ok(Some(test));
    }
    match &options.test {
        Some(path) => super::refuse(format!(
            "{} holds the training images; give other images to test on",
            path.display()
        )),
        None => Ok(None),
    }
}

/// Tests the network, and writes model and card.
pub fn write(network: &Network, training: &Training<'_>, test: Option<&Images>) -> Result<()> {
    let Training { settings, images, folder, .. } = training;
    let held_out = images.part(settings.held_out, settings.seed)?.held_out;
    let mut card = Card::new(network, Data::of(images), settings, settings.epochs);
    if !held_out.is_empty() {
        card.held_out = Some(Accuracy::measure(network, images, &held_out, settings)?);
    }
    if let Some(test) = test {
        let all: Vec<usize> = (0..test.len()).collect();
        card.test = Some(Accuracy::measure(network, test, &all, settings)?);
    }
    card.write(&folder.join(CARD))?;
    onnx::write(&folder.join(MODEL), network, &card.metadata()?)?;
    if let Some(Accuracy { clean, noisy, .. }) = &card.test {
        println!("test: {}/{} under noise, {}/{} clean", noisy.correct, noisy.of, clean.correct, clean.of);
    }
    println!("{}", folder.join(MODEL).display());
    Ok(())
}

/// Writes the model of a training's last checkpoint; its card is the one in the folder, if training has ended.
pub fn export_again(folder: &Path, out: Option<&Path>) -> Result<()> {
    let spec = spec(folder)?;
    let mut network = Network::new(spec.settings.architecture, spec.classes, 0, Device::Cpu);
    network.set(&weights(folder)?)?;
    let path = folder.join(CARD);
    let card = if path.exists() {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())?
    } else {
        let epochs = log::read(&folder.join(LOG))?.len();
        Card::new(&network, spec.data, &spec.settings, epochs)
    };
    let out = out.map_or_else(|| folder.join(MODEL), Path::to_owned);
    onnx::write(&out, &network, &card.metadata()?)?;
    println!("{}", out.display());
    Ok(())
}

/// What the training in a folder depends on.
pub fn spec(folder: &Path) -> Result<TrainingSpec> {
    let path = folder.join(SPEC);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{}: there is no training here", path.display()))?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

/// The weights in a checkpoint or in a training's folder.
pub fn weights(path: &Path) -> Result<BTreeMap<String, Tensor>> {
    Ok(read_weights(&checkpoint(path))?)
}

/// The weights at `path`, if they are those of this network.
pub fn weights_of(
    path: &Path,
    architecture: Architecture,
    classes: usize,
) -> Result<BTreeMap<String, Tensor>> {
    let weights = weights(path)?;
    Network::new(architecture, classes, 0, Device::Cpu).set(&weights).with_context(|| {
        format!("{}: start from a training with the same --arch and classes", checkpoint(path).display())
    })?;
    Ok(weights)
}

/// The hash of a checkpoint file.
pub fn hash(path: &Path) -> Result<String> {
    let file = checkpoint(path);
    let bytes = std::fs::read(&file).with_context(|| file.display().to_string())?;
    Ok(blake3::hash(&bytes).to_string())
}

fn checkpoint(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(CHECKPOINT) } else { path.to_owned() }
}
