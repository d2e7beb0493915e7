//! What can a user say about the data?

use crate::types::Error;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How to read a dataset; the default reads every format that needs no explanation.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Which part of a dataset that has two (CIFAR, MNIST, npz); a single file has only itself.
    pub split: Split,
    /// The order of axes of a 4-D NumPy array, where its shape does not tell.
    pub layout: Option<Layout>,
    /// The scale of floating-point pixels in a NumPy array.
    pub range: Range,
    /// Image files: scale the shorter side to this many pixels.
    pub resize: Option<u32>,
    /// Image files: then cut a square of this side out of the centre.
    pub crop: Option<u32>,
    /// Image files: colour or grey.
    pub channels: Channels,
    /// Labels from this file, for data without labels: CSV, `.npy` or IDX.
    pub labels: Option<PathBuf>,
    /// The names of all classes from this file, one per line: class folders and labels in a CSV are looked up
    /// in it.
    pub names: Option<PathBuf>,
}

/// A kind of data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Images of one size and scale, as CIFAR and MNIST have them.
    Fixed,
    /// NumPy arrays.
    Array,
    /// Image files.
    Pictures,
}

/// Which part of a dataset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// The part that models are trained on.
    Train,
    /// The part that models are judged on.
    #[default]
    Test,
}

/// The order of axes of an array of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Image, row, column, channel: as TensorFlow has it.
    Nhwc,
    /// Image, channel, row, column: as PyTorch has it.
    Nchw,
}

/// The scale of floating-point pixels; a value outside is an error, never clipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Range {
    /// From 0 to 1.
    #[default]
    Unit,
    /// From 0 to 255, divided by 255 on reading.
    Bytes,
}

/// How many channels an image file is read into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Channels {
    /// One; an image with colour in it is an error.
    Grey,
    /// Red, green and blue; a grey image has three equal ones.
    #[default]
    Rgb,
}

macro_rules! from_words {
    ($name:ident, $what:literal, $($word:literal => $value:ident),+) => {
        impl FromStr for $name {
            type Err = Error;
            fn from_str(text: &str) -> Result<Self, Error> {
                match text {
                    $($word => Ok(Self::$value),)+
                    _ => Err(Error::Invalid(format!(
                        "{} is one of {}, got '{text}'", $what, [$($word),+].join(", ")
                    ))),
                }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$value => $word),+ })
            }
        }
    };
}
from_words!(Split, "split", "train" => Train, "test" => Test);
from_words!(Layout, "layout", "nhwc" => Nhwc, "nchw" => Nchw);
from_words!(Range, "range", "0..1" => Unit, "0..255" => Bytes);
from_words!(Channels, "channels", "1" => Grey, "3" => Rgb);

impl Channels {
    /// The number itself.
    pub fn count(self) -> usize {
        match self {
            Self::Grey => 1,
            Self::Rgb => 3,
        }
    }
}

impl OpenOptions {
    /// Whether labels or names come from this file.
    pub(super) fn names_file(&self, file: &Path) -> bool {
        [&self.labels, &self.names].into_iter().flatten().any(|given| given == file)
    }

    /// An option that does not apply to the data at `path` is an error: it must not be ignored silently.
    pub(super) fn suit(&self, kind: Kind, path: &Path) -> Result<(), Error> {
        let given = [
            ("layout", self.layout.is_some(), Kind::Array),
            ("range", self.range != Range::default(), Kind::Array),
            ("resize", self.resize.is_some(), Kind::Pictures),
            ("crop", self.crop.is_some(), Kind::Pictures),
            ("channels", self.channels != Channels::default(), Kind::Pictures),
        ];
        let Some((name, _, of)) = given.iter().find(|(_, given, of)| *given && *of != kind) else {
            return Ok(());
        };
        let of = if *of == Kind::Array { "NumPy arrays" } else { "image files" };
        Err(Error::setting(name, format!("is for {of}, not for {}; leave it out", path.display())))
    }
}
