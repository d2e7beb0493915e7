//! What are images whose pixels were rounded to a lattice?

use super::{Dataset, Example};
use crate::noise::Lattice;
use crate::types::Error;

/// Images with every pixel rounded to the nearest step of the lattice.
pub(super) struct Rounded {
    pub images: Box<dyn Dataset>,
    pub lattice: Lattice,
}

impl Dataset for Rounded {
    fn len(&self) -> usize {
        self.images.len()
    }

    fn shape(&self) -> [usize; 3] {
        self.images.shape()
    }

    fn lattice(&self) -> Lattice {
        self.lattice
    }

    fn label(&self, index: usize) -> Result<Option<usize>, Error> {
        self.images.label(index)
    }

    fn get(&self, index: usize) -> Result<Example, Error> {
        let mut example = self.images.get(index)?;
        for pixel in &mut example.pixels {
            *pixel = self.lattice.nearest(*pixel);
        }
        Ok(example)
    }
}
