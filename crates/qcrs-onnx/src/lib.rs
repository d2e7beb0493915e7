//! Engines that run ONNX models: each makes a [`Classifier`](qcrs::sample::Classifier) from a file.
//!
//! | module     | question it answers                                             |
//! |------------|-----------------------------------------------------------------|
//! | `device`   | where does a model run, and what do its outputs mean?           |
//! | `external` | which files beside the model hold weights?                      |
//! | `inspect`  | what does the file say about itself, before any engine reads it? |
//! | `mode`     | is anything random, in training mode, or not what it seems?     |
//! | `batch`    | does a row of scores depend on one image only?                  |
//! | `fit`      | does the model take this data, and does it give class scores?   |
//! | `slots`    | which of the engine's workers is free?                          |
//! | `network`  | what are the scores of a batch of any size?                     |
//! | `library`  | where is onnxruntime?                                           |
//! | `trial`    | does onnxruntime survive this model, in a process of its own?   |
//! | `engines`  | which engines are there? each in a file of its own              |
//! | `answer`   | what does a process answer that was started for such a trial?   |
//! | `options`  | how is a model to be loaded?                                    |
//! | `model`    | all of it: [`load`]                                             |

#[cfg(feature = "ort")]
mod answer;
mod batch;
mod device;
mod engines;
mod external;
mod fit;
mod inspect;
#[cfg(feature = "ort")]
mod library;
mod mode;
mod model;
mod network;
mod options;
#[cfg(any(feature = "rten", feature = "ort"))]
mod slots;
#[cfg(feature = "ort")]
mod trial;

#[cfg(feature = "ort")]
pub use answer::answer_trial;
pub use device::{Device, OutputKind};
pub use engines::{EngineChoice, EngineInfo};
pub use fit::InputShape;
#[doc(hidden)]
pub use inspect::read_strictly;
pub use model::{Model, load, load_bytes, look_into};
pub use options::LoadOptions;
pub use qcrs_cnn::{Cnn, Instructions, LayerTime, Precision};
#[cfg(feature = "ort")]
pub use trial::Trial;
