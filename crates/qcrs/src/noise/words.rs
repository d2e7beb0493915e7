//! Which random words make one draw?

use super::Stream;
use super::philox::philox4x32;

/// The number of counters that are computed side by side.
pub(super) const LANES: usize = 16;
/// The number of words that they make.
pub(super) const GROUP: usize = 4 * LANES;
/// This bit is set in the phase of the counters that give more bits, and in no others.
const MORE: u32 = 1 << 31;

/// The words of sixteen counters from `first` on: the first words of all, then the second, and so on.
#[inline(always)]
pub(super) fn words(stream: &Stream, draw: u32, first: u32) -> [[u32; LANES]; 4] {
    let key = stream.key();
    let mut words = [[0; LANES]; 4];
    for lane in 0..LANES {
        let counter = [draw, first + lane as u32, stream.input, stream.phase as u32];
        for (run, word) in words.iter_mut().zip(philox4x32(counter, key)) {
            run[lane] = word;
        }
    }
    words
}

/// The 32 bits that follow word number `run` of counter `block`.
#[cold]
pub(super) fn second_half(stream: &Stream, draw: u32, block: u32, run: usize) -> u32 {
    let counter = [draw, block, stream.input, stream.phase as u32 | MORE];
    philox4x32(counter, stream.key())[run]
}
