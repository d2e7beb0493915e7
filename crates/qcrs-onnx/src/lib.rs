//! Engines that run ONNX models: each makes a [`Classifier`](qcrs::sample::Classifier) from a file.
//!
//! | module    | question it answers                                              |
//! |-----------|------------------------------------------------------------------|
//! | `options` | which engine, on which device, and what do the outputs mean?     |
//! | `external` | which files beside the model hold weights?                      |
//! | `inspect` | what does the file say about itself, before any engine reads it? |
//! | `mode`    | is anything random, in training mode, or not what it seems?      |
//! | `batch`   | does a row of scores depend on one image only?                   |
//! | `fit`     | does the model take this data, and does it give class scores?    |
//! | `slots`   | which of the engine's workers is free?                           |
//! | `network` | what are the scores of a batch of any size?                      |
//! | `cnn`     | how does our own engine run it?                                  |
//! | `rten`    | how does rten (pure Rust) run it?                                |
//! | `library` | where is onnxruntime?                                            |
//! | `trial`   | does onnxruntime survive this model, in a separate process?      |
//! | `ort`     | how does onnxruntime run it?                                     |
//! | `model`   | all of it: [`load`]                                              |

mod batch;
mod cnn;
mod external;
mod fit;
mod inspect;
#[cfg(feature = "ort")]
mod library;
mod mode;
mod model;
mod network;
mod options;
#[cfg(feature = "ort")]
mod ort;
#[cfg(feature = "rten")]
mod rten;
#[cfg(any(feature = "rten", feature = "ort"))]
mod slots;
#[cfg(feature = "ort")]
mod trial;

pub use fit::InputShape;
#[doc(hidden)]
pub use inspect::read_strictly;
pub use model::{Model, load, load_bytes, look_into};
pub use options::{Device, EngineChoice, LoadOptions, OutputKind};
pub use qcrs_cnn::{Cnn, Instructions, LayerTime, Precision};
#[cfg(feature = "ort")]
pub use trial::{Trial, answer_trial};
