//! Which image files are there, and what is in them?

mod bounded;
mod cifar;
mod decode;
mod folder;
mod idx;
mod jpeg;
mod labels;
mod listing;
mod names;
mod npy;
mod npz;
mod open;
mod options;
mod picture;

pub use decode::{decode, shape_of};
pub use open::open;
pub use options::{Channels, Layout, OpenOptions, Range, Split};

use super::{About, Dataset, Example, InMemory, NamedBy, Opened, byte_to_pixel, known, memory, out_of_range};

#[cfg(test)]
mod tests;
