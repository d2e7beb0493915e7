//! What does Ctrl-C do? It ends the training after the current step, saved.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Ended by Ctrl-C, as the shell counts it.
pub const INTERRUPTED: i32 = 130;

/// Whether someone asked to stop.
#[derive(Clone, Default)]
pub struct StopSignal {
    asked: Arc<AtomicBool>,
    nothing_to_save: Arc<AtomicBool>,
}

impl StopSignal {
    /// Listens from now on. A second signal ends the process at once: checkpoints are whole or absent.
    pub fn listen() -> io::Result<Self> {
        let stop = Self::default();
        let (heard, mut signals) = (stop.clone(), Signals::new(not_ignored())?);
        std::thread::spawn(move || {
            for _ in signals.forever() {
                if heard.nothing_to_save.load(Relaxed) || heard.asked.swap(true, Relaxed) {
                    eprintln!(
                        "qcrs-train: interrupted; run the same command again to resume from the last checkpoint"
                    );
                    // without the tidying of `exit`, which takes from libtorch what another thread computes with
                    signal_hook::low_level::exit(INTERRUPTED);
                }
                eprintln!("stopping after this step; press Ctrl-C again to stop at once");
            }
        });
        Ok(stop)
    }

    /// Whether someone asked to stop.
    pub fn asked(&self) -> bool {
        self.asked.load(Relaxed)
    }

    /// From now on a single Ctrl-C ends the process: the last checkpoint is the end of the training.
    pub fn nothing_to_save(&self) {
        self.nothing_to_save.store(true, Relaxed);
    }
}

/// The signals that ask to stop, without those that someone has ignored, as nohup does with SIGHUP: then so do we.
fn not_ignored() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // where that cannot be known, a training of days should outlive its terminal
    let ignored = ignored.unwrap_or(1 << (SIGHUP - 1));
    [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0).collect()
}
