//! Have we promised anything about this point before? The memory bank of DDRS (Alfarra et al. 2022).
//!
//! A certificate with its own σ says nothing about a neighbour that gets another σ. A bank closes this gap by
//! remembering: every answer is a ball, balls of different classes never overlap, and a query inside a ball
//! gets the ball's class, whatever the classifier says today (docs/guarantees.md).
//!
//! | module       | question it answers                                    |
//! |--------------|--------------------------------------------------------|
//! | `error`      | what can go wrong?                                     |
//! | `distance`   | how far are two points apart, at least and at most?    |
//! | `shadow`     | which points are surely far away, by 48 numbers each?  |
//! | `pixels`     | how is an image kept, to the last bit?                 |
//! | `answer`     | what does the bank say, and why?                       |
//! | `entry`      | what does one entry of the file hold?                  |
//! | `header`     | what does a file of balls say first?                   |
//! | `file`       | how are entries kept through a crash?                  |
//! | `bank`       | open, add, and look inside                             |
//! | `ask`        | what does the bank answer?                             |
//! | `check`      | are balls of different classes disjoint?               |
//! | `stats`      | what is in a bank?                                     |
//! | `teller`     | what does the bank say about each record of a run?     |
//!
//! ```
//! use qcrs_bank::{BankAnswer, Bank, Claim, Why};
//! use qcrs::types::Alpha;
//!
//! let dir = tempfile::tempdir().unwrap();
//! let mut bank = Bank::open(dir.path(), [1, 1, 2])?;
//! let alpha = Alpha::new(0.001).unwrap();
//! bank.add(&[0.0, 0.0], alpha, Some(Claim { class: 3, radius: 0.5 }))?;
//!
//! // inside that ball another class is overruled
//! let inside = bank.ask(&[0.25, 0.0], Some(Claim { class: 5, radius: 1.0 }))?;
//! let BankAnswer::Class { class: 3, radius, why: Why::Inherited(0) } = inside else { panic!("{inside:?}") };
//! assert!(0.249999 < radius && radius < 0.25); // rounded to the safe side
//!
//! // outside it keeps what does not overlap
//! let beside = bank.ask(&[0.75, 0.0], Some(Claim { class: 5, radius: 1.0 }))?;
//! let BankAnswer::Class { class: 5, radius, why: Why::Cut(0) } = beside else { panic!("{beside:?}") };
//! assert!(0.249999 < radius && radius < 0.25);
//! # Ok::<(), qcrs_bank::Error>(())
//! ```

mod answer;
mod ask;
mod bank;
mod check;
mod distance;
mod entry;
mod error;
mod file;
mod header;
mod pixels;
mod shadow;
mod stats;
mod teller;

pub use answer::{Abstention, BankAnswer, Claim, Why};
pub use bank::Bank;
pub use check::CheckedBank;
pub use entry::{BankEntry, CertificateName};
pub use error::{Error, Problem};
pub use stats::Stats;
pub use teller::{Teller, certificate, classifier, run_name};
