//! From rows of pixels, colour after colour, to the layout of the engine.

use super::{Instructions, Isa, Place, ValueFormat};

/// The first step: an image with its normalisation.
pub(crate) struct Pack {
    pub(crate) to: Place,
    /// One per colour.
    pub(crate) scale: Vec<f32>,
    pub(crate) shift: Vec<f32>,
}

impl Pack {
    /// Writes scale · pixels + shift as `image`.
    pub(crate) fn run<N: ValueFormat>(
        &self,
        instructions: Instructions,
        pixels: &[f32],
        memory: &mut [N],
        image: usize,
    ) {
        match instructions.isa() {
            // SAFETY: `Instructions` are made by `here` alone, so the processor has them
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Avx2 => unsafe { self.with_fma(pixels, memory, image) },
            Isa::Portable => self.copy(pixels, memory, image),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn with_fma<N: ValueFormat>(&self, pixels: &[f32], memory: &mut [N], image: usize) {
        self.copy(pixels, memory, image);
    }

    #[inline(always)]
    fn copy<N: ValueFormat>(&self, pixels: &[f32], memory: &mut [N], image: usize) {
        let [_, height, width] = self.to.shape;
        let colours = pixels.chunks_exact(height * width).zip(self.scale.iter().zip(&self.shift));
        for (colour, (pixels, (scale, shift))) in colours.enumerate() {
            for (y, row) in pixels.chunks_exact(width).enumerate() {
                let to = &mut memory[self.to.at(image, y, 0)..];
                for (pixel, to) in row.iter().zip(to[colour..].iter_mut().step_by(self.to.pixel)) {
                    *to = N::narrow(pixel.mul_add(*scale, *shift));
                }
            }
        }
    }
}
