//! Are balls of different classes disjoint?

use crate::bank::Bank;
use crate::error::Error;
use crate::shadow::between;

/// What was checked and found good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The number of balls.
    pub balls: usize,
    /// Pairs of different classes.
    pub pairs: u64,
    /// Those among them whose pixels had to be compared.
    pub measured: u64,
}

impl Bank {
    /// Makes sure that no two balls of different classes overlap, all pairs considered. Every pair is
    /// excluded by brightness, by shadows, or measured.
    pub fn check(&self) -> Result<Checked, Error> {
        let brightness = |id: usize| self.blocks.brightness(self.shadow(id));
        let mut order: Vec<(f64, usize)> = (0..self.len()).map(|id| (brightness(id), id)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let widest = self.balls.iter().map(|ball| ball.radius).fold(0.0, f64::max);
        let slackest = self.balls.iter().map(|ball| f64::from(ball.slack)).fold(0.0, f64::max);
        let mut measured = 0;
        for (at, &(bright, a)) in order.iter().enumerate() {
            let ball = &self.balls[a];
            // from the first that is brighter by more than any two radii on, all are
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
        Ok(Checked { balls: self.len(), pairs: self.pairs(), measured })
    }

    fn are_surely_disjoint(&self, a: usize, b: usize) -> bool {
        let (one, other) = (&self.balls[a], &self.balls[b]);
        let slack = f64::from(one.slack) + f64::from(other.slack);
        let apart = || between(self.shadow(a), self.shadow(b));
        one.class == other.class || self.ruler.surely_apart(apart(), slack, one.radius, other.radius)
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
