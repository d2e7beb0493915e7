//! Certifies image classifiers by randomized smoothing, with a noise level per input.
//!
//! Read the modules in this order; each may use only the ones above it:
//!
//! | module     | question it answers                                              |
//! |------------|------------------------------------------------------------------|
//! | `types`    | what do we call things?                                          |
//! | `text`     | how is text that comes from a file shown?                        |
//! | `math`     | what is Φ⁻¹(p)? what is a binomial tail?                          |
//! | `noise`    | what is the i-th noise vector of this stream?                    |
//! | `sample`   | how does the base classifier vote under noise?                   |
//! | `bounds`   | how sure are we of a vote share?                                 |
//! | `radius`   | how far does a vote share protect?                               |
//! | `method`   | which σ should this input get?                                   |
//! | `certify`  | the paper's CERTIFY: search, select, estimate, decide            |
//! | `predict`  | the paper's PREDICT: which class, without a radius?              |
//! | `tune`     | which single σ is best for all inputs?                           |
//! | `data`     | which image, which label?                                        |
//! | `run`      | the same over a dataset: shards, resume, records on disk         |
//! | `analysis` | what do the records say?                                         |
//! | `report`   | how do we show it?                                               |
//! | `testing`  | classifiers whose answer is known in closed form                 |
//!
//! ```
//! use qcrs::certify::{Budget, Verdict, certify};
//! use qcrs::types::{Alpha, Error, Sigma};
//! use qcrs::sample::{Input, MonteCarlo};
//! use qcrs::{method::Cohen, testing::HalfSpace};
//!
//! let f = HalfSpace { dim: 1 }; // its decision boundary is at 0
//! let sampler = MonteCarlo::new(&f, 256);
//! let search = Cohen { sigma: Sigma::new(0.5)? };
//! let budget = Budget::new(100, 10_000, Alpha::new(0.001)?)?;
//! let input = Input { pixels: &[0.3], seed: 42, index: 0 };
//! let outcome = certify(&search, &budget, &sampler, &input)?;
//! let Verdict::Certified { class: 1, radius, .. } = outcome.verdict else { panic!("no certificate") };
//! assert!(0.27 < radius && radius < 0.3); // near the truth, and never beyond it
//! # Ok::<(), Error>(())
//! ```

pub mod analysis;
pub mod bounds;
pub mod certify;
pub mod data;
pub mod math;
pub mod method;
pub mod noise;
pub mod predict;
pub mod radius;
#[cfg(feature = "report")]
pub mod report;
pub mod run;
pub mod sample;
pub mod testing;
pub mod text;
pub mod tune;
pub mod types;
