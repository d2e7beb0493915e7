//! All of it: from a file to a checked classifier.

use crate::batch::{self, Fate};
use crate::device::Device;
use crate::engines::{EngineRequest, Refused, Started, load_cnn};
use crate::fit::{InputShape, fit};
use crate::inspect::{self, File};
use crate::mode;
use crate::network::CheckedEngine;
use crate::options::LoadOptions;
use qcrs::noise::{Draws, Noise};
use qcrs::sample::{Classifier, Transformed, is_function_of_one_image};
use qcrs::types::Error;
use qcrs_cnn::proto;
use qcrs_cnn::{Cnn, Instructions, Precision};
use std::path::Path;

/// A model that was loaded, run once and checked.
pub struct Model {
    /// Scores batches of any size, from up to [`LoadOptions::threads`] threads at once, behind
    /// [`LoadOptions::transform`].
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
    /// Whether some noisy images got the same bits alone and in batches. This was tried, not proven.
    pub batch_invariant: bool,
    /// Why the graph does not show that a row of scores depends on one image only, if it does not; then that
    /// was only measured, on noisy images.
    pub not_followed: Option<String>,
    /// What the user should know, one sentence each.
    pub notes: Vec<String>,
}

impl Model {
    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classifier.num_classes()
    }
}

/// A loaded model is a classifier, so it can be used wherever one is needed.
impl Classifier for Model {
    fn input_len(&self) -> usize {
        self.classifier.input_len()
    }

    fn num_classes(&self) -> usize {
        self.classifier.num_classes()
    }

    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
        self.classifier.logits(batch, out)
    }

    fn noisy_logits(
        &self,
        x: &[f32],
        parts: &[(Noise, Draws)],
        batch: &mut Vec<f32>,
        out: &mut [f32],
    ) -> Result<(), Error> {
        self.classifier.noisy_logits(x, parts, batch, out)
    }
}

/// Loads the ONNX model at `path` for images of `shape` = [channels, height, width], values in [0, 1].
pub fn load(path: &Path, shape: [usize; 3], options: &LoadOptions) -> Result<Model, Error> {
    check(shape, options)?;
    open(&inspect::read(path)?, ModelPlace { name: path, on_disk: true }, shape, options)
}

/// The same for a model in memory: its bytes, and the name and content of every weight file that it names.
/// Messages use `name`. The hash is that of the same model in files. Because there is no file, the trial of
/// onnxruntime runs without the model.
pub fn load_bytes(
    name: &str,
    bytes: Vec<u8>,
    external: Vec<(String, Vec<u8>)>,
    shape: [usize; 3],
    options: &LoadOptions,
) -> Result<Model, Error> {
    check(shape, options)?;
    let place = ModelPlace { name: Path::new(name), on_disk: false };
    let file = inspect::take(bytes, external).map_err(|problem| Error::format(name, problem))?;
    open(&file, place, shape, options)
}

/// What messages call a model, and whether that is its path.
#[derive(Clone, Copy)]
#[cfg_attr(not(any(feature = "rten", feature = "ort")), allow(dead_code))] // other engines read it
struct ModelPlace<'a> {
    name: &'a Path,
    on_disk: bool,
}

/// Refuses options that make no sense, before anything is read.
fn check(shape: [usize; 3], options: &LoadOptions) -> Result<(), Error> {
    if options.threads == 0 || shape.contains(&0) {
        return Err(Error::Invalid(format!(
            "an engine needs at least one thread and one pixel, got {options:?}, {shape:?}"
        )));
    }
    options.engine.check(options.device, options.precision).map_err(Error::Invalid)?;
    options.transform.as_ref().map_or(Ok(()), |transform| transform.check(shape[0]))
}

fn open(
    file: &File,
    place: ModelPlace<'_>,
    shape: [usize; 3],
    options: &LoadOptions,
) -> Result<Model, Error> {
    let path = place.name;
    let (input, fixed_batch) = fit(&file.graph, shape).map_err(|problem| Error::format(path, problem))?;
    let mut notes = Vec::new();
    let not_followed =
        images_apart(file, shape, fixed_batch).map_err(|problem| Error::format(path, problem))?;
    if let Some(why) = &not_followed {
        notes.push(format!(
            "that the scores of an image do not depend on the others of its batch was measured, but not shown: {why}"
        ));
    }
    let request = EngineRequest {
        file,
        path: place.on_disk.then_some(path),
        shape,
        any_batch: fixed_batch.is_none(),
        device: options.device,
        precision: options.precision,
        instructions: options.instructions,
        threads: options.threads,
        #[cfg(feature = "ort")]
        trial: options.trial.as_ref(),
    };
    let started = options.engine.start(&request, &mut notes);
    let Started { engine: run, name: engine, .. } =
        started.map_err(|problem| Error::format(path, problem))?;
    let fixed_batch = fixed_batch.filter(|_| run.in_place().is_none());
    let network = CheckedEngine::new(run, shape, fixed_batch, options.output)
        .map_err(|problem| Error::format(path, format!("{engine}: {problem}")))?;
    let classifier: Box<dyn Classifier + Send + Sync> = match options.transform.clone() {
        None => Box::new(network),
        Some(transform) => Box::new(Transformed { inner: network, transform }),
    };
    let batch_invariant = measure(&*classifier, options, not_followed.is_some()).map_err(|error| {
        let hint = match not_followed {
            None => format!(
                "; the graph treats every image by itself, so that {engine} is at fault: use another engine"
            ),
            Some(_) => String::new(),
        };
        Error::format(path, format!("{error}{hint}"))
    })?;
    if let Some(batch) = fixed_batch {
        let takes = match batch {
            1 => "one image at a time".to_owned(),
            _ => format!("exactly {batch} images at a time, others are padded"),
        };
        notes.push(format!("the model takes {takes}; export it with a dynamic batch for speed"));
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
    Ok(Model { classifier, engine, blake3, input, fixed_batch, batch_invariant, not_followed, notes })
}

/// Refuses a model whose graph is random or mixes the images of a batch; returns why, if the graph does not
/// tell.
fn images_apart(file: &File, shape: [usize; 3], batch: Option<usize>) -> Result<Option<String>, String> {
    let model =
        proto::ModelProto::parse(&file.bytes).map_err(|_| "the file has changed while it was read")?;
    mode::check(&model)?;
    match batch::follow(&model, shape, batch) {
        Fate::Apart => Ok(None),
        Fate::Lost(why) => Ok(Some(why)),
        Fate::Mixed(how) => Err(format!(
            "{how}: the scores of an image would depend on the others of its batch, and no certificate would hold; export \
             a model that treats every image by itself, in evaluation mode (model.eval())"
        )),
    }
}

/// Whether noisy copies of an image get the same bits beside any other images; an error if their scores
/// differ.
fn measure(classifier: &dyn Classifier, options: &LoadOptions, not_followed: bool) -> Result<bool, Error> {
    let made_up = || (0..classifier.input_len()).map(|at| (at % 97) as f32 / 96.0).collect();
    let image = options.image.clone().unwrap_or_else(made_up);
    // some devices round to 10 bits, and in ways that depend on the size of the batch
    let tolerance = match options.device {
        Device::Cpu | Device::Cuda => 1e-3,
        Device::TensorRt | Device::CoreMl => 1e-2,
    };
    // if nothing else is known, in batches as large as they will be
    let batch = if not_followed { options.batch } else { 1 };
    let same = is_function_of_one_image(classifier, &image, batch, tolerance)?;
    // each thread builds its own TensorRT engine, and two builds may differ
    Ok(same && options.device != Device::TensorRt)
}

/// Our own engine on the model at `path`, for a closer look.
pub fn look_into(path: &Path, shape: [usize; 3], precision: Precision) -> Result<Cnn, Error> {
    let file = inspect::read(path)?;
    load_cnn(&file, shape, None, precision)
        .map_err(|why| Error::format(path, Refused::from(why).and("try the engine ort")))
}
