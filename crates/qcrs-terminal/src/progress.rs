//! How far are we, and how long will it take?

use crate::output::{is_quiet, say};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use qcrs::sample::MonteCarlo;
use qcrs::text;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A bar on a terminal, a line now and then in a pipe or file, nothing when quiet.
pub struct PassesBar {
    bar: ProgressBar,
    lines: bool,
    done: AtomicBool,
}

/// Ends the watcher, also when the work panics: the scope would wait for it forever.
struct End<'a> {
    done: &'a AtomicBool,
    watcher: &'a std::thread::Thread,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.done.store(true, Relaxed);
        self.watcher.unpark();
    }
}

/// Does `work`, and says what it is if it takes longer than a second.
pub fn patiently<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (working, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                say!("{what}");
            }
        });
        let result = work();
        drop(working);
        result
    })
}

const IN_A_PIPE: Duration = Duration::from_secs(30);
const TICK: Duration = Duration::from_millis(200);
/// A tick that takes longer than this was a stop, of this program or of the whole machine.
const STOPPED: Duration = Duration::from_secs(2);

impl PassesBar {
    /// Expects `passes` forward passes in all.
    pub fn new(passes: u64) -> Self {
        let (quiet, terminal) = (is_quiet(), std::io::stderr().is_terminal());
        let bar = ProgressBar::with_draw_target(Some(passes), ProgressDrawTarget::hidden());
        let template = "{bar:20} {percent}%  {elapsed}, {prefix} to go  {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if terminal && !quiet {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        Self { bar, lines: !quiet && !terminal, done: false.into() }
    }

    /// Changes the number of passes that are expected in all.
    pub fn expect(&self, passes: u64) {
        self.bar.set_length(passes);
    }

    /// What to say beside the bar.
    pub fn say(&self, message: &str) {
        self.bar.set_message(text::one_line(message));
    }

    /// Does something that writes to the terminal while the bar is hidden.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Runs `work` while showing how many passes `sampler` has made.
    pub fn watch<T>(&self, sampler: &MonteCarlo, work: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| self.follow(sampler));
            let end = End { done: &self.done, watcher: watcher.thread() };
            let result = work();
            drop(end);
            let _ = watcher.join();
            self.bar.finish_and_clear();
            result
        })
    }

    fn follow(&self, sampler: &MonteCarlo) {
        let before = sampler.passes();
        let (mut spoken, mut tick, mut busy) = (Instant::now(), Instant::now(), Duration::ZERO);
        while !self.done.load(Relaxed) {
            let passed = tick.elapsed();
            tick = Instant::now();
            busy += if passed < STOPPED { passed } else { TICK };
            let (at, of) = (sampler.passes() - before, self.bar.length().unwrap_or(0).max(1));
            let left = left(busy, at, of).map_or_else(|| "?".into(), |left| HumanDuration(left).to_string());
            self.bar.set_prefix(left.clone());
            self.bar.set_position(at);
            if self.lines && spoken.elapsed() > IN_A_PIPE {
                spoken = Instant::now();
                let line = format!("{}% done, about {left} to go  {}", 100 * at / of, self.bar.message());
                say!("{}", line.trim_end());
            }
            std::thread::park_timeout(TICK);
        }
    }
}

/// The time that the rest will take at the pace so far.
fn left(busy: Duration, at: u64, of: u64) -> Option<Duration> {
    let share = of.saturating_sub(at) as f64 / at as f64;
    Duration::try_from_secs_f64(busy.as_secs_f64() * share).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_what_is_done() {
        let minute = Duration::from_mins(1);
        assert_eq!(left(minute, 25, 100), Some(3 * minute));
        assert_eq!(left(minute, 110, 100), Some(Duration::ZERO));
        assert_eq!(left(minute, 0, 100), None);
        assert_eq!(left(Duration::ZERO, 0, 100), None);
    }
}
