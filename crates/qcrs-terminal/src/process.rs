//! What may this program do to its process?
//!
//! Signals and the executable belong to the whole process, so a library leaves them alone until the program
//! around it calls [`take_over`].

use crate::INTERRUPTED;
use anyhow::Context;
use qcrs_onnx::Trial;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

/// How native libraries are tried, once the process is ours.
static OURS: OnceLock<Option<Trial>> = OnceLock::new();

/// Says that this process is a program at a terminal: from here on samplers listen for Ctrl-C, and native
/// libraries are tried by `trial` before they are loaded. Only the first call counts.
pub fn take_over(trial: Option<Trial>) {
    let _ = OURS.set(trial);
}

/// How a native library is tried before it is loaded.
pub(crate) fn trial() -> Option<Trial> {
    OURS.get().cloned().flatten()
}

/// A second signal ends the process only this long after the first: a terminal or `timeout` may send two at
/// once.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether Ctrl-C or SIGTERM came, for all samplers of the process; one that comes later ends it at once.
/// Closing the terminal has its usual effect, which is none on a run under nohup. Always false in a process
/// that is not ours.
pub(crate) fn interrupted() -> anyhow::Result<Arc<AtomicBool>> {
    static FLAG: OnceLock<io::Result<Arc<AtomicBool>>> = OnceLock::new();
    if OURS.get().is_none() {
        return Ok(Arc::default());
    }
    FLAG.get_or_init(listen).as_ref().map(Arc::clone).context("cannot listen for Ctrl-C")
}

fn listen() -> io::Result<Arc<AtomicBool>> {
    let (stop, end): (Arc<AtomicBool>, Arc<AtomicBool>) = Default::default();
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, INTERRUPTED.into(), Arc::clone(&end))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    let first = Arc::clone(&stop);
    // a signal handler may not look at the clock, so a thread does
    thread::Builder::new().spawn(move || {
        while !first.load(Ordering::Relaxed) {
            thread::sleep(PATIENCE / 10);
        }
        thread::sleep(PATIENCE);
        end.store(true, Ordering::Relaxed);
    })?;
    Ok(stop)
}
