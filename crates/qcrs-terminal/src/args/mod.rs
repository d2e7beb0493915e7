//! What was typed: groups of options that several commands share.

mod count;
mod data;
mod model;
mod noise;
mod seed;
mod settings;

pub use count::count;
pub use data::{DataArgs, SelectionArgs};
pub use model::ModelArgs;
pub use noise::NoiseArgs;
pub use seed::SeedArg;
pub use settings::SettingsArgs;

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
