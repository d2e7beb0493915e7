//! The same over a dataset: what was asked, what was found, and where it is kept.

mod record;
mod spec;

pub use record::{Finding, Record, Timing};
pub use spec::{DataSpec, Guarantee, ModelSpec, Selection, Spec};
