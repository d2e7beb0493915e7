//! Where is kept what an attack found, so that it can be resumed?

use super::npy::npy;
use super::{Attack, AttackSummary, Attempt, Gallery, Target};
use crate::files;
use crate::run::{Inputs, Lines, Stored, compare, differences, in_order};
use crate::sample::{OneClass, SampleUnderNoise};
use crate::types::{Alpha, Error};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// What an attack was asked: the same run, model and data always give the same attempts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackSpec {
    /// The version of qcrs that wrote it.
    pub qcrs: String,
    /// The BLAKE3 hash of the spec and the records that are attacked.
    pub run: String,
    /// The certificates that are attacked: the first ones of the run, or all.
    pub certificates: u32,
    /// The most passes for each of them.
    pub passes: u32,
    /// The probability with which a sound certificate is reported, in the whole attack.
    pub alpha: Alpha,
    /// The seed of the attack's draws.
    pub seed: u64,
}

/// An attack on the certificates of a run, open for writing.
pub struct Attacks<'a> {
    dir: PathBuf,
    run: &'a Stored,
    attack: Attack,
    targets: Vec<Target>,
    lines: Lines,
    /// The certificates that were attacked, by this process or earlier ones.
    pub done: Vec<Attempt>,
}

impl<'a> Attacks<'a> {
    /// Opens `dir` for an attack on the first `count` certificates of `run`, or on all of them: a new attack,
    /// or one to resume.
    pub fn open(
        dir: &Path,
        run: &'a Stored,
        count: Option<u32>,
        (passes, alpha, seed): (u32, Alpha, u64),
    ) -> Result<Self, Error> {
        let count = count.map_or(usize::MAX, |count| count as usize);
        let targets: Vec<Target> = run.records.iter().filter_map(Target::of).take(count).collect();
        let certificates = targets.len() as u32;
        let attack = Attack::new(passes, alpha, certificates, seed)?.of_images(run.spec.data.shape);
        let (qcrs, run_hash) = (env!("CARGO_PKG_VERSION").into(), hash(run)?);
        claim(dir, &AttackSpec { qcrs, run: run_hash, certificates, passes, alpha, seed })?;
        let (lines, done) = Lines::open::<Attempt>(&dir.join("attempts.jsonl"))?;
        let is_next = |(attempt, target): (&Attempt, &Target)| attempt.index == target.index;
        if done.len() > targets.len() || !done.iter().zip(&targets).all(is_next) {
            let problem = "is not about the certificates of this run in order; use another directory";
            return Err(Error::format(dir.join("attempts.jsonl"), problem));
        }
        Ok(Self { dir: dir.to_owned(), run, attack, targets, lines, done })
    }

    /// The certificates that are attacked, done or not.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Attacks the certificates that have no line yet and appends one for each, in order; `in_flight` of them
    /// are under way at a time. What was finished before an error is kept, and running again resumes there.
    pub fn run(
        &mut self,
        sampler: &dyn SampleUnderNoise,
        inputs: &Inputs<'_>,
        gallery: &Gallery,
        in_flight: usize,
        mut on_attempt: impl FnMut(&Attempt),
    ) -> Result<(), Error> {
        compare(&self.run.spec, &self.run.records, inputs, false)?;
        let question = self.run.spec.one_class.map(|class| OneClass { inner: sampler, class });
        let sampler: &dyn SampleUnderNoise = question.as_ref().map_or(sampler, |question| question);
        let (attack, todo) = (self.attack, self.targets[self.done.len()..].to_vec());
        let work = |position: usize| one(&attack, sampler, inputs, gallery, &todo[position]);
        let written = in_order(todo.len(), in_flight, work, |attempt, _| {
            if let Some(point) = &attempt.violation {
                let file = violation_file(&self.dir, attempt.index);
                files::write(&file, &npy(self.run.spec.data.shape, point))?;
            }
            self.lines.append(&attempt)?;
            on_attempt(&attempt);
            self.done.push(attempt);
            Ok(())
        });
        written.and(self.lines.sync())
    }

    /// What was found so far.
    pub fn summary(&self) -> Result<AttackSummary, Error> {
        let inputs = self.run.records.len() as u32;
        AttackSummary::of(&self.done, &self.attack, inputs, self.run.spec.budget.alpha())
    }
}

/// The file that holds the point at which the answer to this input is violated.
pub fn violation_file(dir: &Path, index: u32) -> PathBuf {
    dir.join(format!("violation-{index}.npy"))
}

fn one(
    attack: &Attack,
    sampler: &dyn SampleUnderNoise,
    inputs: &Inputs<'_>,
    gallery: &Gallery,
    target: &Target,
) -> Result<Attempt, Error> {
    let index = target.index;
    let here = |source| Error::Input { index, source: Box::new(source) };
    let pixels = inputs(index).map_err(here)?.pixels;
    let others = gallery.nearest_others(&pixels, target.class);
    match attack.on(sampler, target, &pixels, &others) {
        Err(error @ Error::NotFinite { .. }) => Ok(Attempt::failed(target, error.to_string())),
        Err(Error::Interrupted) => Err(Error::Interrupted),
        attempt => attempt.map_err(here),
    }
}

fn hash(run: &Stored) -> Result<String, Error> {
    let bytes = |error: serde_json::Error| Error::Invalid(error.to_string());
    let mut hash = blake3::Hasher::new();
    hash.update(&serde_json::to_vec(&run.spec).map_err(bytes)?);
    for record in &run.records {
        hash.update(&serde_json::to_vec(record).map_err(bytes)?);
    }
    Ok(hash.finalize().to_string())
}

/// Writes the spec of a new attack, or makes sure that the directory holds the same one.
fn claim(dir: &Path, spec: &AttackSpec) -> Result<(), Error> {
    fs::create_dir_all(dir).map_err(Error::io(dir))?;
    let path = dir.join("attack.json");
    let text = serde_json::to_string_pretty(spec).map_err(|e| Error::format(&path, e.to_string()))?;
    if files::write_new(&path, (text + "\n").as_bytes())? {
        return Ok(());
    }
    let found = fs::read_to_string(&path).map_err(Error::io(&path))?;
    let found: AttackSpec = serde_json::from_str(&found).map_err(|e| {
        Error::format(
            &path,
            format!("is not an attack that this qcrs understands ({e}); use another directory"),
        )
    })?;
    let Some(difference) = differences(&found, spec)?.into_iter().next() else { return Ok(()) };
    let problem = match difference.place.as_str() {
        "run" => "the run has other records than when this attack began".into(),
        place => format!("this attack has {place} {}, you asked for {}", difference.used, difference.wanted),
    };
    Err(Error::format(&path, format!("{problem}; use another directory")))
}
