//! What are the whole numbers of one draw, in order, as fast as this processor can make them?
//!
//! Words are laid out as for normals: sixteen Philox counters make a group of 64. A word has 64 bits; the
//! second half comes from another counter, and is drawn only where the first half does not decide.

use super::Lattice;
use super::table::{Guess, IntegerTable};
use crate::noise::Stream;
use crate::noise::words::{GROUP, LANES, second_half, words};
use std::sync::LazyLock;

/// `out = (x + I) / steps`, as a job that pulp compiles once for every instruction set.
pub(super) struct AddIntegers<'a> {
    pub stream: &'a Stream,
    pub draw: u32,
    pub lattice: Lattice,
    pub table: &'a IntegerTable,
    pub x: &'a [i32],
    pub out: &'a mut [f32],
}

impl AddIntegers<'_> {
    /// Runs with the best instructions that this processor has.
    pub fn run(self) {
        static BEST: LazyLock<pulp::Arch> = LazyLock::new(pulp::Arch::new);
        self.run_on(*BEST);
    }

    /// Runs with the instructions of `arch`; `pulp::Arch::Scalar` is what every processor has.
    pub fn run_on(self, arch: pulp::Arch) {
        arch.dispatch(self);
    }
}

impl pulp::WithSimd for AddIntegers<'_> {
    type Output = ();

    // the instruction set is that of the caller, and only inlined code inherits it
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { stream, draw, lattice, table, x, out } = self;
        for (group, (x, out)) in (0..).zip(x.chunks(GROUP).zip(out.chunks_mut(GROUP))) {
            let integers = integers(stream, draw, group, table);
            if let (Some(x), Some(out)) = (x.as_array(), out.as_mut_array()) {
                add(lattice, &integers, x, out);
            } else {
                let (mut padded, mut sum) = ([0; GROUP], [0.0; GROUP]);
                padded[..x.len()].copy_from_slice(x);
                add(lattice, &integers, &padded, &mut sum);
                out.copy_from_slice(&sum[..x.len()]);
            }
        }
    }
}

#[inline(always)]
fn add(lattice: Lattice, integers: &[i32; GROUP], x: &[i32; GROUP], out: &mut [f32; GROUP]) {
    for i in 0..GROUP {
        out[i] = lattice.pixel(x[i] + integers[i]);
    }
}

/// The whole numbers 64·group to 64·group + 63 of a draw.
#[inline(always)]
fn integers(stream: &Stream, draw: u32, group: u32, table: &IntegerTable) -> [i32; GROUP] {
    let first = group * LANES as u32;
    let words: [u32; GROUP] =
        *words(stream, draw, first).as_flattened().as_array().expect("4 times 16 is 64");
    let guesses = words.map(|word| table.guess(word));
    let mut integers = guesses.map(Guess::integer);
    let mut open = 0;
    for (i, guess) in guesses.into_iter().enumerate() {
        open |= u64::from(guess.is_open()) << i;
    }
    while open != 0 {
        let at = open.trailing_zeros() as usize;
        let (run, lane) = (at / LANES, at % LANES);
        integers[at] = table.integer(words[at], || second_half(stream, draw, first + lane as u32, run));
        open &= open - 1;
    }
    integers
}
