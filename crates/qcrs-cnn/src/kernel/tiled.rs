//! A convolution on bf16: blocks of pixels times blocks of weights.
//!
//! With channels innermost, the pixels that one row of the window covers are one run of numbers. A run is
//! cut into pieces of 32 numbers, the last one with weights of 0 after the end. Sixteen outputs
//! beside each other read sixteen such pieces at equal distances, which is a block as the unit takes it;
//! where a row of outputs is not a multiple of sixteen, the pieces are first copied side by side.

#[cfg(target_arch = "x86_64")]
use super::amx::Amx;
use super::lanes::Lanes;
use super::tiles::{BLOCK, DEPTH, Emulated, Rows, SIDE, Sums, TALL, Tiles, WIDEST};
use super::{Bf16, Buffer, Convolution, Epilogue, Isa, OverflowCheck, PixelWalk, Place, ValueFormat};
use crate::graph::Conv;
use std::ops::Range;

/// A convolution with one group.
pub(crate) struct Tiled {
    from: Place,
    to: Place,
    tail: Epilogue,
    pad: [usize; 4],
    stride: [usize; 2],
    taps: usize,
    /// Output channels, filled up.
    outputs: usize,
    /// Blocks of outputs that are computed together.
    wide: usize,
    /// Where each piece of a window begins, from its upper left pixel on.
    pieces: Vec<usize>,
    /// [panel][piece][block][two numbers][output of the block][number].
    weights: Buffer<Bf16>,
    bias: Buffer<f32>,
    /// Whether sixteen outputs always lie in one row.
    regular: bool,
    /// Where pieces that do not lie at equal distances are copied to.
    scratch: usize,
    unit: Unit,
}

/// What does the multiplications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    #[cfg(target_arch = "x86_64")]
    Amx,
    Emulated,
}

impl Unit {
    pub(crate) fn best(isa: Isa) -> Self {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 if Amx::is_here() => Self::Amx,
            _ => Self::Emulated,
        }
    }
}

/// Pixels of a step of the unit.
const PIXELS: usize = TALL * SIDE;
/// Copied pieces stay in the second cache while the panels pass.
const CHUNK_BYTES: usize = 128 << 10;

impl Convolution<Bf16> for Tiled {
    fn new(conv: &Conv, [from, to]: [Place; 2], tail: Epilogue, isa: Isa, _: bool) -> Self {
        let [rows, columns] = conv.window.size;
        let run = columns * from.pixel;
        let places = (0..rows).flat_map(|row| (0..run).step_by(DEPTH).map(move |at| (row, at)));
        let outputs = conv.outputs.next_multiple_of(SIDE);
        let wide = if outputs.is_multiple_of(WIDEST * SIDE) { WIDEST } else { 1 };
        let pieces: Vec<(usize, usize)> = places.collect();
        let mut weights = Buffer::<Bf16>::new(outputs * pieces.len() * DEPTH);
        for (block, weights) in weights.chunks_exact_mut(BLOCK).enumerate() {
            let (row, start) = pieces[block / wide % pieces.len()];
            let first = (block / (wide * pieces.len()) * wide + block % wide) * SIDE;
            for (at, weight) in weights.iter_mut().enumerate() {
                let (number, output) = (start + at / (2 * SIDE) * 2 + at % 2, first + at / 2 % SIDE);
                let (tap, input) = ([row, number / from.pixel], number % from.pixel);
                if number < run && input < conv.depth() && output < conv.outputs {
                    *weight = Bf16::narrow(conv.weight(output, input, tap));
                }
            }
        }
        let mut bias = Buffer::new(outputs);
        bias[..conv.outputs].copy_from_slice(&conv.bias);
        Self {
            from,
            to,
            tail,
            pad: conv.window.pad,
            stride: conv.window.stride,
            taps: conv.depth() * rows * columns,
            outputs,
            wide,
            pieces: pieces.iter().map(|(row, at)| row * from.row + at).collect(),
            weights,
            bias,
            regular: to.shape[2].is_multiple_of(SIDE),
            scratch: 0,
            unit: Unit::best(isa),
        }
    }

    fn kind(&self) -> &'static str {
        if self.regular { "tiles" } else { "copied tiles" }
    }

    fn places(&self) -> [Place; 2] {
        [self.from, self.to]
    }

    fn taps(&self) -> usize {
        self.taps
    }

    fn weight_bytes(&self) -> usize {
        size_of::<Bf16>() * self.weights.len()
    }

    fn scratch_len(&self) -> usize {
        // pieces are read to their end, even where the last value ends before
        if self.regular { DEPTH } else { self.chunk() * self.copied() }
    }

    fn put_scratch(&mut self, at: usize) {
        self.scratch = at;
    }

    #[inline(always)]
    unsafe fn run<L: Lanes>(&self, memory: &mut [Bf16], images: Range<usize>) -> bool {
        unsafe {
            match (self.unit, self.wide) {
                #[cfg(target_arch = "x86_64")]
                (Unit::Amx, 1) => self.chunks::<L, Amx, 1>(memory, images),
                #[cfg(target_arch = "x86_64")]
                (Unit::Amx, _) => self.chunks::<L, Amx, WIDEST>(memory, images),
                (Unit::Emulated, 1) => self.chunks::<L, Emulated, 1>(memory, images),
                (Unit::Emulated, _) => self.chunks::<L, Emulated, WIDEST>(memory, images),
            }
        }
    }
}

impl Tiled {
    /// Numbers that the copies for one step's pixels take.
    fn copied(&self) -> usize {
        self.pieces.len() * PIXELS * DEPTH
    }

    /// Steps whose pixels are done panel by panel.
    fn chunk(&self) -> usize {
        (CHUNK_BYTES / (size_of::<Bf16>() * self.copied())).max(1)
    }

    #[inline(always)]
    unsafe fn chunks<L: Lanes, T: Tiles, const WIDE: usize>(
        &self,
        memory: &mut [Bf16],
        images: Range<usize>,
    ) -> bool {
        let [_, height, width] = self.to.shape;
        let (first, end) = (images.start * height * width, images.end * height * width);
        unsafe {
            let mut unit = T::new();
            let mut sums = Sums([0.0; TALL * WIDEST * SIDE * SIDE]);
            let mut check = OverflowCheck::<L>::new();
            for chunk in (first..end).step_by(self.chunk() * PIXELS) {
                let steps = (end - chunk).div_ceil(PIXELS).min(self.chunk());
                if !self.regular {
                    (0..steps).for_each(|step| self.copy(memory, step, chunk + step * PIXELS, end));
                }
                for panel in 0..self.outputs / (WIDE * SIDE) {
                    for step in 0..steps {
                        let pixel = chunk + step * PIXELS;
                        self.sum::<T, WIDE>(&mut unit, memory, panel, step, pixel, end);
                        unit.put::<WIDE>(&mut sums);
                        self.finish::<L, WIDE>(
                            memory,
                            &sums,
                            panel,
                            pixel..end.min(pixel + PIXELS),
                            &mut check,
                        );
                    }
                }
            }
            check.sound()
        }
    }

    /// Copies the pieces of a step's pixels side by side; pixels after the end repeat the last.
    fn copy(&self, memory: &mut [Bf16], step: usize, first: usize, end: usize) {
        let to = self.scratch + step * self.copied();
        let mut walk = PixelWalk::over(self.to, first);
        for at in 0..PIXELS {
            let from = self.corner(&walk);
            for (piece, offset) in self.pieces.iter().enumerate() {
                let to = to + (piece * PIXELS + at) * DEPTH;
                memory.copy_within(from + offset..from + offset + DEPTH, to);
            }
            if first + at + 1 < end {
                walk.go_on();
            }
        }
    }

    /// Where the window of an output begins.
    #[inline(always)]
    fn corner(&self, at: &PixelWalk) -> usize {
        self.from.window(at, self.pad, self.stride)
    }

    /// All pieces of a step's pixels times the weights of a panel.
    #[inline(always)]
    unsafe fn sum<T: Tiles, const WIDE: usize>(
        &self,
        unit: &mut T,
        memory: &[Bf16],
        panel: usize,
        step: usize,
        first: usize,
        end: usize,
    ) {
        let mut weights = panel * WIDE * self.pieces.len() * BLOCK;
        unsafe {
            unit.start::<WIDE>(&self.bias, panel * WIDE * SIDE);
            if self.regular {
                let blocks = [first, (first + SIDE).min(end - SIDE)];
                let blocks = blocks.map(|first| self.corner(&PixelWalk::over(self.to, first)));
                let step = self.stride[1] * self.from.pixel;
                for offset in &self.pieces {
                    let rows = blocks.map(|block| Rows { at: block + offset, step });
                    unit.add::<WIDE>(memory, rows, &self.weights, weights);
                    weights += WIDE * BLOCK;
                }
            } else {
                let mut at = self.scratch + step * self.copied();
                for _ in &self.pieces {
                    let rows = [0, SIDE * DEPTH].map(|block| Rows { at: at + block, step: DEPTH });
                    unit.add::<WIDE>(memory, rows, &self.weights, weights);
                    weights += WIDE * BLOCK;
                    at += PIXELS * DEPTH;
                }
            }
        }
    }

    /// What follows a sum, for all pixels of a step.
    #[inline(always)]
    unsafe fn finish<L: Lanes, const WIDE: usize>(
        &self,
        memory: &mut [Bf16],
        sums: &Sums,
        panel: usize,
        pixels: Range<usize>,
        check: &mut OverflowCheck<L>,
    ) {
        let add = self.tail.add.unwrap_or(self.to);
        // the scores are kept with all their bits
        let is_whole = self.to.pixel > self.outputs;
        let mut walk = PixelWalk::over(self.to, pixels.start);
        for at in 0..pixels.len() {
            let (to, other) = (self.to.at(walk.image, walk.y, walk.x), add.at(walk.image, walk.y, walk.x));
            for c in (0..WIDE * SIDE).step_by(L::COUNT) {
                let channel = panel * WIDE * SIDE + c;
                let from = Sums::block(at / SIDE, c / SIDE) + at % SIDE * SIDE + c % SIDE;
                unsafe {
                    let sum = L::load(&sums.0, from);
                    let value = self.tail.finish(sum, memory, other + channel, check);
                    if is_whole {
                        put_whole(value, memory, to + channel, self.outputs);
                    } else {
                        Bf16::store(value, memory, to + channel);
                    }
                }
            }
            walk.go_on();
        }
    }
}

/// Writes f32 as two numbers each, `apart` from each other.
#[inline(always)]
unsafe fn put_whole<L: Lanes>(value: L, memory: &mut [Bf16], at: usize, apart: usize) {
    let mut wide = [0.0; SIDE];
    unsafe { value.store(&mut wide, 0) };
    for lane in 0..L::COUNT {
        [memory[at + lane], memory[at + lane + apart]] = Bf16::halves(wide[lane]);
    }
}
