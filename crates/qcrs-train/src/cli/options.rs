//! Which settings differ from the recipe's?

use anyhow::Result;
use clap::Args;
use qcrs::data::{OpenOptions, Split};
use qcrs_train::Error;
use qcrs_train::architecture::Architecture;
use qcrs_train::images::Images;
use qcrs_train::network::TrainingPrecision;
use qcrs_train::noise::Law;
use qcrs_train::recipe::{TrainingMethod, TrainingSettings};
use qcrs_train::schedule::Schedule;
use std::path::{Path, PathBuf};
use tch::Device;

/// The options that all trainings have; the recipe sets those that are not given.
#[derive(Args)]
pub struct TrainOptions {
    /// cnn (28×28 grey), resnet8, resnet20, resnet56, resnet110 (CIFAR), resnet18 or resnet50 (ImageNet)
    #[arg(long)]
    pub arch: Architecture,
    /// The images to train on, in any format that `qcrs` reads
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    /// The images to test the result on, once; by default the test part of --data, if it has one
    #[arg(long, value_name = "PATH")]
    pub test: Option<PathBuf>,
    /// The noise level, in units of the pixel range [0, 1]
    #[arg(long, allow_negative_numbers = true)]
    pub sigma: f64,
    /// The folder of this training; run the same command again to resume it
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The published settings instead of the short ones
    #[arg(long)]
    pub published: bool,
    /// Start from the weights of this training's folder or checkpoint
    #[arg(long, value_name = "PATH")]
    pub start: Option<PathBuf>,
    /// How often each image is seen
    #[arg(long)]
    pub epochs: Option<usize>,
    /// Images per step
    #[arg(long)]
    pub batch: Option<usize>,
    /// f32, or bf16 in the convolutions, which is faster on processors that support it
    #[arg(long)]
    pub precision: Option<TrainingPrecision>,
    /// The largest learning rate
    #[arg(long)]
    pub learning_rate: Option<f64>,
    /// step:30,60 or cosine[:WARM-UP] or one-cycle[:WARM-UP]
    #[arg(long)]
    pub schedule: Option<Schedule>,
    /// The weight decay
    #[arg(long)]
    pub weight_decay: Option<f64>,
    /// Black pixels around an image before it is cropped at a random position
    #[arg(long)]
    pub pad: Option<usize>,
    /// Whether to mirror half of the images, at random
    #[arg(long)]
    pub flip: Option<bool>,
    /// How many training images to hold out for evaluation
    #[arg(long)]
    pub held_out: Option<usize>,
    /// The seed of all random choices
    #[arg(long)]
    pub seed: Option<u64>,
    /// cpu, cuda, cuda:1 … or mps
    #[arg(long, default_value = "cpu")]
    pub device: String,
    /// Seconds between checkpoints within an epoch
    #[arg(long, default_value_t = 300, value_name = "SECONDS")]
    pub save_every: u64,
    /// Print only errors and the result
    #[arg(long)]
    pub quiet: bool,
}

/// MACER's own options.
#[derive(Args)]
pub struct MacerOptions {
    /// Noisy copies per image
    #[arg(long)]
    k: Option<usize>,
    /// The weight of the radius
    #[arg(long)]
    lambda: Option<f64>,
    /// Gaps larger than this count as large enough
    #[arg(long)]
    gamma: Option<f64>,
    /// The inverse temperature
    #[arg(long)]
    beta: Option<f64>,
}

impl TrainOptions {
    /// The recipe with what was given instead.
    pub fn settings(&self, recipe: TrainingSettings) -> Result<TrainingSettings> {
        let mut settings = TrainingSettings {
            epochs: self.epochs.unwrap_or(recipe.epochs),
            batch: self.batch.unwrap_or(recipe.batch),
            precision: self.precision.unwrap_or(recipe.precision),
            learning_rate: self.learning_rate.unwrap_or(recipe.learning_rate),
            schedule: self.schedule.clone().unwrap_or(recipe.schedule),
            weight_decay: self.weight_decay.unwrap_or(recipe.weight_decay),
            held_out: self.held_out.unwrap_or(recipe.held_out),
            seed: self.seed.unwrap_or(recipe.seed),
            ..recipe
        };
        settings.augment.pad = self.pad.unwrap_or(settings.augment.pad);
        settings.augment.flip = self.flip.unwrap_or(settings.augment.flip);
        if let Some(start) = &self.start {
            settings.started_from = Some(super::finish::hash(start)?);
        }
        Ok(settings)
    }

    /// Opens images for training or for testing. Image files are scaled to 256 for a network that sees 224: the rest is cut away at random.
    /// Arrays have the size they have.
    pub fn open(&self, path: &Path, split: Split) -> Result<Images, Error> {
        let array = path.extension().is_some_and(|end| end == "npy" || end == "npz");
        let side = (!array && matches!(self.arch, Architecture::ImagenetResnet(_))).then_some(256);
        Images::open(path, &OpenOptions { split, resize: side, crop: side, ..OpenOptions::default() })
    }

    /// The device, if it exists.
    pub fn device(&self) -> Result<Device> {
        let device = match self.device.split_once(':').unwrap_or((&self.device, "0")) {
            ("cpu", _) => return Ok(Device::Cpu),
            ("mps", _) if tch::utils::has_mps() => return Ok(Device::Mps),
            ("cuda", number) => number.parse().ok(),
            _ => None,
        };
        match device {
            Some(number) if i64::try_from(number).is_ok_and(|at| at < tch::Cuda::device_count()) => {
                Ok(Device::Cuda(number))
            }
            _ => {
                let (asked, gpus) = (&self.device, tch::Cuda::device_count());
                super::refuse(format!(
                    "there is no device {asked}: libtorch sees the CPU and {gpus} CUDA devices"
                ))
            }
        }
    }
}

impl MacerOptions {
    /// The recipe with what was given instead.
    pub fn apply(&self, mut recipe: TrainingSettings) -> TrainingSettings {
        if let TrainingMethod::Macer(macer) = &mut recipe.method {
            macer.k = self.k.unwrap_or(macer.k);
            macer.lambda = self.lambda.unwrap_or(macer.lambda);
            macer.gamma = self.gamma.unwrap_or(macer.gamma);
            macer.beta = self.beta.unwrap_or(macer.beta);
        }
        recipe
    }
}

/// The recipe with another exponent of its noise.
pub fn with_exponent(mut recipe: TrainingSettings, exponent: Option<u32>) -> TrainingSettings {
    if let (Law::GeneralizedGaussian { k, .. }, Some(exponent)) = (&mut recipe.noise, exponent) {
        *k = exponent;
    }
    recipe
}
