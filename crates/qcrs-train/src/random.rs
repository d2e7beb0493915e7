//! Which random number belongs to this address?
//!
//! Everything random in a training is a function of (seed, what for, epoch, step or image): a run that
//! was killed is resumed with the same order, crops and noise. Nothing here certifies anything, so a
//! fast mixer is enough (SplitMix64: Steele, Lea & Flood, "Fast splittable pseudorandom number
//! generators", OOPSLA 2014).

use std::sync::{Mutex, PoisonError};

/// What a random number is for. Uses never share numbers.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// The weights a training starts from.
    Weights = 1,
    /// Which images are held out.
    HeldOut = 2,
    /// The order of the images in an epoch.
    Order = 3,
    /// How an image is cut and mirrored.
    Augment = 4,
    /// The noise of a training step.
    Noise = 5,
    /// The noise of an evaluation.
    Evaluate = 6,
}

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence at an address.
    pub fn at(seed: u64, purpose: Purpose, address: [u64; 2]) -> Self {
        let start = Self(seed);
        [purpose as u64, address[0], address[1]]
            .iter()
            .fold(start, |mut random, part| Self(random.word() ^ part.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`; uniform up to a bias of `end`/2⁶⁴.
    ///
    /// # Panics
    ///
    /// If `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        assert!(end > 0, "there is no number below 0");
        ((u128::from(self.word()) * end as u128) >> 64) as usize
    }

    /// The numbers below `end` in random order (Fisher–Yates).
    pub fn order(mut self, end: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..end).collect();
        for last in (1..end).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }

    /// What `draw` gives when libtorch's generators are seeded by this sequence. They belong to the whole
    /// process, so one thread at a time.
    pub fn in_torch<T>(mut self, draw: impl FnOnce() -> T) -> T {
        static GENERATORS: Mutex<()> = Mutex::new(());
        // a thread that panicked here left no broken state: the seed is set again
        let _one_at_a_time = GENERATORS.lock().unwrap_or_else(PoisonError::into_inner);
        tch::manual_seed(self.word().cast_signed());
        draw()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_splitmix64() {
        // the first words from state 1234567, as printed by the reference implementation
        let mut random = Random(1234567);
        assert_eq!(random.word(), 6457827717110365317);
        assert_eq!(random.word(), 3203168211198807973);
    }

    #[test]
    fn an_order_holds_every_number_once_and_depends_on_the_whole_address() {
        let order = |seed, epoch, step| Random::at(seed, Purpose::Order, [epoch, step]).order(100);
        let mut sorted = order(1, 2, 3);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        for other in [order(2, 2, 3), order(1, 3, 3), order(1, 2, 4)] {
            assert_ne!(order(1, 2, 3), other);
        }
        assert_eq!(order(1, 2, 3), order(1, 2, 3));
    }
}
