//! Which classifier, run how?

use crate::process;
use anyhow::{Context, bail};
use qcrs::sample::InputTransform;
use qcrs_onnx::{Device, EngineChoice, LoadOptions, Model, OutputKind, Precision};
use std::path::PathBuf;

/// Options about the classifier.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// The classifier, an ONNX file
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,
    /// What runs it: auto takes our own engine (cnn) where it knows the operators and is fast, else onnxruntime
    /// where it is installed, else rten
    #[arg(long, requires = "model", default_value_t, value_name = "auto|cnn|rten|ort")]
    pub engine: EngineChoice,
    /// Where onnxruntime runs it
    #[arg(long, requires = "model", default_value_t, value_name = "cpu|cuda|tensorrt|coreml")]
    pub device: Device,
    /// How our own engine keeps values between two layers; bf16 is another classifier, fast on processors with AMX
    #[arg(long, requires = "model", default_value_t, value_name = "f32|bf16")]
    pub precision: Precision,
    /// What its scores are
    #[arg(long, requires = "model", default_value_t, value_name = "logits|probs")]
    pub output: OutputKind,
    /// Normalisation that the model expects but does not hold, applied after the noise:
    /// cifar10, imagenet, half ((x − ½)/½), 255, or MEANS/DEVIATIONS such as 0.5,0.5,0.5/0.2,0.2,0.2
    #[arg(long, requires = "model", alias = "normalise", value_name = "HOW")]
    pub normalize: Option<String>,
    /// The model expects blue first
    #[arg(long, requires = "model")]
    pub bgr: bool,
    /// Threads, each with its own copy of the engine [default: all cores]
    #[arg(long, requires = "model", value_name = "T", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Noisy copies per call of the engine
    #[arg(long, requires = "model", default_value_t = 16, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub batch: u32,
}

impl ModelArgs {
    /// Loads the model for images of this shape (channels, height, width), such as `image`.
    pub fn load(&self, shape: [usize; 3], image: Option<Vec<f32>>) -> anyhow::Result<Model> {
        let &Self { engine, device, precision, output, batch, .. } = self;
        self.is_file()?;
        let (threads, transform) = (self.threads(), self.transform(shape[0])?);
        let base = LoadOptions { trial: process::trial(), transform, image, batch, ..LoadOptions::default() };
        let options = LoadOptions { engine, device, precision, output, threads, ..base };
        Ok(qcrs_onnx::load(&self.model, shape, &options)?)
    }

    /// Makes sure that there is a file at all.
    pub fn is_file(&self) -> anyhow::Result<()> {
        if self.model.is_file() {
            return Ok(());
        }
        let inside = self.model.join("model.onnx");
        let hint = if inside.is_file() { format!(", such as {}", inside.display()) } else { String::new() };
        let what = if self.model.is_dir() { "this is a folder" } else { "there is no such file" };
        bail!("{}: {what}; --model takes the path of an ONNX file{hint}", self.model.display())
    }

    /// How many threads call the engine.
    pub fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(all, usize::from)
    }

    /// What is to be done to the pixels of data with so many channels, if anything.
    pub fn transform(&self, channels: usize) -> anyhow::Result<Option<InputTransform>> {
        transform(self.normalize.as_deref(), self.bgr, channels)
    }
}

/// What `--normalize` and `--bgr` do to pixels of so many channels.
pub fn transform(
    normalize: Option<&str>,
    bgr: bool,
    channels: usize,
) -> anyhow::Result<Option<InputTransform>> {
    let (mean, std) = match normalize {
        None if !bgr => return Ok(None),
        None => (vec![0.0; channels], vec![1.0; channels]),
        Some(how) => normalisation(how, channels).with_context(|| {
            format!("--normalize {how}: not one of cifar10, imagenet, half, 255, MEANS/DEVIATIONS")
        })?,
    };
    let transform = InputTransform { mean, std, reversed: bgr };
    transform.check(channels)?;
    Ok(Some(transform))
}

/// Means and deviations by name (those of the published training programs) or as numbers.
fn normalisation(how: &str, channels: usize) -> anyhow::Result<(Vec<f32>, Vec<f32>)> {
    Ok(match how {
        "cifar10" => (vec![0.4914, 0.4822, 0.4465], vec![0.2023, 0.1994, 0.2010]),
        "imagenet" => (vec![0.485, 0.456, 0.406], vec![0.229, 0.224, 0.225]),
        "half" => (vec![0.5; channels], vec![0.5; channels]),
        "255" => (vec![0.0; channels], vec![1.0 / 255.0; channels]),
        _ => {
            let Some((means, stds)) = how.split_once('/') else { bail!("no such name") };
            let numbers = |text: &str| text.split(',').map(|number| number.trim().parse()).collect();
            let (means, stds): (Result<Vec<f32>, _>, Result<Vec<f32>, _>) = (numbers(means), numbers(stds));
            (means?, stds?)
        }
    })
}
