//! What was asked of a dataset, what was found, and where is it kept?

mod answers;
mod certify;
mod changed;
mod compare;
mod directory;
mod follows;
mod grow;
mod in_order;
mod lines;
mod merge;
mod models;
mod price;
mod queue;
mod record;
mod recorded;
mod results;
mod selection;
mod spec;
mod verify;

pub use crate::certify::Guarantee;
pub use answers::{answers_file, spec_of_answers};
pub use certify::{Inputs, Run, record};
pub use compare::compare;
#[doc(hidden)] // public for our own programs only
pub use directory::{Difference, differences};
pub use directory::{Shard, Stored, check_place, claim_seed, read};
pub(crate) use in_order::in_order;
pub(crate) use lines::Lines;
pub use merge::merge;
pub use models::{ModelSpec, Models};
pub use price::priced;
pub use record::{Ball, BankReason, Finding, FromBank, Record, Timing};
pub use results::{ResultFile, compare_results};
pub use selection::Selection;
pub use spec::Spec;
pub use verify::{Checked, Depth, verify};
