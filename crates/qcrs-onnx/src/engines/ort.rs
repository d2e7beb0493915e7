//! How does onnxruntime run it?

use super::{EngineRequest, Refused, Started};
use crate::device::Device;
use crate::inspect::File;
use crate::library::Places;
use crate::network::Engine;
use crate::slots::Slots;
use crate::trial::{Question, Trial};
use ort::environment::Environment;
use ort::ep::{CUDA, CoreML, ExecutionProviderDispatch, TensorRT};
use ort::logging::LogLevel;
use ort::session::Session;
use ort::session::builder::{BuilderResult, SessionBuilder};
use ort::value::TensorRef;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The library, once loaded; it stays for the life of the process.
#[derive(Clone)]
struct Runtime {
    environment: Environment,
    name: String,
}

pub(super) fn start(request: &EngineRequest<'_>) -> Result<Started, Refused> {
    let question = Question { model: request.path, shape: request.shape, device: request.device };
    let (engine, name) = Ort::load(request.file, &question, request.trial, request.threads)?;
    Ok(Started { engine: Box::new(engine), name, slow: None })
}

pub(crate) struct Ort {
    /// onnxruntime's `Run` is not safe to call twice at once on one session, so each thread gets its own.
    sessions: Slots<Session>,
}

impl Ort {
    /// Loads the library if needed, then the model; also returns the engine's name.
    pub(crate) fn load(
        file: &File,
        question: &Question<'_>,
        trial: Option<&Trial>,
        threads: usize,
    ) -> Result<(Self, String), String> {
        let (Runtime { environment, name }, device) = (runtime(question, trial)?, question.device);
        let external: Vec<(&str, Arc<[u8]>)> =
            file.external.iter().map(|(name, content)| (name.as_str(), content.as_slice().into())).collect();
        let session = || {
            let mut builder = configure(&environment, device)?;
            for (name, content) in &external {
                builder = step(builder.with_external_initializer_file_in_memory(name, Arc::clone(content)))?;
            }
            builder
                .commit_from_memory(&file.bytes)
                .map_err(|error| format!("{name} cannot run this model: {error}"))
        };
        let sessions = (0..threads).map(|_| session()).collect::<Result<_, String>>()?;
        Ok((Self { sessions: Slots::new(sessions) }, name))
    }
}

impl Engine for Ort {
    fn run(&self, shape: [usize; 4], batch: &[f32]) -> Result<([usize; 2], Vec<f32>), String> {
        let input = TensorRef::from_array_view((shape, batch)).map_err(|error| error.to_string())?;
        let mut session = self.sessions.take();
        let outputs = session.run(ort::inputs![input]).map_err(|error| error.to_string())?;
        let output = outputs.values().next().ok_or("the model gave no output")?;
        let (shape, scores) = output.try_extract_tensor::<f32>().map_err(|error| error.to_string())?;
        let &[rows, columns] = &shape[..] else {
            return Err(format!(
                "the output has shape {shape:?}; qcrs needs one row of class scores per image, [N, classes]"
            ));
        };
        let size = |dim| usize::try_from(dim).map_err(|_| format!("the output has shape {shape:?}"));
        Ok(([size(rows)?, size(columns)?], scores.to_vec()))
    }
}

fn step(result: BuilderResult) -> Result<SessionBuilder, String> {
    result.map_err(|error| error.to_string())
}

fn configure(environment: &Environment, device: Device) -> Result<SessionBuilder, String> {
    let builder = Session::builder(environment).map_err(|error| error.to_string())?;
    let builder = step(builder.with_log_level(LogLevel::Fatal))?; // errors come back as values, so it need not print them
    let builder = step(builder.with_intra_threads(1))?;
    let builder = step(builder.with_inter_threads(1))?;
    let builder = step(builder.with_intra_op_spinning(false))?;
    let builder = step(builder.with_inter_op_spinning(false))?;
    let builder = step(builder.with_deterministic_compute(true))?;
    // full f32: the default of TF32 keeps 10 bits of each factor
    let cuda = || CUDA::default().with_tf32(false).build().error_on_failure();
    let providers: Vec<ExecutionProviderDispatch> = match device {
        Device::Cpu => return Ok(builder),
        Device::Cuda => vec![cuda()],
        Device::TensorRt => vec![TensorRT::default().build().error_on_failure(), cuda()],
        Device::CoreMl => vec![CoreML::default().build().error_on_failure()],
    };
    builder.with_execution_providers(providers).map_err(|error| {
        format!("device {device} is not available in this onnxruntime: {error}; install a build that has it, or use the cpu")
    })
}

/// Loads the library, and nothing else.
pub(crate) fn load_library(question: &Question<'_>) -> Result<(), String> {
    runtime(question, None).map(drop)
}

/// The library: the first good one in the usual places.
fn runtime(question: &Question<'_>, trial: Option<&Trial>) -> Result<Runtime, String> {
    static LOADED: Mutex<Option<Runtime>> = Mutex::new(None);
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = &*loaded {
        return Ok(runtime.clone());
    }
    let mut refused = Vec::new();
    for path in Places::usual().candidates()? {
        if let Some(Err(why)) = trial.map(|trial| trial.of(&path, question)) {
            refused.push(why);
            continue;
        }
        match ort::init_from(&path) {
            Ok(environment) => {
                let environment = environment.with_name("qcrs").with_telemetry(false).build();
                let environment = environment.map_err(|error| format!("{}: {error}", path.display()))?;
                return Ok(loaded.insert(Runtime { environment, name: name(&path) }).clone());
            }
            Err(error) => refused.push(error.to_string()), // it names the path, and says if the library is too old
        }
    }
    let why = if refused.is_empty() { "onnxruntime is not installed".to_owned() } else { refused.join("; ") };
    Err(format!(
        "{why}; pip install onnxruntime (1.{} or later; onnxruntime-gpu for CUDA), or set ORT_DYLIB_PATH to its library",
        ort::MINOR_VERSION
    ))
}

/// Name and version. The library tells its minor version; the patch is usually in the name of the file, and
/// if it is not, the commit of the build is used instead.
fn name(path: &Path) -> String {
    let minor = ort::util::probe(path).map_or("1".into(), |minor| format!("1.{minor}"));
    let file = path.canonicalize().unwrap_or_default();
    let file = file.file_name().unwrap_or_default().to_string_lossy();
    version_in(&file).filter(|version| version.starts_with(&format!("{minor}."))).map_or_else(
        || {
            let commit = ort::info().split("git-commit-id=").nth(1).and_then(|rest| rest.split(',').next());
            format!("onnxruntime {minor} (commit {})", commit.unwrap_or("unknown"))
        },
        |version| format!("onnxruntime {version}"),
    )
}

/// The version in a name such as `libonnxruntime.so.1.31.1` or `libonnxruntime.1.31.1.dylib`.
fn version_in(file: &str) -> Option<String> {
    let numbers: Vec<_> = file.split('.').filter(|part| part.parse::<u32>().is_ok()).collect();
    (numbers.len() == 3).then(|| numbers.join("."))
}

#[cfg(test)]
mod tests {
    use super::version_in;

    #[test]
    fn the_file_name_tells_the_patch() {
        assert_eq!(version_in("libonnxruntime.so.1.31.1").as_deref(), Some("1.31.1"));
        assert_eq!(version_in("libonnxruntime.1.20.0.dylib").as_deref(), Some("1.20.0"));
        assert_eq!(version_in("libonnxruntime.so.1"), None);
    }
}
