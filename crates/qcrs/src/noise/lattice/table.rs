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

/// The words that begin with the same bits. The upper half holds the integer of the smallest word, without its
/// first bit, which says that there are several thresholds. The lower half holds 2³² minus the first half of
/// the only threshold, so that adding a word that is not below the threshold adds 1 to the integer.
#[derive(Clone, Copy)]
struct WordBin(u64);

impl WordBin {
    const SEVERAL: u64 = 1 << 63;

    fn new(integer: i32, thresholds: &[u64]) -> Self {
        let (to_go, several) = match thresholds {
            [] => (0, 0),
            [threshold] if threshold >> 32 > 0 => ((1 << 32) - (threshold >> 32), 0),
            _ => (0, Self::SEVERAL),
        };
        Self((((integer as u64) << 32) + to_go) & !Self::SEVERAL | several)
    }

    /// The integer of the smallest word.
    #[inline(always)]
    fn integer(self) -> i32 {
        Guess(self.0).integer()
    }
}

/// What the first half of a word says of its integer: the sum of bin and word.
#[derive(Clone, Copy)]
pub(super) struct Guess(u64);

impl Guess {
    #[inline(always)]
    pub fn integer(self) -> i32 {
        ((self.0 << 1).cast_signed() >> 33) as i32
    }

    /// Whether the integer is not decided yet: [`IntegerTable::integer`] looks closer.
    #[inline(always)]
    pub fn is_open(self) -> bool {
        self.0 & WordBin::SEVERAL != 0 || self.0 as u32 == 0
    }
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
        Guess(bin + u64::from(word))
    }

    /// The integer of a word; `second` gives its second half where that is needed.
    pub fn integer(&self, word: u32, second: impl FnOnce() -> u32) -> i32 {
        let below = |bin: &WordBin| (bin.integer() - self.least) as usize;
        let at = (word >> self.shift) as usize;
        let (from, to) = (below(&self.bins[at]), self.bins.get(at + 1).map_or(self.thresholds.len(), below));
        let inside = &self.thresholds[from..to];
        let fewest = inside.partition_point(|t| t >> 32 < u64::from(word));
        let unclear = &inside[fewest..];
        let is_clear = unclear.first().is_none_or(|t| t >> 32 > u64::from(word));
        let passed = fewest
            + if is_clear {
                0
            } else {
                let word = u64::from(word) << 32 | u64::from(second());
                unclear.partition_point(|t| *t <= word)
            };
        self.least + (from + passed) as i32
    }
}
