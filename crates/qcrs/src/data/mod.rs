//! Which image, which label?
//!
//! Images come from memory, or, with the feature `data`, from files: `open` reads whatever is at a path, and
//! `decode` an image that came as the bytes of a file.

#[cfg(feature = "data")]
mod files;
mod known;
mod memory;
mod opened;
mod pixels;
mod rounded;
mod suits;

#[cfg(feature = "data")]
pub use files::{Channels, Layout, OpenOptions, Range, Split, decode, open, shape_of};
pub use memory::InMemory;
pub use opened::{NamedBy, Opened};
pub use pixels::pixel_hash;
#[doc(hidden)] // public for our bank only
pub use pixels::{byte_to_pixel, exact_bytes};

use crate::noise::Lattice;
use crate::types::Error;
use serde::{Deserialize, Serialize};

/// Images with labels, by index. The index of an image is its id in records and noise addresses,
/// so it never depends on the machine, the file system's order or the clock.
pub trait Dataset: Send + Sync {
    /// The number of images; never 0 in a dataset of this crate.
    fn len(&self) -> usize;

    /// Channels, height and width, the same for all images.
    fn shape(&self) -> [usize; 3];

    /// Image number `index`; an error names the file it could not be read from.
    fn get(&self, index: usize) -> Result<Example, Error>;

    /// The label of image number `index`, without its pixels where that is cheaper.
    fn label(&self, index: usize) -> Result<Option<usize>, Error> {
        Ok(self.get(index)?.label)
    }

    /// What the pixels are steps of: those of [`Lattice::Bytes`] are k/255 to the last bit, and those of
    /// [`Lattice::Fine`] anything.
    fn lattice(&self) -> Lattice {
        Lattice::Bytes
    }

    /// Whether there is no image at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One image and, where known, the class it shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The pixels in [0, 1], channel by channel, each row by row. An 8-bit value k is k/255.
    pub pixels: Vec<f32>,
    /// The number of the class.
    pub label: Option<usize>,
    /// The file that it comes from, where it has one of its own: a path within the dataset, with `/` between
    /// the parts.
    pub file: Option<String>,
}

impl Example {
    /// An image that has no file of its own.
    pub fn new(pixels: Vec<f32>, label: Option<usize>) -> Self {
        Self { pixels, label, file: None }
    }
}

/// What a dataset is and how it was read: a run's spec must remember both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The dataset's, file's or folder's name, for people.
    pub name: String,
    /// The BLAKE3 hash of the images and labels; for large image folders only of what
    /// `preprocess` says.
    pub blake3: String,
    /// Channels, height and width.
    pub shape: [usize; 3],
    /// How raw values became pixels, in words.
    pub preprocess: String,
    /// The names of the classes, where known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub classes: Option<Vec<String>>,
}

fn out_of_range(index: usize, len: usize) -> Error {
    Error::Invalid(format!("there is no image {index}; the dataset has {len}, counted from 0"))
}
