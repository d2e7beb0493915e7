//! All of it: from a file to a checked classifier.

use crate::fit::{InputShape, fit};
use crate::inspect::{self, File};
use crate::network::{Network, Run};
use crate::options::{Device, EngineChoice, LoadOptions};
use crate::probe;
use qcrs::sample::Classifier;
use qcrs::types::Error;
use qcrs_cnn::{Cnn, Instructions, Precision, Refusal};
use std::path::Path;

/// A model that was loaded, run once and checked.
pub struct Model {
    /// Scores batches of any size, from up to [`LoadOptions::threads`] threads at once.
    pub classifier: Box<dyn Classifier + Send + Sync>,
    /// What runs it, with its version; scores of another engine may differ in the last bits.
    pub engine: String,
    /// The BLAKE3 hash of everything that was loaded: the file, and the files with weights beside it.
    pub blake3: String,
    /// One image, as the model declares it.
    pub input: InputShape,
    /// The number of images the model was exported for, if it takes no other; calls are split and
    /// padded to it, so batches that are multiples of it are fastest.
    pub fixed_batch: Option<usize>,
    /// Whether some images scored the same bits alone and in batches of 7 and 32. Tried, not proven.
    pub batch_invariant: bool,
    /// What the user should know, one sentence each.
    pub notes: Vec<String>,
}

/// Loads the ONNX model at `path` for images of `shape` = [channels, height, width], values in [0, 1].
pub fn load(path: &Path, shape: [usize; 3], options: &LoadOptions) -> Result<Model, Error> {
    if options.threads == 0 || shape.contains(&0) {
        return Err(Error::Invalid(format!(
            "an engine needs at least one thread and one pixel, got {options:?}, {shape:?}"
        )));
    }
    if matches!(options.engine, EngineChoice::Cnn | EngineChoice::Rten) && options.device != Device::Cpu {
        let (engine, device) = (options.engine, options.device);
        return Err(Error::Invalid(format!(
            "{engine} runs on the cpu only; for {device} use the engine ort"
        )));
    }
    if options.precision != Precision::F32 && matches!(options.engine, EngineChoice::Rten | EngineChoice::Ort)
    {
        let (engine, precision) = (options.engine, options.precision);
        return Err(Error::Invalid(format!("{engine} does not compute in {precision}; the engine cnn does")));
    }
    let file = inspect::read(path)?;
    let (input, fixed_batch) = fit(&file.graph, shape).map_err(|problem| Error::format(path, problem))?;
    let mut notes = Vec::new();
    let source = Source { file: &file, path, shape, any_batch: fixed_batch.is_none() };
    let (run, engine) =
        start(&source, options, &mut notes).map_err(|problem| Error::format(path, problem))?;
    let fixed_batch = fixed_batch.filter(|_| run.in_place().is_none());
    let network = Network::new(run, shape, fixed_batch, options.output)
        .map_err(|problem| Error::format(path, format!("{engine}: {problem}")))?;
    // each thread's engine of TensorRT is built by itself, and two builds may differ
    let batch_invariant = probe::batch_invariant(&network)? && options.device != Device::TensorRt;
    if let Some(batch) = fixed_batch {
        notes.push(format!("the model takes exactly {batch} images at a time, others are padded; export it with a dynamic batch for speed"));
    }
    if !batch_invariant {
        notes.push(format!("with {engine} the last bits of a score depend on the batch; repeat a run with the same batch size"));
    }
    let coarse = match options.device {
        Device::CoreMl => Some("core ml may compute in half precision"),
        Device::TensorRt => Some("tensorrt may compute in TF32"),
        Device::Cpu | Device::Cuda => None,
    };
    notes.extend(coarse.map(|what| format!("{what}; the certificates concern that classifier")));
    if options.precision == Precision::Bf16 {
        notes.push(
            "values and weights are rounded to 8 significant bits: the certificates concern that classifier"
                .into(),
        );
        if !Cnn::is_fast(options.instructions.unwrap_or_else(Instructions::best), Precision::Bf16) {
            notes.push(
                "this processor has no AMX: bf16 is computed as AMX does it, but slower than f32".into(),
            );
        }
    }
    let blake3 = file.blake3();
    Ok(Model { classifier: Box::new(network), engine, blake3, input, fixed_batch, batch_invariant, notes })
}

/// Our own engine on the model at `path`, to look into.
pub fn look_into(path: &Path, shape: [usize; 3], precision: Precision) -> Result<Cnn, Error> {
    let file = inspect::read(path)?;
    crate::cnn::load(&file, shape, None, precision).map_err(|why| Error::format(path, refused(&why, "ort")))
}

/// Runs the model at a path once, on black images, with onnxruntime.
#[cfg(feature = "ort")]
pub(crate) fn run_once(question: &crate::trial::Question<'_>) -> Result<(), String> {
    let file = inspect::read(question.model).map_err(|error| error.to_string())?;
    let [c, h, w] = question.shape;
    let (_, fixed_batch) = fit(&file.graph, question.shape)?;
    let rows = fixed_batch.unwrap_or(1);
    let (engine, _) = crate::ort::Ort::load(&file, question, None, 1)?;
    engine.run([rows, c, h, w], &vec![0.0; rows * c * h * w]).map(drop)
}

type Started = (Box<dyn Run>, String);

/// A file that is to be run, and on what.
struct Source<'a> {
    file: &'a File,
    path: &'a Path,
    shape: [usize; 3],
    any_batch: bool,
}

/// Why our own engine does not take a model, and what to do about it.
fn refused(why: &Refusal, others: &str) -> String {
    match why {
        Refusal::Broken(_) => format!("{why}; export it again, or try the engine {others}"),
        Refusal::Unsupported(_) => format!("{why}; try the engine {others}"),
    }
}

fn start(source: &Source<'_>, options: &LoadOptions, notes: &mut Vec<String>) -> Result<Started, String> {
    match options.engine {
        EngineChoice::Cnn => start_cnn(source, options).map_err(|why| refused(&why, "ort or rten")),
        EngineChoice::Rten => start_rten(source, options).map_err(|why| format!("{why}; try the engine ort")),
        EngineChoice::Ort => start_ort(source, options).map_err(|why| match options.device {
            Device::Cpu => format!("{why}; or use the engine rten"),
            _ => why,
        }),
        // no other engine has another device
        EngineChoice::Auto if options.device != Device::Cpu => start_ort(source, options),
        // nor another precision
        EngineChoice::Auto if options.precision != Precision::F32 => {
            start_cnn(source, options).map_err(|why| why.to_string())
        }
        EngineChoice::Auto => {
            let slow = options.instructions.unwrap_or_else(Instructions::best).are_slow();
            match start_cnn(source, options) {
                Ok(ours) if slow => {
                    let why = "this processor lacks AVX2 and FMA, without which ours is very slow";
                    if let Ok(started) = start_other(source, options, why, notes) {
                        return Ok(started);
                    }
                    notes.push(format!("{why}; and no other engine takes the model"));
                    Ok(ours)
                }
                Ok(started) => Ok(started),
                Err(broken @ Refusal::Broken(_)) => Err(refused(&broken, "ort")),
                Err(no_cnn @ Refusal::Unsupported(_)) => {
                    start_other(source, options, &no_cnn.to_string(), notes)
                }
            }
        }
    }
}

/// Another engine than ours, with a note that says why.
fn start_other(
    source: &Source<'_>,
    options: &LoadOptions,
    no_cnn: &str,
    notes: &mut Vec<String>,
) -> Result<Started, String> {
    let (started, why) = match start_ort(source, options) {
        Ok(started) => (started, no_cnn.to_owned()),
        Err(no_ort) => {
            let none = |no_rten| format!("{no_rten}; and {no_ort}; and {no_cnn}");
            (start_rten(source, options).map_err(none)?, format!("{no_cnn}, and {no_ort}"))
        }
    };
    notes.push(format!("engine: {}, because {why}", started.1));
    Ok(started)
}

fn start_cnn(source: &Source<'_>, options: &LoadOptions) -> Result<Started, Refusal> {
    let engine = crate::cnn::load(source.file, source.shape, options.instructions, options.precision)?;
    Ok((Box::new(engine), crate::cnn::name(options.precision)))
}

#[cfg(feature = "rten")]
fn start_rten(source: &Source<'_>, options: &LoadOptions) -> Result<Started, String> {
    let engine = crate::rten::Rten::load(source.file, source.any_batch, options.threads)?;
    Ok((Box::new(engine), crate::rten::NAME.to_owned()))
}

#[cfg(not(feature = "rten"))]
fn start_rten(_: &Source<'_>, _: &LoadOptions) -> Result<Started, String> {
    Err("this build has no rten".into())
}

#[cfg(feature = "ort")]
fn start_ort(source: &Source<'_>, options: &LoadOptions) -> Result<Started, String> {
    let &Source { path: model, shape, .. } = source;
    let question = crate::trial::Question { model, shape, device: options.device };
    let (engine, name) = crate::ort::Ort::load(source.file, &question, options.trial, options.threads)?;
    Ok((Box::new(engine), name))
}

#[cfg(not(feature = "ort"))]
fn start_ort(_: &Source<'_>, _: &LoadOptions) -> Result<Started, String> {
    Err("this build has no onnxruntime".into())
}
