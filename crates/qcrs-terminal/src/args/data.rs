//! Which images, read how, and which of them?

use super::count;
use crate::settings::DataSettings;
use qcrs::data::{Channels, Layout, OpenOptions, Opened, Range, Split};
use qcrs::run::Selection;
use std::path::PathBuf;

/// Options about the images.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Data")]
pub struct DataArgs {
    /// CIFAR .bin, IDX, .npy, .npz, PNG or JPEG, a folder of them (may hold class folders), or a CSV of file,label
    ///
    /// Inputs are numbered from 0: files by name, class folders by name, a CSV by line.
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    /// Which part of a dataset that has two [default: test]
    #[arg(long, requires = "data", value_name = "train|test")]
    pub split: Option<Split>,
    /// Labels from this file (CSV, .npy, IDX), for data without labels; --names lets a CSV name the classes
    #[arg(long, requires = "data", value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// The names of the model's classes, one per line in the order of its scores
    ///
    /// Class folders and labels in a CSV are looked up here, and tables show the names.
    #[arg(long, requires = "data", value_name = "FILE")]
    pub names: Option<PathBuf>,
    /// Accept data with fewer classes than the model has: the first class folder is class 0, and so on
    #[arg(long, requires = "data", conflicts_with = "names")]
    pub allow_fewer_classes: bool,
    /// The order of axes of a 4-D NumPy array, where its shape does not tell
    #[arg(long, requires = "data", value_name = "nhwc|nchw")]
    pub layout: Option<Layout>,
    /// The scale of floating-point pixels in a NumPy array
    #[arg(long, requires = "data", default_value_t, value_name = "0..1|0..255")]
    pub range: Range,
    /// Image files: scale the shorter side to this (ImageNet: 256)
    #[arg(long, requires = "data", value_name = "PIXELS")]
    pub resize: Option<u32>,
    /// Image files: then cut out the central square of this side (ImageNet: 224)
    #[arg(long, requires = "data", value_name = "PIXELS")]
    pub crop: Option<u32>,
    /// Image files: grey or colour
    #[arg(long, requires = "data", default_value_t, value_name = "1|3")]
    pub channels: Channels,
}

impl DataArgs {
    /// What was asked for.
    pub fn settings(&self) -> DataSettings {
        let Self { data, split, labels, names, layout, range, resize, crop, channels, .. } = self.clone();
        let usual = DataSettings::new(data);
        let options = OpenOptions { labels, names, layout, range, resize, crop, channels, ..usual.options };
        DataSettings { options, split, allow_fewer_classes: self.allow_fewer_classes, ..usual }
    }

    /// Opens the data.
    pub fn open(&self) -> anyhow::Result<Opened> {
        self.settings().open()
    }
}

impl From<&DataArgs> for DataSettings {
    fn from(args: &DataArgs) -> Self {
        args.settings()
    }
}

/// Options about which of the images.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Selection")]
pub struct SelectionArgs {
    /// Take every K-th id: with no --offset, those divisible by it
    #[arg(long, default_value_t = 1, value_name = "K", value_parser = count(1..))]
    pub skip: u32,
    /// Begin with this id
    #[arg(long, default_value_t = 0, value_name = "ID", value_parser = count(..))]
    pub offset: u32,
    /// Take only ids below this one; --count limits how many
    #[arg(long, value_name = "END-ID", value_parser = count(..))]
    pub max: Option<u32>,
    /// Take inputs with this label only, a name or a number
    #[arg(long, value_name = "CLASS")]
    pub of_class: Option<String>,
    /// Take at most this many inputs
    #[arg(long, value_name = "C", value_parser = count(..))]
    pub count: Option<u32>,
}

impl SelectionArgs {
    /// Which of `of` inputs are asked for, whatever their label.
    pub fn among(&self, of: u32) -> Selection {
        let &Self { skip, offset, max, count, .. } = self;
        Selection { of, skip, offset, max, listed: None, count }
    }
}
