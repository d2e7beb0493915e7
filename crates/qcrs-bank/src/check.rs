//! Are balls of different classes disjoint?

use crate::bank::Bank;
use crate::error::Error;
use crate::shadow::surely_apart;

/// What was checked and found good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedBank {
    /// The number of balls.
    pub balls: usize,
    /// Pairs of different classes.
    pub pairs: u64,
    /// Those of them whose pixels had to be compared.
    pub measured: u64,
}

impl Bank {
    /// Makes sure that no two balls of different classes overlap. Every pair is excluded by brightness or by
    /// shadows, or is measured.
    pub fn check(&self) -> Result<CheckedBank, Error> {
        let brightness = |id: usize| self.blocks.brightness(self.shadow(id));
        let mut order: Vec<(f64, usize)> = (0..self.len()).map(|id| (brightness(id), id)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let widest = self.balls.iter().map(|ball| ball.radius).fold(0.0, f64::max);
        let slackest = self.balls.iter().map(|ball| f64::from(ball.slack)).fold(0.0, f64::max);
        let mut measured = 0;
        for (at, &(bright, a)) in order.iter().enumerate() {
            let ball = &self.balls[a];
            // the first ball that is brighter by more than any two radii ends the search, as all after it are
            // too
            let near = |(brighter, _): &&(f64, usize)| {
                let slack = f64::from(ball.slack) + slackest;
                !self.ruler.surely_apart(brighter - bright, slack, ball.radius, widest)
            };
            let mut x = None; // most balls need no pixels
            for &(_, b) in order[at + 1..].iter().take_while(near) {
                if !self.are_surely_disjoint(a, b) {
                    let x = match &mut x {
                        Some(x) => x,
                        none => none.insert(self.pixels(a)?.values()),
                    };
                    self.measure_pair(a, x, b)?;
                    measured += 1;
                }
            }
        }
        Ok(CheckedBank { balls: self.len(), pairs: self.pairs(), measured })
    }

    fn are_surely_disjoint(&self, a: usize, b: usize) -> bool {
        let (one, other) = (&self.balls[a], &self.balls[b]);
        let slack = f64::from(one.slack) + f64::from(other.slack);
        let radii = (one.radius, other.radius);
        one.class == other.class || surely_apart(self.ruler, self.shadow(a), self.shadow(b), slack, radii)
    }

    fn measure_pair(&self, a: usize, x: &[f32], b: usize) -> Result<(), Error> {
        // the later ball was cut to leave room for the earlier one: rounding is checked in that order
        let (earlier, later) = (&self.balls[a.min(b)], &self.balls[a.max(b)]);
        match self.ruler.measure(x, &self.pixels(b)?.values()).room_beside(earlier.radius) {
            Some(room) if room >= later.radius => Ok(()),
            _ => Err(self.overlap(a.min(b), a.max(b))),
        }
    }

    fn pairs(&self) -> u64 {
        let half = |count: u64| count * count.saturating_sub(1) / 2;
        half(self.len() as u64) - self.stats().classes.values().map(|&count| half(count)).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Why;
    use crate::entry::BankRecord;
    use crate::error::Problem;
    use crate::pixels::StoredPixels;
    use proptest::prelude::*;
    use qcrs::types::Alpha;

    /// A bank of these balls, which no bank would have accepted.
    fn forged(balls: &[([f32; 4], usize, f64)]) -> (tempfile::TempDir, Bank) {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let mut bank = Bank::open(dir.path(), [1, 2, 2]).unwrap();
        for &(x, class, radius) in balls {
            let alpha = Alpha::new(0.001).unwrap();
            let ball = BankRecord::Ball { class, radius, alpha, why: Why::Own, source: None };
            bank.file.append(&ball, Some(&StoredPixels::of(&x))).unwrap();
        }
        drop(bank);
        let bank = Bank::read(dir.path()).unwrap();
        (dir, bank)
    }

    proptest! {
        #[test]
        fn an_overlap_is_found_wherever_it_is(
            balls in prop::collection::vec((prop::array::uniform4(0f32..1.0), 0..2usize, 0.01..0.2f64), 2..12),
        ) {
            let (_dir, bank) = forged(&balls);
            let mut truth = false;
            for (i, (x, class, radius)) in balls.iter().enumerate() {
                for (y, other, reach) in &balls[..i] {
                    let square = |(&x, &y): (&f32, &f32)| (f64::from(x) - f64::from(y)).powi(2);
                    let apart = x.iter().zip(y).map(square).sum::<f64>().sqrt();
                    truth |= class != other && apart < radius + reach;
                }
            }
            prop_assert_eq!(bank.check().is_err(), truth);
        }
    }

    #[test]
    fn an_overlap_is_named_by_check_and_by_ask() {
        let (_dir, bank) = forged(&[([0.0; 4], 0, 0.5), ([9.0; 4], 1, 0.5), ([0.25; 4], 1, 0.5)]);
        for error in [bank.check().unwrap_err(), bank.ask(&[0.125; 4], None).unwrap_err()] {
            assert!(matches!(error.problem, Problem::Damaged(_)));
            assert!(error.to_string().contains("entries 0 and 2 overlap"), "{error}");
        }
    }
}
