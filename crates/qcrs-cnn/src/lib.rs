//! Runs convolutional networks fast, with the same bits on every processor.
//!
//! A network is read from an ONNX file, simplified, and laid out as a list of steps over one piece of
//! memory; [`Cnn`] runs the steps. The order in which numbers are added is a property of the network
//! alone, never of the processor, the batch or the place in it.
//!
//! | module      | question it answers                                             |
//! |-------------|-----------------------------------------------------------------|
//! | `proto`     | what does each message of the file hold? strict                 |
//! | `graph`     | what does the network compute?                                  |
//! | `onnx`      | which graph does a file hold?                                   |
//! | `reference` | what is the right answer, whatever the cost?                    |
//! | `fold`      | what need not be computed for every image?                      |
//! | `kernel`    | how does a processor do one step? the only place with `unsafe`  |
//! | `plan`      | which steps, in which order, and where do values live?          |
//! | `engine`    | all of it: [`Cnn`], and where its time goes                     |

mod engine;
mod fold;
mod graph;
mod kernel;
mod onnx;
mod plan;
// qcrs-onnx checks a model before any engine runs it, and must read what the engine reads
#[doc(hidden)]
pub mod proto;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

pub use engine::{Cnn, LayerTime};
pub use kernel::Instructions;
pub use onnx::External;

use qcrs::types::Error;
use std::fmt;
use std::str::FromStr;

/// How values are kept between two steps; sums are f32 always. The two are different classifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 24 significant bits.
    #[default]
    F32,
    /// 8 significant bits, also of the weights: fast on processors with AMX, and slow elsewhere.
    Bf16,
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
        })
    }
}

impl FromStr for Precision {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let all = [Self::F32, Self::Bf16];
        let found = all.into_iter().find(|precision| precision.to_string() == text);
        found.ok_or_else(|| Error::Invalid(format!("unknown precision `{text}`; choose one of f32, bf16")))
    }
}

/// Why qcrs-cnn does not run a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It asks for something that qcrs-cnn does not do; another engine may.
    Unsupported(String),
    /// It makes no sense: torn, contradictory, or with weights that are not numbers.
    Broken(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(what) => write!(f, "qcrs-cnn does not do {what}"),
            Self::Broken(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for Refusal {}
