//! `qcrs bank check`

use crate::output;
use qcrs::text::counted;
use qcrs_bank::{Bank, CheckedBank};
use std::path::Path;
use std::time::Instant;

/// Reads everything, compares all pairs, and says how long it took.
pub fn run(dir: &Path) -> anyhow::Result<()> {
    let start = Instant::now();
    let bank = Bank::read(dir)?;
    let read = start.elapsed().as_secs_f64();
    let CheckedBank { balls, pairs, measured } = bank.check()?;
    let all = start.elapsed().as_secs_f64();
    let measured =
        if measured == 0 { String::new() } else { format!(" ({measured} measured pixel by pixel)") };
    output::print(&format!(
        "{}: none of {pairs} pairs of different classes overlap{measured}; took {all:.1} s, including {read:.1} s to \
         read the bank",
        counted(balls, "ball")
    ))
}
