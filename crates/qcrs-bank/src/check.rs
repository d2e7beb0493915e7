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
            for &(_, b) in order[at + 1..].iter().take_while(near) {
                measured += u64::from(self.check_pair(a.min(b), a.max(b))?);
            }
        }
        Ok(Checked { balls: self.len(), pairs: self.pairs(), measured })
    }

    /// Whether a pair had to be measured.
    fn check_pair(&self, earlier: usize, later: usize) -> Result<bool, Error> {
        let (a, b) = (&self.balls[earlier], &self.balls[later]);
        let slack = f64::from(a.slack) + f64::from(b.slack);
        let apart = || between(self.shadow(earlier), self.shadow(later));
        if a.class == b.class || self.ruler.surely_apart(apart(), slack, a.radius, b.radius) {
            return Ok(false);
        }
        let (x, y) = (self.pixels(earlier)?.values(), self.pixels(later)?.values());
        match self.ruler.measure(&x, &y).room_beside(a.radius) {
            Some(room) if room >= b.radius => Ok(true),
            _ => Err(self.overlap(earlier, later)),
        }
    }

    fn pairs(&self) -> u64 {
        let half = |count: u64| count * count.saturating_sub(1) / 2;
        half(self.len() as u64) - self.stats().classes.values().map(|&count| half(count)).sum::<u64>()
    }
}
