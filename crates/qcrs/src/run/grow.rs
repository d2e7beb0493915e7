//! How does a run become one of more inputs, without losing what it has?
//!
//! The noise of an input belongs to its id, so records of a smaller selection are those of a larger one. They
//! only have to be in its order and in its shards. So all of them are kept aside, in two files, from which
//! each shard takes its own while it fills its file in order. The steps of [`grow`] can end after any of
//! them: what is kept aside counts as records of the run, whether its spec is the old one or the new one.

use super::directory::{load, replace_spec, shard_files};
use super::lines::{self, Lines};
use super::{Record, Spec, Timing};
use crate::types::Error;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The file with the records, or the timings, of the smaller run.
pub(super) fn earlier(dir: &Path, what: &str) -> PathBuf {
    dir.join(format!("{what}-earlier.jsonl"))
}

/// What is kept aside, if anything.
pub(super) fn read_earlier<T: serde::de::DeserializeOwned>(dir: &Path, what: &str) -> Result<Vec<T>, Error> {
    let path = earlier(dir, what);
    if path.exists() { lines::read(&path) } else { Ok(Vec::new()) }
}

/// The records kept aside by their index, with their seconds where known.
pub(super) fn kept(dir: &Path) -> Result<HashMap<u32, (Record, Option<f64>)>, Error> {
    let timings: Vec<Timing> = read_earlier(dir, "timing")?;
    let seconds: HashMap<u32, f64> = timings.iter().map(|timing| (timing.index, timing.seconds)).collect();
    let records: Vec<Record> = read_earlier(dir, "records")?;
    let with_seconds = |record: Record| {
        let (index, seconds) = (record.index, seconds.get(&record.index).copied());
        (index, (record, seconds))
    };
    Ok(records.into_iter().map(with_seconds).collect())
}

/// Makes sure that a run of `found` can become one of `wanted`: the same question, asked about all its inputs
/// and more. `None` if the question is another one.
pub(super) fn can_grow(found: &Spec, wanted: &Spec) -> Option<Result<(), String>> {
    if (Spec { selection: wanted.selection.clone(), ..found.clone() }) != *wanted {
        return None;
    }
    let (have, asked) = (&found.selection, &wanted.selection);
    let lost = have.ids().filter(|&id| !asked.contains(id)).count();
    let problem = if wanted.bank.is_some() {
        "the answers of a memory bank depend on their order, so a run with a bank keeps its inputs".into()
    } else if lost == 0 {
        return Some(Ok(()));
    } else {
        format!(
            "this run has {} inputs, and {lost} of them are not among the {} that you ask for; a run can take more \
             inputs, but not lose any",
            have.len(),
            asked.len()
        )
    };
    Some(Err(format!("{problem}; ask for the same inputs, or use another directory")))
}

/// Turns the run in `dir` into one of `wanted`, which asks about more inputs. The caller has locked its spec.
pub(super) fn grow(dir: &Path, wanted: &Spec) -> Result<(), Error> {
    let shards = shard_files(dir, "records")?;
    for shard in &shards {
        Lines::open::<Record>(shard)?; // an error while another process writes there
    }
    let (_, records, timings) = load(dir)?;
    let timings: BTreeMap<u32, Timing> = timings.into_iter().map(|timing| (timing.index, timing)).collect();
    lines::write(&earlier(dir, "timing"), timings.values())?;
    lines::write(&earlier(dir, "records"), &records)?;
    for path in shards.into_iter().chain(shard_files(dir, "timing")?) {
        fs::remove_file(&path).map_err(Error::io(&path))?;
    }
    replace_spec(dir, wanted)
}

/// Removes what was kept aside, once every shard has taken its part.
pub(super) fn clean(dir: &Path) -> Result<(), Error> {
    let aside = ["timing", "records"].map(|what| earlier(dir, what));
    if !aside.iter().any(|path| path.exists()) {
        return Ok(());
    }
    let mut taken = HashSet::new();
    for shard in shard_files(dir, "records")? {
        taken.extend(lines::read::<Record>(&shard)?.into_iter().map(|record| record.index));
    }
    if read_earlier::<Record>(dir, "records")?.iter().all(|record| taken.contains(&record.index)) {
        for path in aside.iter().filter(|path| path.exists()) {
            fs::remove_file(path).map_err(Error::io(path))?;
        }
    }
    Ok(())
}
