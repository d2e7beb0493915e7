//! `qcrs bank export`

use qcrs::text;
use qcrs_bank::Bank;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes one JSON object per ball to stdout.
pub fn run(dir: &Path) -> anyhow::Result<()> {
    let bank = Bank::read(dir)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for entry in bank.entries() {
        let line = serde_json::to_string(&entry?)?;
        writeln!(out, "{}", text::json(&line))?;
    }
    Ok(out.flush()?)
}
