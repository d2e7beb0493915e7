//! Which input is certified next, how far ahead of the last line written, and how long did it take?

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Hands out inputs, never further than `window` ahead of the last line written: a crash loses no more.
pub(super) struct Queue {
    state: Mutex<State>,
    moved: Condvar,
    window: usize,
}

struct State {
    next: usize,
    end: usize,
    written: usize,
    meter: Meter,
}

/// Ends the wait of all others when one worker panics, because its input never finishes.
pub(super) struct CloseOnPanic<'a>(pub(super) &'a Queue);

impl Drop for CloseOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

impl Queue {
    pub(super) fn new(end: usize, window: usize) -> Self {
        let state = State { next: 0, end, written: 0, meter: Meter::new() };
        Self { state: Mutex::new(state), moved: Condvar::new(), window }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The position of the next input; `None` when there are no more.
    pub(super) fn take(&self) -> Option<usize> {
        let wait = |state: &mut State| state.next < state.end && state.next >= state.written + self.window;
        let mut state = self.moved.wait_while(self.lock(), wait).unwrap_or_else(PoisonError::into_inner);
        let position = state.next;
        if position >= state.end {
            return None;
        }
        state.next += 1;
        state.meter.start(position);
        Some(position)
    }

    /// How long the input at `position` took; inputs under way at the same time share it.
    pub(super) fn finish(&self, position: usize) -> f64 {
        self.lock().meter.finish(position).as_secs_f64()
    }

    /// Lets inputs be taken up to the window beyond these.
    pub(super) fn written(&self, count: usize) {
        self.lock().written = count;
        self.moved.notify_all();
    }

    /// Hands out no more.
    pub(super) fn close(&self) {
        self.lock().end = 0;
        self.moved.notify_all();
    }
}

/// Splits wall time evenly among the inputs under way, so that the parts add up to the whole.
struct Meter {
    since: Instant,
    /// Inputs under way and what each has been charged so far.
    open: Vec<(usize, Duration)>,
}

impl Meter {
    fn new() -> Self {
        Self { since: Instant::now(), open: Vec::new() }
    }

    fn start(&mut self, position: usize) {
        self.charge();
        self.open.push((position, Duration::ZERO));
    }

    /// The share of the input at `position`, which is no longer under way.
    fn finish(&mut self, position: usize) -> Duration {
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
