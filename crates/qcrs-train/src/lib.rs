//! Trains classifiers that qcrs can certify: networks that have seen the noise they will be judged under.
//!
//! | module         | question it answers                                                 |
//! |----------------|---------------------------------------------------------------------|
//! | `random`       | which random number belongs to this address?                        |
//! | `layers`       | what is a network made of?                                          |
//! | `architecture` | which network?                                                      |
//! | `network`      | what are its weights, and what does it answer?                      |
//! | `onnx`         | how does a trained network leave for other programs?                |
//! | `images`       | which images, in which order, cut and mirrored how?                 |
//! | `noise`        | which noise is added to a batch?                                    |
//! | `schedule`     | how fast does it learn now?                                         |
//! | `recipe`       | which loss, with which settings? one file per published recipe      |
//! | `sgd`          | how do gradients move the weights?                                  |
//! | `evaluate`     | how often is it right?                                              |
//! | `checkpoint`   | what must be remembered to resume after a power cut?                |
//! | `log`          | what has happened so far?                                           |
//! | `card`         | what should the user of a model know?                               |
//! | `import`       | how do the weights of others come in?                               |
//! | `curve`        | how did it go? figures and a page                                   |
//! | `train`        | all of it, over the epochs                                          |

#![expect(
    clippy::cast_possible_wrap,
    reason = "libtorch counts in i64, and nothing here has 2⁶³ of anything"
)]

pub mod architecture;
pub mod card;
mod checkpoint;
pub mod curve;
pub mod evaluate;
pub mod images;
pub mod import;
pub mod layers;
pub mod log;
pub mod network;
pub mod noise;
pub mod onnx;
pub mod random;
pub mod recipe;
pub mod schedule;
mod sgd;
pub mod train;

pub use qcrs::types::Error;
