//! Certifies image classifiers by randomized smoothing, with a noise level per input.
//!
//! [`Certifier`] owns a classifier, a method and a budget, and certifies inputs:
//!
//! ```
//! use qcrs::{Budget, Certifier, Method, Seed, Sigma, sample::from_fn};
//!
//! // any function that scores batches; `qcrs-onnx` makes one of a model file
//! let classifier = from_fn(2, 2, |batch: &[f32], out: &mut [f32]| {
//!     out.copy_from_slice(batch); // the brighter of two pixels wins
//!     Ok(())
//! });
//! let certifier = Certifier::new(classifier, Method::qcrs(Sigma::new(0.25)?)?)
//!     .budget(Budget::new(100, 10_000, qcrs::Alpha::new(0.001)?)?);
//! let certificate = certifier.certify(&[0.2, 0.8], Seed::secret()?)?;
//! assert_eq!(certificate.class(), Some(1));
//! assert!(certificate.radius() < Some(0.495)); // the border is 0.7/√2 away
//! # Ok::<(), qcrs::Error>(())
//! ```
//!
//! Methods can also be named by [`Settings`], as files and keywords have them. [`run::Run`] certifies a
//! dataset into a directory that can be resumed, sharded and verified; `analysis` and `report` show what the
//! records say. The folder `examples` shows a closure as a classifier, a model file, a method of your own and
//! a long-lived owner.
//!
//! Each module may use only the ones above it in this table:
//!
//! | module     | question it answers                                              |
//! |------------|------------------------------------------------------------------|
//! | `types`    | what do we call things?                                          |
//! | `text`     | how is text that comes from a file shown?                        |
//! | `files`    | how is a file written whole or not at all?                       |
//! | `math`     | what is Φ⁻¹(p)? what is a binomial tail?                          |
//! | `noise`    | what is the i-th noise vector of this stream?                    |
//! | `sample`   | how does the base classifier vote under noise?                   |
//! | `bounds`   | how sure are we of a vote share?                                 |
//! | `radius`   | how far does a vote share protect?                               |
//! | `method`   | which σ should this input get?                                   |
//! | `certify`  | the paper's CERTIFY: search, select, estimate, decide            |
//! | `predict`  | the paper's PREDICT: which class, without a radius?              |
//! | `settings` | which method, with which settings, and how many draws?           |
//! | `certifier` | all of it in one object that a program can own                  |
//! | `tune`     | which single σ is best for all inputs?                           |
//! | `curve`    | how does the certified radius of one input depend on σ?          |
//! | `data`     | which image, which label?                                        |
//! | `doctor`   | does a classifier get its pixels the way it wants them?          |
//! | `run`      | the same over a dataset: shards, resume, records on disk         |
//! | `attack`   | does the answer change somewhere inside a certified ball?        |
//! | `analysis` | what do the records say?                                         |
//! | `report`   | how do we show it?                                               |
//! | `testing`  | classifiers whose answer is known in closed form                 |

pub mod analysis;
pub mod attack;
pub mod bounds;
mod certifier;
pub mod certify;
pub mod curve;
pub mod data;
pub mod doctor;
#[doc(hidden)] // public for our own programs only
pub mod files;
#[doc(hidden)] // public for our own tests and benchmarks only
pub mod math;
pub mod method;
pub mod noise;
pub mod predict;
pub mod radius;
#[cfg(feature = "report")]
pub mod report;
pub mod run;
pub mod sample;
pub mod settings;
pub mod testing;
#[doc(hidden)] // public for our own programs only
pub mod text;
pub mod tune;
pub mod types;

pub use certifier::{Certificate, Certifier, Progress};
pub use certify::{Budget, Guarantee};
pub use method::Method;
pub use noise::Seed;
pub use settings::Settings;
pub use types::{Alpha, Error, Sigma};
