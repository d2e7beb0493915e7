//! How long did one input take, while others were under way?

use std::time::{Duration, Instant};

/// Splits wall time evenly among the inputs under way, so that the parts add up to the whole.
pub(super) struct Meter {
    since: Instant,
    /// Inputs under way and what each has been charged so far.
    open: Vec<(usize, Duration)>,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self { since: Instant::now(), open: Vec::new() }
    }

    pub(super) fn start(&mut self, position: usize) {
        self.charge();
        self.open.push((position, Duration::ZERO));
    }

    /// The share of the input at `position`, which is no longer under way.
    pub(super) fn finish(&mut self, position: usize) -> Duration {
        self.charge();
        let at = self.open.iter().position(|&(open, _)| open == position);
        at.map_or(Duration::ZERO, |at| self.open.swap_remove(at).1)
    }

    fn charge(&mut self) {
        let elapsed = self.since.elapsed();
        self.since += elapsed;
        let count = self.open.len().max(1) as u32;
        for (_, charged) in &mut self.open {
            *charged += elapsed / count;
        }
    }
}
