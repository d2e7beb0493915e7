//! How far are we, and how long will it take?

use indicatif::{ProgressBar, ProgressStyle};
use qcrs::sample::MonteCarlo;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A bar on a terminal, a line now and then in a pipe or file, nothing when quiet.
pub struct Progress {
    bar: ProgressBar,
    lines: bool,
    done: AtomicBool,
}

const IN_A_PIPE: Duration = Duration::from_secs(30);

impl Progress {
    /// Expects `passes` forward passes in all.
    pub fn new(passes: u64, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = if quiet || !terminal { ProgressBar::hidden() } else { ProgressBar::new(passes) };
        bar.set_length(passes);
        let template = "{bar:28} {percent}%  {elapsed} passed, {eta} to go  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, lines: !quiet && !terminal, done: false.into() }
    }

    /// What to say beside the bar.
    pub fn say(&self, message: String) {
        self.bar.set_message(message);
    }

    /// Runs `work` while showing how many passes `sampler` has made.
    pub fn watch<T>(&self, sampler: &MonteCarlo, work: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| self.follow(sampler));
            let result = work();
            self.done.store(true, Relaxed);
            watcher.thread().unpark();
            let _ = watcher.join();
            self.bar.finish_and_clear();
            result
        })
    }

    fn follow(&self, sampler: &MonteCarlo) {
        let mut spoken = Instant::now();
        while !self.done.load(Relaxed) {
            self.bar.set_position(sampler.passes());
            if self.lines && spoken.elapsed() > IN_A_PIPE {
                spoken = Instant::now();
                let (at, of) = (self.bar.position(), self.bar.length().unwrap_or(0).max(1));
                let eta = self.bar.eta().as_secs();
                eprintln!("{}% done, about {eta} s to go  {}", 100 * at / of, self.bar.message());
            }
            std::thread::park_timeout(Duration::from_millis(200));
        }
    }
}
