//! Do the records follow from their votes?

use super::follows::{Check, ensure};
use super::{Record, Spec, Stored};
use crate::method::Slow;
use crate::types::Error;
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::Path;

/// More values than any image has.
const MOST_VALUES: usize = 1 << 30;

/// How much of a run is recomputed when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Only what takes a second or two for 10,000 records, to show a run. It leaves out the searches of PROBE
    /// and the radii of DSRS, which take long, and everything if another version wrote the run.
    Quick,
    /// Every verdict, to build upon a run; the searches of PROBE are only checked for plausibility.
    Verdicts,
    /// Everything.
    Whole,
}

/// How much of a run was verified from its votes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Everything that spec and votes decide.
    Whole,
    /// Every verdict; searches were not replayed.
    Verdicts,
    /// Not even every verdict; why, and what to do about it.
    NotVerified(String),
}

impl Checked {
    /// Why the run is not verified, if it is not.
    pub fn why_not(&self) -> Option<&str> {
        match self {
            Self::Whole | Self::Verdicts => None,
            Self::NotVerified(why) => Some(why),
        }
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("whole"),
            Self::Verdicts => f.write_str("verdicts"),
            Self::NotVerified(why) => write!(f, "not verified: {why}"),
        }
    }
}

impl Serialize for Checked {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Recomputes every decision of a run from its votes, and fails at the first record that the spec does not
/// lead to.
///
/// What votes cannot show is taken as it stands: labels and pixels (see [`super::compare`]), inputs that are
/// said to have failed, the answers of other balls of a bank, and that the votes were cast at all (certify
/// some inputs again with [`super::record`] and compare).
pub fn verify(stored: &Stored) -> Result<(), Error> {
    check(&stored.spec, &stored.records, Depth::Whole)
}

/// The same for one record.
pub(super) fn verify_one(spec: &Spec, record: &Record) -> Result<(), Error> {
    check(spec, std::slice::from_ref(record), Depth::Whole)
}

/// Checks the run in `dir` as `depth` asks; an error names the directory and the input.
pub(super) fn check_in(dir: &Path, spec: &Spec, records: &[Record], depth: Depth) -> Result<Checked, Error> {
    let (wrote, here) = (&spec.qcrs, env!("CARGO_PKG_VERSION"));
    if depth == Depth::Quick && wrote != here {
        let why = format!("qcrs {wrote} wrote it, and this is qcrs {here}; verify it with that version");
        return Ok(Checked::NotVerified(why));
    }
    check(spec, records, depth).map_err(|error| {
        let error = Error::format(dir, error.to_string());
        if wrote == here {
            return error;
        }
        Error::Invalid(format!(
            "qcrs {wrote} made this run, and qcrs {here} may decide otherwise: verify it with that version: {error}"
        ))
    })?;
    Ok(match (spec.method.facts().slow, depth) {
        (Slow::Radii, Depth::Quick) => {
            let (dir, method) = (dir.display(), spec.method.name());
            let why = format!("the radii of {method} take long to recompute; run 'qcrs verify {dir}'");
            Checked::NotVerified(why)
        }
        (Slow::Search(_), Depth::Quick | Depth::Verdicts) => Checked::Verdicts,
        _ => Checked::Whole,
    })
}

fn check(spec: &Spec, records: &[Record], depth: Depth) -> Result<(), Error> {
    let promise = spec.promise();
    let says = || {
        format!("the promise of the spec is not the one that its method makes, which is {}", promise.name())
    };
    ensure(spec.guarantee == promise, says)?;
    spec.check()?;
    let values = spec.data.shape.iter().try_fold(1, |values: usize, &side| values.checked_mul(side));
    let Some(values) = values.filter(|values| *values <= MOST_VALUES) else {
        return Err(Error::Invalid(format!("images of the shape {:?} are too large", spec.data.shape)));
    };
    let slow = spec.method.facts().slow;
    let unplayed = match slow {
        Slow::Search(region) if depth != Depth::Whole => Some(region),
        _ => None,
    };
    let verdict = depth != Depth::Quick || slow != Slow::Radii;
    let check = Check { spec, blank: &vec![0.0; values], unplayed, verdict };
    // the first in order, however many threads look
    let first = records.par_iter().find_map_first(|record| {
        let error = check.record(record).err()?;
        Some(Error::Input { index: record.index, source: Box::new(error) })
    });
    first.map_or(Ok(()), Err)
}
