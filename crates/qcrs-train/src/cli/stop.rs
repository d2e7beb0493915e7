//! What does Ctrl-C do? It ends the training after the current step, saved.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Ended by Ctrl-C, as the shell counts it.
pub const INTERRUPTED: i32 = 130;

/// Whether someone asked to stop.
#[derive(Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    nothing_to_save: Arc<AtomicBool>,
}

impl Stop {
    /// Listens from now on. A second Ctrl-C ends the process at once: checkpoints are whole or absent.
    pub fn listen() -> Self {
        let stop = Self::default();
        let heard = stop.clone();
        // an error means that someone had these signals ignored, as nohup does: then so do we
        let _ = ctrlc::try_set_handler(move || {
            if heard.nothing_to_save.load(Relaxed) || heard.asked.swap(true, Relaxed) {
                eprintln!("qcrs-train: interrupted; the same command goes on from the last checkpoint");
                end_at_once();
            }
            eprintln!("stopping after this step; Ctrl-C again ends at once");
        });
        stop
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

/// Ends the process while libtorch computes in another thread. `exit` would first tear down what that thread
/// uses, and crash; becoming a program that only gives the exit code does not.
#[cfg(unix)]
fn end_at_once() -> ! {
    use std::os::unix::process::CommandExt;
    let _ = std::process::Command::new("/bin/sh").args(["-c", &format!("exit {INTERRUPTED}")]).exec();
    std::process::abort()
}

#[cfg(not(unix))]
fn end_at_once() -> ! {
    std::process::exit(INTERRUPTED)
}
