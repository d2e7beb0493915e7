//! Element by element: what no convolution could take in.

use super::lanes::Lanes;
use super::{Epilogue, OverflowCheck, Place, ValueFormat};
use std::ops::Range;

/// activation(scale · x + shift + other).
pub(crate) struct Map {
    pub(crate) from: Place,
    pub(crate) to: Place,
    pub(crate) tail: Epilogue,
    /// One per channel, filled up with zeros.
    pub(crate) scale: Vec<f32>,
    pub(crate) shift: Vec<f32>,
}

impl Map {
    #[inline(always)]
    pub(super) unsafe fn run<N: ValueFormat, L: Lanes>(
        &self,
        memory: &mut [N],
        images: Range<usize>,
    ) -> bool {
        let [_, height, width] = self.to.shape;
        unsafe {
            let mut check = OverflowCheck::<L>::new();
            for (image, y) in images.flat_map(|image| (0..height).map(move |y| (image, y))) {
                for x in 0..width {
                    let (from, to) = (self.from.at(image, y, x), self.to.at(image, y, x));
                    let add = self.tail.add.map_or(0, |add| add.at(image, y, x));
                    for c in (0..self.to.pixel).step_by(L::COUNT) {
                        let (scale, shift) = (L::load(&self.scale, c), L::load(&self.shift, c));
                        let sum = shift.mul_add(N::load(memory, from + c), scale);
                        N::store(self.tail.finish(sum, memory, add + c, &mut check), memory, to + c);
                    }
                }
            }
            check.sound()
        }
    }
}
