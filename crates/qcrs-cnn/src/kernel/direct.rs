//! A convolution as it is defined: for every pixel, rows of numbers times rows of weights.
//!
//! With channels innermost, the pixels that one row of the window covers are one run of numbers in
//! memory, whatever the size of the window. Several pixels and 16 or 32 channels are summed at once.

use super::lanes::Lanes;
use super::{Buffer, Epilogue, Isa, OverflowCheck, PixelWalk, Place, by_panel};
use crate::graph::Conv;
use std::ops::Range;

/// A convolution with one group.
pub(crate) struct Direct {
    pub(crate) from: Place,
    pub(crate) to: Place,
    pub(crate) tail: Epilogue,
    /// Pixels of the frame that windows reach into: above, left, below, right.
    pad: [usize; 4],
    stride: [usize; 2],
    /// How many rows the window has, and how many numbers each.
    rows: usize,
    run: usize,
    /// Output channels that are computed together.
    panel: usize,
    /// [panel][row][number of the run][output channel of the panel].
    weights: Buffer<f32>,
    bias: Vec<f32>,
}

/// Pixels are visited in blocks whose inputs stay in the second cache while the panels pass.
const BLOCK_BYTES: usize = 128 << 10;

impl Direct {
    pub(crate) fn new(conv: &Conv, from: Place, to: Place, tail: Epilogue, isa: Isa) -> Self {
        let [rows, columns] = conv.window.size;
        let outputs = to.pixel;
        let panel = isa.panel(outputs);
        let run = columns * from.pixel;
        let mut weights = Buffer::new(outputs * rows * run);
        for (at, weight) in weights.iter_mut().enumerate() {
            let (number, output) = (at / panel, at / (panel * rows * run) * panel + at % panel);
            let (tap, input) = ([number / run % rows, number % run / from.pixel], number % from.pixel);
            if output < conv.outputs && input < conv.depth() {
                *weight = conv.weight(output, input, tap);
            }
        }
        let mut bias = conv.bias.clone();
        bias.resize(outputs, 0.0);
        let (pad, stride) = (conv.window.pad, conv.window.stride);
        Self { from, to, tail, pad, stride, rows, run, panel, weights, bias }
    }

    /// Multiplications per output, by the definition of the layer.
    pub(crate) fn taps(&self) -> usize {
        self.rows * self.run / self.from.pixel * self.from.shape[0]
    }

    pub(crate) fn weight_bytes(&self) -> usize {
        4 * self.weights.len()
    }

    #[inline(always)]
    pub(super) unsafe fn run<L: Lanes>(&self, memory: &mut [f32], images: Range<usize>) -> bool {
        unsafe { by_panel!(self.panels::<L>(memory, images), 6, 8, 12) }
    }

    #[inline(always)]
    unsafe fn panels<L: Lanes, const PIXELS: usize, const WIDE: usize>(
        &self,
        memory: &mut [f32],
        images: Range<usize>,
    ) -> bool {
        debug_assert_eq!(self.panel, WIDE * L::COUNT);
        let [_, height, width] = self.to.shape;
        let (first, all) = (images.start * height * width, images.len() * height * width);
        let block = (BLOCK_BYTES / (4 * self.run)).next_multiple_of(PIXELS).max(PIXELS);
        let mut check = unsafe { OverflowCheck::<L>::new() };
        for start in (0..all).step_by(block) {
            let end = all.min(start + block);
            for panel in 0..self.to.pixel / self.panel {
                let mut walk = PixelWalk::over(self.to, first + start);
                for group in (start..end).step_by(PIXELS) {
                    let mut here = [[0; 3]; PIXELS];
                    for (i, here) in here.iter_mut().enumerate() {
                        *here = self.pixel(&walk);
                        // a group that is not full sums its last pixel again, and does not write it again
                        if group + i + 1 < end {
                            walk.go_on();
                        }
                    }
                    let live = PIXELS.min(end - group);
                    unsafe { self.group::<L, PIXELS, WIDE>(memory, &here, live, panel, &mut check) };
                }
            }
        }
        unsafe { check.sound() }
    }

    /// Where an output pixel reads, writes and finds its summand.
    #[inline(always)]
    fn pixel(&self, walk: &PixelWalk) -> [usize; 3] {
        let from = self.from.window(walk, self.pad, self.stride);
        let &PixelWalk { image, y, x, .. } = walk;
        [from, self.to.at(image, y, x), self.tail.add.map_or(0, |add| add.at(image, y, x))]
    }

    #[inline(always)]
    unsafe fn group<L: Lanes, const PIXELS: usize, const WIDE: usize>(
        &self,
        memory: &mut [f32],
        here: &[[usize; 3]; PIXELS],
        live: usize,
        panel: usize,
        check: &mut OverflowCheck<L>,
    ) {
        unsafe {
            let channel = panel * self.panel;
            let bias: [L; WIDE] = std::array::from_fn(|n| L::load(&self.bias, channel + n * L::COUNT));
            let mut sums = [bias; PIXELS];
            let mut weight = channel * self.rows * self.run;
            for row in 0..self.rows {
                let from: [usize; PIXELS] = std::array::from_fn(|i| here[i][0] + row * self.from.row);
                for number in 0..self.run {
                    let weights: [L; WIDE] =
                        std::array::from_fn(|n| L::load(&self.weights, weight + n * L::COUNT));
                    for i in 0..PIXELS {
                        let x = L::splat(memory, from[i] + number);
                        for n in 0..WIDE {
                            sums[i][n] = sums[i][n].mul_add(x, weights[n]);
                        }
                    }
                    weight += self.panel;
                }
            }
            for i in 0..PIXELS {
                if i < live {
                    for n in 0..WIDE {
                        let shift = channel + n * L::COUNT;
                        let value = self.tail.finish(sums[i][n], memory, here[i][2] + shift, check);
                        value.store(memory, here[i][1] + shift);
                    }
                }
            }
        }
    }
}
