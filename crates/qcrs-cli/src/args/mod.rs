//! What was typed: groups of options that several commands share.

mod data;
mod method;
mod model;

pub use data::{DataArgs, SelectionArgs};
pub use method::{BudgetArgs, MethodArgs};
pub use model::{ModelArgs, TRIAL, transform};
