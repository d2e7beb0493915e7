//! What was typed: groups of options that several commands share.

mod budget;
mod data;
mod method;
mod model;
mod seed;

pub use budget::BudgetArgs;
pub use data::{DataArgs, SelectionArgs};
pub use method::MethodArgs;
pub use model::{ModelArgs, transform};
pub use seed::Seed;

/// Which classifier is asked about which images.
#[derive(Clone, Debug, clap::Args)]
pub struct TargetArgs {
    /// The classifier.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The images.
    #[command(flatten)]
    pub data: DataArgs,
    /// Which of them.
    #[command(flatten)]
    pub selection: SelectionArgs,
}
