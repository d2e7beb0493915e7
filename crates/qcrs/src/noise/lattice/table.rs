//! Which integer does a random word stand for?
#![allow(clippy::cast_possible_wrap)] // there are at most 2²⁰ thresholds

use super::Lattice;
use super::thresholds::upper_half;
use crate::types::Sigma;
use std::cell::RefCell;
use std::sync::Arc;

/// The integers of one law: I is the number of thresholds that are not above the 64-bit word, plus the least.
pub(super) struct IntegerTable {
    /// In increasing order.
    thresholds: Vec<u64>,
    /// The smallest integer, negative.
    least: i32,
    /// What is known of words by their first bits.
    bins: Vec<WordBin>,
    /// The number of bits that are not among the first.
    shift: u32,
}

/// The words that begin with the same bits: the integer of the smallest in the upper half, times 2, plus 1 if
/// the bin holds more than one threshold; the first half of the one threshold in the lower.
#[derive(Clone, Copy)]
struct WordBin(u64);

impl WordBin {
    fn new(integer: i32, thresholds: &[u64]) -> Self {
        let first = match thresholds {
            [] => u32::MAX,
            [threshold, ..] => (threshold >> 32) as u32,
        };
        let several = thresholds.len() > 1;
        Self(((2 * integer + i32::from(several)) as u64) << 32 | u64::from(first))
    }
}

/// What the first half of a word says of its integer.
pub(super) struct Guess {
    pub integer: i32,
    /// Whether the integer is not decided yet: [`IntegerTable::integer`] looks closer.
    pub is_open: bool,
}

/// A bin for every this much of the probability of the likeliest integer. More bins need fewer searches,
/// and more memory.
const BINS_PER_INTEGER: f64 = 16.0;

/// 2⁶⁴ Φ(−8.5), rounded up: the threshold of the smallest integer is no larger.
const MOST_BEYOND: u64 = 175;

thread_local! {
    /// The tables that this thread used last, the latest at the end.
    static LATEST: RefCell<Vec<(Sigma, Lattice, Arc<IntegerTable>)>> = const { RefCell::new(Vec::new()) };
}
/// Each thread keeps tables of about this many bytes, and always the last two.
const KEPT: usize = 8 << 20;

impl IntegerTable {
    /// The table of a law. Searches look at a few σ again and again, so each thread keeps what it used last.
    pub fn of(sigma: Sigma, lattice: Lattice) -> Arc<Self> {
        LATEST.with_borrow_mut(|latest| {
            let known = latest.iter().position(|known| (known.0, known.1) == (sigma, lattice));
            let table = known
                .map_or_else(|| Arc::new(Self::new(sigma.get(), lattice.steps())), |at| latest.remove(at).2);
            latest.push((sigma, lattice, Arc::clone(&table)));
            while latest.len() > 2 && latest.iter().map(|(.., table)| table.bytes()).sum::<usize>() > KEPT {
                latest.remove(0);
            }
            table
        })
    }

    fn bytes(&self) -> usize {
        8 * (self.thresholds.len() + self.bins.len())
    }

    fn new(sigma: f64, steps: u32) -> Self {
        let upper = upper_half(sigma, steps);
        let least = -(upper.len() as i32);
        let thresholds: Vec<u64> =
            upper.iter().rev().map(|t| t.wrapping_neg()).chain(upper.iter().copied()).collect();
        assert!(thresholds.is_sorted(), "thresholds increase");
        assert!(thresholds[0] <= MOST_BEYOND, "the masses of all integers make 1");
        let likeliest = 0.4 / (sigma * f64::from(steps));
        let first_bits = (BINS_PER_INTEGER / likeliest).log2().ceil().clamp(8.0, 18.0) as u32;
        let shift = 32 - first_bits;
        let mut bins = Vec::with_capacity(1 << first_bits);
        let mut from = 0;
        for next in 1..=1_u64 << first_bits {
            let last_word = ((next << shift) - 1) << 32 | u64::from(u32::MAX);
            let inside = thresholds[from..].iter().take_while(|t| **t <= last_word).count();
            bins.push(WordBin::new(least + from as i32, &thresholds[from..from + inside]));
            from += inside;
        }
        Self { thresholds, least, bins, shift }
    }

    /// What the first half of a word says.
    #[inline(always)]
    pub fn guess(&self, word: u32) -> Guess {
        let WordBin(bin) = self.bins[(word >> self.shift) as usize];
        let threshold = bin as u32;
        let high = (bin >> 32) as u32;
        Guess {
            integer: (high.cast_signed() >> 1) + i32::from(word >= threshold),
            is_open: high & 1 == 1 || word == threshold,
        }
    }

    /// The integer of a word; `second` gives its second half where that is needed.
    pub fn integer(&self, word: u32, second: impl FnOnce() -> u32) -> i32 {
        let not_above = |word: u64| self.thresholds.partition_point(|t| *t <= word) as i32;
        let first = u64::from(word) << 32;
        let (fewest, most) = (not_above(first), not_above(first | u64::from(u32::MAX)));
        self.least + if fewest == most { most } else { not_above(first | u64::from(second())) }
    }
}
