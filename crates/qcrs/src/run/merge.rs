//! What do shards make together?

use super::directory::{Shard, Stored, claim, differences, read};
use super::lines;
use super::results::results_tsv;
use super::{Depth, Record, Timing};
use crate::files;
use crate::types::Error;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Unites the records of `dirs`, which must share one spec, in a new directory `into`, with the files that a
/// single process would have written. Every part must follow from its votes. Returns what it wrote.
pub fn merge(dirs: &[PathBuf], into: &Path) -> Result<Stored, Error> {
    if into.exists() {
        return Err(Error::format(into, "already exists; merge into a new directory"));
    }
    let parts: Vec<Stored> = dirs.iter().map(|dir| read(dir, Depth::Verdicts)).collect::<Result<_, _>>()?;
    let Some(first) = parts.first() else {
        return Err(Error::Invalid("there is nothing to merge; name at least one run directory".into()));
    };
    let (spec, checked) = (first.spec.clone(), first.checked.clone());
    let mut records: BTreeMap<u32, Record> = BTreeMap::new();
    let mut timings: BTreeMap<u32, Timing> = BTreeMap::new();
    for (dir, part) in dirs.iter().zip(parts) {
        if part.spec != spec {
            let differences = differences(&spec, &part.spec)?;
            let differences: Vec<_> = differences.into_iter().map(|difference| difference.place).collect();
            let problem = format!(
                "not the same run as {}: another {}; only shards of one spec can be merged",
                dirs[0].display(),
                differences.join(", ")
            );
            return Err(Error::format(dir, problem));
        }
        for record in part.records {
            if records.get(&record.index).is_some_and(|known| *known != record) {
                let problem = format!("input {} has another record in an earlier directory", record.index);
                return Err(Error::format(dir, problem));
            }
            records.insert(record.index, record);
        }
        timings.extend(part.timings.into_iter().map(|timing| (timing.index, timing)));
    }
    drop(claim(into, &spec)?);
    lines::write(&Shard::WHOLE.file(into, "timing"), timings.values())?;
    lines::write(&Shard::WHOLE.file(into, "records"), records.values())?;
    let (records, timings) = (records.into_values().collect(), timings.into_values().collect());
    let stored = Stored { spec, records, timings, checked };
    files::write(&into.join("results.tsv"), results_tsv(&stored).as_bytes())?;
    Ok(stored)
}
