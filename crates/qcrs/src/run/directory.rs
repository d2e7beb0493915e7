//! What does a run directory hold, and is it the run that was asked for?

use super::changed::changed;
use super::grow;
use super::lines;
use super::verify::check_in;
use super::{Checked, Depth, Record, Spec, Timing};
use crate::files;
use crate::text;
use crate::types::Error;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Which inputs of a selection one process certifies: every `parts`-th, from the `part`-th on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    part: u32,
    parts: u32,
}

impl Shard {
    /// All inputs.
    pub const WHOLE: Self = Self { part: 0, parts: 1 };

    /// Part `part` of `parts`, counted from 0.
    pub fn new(part: u32, parts: u32) -> Result<Self, Error> {
        if part < parts {
            return Ok(Self { part, parts });
        }
        Err(Error::Invalid(format!(
            "there is no shard {part}/{parts}; shards count from 0, so the first of 4 is 0/4 and the last 3/4"
        )))
    }

    /// The inputs of this shard, in order.
    pub fn ids(self, spec: &Spec) -> Vec<u32> {
        spec.selection.ids().skip(self.part as usize).step_by(self.parts as usize).collect()
    }

    pub(super) fn file(self, dir: &Path, what: &str) -> PathBuf {
        dir.join(format!("{what}-{}-of-{}.jsonl", self.part, self.parts))
    }

    /// Whether `file` belongs to a run with the same number of shards.
    pub(super) fn is_beside(self, file: &Path) -> bool {
        file.to_string_lossy().ends_with(&format!("-of-{}.jsonl", self.parts))
    }
}

impl std::str::FromStr for Shard {
    type Err = Error;

    /// Reads `i/m`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let numbers = text.split_once('/').map(|(part, parts)| (part.parse(), parts.parse()));
        match numbers {
            Some((Ok(part), Ok(parts))) => Self::new(part, parts),
            _ => Err(Error::Invalid(format!("a shard is written i/m, such as 0/4; got {text}"))),
        }
    }
}

/// A run read back from its directory, complete or not.
#[derive(Clone, Debug)]
pub struct Stored {
    /// What was asked.
    pub spec: Spec,
    /// What was found, by index.
    pub records: Vec<Record>,
    /// How long it took, by index; an input stopped in the middle may have two.
    pub timings: Vec<Timing>,
    /// How much of it was seen to follow from its votes.
    pub checked: Checked,
}

/// Reads all shards in `dir`. A record that does not follow from its votes is an error, as far as `depth`
/// looks.
pub fn read(dir: &Path, depth: Depth) -> Result<Stored, Error> {
    let (spec, records, timings) = load(dir)?;
    let checked = check_in(dir, &spec, &records, depth)?;
    Ok(Stored { spec, records, timings, checked })
}

/// Spec, records and timings as they are in the files, by index.
pub(super) fn load(dir: &Path) -> Result<(Spec, Vec<Record>, Vec<Timing>), Error> {
    let spec = read_spec(dir)?;
    let records: Vec<Record> = read_all(dir, "records")?;
    let records = with_earlier(records, grow::read_earlier(dir, "records")?, |record| record.index);
    if let Some(pair) = records.windows(2).find(|pair| pair[0].index == pair[1].index) {
        let problem = format!("input {} has two records; a run has one per input", pair[0].index);
        return Err(Error::format(dir, problem));
    }
    let timings: Vec<Timing> = read_all(dir, "timing")?;
    let timings = with_earlier(timings, grow::read_earlier(dir, "timing")?, |timing| timing.index);
    Ok((spec, records, timings))
}

/// By index, what is in the shards, and of what was kept aside all that no shard has taken yet.
fn with_earlier<T: PartialEq>(shards: Vec<T>, mut earlier: Vec<T>, index: impl Fn(&T) -> u32) -> Vec<T> {
    let taken: HashMap<u32, &T> = shards.iter().map(|line| (index(line), line)).collect();
    earlier.retain(|line| taken.get(&index(line)) != Some(&line));
    let mut all = shards;
    all.extend(earlier);
    all.sort_by_key(index);
    all
}

pub(super) fn read_spec(dir: &Path) -> Result<Spec, Error> {
    let path = dir.join("spec.json");
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let problem = "is not a run: it has no spec.json; give a directory that 'qcrs certify' wrote";
            return Err(Error::format(dir, problem));
        }
        read => read.map_err(Error::io(&path))?,
    };
    serde_json::from_str(&text)
        .map_err(|e| Error::format(&path, format!("not a spec this qcrs understands: {e}")))
}

fn read_all<T: serde::de::DeserializeOwned>(dir: &Path, what: &str) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    for path in shard_files(dir, what)? {
        all.extend(lines::read(&path)?);
    }
    Ok(all)
}

pub(super) fn shard_files(dir: &Path, what: &str) -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(dir).map_err(Error::io(dir))? {
        let path = entry.map_err(Error::io(dir))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(&format!("{what}-"))
            && name.ends_with(".jsonl")
            && path != grow::earlier(dir, what)
        {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The seed of the run in `dir`: that of an existing spec, or else that of `spec`, which is then written. If
/// several processes begin at once, the seed of the first one counts for all.
pub fn claim_seed(dir: &Path, spec: &Spec) -> Result<u64, Error> {
    spec.check()?;
    Ok(if write_spec(dir, spec)? { spec.seed } else { read_spec(dir)?.seed })
}

/// Makes sure that a run can be kept in `dir`, before draws are spent on it: it holds a run, or it is empty or
/// can be made, and then files can be written there.
pub fn check_place(dir: &Path) -> Result<(), Error> {
    let spec = dir.join("spec.json");
    if spec.exists() {
        return Ok(());
    }
    let existed = dir.exists();
    make(dir)?;
    let free = check_free(dir, &spec).and_then(|()| files::check_writable(&spec));
    if !existed {
        let _ = fs::remove_dir(dir);
    }
    free
}

fn make(dir: &Path) -> Result<(), Error> {
    if dir.is_file() {
        return Err(Error::format(dir, "is a file; a run needs a directory"));
    }
    fs::create_dir_all(dir).map_err(Error::io(dir))
}

/// Writes the spec of a new run; returns whether it is ours and not that of another process.
fn write_spec(dir: &Path, spec: &Spec) -> Result<bool, Error> {
    make(dir)?;
    let path = dir.join("spec.json");
    if path.exists() {
        return Ok(false);
    }
    check_free(dir, &path)?;
    files::write_new(&path, spec_text(&path, spec)?.as_bytes())
}

/// Writes the spec of a run that has one.
pub(super) fn replace_spec(dir: &Path, spec: &Spec) -> Result<(), Error> {
    let path = dir.join("spec.json");
    files::write(&path, spec_text(&path, spec)?.as_bytes())
}

fn spec_text(path: &Path, spec: &Spec) -> Result<String, Error> {
    let text = serde_json::to_string_pretty(spec).map_err(|e| Error::format(path, e.to_string()))?;
    Ok(text + "\n")
}

/// Locks the spec of a run, which may be replaced while we wait, and reads it.
pub(super) fn lock_spec(dir: &Path) -> Result<(File, String), Error> {
    let path = dir.join("spec.json");
    loop {
        let mut file =
            fs::OpenOptions::new().read(true).append(true).open(&path).map_err(Error::io(&path))?;
        file.lock().map_err(Error::io(&path))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(Error::io(&path))?;
        // a spec is only ever replaced by another one
        if fs::read_to_string(&path).map_err(Error::io(&path))? == text {
            return Ok((file, text));
        }
    }
}

/// Writes the spec of a new run, or makes sure that the directory holds the same one, or grows into it. While
/// the lock that it returns is held, no other process can grow the run.
pub(super) fn claim(dir: &Path, spec: &Spec) -> Result<File, Error> {
    // if two begin at once, one comes first and the other has to agree
    write_spec(dir, spec)?;
    loop {
        let (lock, text) = lock_spec(dir)?;
        if agrees(dir, &text, spec)? {
            return Ok(lock);
        }
        grow::grow(dir, spec)?;
    }
}

/// Whether the run of this spec is the one that is wanted. If not, it can grow into it, or that is an error.
fn agrees(dir: &Path, text: &str, spec: &Spec) -> Result<bool, Error> {
    let path = dir.join("spec.json");
    let bad = |e: serde_json::Error| Error::format(&path, format!("not a spec this qcrs understands: {e}"));
    let found: Value = serde_json::from_str(text).map_err(bad)?;
    let differences = differences(&found, spec)?;
    if differences.is_empty() {
        return Ok(true);
    }
    if let Some(can_grow) = serde_json::from_str(text).ok().and_then(|found| grow::can_grow(&found, spec)) {
        return can_grow.map(|()| false).map_err(|problem| Error::format(&path, problem));
    }
    let or_else = match found["qcrs"].as_str().filter(|version| *version != spec.qcrs) {
        Some(version) => format!("resume it with qcrs {version}"),
        None => "ask for the same".into(),
    };
    let mut cure = format!("use another directory, or {or_else}");
    if shard_files(dir, "records")?.iter().all(|file| fs::metadata(file).is_ok_and(|file| file.len() == 0)) {
        cure += ", or remove this one, which has no records";
    }
    Err(Error::OtherRun { path, changed: changed(&differences), cure })
}

/// A new run needs its own directory; another process may begin the same run at the same time.
fn check_free(dir: &Path, spec: &Path) -> Result<(), Error> {
    let orphan = shard_files(dir, "records")?.into_iter().next();
    let names = fs::read_dir(dir).map_err(Error::io(dir))?.flatten().map(|entry| entry.file_name());
    let other = names.map(|name| name.to_string_lossy().into_owned()).find(|name| !is_left_over(name));
    // another process wrote its spec first, and then the files that were found above
    if spec.exists() {
        return Ok(());
    }
    if let Some(orphan) = orphan {
        let problem = "records without a spec.json; restore it or choose another directory";
        return Err(Error::format(orphan, problem));
    }
    match other {
        None => Ok(()),
        Some(name) => {
            let problem = format!("holds {name} but no run; choose a new or an empty directory");
            Err(Error::format(dir, problem))
        }
    }
}

/// What file managers and git leave in a directory, or a run that was killed while it wrote its spec.
fn is_left_over(name: &str) -> bool {
    let aside = name.strip_prefix("spec.").and_then(|rest| rest.strip_suffix(".tmp"));
    name.starts_with('.') || aside.is_some()
}

/// A field in which a run differs from what is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The path of the field, such as `budget.n`.
    pub place: String,
    /// What the run used.
    pub used: Value,
    /// What is wanted.
    pub wanted: Value,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { place, used, wanted } = self;
        let shown = match (place.strip_suffix(".blake3"), used.as_str(), wanted.as_str()) {
            (Some(what), Some(used), Some(wanted)) => {
                let short = |hash: &str| hash.chars().take(8).collect::<String>();
                let (used, wanted) = (short(used), short(wanted));
                format!("the {what} is not that of this run (blake3 {wanted}…, the run used {used}…)")
            }
            _ if place == "data.classes" => "the class names are not those of this run".into(),
            _ => format!("this run used {place} {used}, you asked for {wanted}"),
        };
        f.write_str(&text::one_line(&shown))
    }
}

/// Every place where two specs, or parts of them, differ. Names are for people: of two things with the same
/// hash they are not compared.
pub fn differences(used: &impl Serialize, wanted: &impl Serialize) -> Result<Vec<Difference>, Error> {
    let value = |error: serde_json::Error| Error::Invalid(error.to_string());
    let (used, wanted) =
        (serde_json::to_value(used).map_err(value)?, serde_json::to_value(wanted).map_err(value)?);
    let mut differences = Vec::new();
    compare("", &used, &wanted, &mut differences);
    Ok(differences)
}

fn compare(place: &str, used: &Value, wanted: &Value, differences: &mut Vec<Difference>) {
    if let (Value::Object(a), Value::Object(b)) = (used, wanted) {
        let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
        let is_same = a.get("blake3").is_some_and(|hash| Some(hash) == b.get("blake3"));
        for key in keys.into_iter().filter(|key| !(is_same && *key == "name")) {
            let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
            let get = |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or(Value::Null);
            compare(&place, &get(a), &get(b), differences);
        }
    } else if used != wanted {
        differences.push(Difference { place: place.into(), used: used.clone(), wanted: wanted.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_one_line_whatever_the_file_holds() {
        let used =
            serde_json::json!({ "na\u{1b}me": "a\u{9b}31m\nb", "x": { "blake3": "\u{1b}[2Jabcdefgh" } });
        let wanted = serde_json::json!({ "na\u{1b}me": "b", "x": { "blake3": "12345678" } });
        let shown = differences(&used, &wanted).unwrap();
        let shown = shown.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        assert!(
            shown.contains("na�me \"a�31m\\nb\"") && shown.contains("the run used �[2Jabcd…"),
            "{shown:?}"
        );
        assert!(!shown.contains(char::is_control), "{shown:?}");
    }
}
