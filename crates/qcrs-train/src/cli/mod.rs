//! What was typed, and what does it mean?

mod curve;
mod finish;
mod import;
mod options;
mod progress;
pub mod stop;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use options::TrainOptions;
use qcrs::data::Split;
use qcrs_train::recipe::{gaussian, macer};
use qcrs_train::train::Training;
use std::path::PathBuf;
use std::time::Duration;
use stop::StopSignal;

/// Trains image classifiers that qcrs can certify.
#[derive(Parser)]
#[command(name = "qcrs-train", version, about, args_override_self = true)]
pub struct TrainCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Train under Gaussian noise with cross-entropy (Cohen et al. 2019)
    Gaussian(TrainOptions),
    /// Train for a large radius (MACER, Zhai et al. 2020); best from the weights of a Gaussian training
    Macer {
        #[command(flatten)]
        options: TrainOptions,
        #[command(flatten)]
        macer: options::MacerOptions,
    },
    /// Train under the generalized Gaussian noise of DSRS (Li et al. 2022), with the published settings only
    GeneralizedGaussian {
        #[command(flatten)]
        options: TrainOptions,
        /// The exponent of the noise; by default the published one for the image size
        #[arg(long)]
        k: Option<u32>,
    },
    /// Draw the curve of a training again, from its log
    Curve {
        /// The folder of the training
        folder: PathBuf,
    },
    /// Write the model as trained so far, with its card in the metadata
    Export {
        /// The folder of the training
        folder: PathBuf,
        /// The file to write the model to
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Turn a PyTorch checkpoint (of Cohen et al., MACER, or a state dict) into a model
    Import(import::ImportOptions),
}

/// Does what was asked.
pub fn run(command: &TrainCommand) -> Result<()> {
    match &command.what {
        What::Gaussian(options) => {
            let recipe = if options.published { gaussian::published } else { gaussian::short };
            train(options, recipe(options.arch, options.sigma))
        }
        What::Macer { options, macer } => {
            let recipe = if options.published { macer::published } else { macer::short };
            train(options, macer.apply(recipe(options.arch, options.sigma)))
        }
        What::GeneralizedGaussian { options, k } => {
            train(options, options::with_exponent(gaussian::generalized(options.arch, options.sigma), *k))
        }
        What::Curve { folder } => curve::draw_again(folder),
        What::Export { folder, out } => finish::export_again(folder, out.as_deref()),
        What::Import(options) => import::run(options),
    }
}

fn train(options: &TrainOptions, recipe: qcrs_train::recipe::TrainingSettings) -> Result<()> {
    let settings = options.settings(recipe)?;
    let device = options.device()?;
    let images = options.open(&options.data, Split::Train)?;
    settings.check(images.len())?;
    let test = finish::test_set(options, &images)?;
    let start = options.start.as_deref().map(|path| finish::weights_of(path, options.arch, images.classes));
    let start = start.transpose()?;
    let training = Training {
        settings,
        images: &images,
        folder: options.out.clone(),
        device,
        start,
        save_every: Duration::from_secs(options.save_every),
    };
    let stop = StopSignal::listen().context("cannot listen for Ctrl-C")?;
    let network = progress::show(&training, options.quiet, &stop)?;
    stop.nothing_to_save();
    finish::write(&network, &training, test.as_ref())
}

fn refuse<T>(problem: impl std::fmt::Display) -> Result<T> {
    bail!("{problem}")
}
