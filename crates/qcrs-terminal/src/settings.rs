//! What do the options about model and data mean?

use crate::process;
use anyhow::{Context, bail};
use qcrs::data::{self, OpenOptions, Opened, Split};
use qcrs::sample::InputTransform;
use qcrs_onnx::{LoadOptions, Model};
use rayon::ThreadPool;
use std::path::PathBuf;

/// A classifier in a file, and how it is run.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// The ONNX file.
    pub path: PathBuf,
    /// What runs it, and how. [`ModelSettings::load`] puts in what depends on the data: transform and image.
    pub options: LoadOptions,
    /// The normalisation that the model expects but does not contain: a name, or MEANS/DEVIATIONS.
    pub normalize: Option<String>,
    /// Whether the model expects blue first.
    pub bgr: bool,
}

impl ModelSettings {
    /// Noisy copies per call of the engine, unless something else is asked for.
    pub const BATCH: u32 = 16;

    /// The classifier at `path`, run on all cores by the engine that suits it best.
    pub fn new(path: PathBuf) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let (trial, batch) = (process::trial(), Self::BATCH);
        let options = LoadOptions { trial, batch, threads, ..LoadOptions::default() };
        Self { path, options, normalize: None, bgr: false }
    }

    /// Loads the model for images of this shape (channels, height, width), such as `image`.
    pub fn load(&self, shape: [usize; 3], image: Option<Vec<f32>>) -> anyhow::Result<Model> {
        self.is_file()?;
        let transform = self.transform(shape[0])?;
        let options = LoadOptions { transform, image, ..self.options.clone() };
        Ok(qcrs_onnx::load(&self.path, shape, &options)?)
    }

    /// Makes sure that the file exists.
    pub fn is_file(&self) -> anyhow::Result<()> {
        if self.path.is_file() {
            return Ok(());
        }
        let inside = self.path.join("model.onnx");
        let hint = if inside.is_file() { format!(", such as {}", inside.display()) } else { String::new() };
        let what = if self.path.is_dir() { "this is a folder" } else { "there is no such file" };
        bail!("{}: {what}; --model takes the path of an ONNX file{hint}", self.path.display())
    }

    /// Threads to call the engine with.
    pub fn pool(&self) -> anyhow::Result<ThreadPool> {
        let threads = self.options.threads;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.with_context(|| format!("cannot start {threads} threads"))
    }

    /// What is done to the pixels of data with this many channels, if anything.
    pub fn transform(&self, channels: usize) -> anyhow::Result<Option<InputTransform>> {
        transform(self.normalize.as_deref(), self.bgr, channels)
    }
}

/// Images at a path, and how they are read.
#[derive(Clone, Debug)]
pub struct DataSettings {
    /// A file or folder.
    pub path: PathBuf,
    /// How it is read, except for the part.
    pub options: OpenOptions,
    /// The part to read of a dataset that has two; by default the test part, or everything if there is only
    /// one.
    pub split: Option<Split>,
    /// Whether the data may have fewer classes than the model; they are then the first ones.
    pub allow_fewer_classes: bool,
}

impl DataSettings {
    /// The images at `path`, read as they usually are.
    pub fn new(path: PathBuf) -> Self {
        Self { path, options: OpenOptions::default(), split: None, allow_fewer_classes: false }
    }

    /// Opens the data, in the part that was asked for, if any.
    pub fn open(&self) -> anyhow::Result<Opened> {
        let split = self.split.unwrap_or_default();
        let opened = data::open(&self.path, &OpenOptions { split, ..self.options.clone() })?;
        if self.split.is_some() && !opened.has_parts {
            bail!("{} has no {split} part, because it is not split; leave --split out", self.path.display());
        }
        Ok(opened)
    }
}

/// What `--normalize` and `--bgr` do to pixels with this many channels.
fn transform(normalize: Option<&str>, bgr: bool, channels: usize) -> anyhow::Result<Option<InputTransform>> {
    let transform = match normalize {
        None if !bgr => return Ok(None),
        None => InputTransform::none(channels),
        Some(how) => {
            InputTransform::named(how, channels).map_or_else(|| numbers(how), Ok).with_context(|| {
                let names = InputTransform::NAMES.join(", ");
                format!("--normalize {how}: not one of {names}, MEANS/DEVIATIONS")
            })?
        }
    };
    let transform = InputTransform { reversed: bgr, ..transform };
    transform.check(channels)?;
    Ok(Some(transform))
}

/// Means and deviations as numbers.
fn numbers(how: &str) -> anyhow::Result<InputTransform> {
    let Some((means, stds)) = how.split_once('/') else { bail!("no such name") };
    let numbers = |text: &str| text.split(',').map(|number| number.trim().parse()).collect();
    let (mean, std): (Result<Vec<f32>, _>, Result<Vec<f32>, _>) = (numbers(means), numbers(stds));
    Ok(InputTransform { mean: mean?, std: std?, reversed: false })
}
