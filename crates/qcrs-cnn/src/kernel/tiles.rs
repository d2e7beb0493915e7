//! What multiplies blocks of 16 × 32 by 32 × 16 bf16?
//!
//! A unit holds sums of 16 pixels × 16 outputs, in f32, and adds to them the products of 16 pixels with 32
//! numbers each and the weights of these numbers. It rounds as Intel defines TDPBF16PS: even and odd numbers
//! are summed separately, by fused multiply-adds in order, then together, then added to the previous sum;
//! subnormal numbers count as 0.

use super::number::flush;
use super::{Bf16, Buffer};

/// Pixels, and outputs, of a block.
pub(super) const SIDE: usize = 16;
/// Numbers of a pixel that are multiplied at once.
pub(super) const DEPTH: usize = 32;
/// Blocks of pixels that share the weights they are multiplied with.
pub(super) const TALL: usize = 2;
/// The most blocks of outputs that share the pixels.
pub(super) const WIDEST: usize = 2;
/// The weights of a block.
pub(super) const BLOCK: usize = DEPTH * SIDE;

/// Sums as they come out: block after block, the blocks of the same pixels beside each other.
#[repr(align(64))]
pub(super) struct Sums(pub(super) [f32; TALL * WIDEST * SIDE * SIDE]);

impl Sums {
    /// Where the block of pixels `tall` and outputs `wide` begins.
    #[inline(always)]
    pub(super) const fn block(tall: usize, wide: usize) -> usize {
        (tall * WIDEST + wide) * SIDE * SIDE
    }
}

/// Where the numbers of 16 pixels stand: the first, and how far it is to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) at: usize,
    pub(super) step: usize,
}

/// Two blocks of pixels times one or two blocks of outputs.
///
/// # Safety
///
/// `new` needs a processor that has the unit, on the thread that then uses it. All places must lie inside
/// their slices; a debug build checks them.
pub(super) trait Tiles {
    unsafe fn new() -> Self;
    /// Begins with the same row of sums, from `at` on, for every pixel.
    unsafe fn start<const WIDE: usize>(&mut self, row: &Buffer<f32>, at: usize);
    /// Adds the products of `rows` with the `WIDE` blocks of weights from `at` on, each a row of outputs
    /// for every two numbers.
    unsafe fn add<const WIDE: usize>(
        &mut self,
        values: &[Bf16],
        rows: [Rows; TALL],
        weights: &Buffer<Bf16>,
        at: usize,
    );
    unsafe fn put<const WIDE: usize>(&mut self, sums: &mut Sums);
}

/// The definition, in software: the same bits as the processor's unit, and slow.
pub(super) struct Emulated(Sums);

impl Tiles for Emulated {
    #[inline(always)]
    unsafe fn new() -> Self {
        Self(Sums([0.0; TALL * WIDEST * SIDE * SIDE]))
    }

    #[inline(always)]
    unsafe fn start<const WIDE: usize>(&mut self, row: &Buffer<f32>, at: usize) {
        for (block, sums) in self.0.0.chunks_exact_mut(SIDE * SIDE).enumerate() {
            if block % WIDEST < WIDE {
                let row = &row[at + block % WIDEST * SIDE..][..SIDE];
                sums.chunks_exact_mut(SIDE).for_each(|sums| sums.copy_from_slice(row));
            }
        }
    }

    #[inline(always)]
    unsafe fn add<const WIDE: usize>(
        &mut self,
        values: &[Bf16],
        rows: [Rows; TALL],
        weights: &Buffer<Bf16>,
        at: usize,
    ) {
        for (tall, rows) in rows.iter().enumerate() {
            for wide in 0..WIDE {
                let weights = &weights[at + wide * BLOCK..][..BLOCK];
                let sums = &mut self.0.0[Sums::block(tall, wide)..][..SIDE * SIDE];
                for (pixel, sums) in sums.chunks_exact_mut(SIDE).enumerate() {
                    add_row(sums, &values[rows.at + pixel * rows.step..][..DEPTH], weights);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn put<const WIDE: usize>(&mut self, sums: &mut Sums) {
        sums.0 = self.0.0;
    }
}

#[inline(always)]
fn add_row(sums: &mut [f32], numbers: &[Bf16], weights: &[Bf16]) {
    let mut apart = [[0.0_f32; SIDE]; 2];
    for (pair, row) in numbers.chunks_exact(2).zip(weights.chunks_exact(2 * SIDE)) {
        for (odd, apart) in apart.iter_mut().enumerate() {
            let number = pair[odd].widen();
            for (sum, weights) in apart.iter_mut().zip(row.chunks_exact(2)) {
                *sum = flush(number.mul_add(weights[odd].widen(), *sum));
            }
        }
    }
    for (output, sum) in sums.iter_mut().enumerate() {
        *sum = flush(*sum + flush(apart[0][output] + apart[1][output]));
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // every bit counts
mod tests {
    use super::super::ValueFormat;
    use super::*;

    /// The sum of 16 pixels that all have these numbers, with weights of 1, added to `start`.
    fn sum(numbers: &[f32], start: f32) -> f32 {
        let mut values = Buffer::<Bf16>::new(DEPTH);
        for (value, number) in values.iter_mut().zip(numbers) {
            *value = Bf16::narrow(*number);
        }
        let mut weights = Buffer::<Bf16>::new(BLOCK);
        weights.fill(Bf16::narrow(1.0));
        let mut row = Buffer::<f32>::new(SIDE);
        row.fill(start);
        let mut sums = Sums([f32::NAN; TALL * WIDEST * SIDE * SIDE]);
        // SAFETY: software is everywhere, and all places lie inside
        unsafe {
            let mut unit = Emulated::new();
            unit.start::<1>(&row, 0);
            unit.add::<1>(&values, [Rows { at: 0, step: 0 }; TALL], &weights, 0);
            unit.put::<1>(&mut sums);
        }
        let (first, last) = (sums.0[0], sums.0[Sums::block(1, 0) + SIDE * SIDE - 1]);
        assert_eq!(first.to_bits(), last.to_bits());
        first
    }

    #[test]
    fn even_and_odd_numbers_are_summed_apart_and_the_start_comes_last() {
        let large = 16_777_216.0; // 2²⁴: one more is lost
        assert_eq!(sum(&[large, 1.0, -large], 0.0), 1.0);
        assert_eq!(sum(&[large, 0.0, 1.0, 0.0, -large], 0.0), 0.0);
        assert_eq!(sum(&[large, -large], 1.0), 1.0);
        assert_eq!(sum(&[large], 1.0), large);
        assert_eq!(sum(&[f32::MIN_POSITIVE], 0.0), f32::MIN_POSITIVE);
        assert_eq!(sum(&[1.5 * f32::MIN_POSITIVE, -f32::MIN_POSITIVE], 0.0), 0.0);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_processor_that_promises_the_unit_keeps_the_definition() {
        use super::super::amx;
        assert_eq!(amx::Amx::is_here(), amx::is_usable());
    }
}
