//! `qcrs data`: how are public datasets downloaded?

mod cifar10;
mod digest;
mod download;
mod get;
mod mnist;
mod recipe;

use recipe::DatasetRecipe;
use std::path::PathBuf;

/// What was typed after `qcrs data`.
#[derive(Debug, clap::Args)]
pub struct DatasetArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, clap::Subcommand)]
enum DataCommand {
    /// Download a public dataset and check every file; rerun the command to resume
    Get {
        /// The dataset
        #[arg(value_enum)]
        dataset: Name,
        /// The parent folder: the dataset gets its own folder in it
        #[arg(long, default_value = "data")]
        dir: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Name {
    /// 60000 colour images of 32x32 in 10 classes (about 160 MB to download, 184 MB on disk)
    Cifar10,
    /// 70000 grey images of clothes, 28x28, in 10 classes (31 MB)
    FashionMnist,
    /// 70000 grey images of digits, 28x28 (12 MB)
    Mnist,
}

/// Does what was asked.
pub fn run(args: DatasetArgs) -> anyhow::Result<()> {
    let DataCommand::Get { dataset, dir } = args.command;
    let recipe: &DatasetRecipe = match dataset {
        Name::Cifar10 => &cifar10::RECIPE,
        Name::FashionMnist => &mnist::FASHION,
        Name::Mnist => &mnist::DIGITS,
    };
    let folder = get::get(recipe, &dir)?;
    let folder = folder.display();
    let title = recipe.title;
    crate::output::print(&format!(
        "{folder}: {title} is ready; next: qcrs doctor --model model.onnx --data {folder}"
    ))
}
