//! How are the missing inputs certified, in order and without losing anything?

use super::directory::{Shard, claim, lock_spec, shard_files};
use super::follows::check_bank;
use super::grow;
use super::in_order::in_order;
use super::lines::Lines;
use super::results::results_tsv;
use super::verify::verify_one;
use super::{Depth, Finding, FromBank, Record, Spec, Timing, compare, read};
use crate::certify::certify;
use crate::data::{Example, pixel_hash};
use crate::files;
use crate::sample::{Input, OneClass, SampleUnderNoise};
use crate::types::Error;
use rayon::ThreadPool;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Gives an image and its label by index; called from several threads.
pub type Inputs<'a> = dyn Fn(u32) -> Result<Example, Error> + Sync + 'a;

/// One process's share of a run, open for writing.
pub struct Run {
    dir: PathBuf,
    spec: Spec,
    ids: Vec<u32>,
    records: Lines,
    timings: Lines,
    /// The existing records, of this share or another, until they are compared with the data.
    unseen: Vec<Record>,
    pool: Option<Arc<ThreadPool>>,
    /// Records of a smaller run that has grown, with their seconds where known, until it is their turn.
    earlier: HashMap<u32, (Record, Option<f64>)>,
    /// What is in the file of this share.
    pub done: Vec<Record>,
}

impl Run {
    /// Opens `dir` for `shard` of `spec`: a new run, or one to resume, or one that asks the same about fewer
    /// inputs and now grows. Every existing record, of this shard or another, must follow from its votes.
    pub fn open(dir: &Path, spec: &Spec, shard: Shard) -> Result<Self, Error> {
        spec.check()?;
        let lock = claim(dir, spec)?;
        let path = shard.file(dir, "records");
        if let Some(other) = shard_files(dir, "records")?.iter().find(|file| !shard.is_beside(file)) {
            let problem = "this run was started with another number of shards; resume it with that number, or use another directory";
            return Err(Error::format(other, problem));
        }
        let (records, done) = Lines::open::<Record>(&path)?;
        let (timings, _) = Lines::open::<Timing>(&shard.file(dir, "timing"))?;
        let ids = shard.ids(spec);
        for (number, record) in done.iter().enumerate() {
            if ids.get(number) != Some(&record.index) {
                let problem = format!(
                    "line {} is about input {}, out of order; if this run was merged from only some of its shards, certify the \
                     others in another directory and merge all into a new one",
                    number + 1,
                    record.index
                );
                return Err(Error::format(path, problem));
            }
        }
        drop(lock);
        let unseen = read(dir, Depth::Verdicts)?.records;
        let (dir, spec) = (dir.to_owned(), spec.clone());
        let mut earlier = grow::kept(&dir)?;
        let mine: HashSet<&u32> = ids[done.len()..].iter().collect();
        earlier.retain(|index, _| mine.contains(index));
        let mut run = Self { dir, spec, ids, records, timings, unseen, pool: None, earlier, done };
        run.take_earlier()?;
        Ok(run)
    }

    /// The records of this share that exist, in its file or from a smaller run.
    pub fn known(&self) -> impl Iterator<Item = &Record> {
        self.done.iter().chain(self.earlier.values().map(|(record, _)| record))
    }

    /// Verifies records on the threads of `pool` instead of the current rayon pool; certification has its own
    /// threads.
    #[must_use]
    pub fn on(self, pool: Arc<ThreadPool>) -> Self {
        Self { pool: Some(pool), ..self }
    }

    /// The inputs of this share, done or not.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The inputs of this share that have no record yet, in the order in which their records are appended.
    pub fn todo(&self) -> Vec<u32> {
        self.ids[self.done.len()..].iter().copied().filter(|id| !self.earlier.contains_key(id)).collect()
    }

    /// Makes sure that existing records are about these inputs, label for label and pixel for pixel.
    /// [`Self::certify`] begins with this; a program that wants to announce the wait calls it earlier.
    pub fn compare(&mut self, inputs: &Inputs<'_>) -> Result<(), Error> {
        let seen = self.install(|| compare(&self.spec, &self.unseen, inputs, true));
        seen.map_err(|error| Error::format(&self.dir, error.to_string()))?;
        self.unseen = Vec::new();
        Ok(())
    }

    /// Certifies the inputs that have no record yet and appends one line for each, in order.
    ///
    /// `in_flight` inputs are under way at a time, so that the small looks of one fill the gaps of another.
    /// `on_record` sees every record and its pixels in order before the record is written, and returns the
    /// answer of a memory bank, if the spec has one. It can add nothing else, and the votes must allow the
    /// answer. Stops at the first error that is not a fact about the input; what was finished before it is
    /// kept, and running again resumes there.
    pub fn certify(
        &mut self,
        sampler: &dyn SampleUnderNoise,
        inputs: &Inputs<'_>,
        in_flight: usize,
        mut on_record: impl FnMut(&Record, &[f32]) -> Result<Option<FromBank>, Error>,
    ) -> Result<(), Error> {
        self.compare(inputs)?;
        let (todo, spec) = (self.todo(), self.spec.clone());
        let work = |position: usize| record_and_pixels(&spec, sampler, inputs, todo[position]);
        let written = in_order(todo.len(), in_flight, work, |(mut record, pixels), seconds| {
            record.bank = on_record(&record, &pixels)?;
            check_bank(&record, self.spec.bank.is_some()).map_err(at(record.index))?;
            self.write(record, seconds)
        });
        // also after a failure, so that what was finished can be read
        let closed = self.finish();
        written.and(closed)
    }

    /// Appends a record that was made elsewhere, by [`record`] on another machine. It must be that of the
    /// first input of [`Self::todo`], name its pixels, and follow from the spec. `seconds` is how long it
    /// took there.
    pub fn append(&mut self, record: Record, seconds: f64) -> Result<(), Error> {
        let here = |problem: String| at(record.index)(Error::Invalid(problem));
        match self.todo().first() {
            Some(next) if *next != record.index => {
                return Err(here(format!(
                    "its record comes out of order; the next one is that of input {next}"
                )));
            }
            None => return Err(here("this share of the run is complete; it takes no more records".into())),
            Some(_) if record.pixels.is_none() => {
                return Err(here("the record does not name its pixels".into()));
            }
            Some(_) if !(seconds >= 0.0 && seconds.is_finite()) => {
                return Err(here(format!("it cannot have taken {seconds} seconds")));
            }
            Some(_) => verify_one(&self.spec, &record)?,
        }
        self.write(record, seconds)
    }

    /// Waits until the disk has every record, and writes results.tsv.
    pub fn finish(&self) -> Result<(), Error> {
        self.records.sync().and_then(|()| self.write_results())
    }

    fn write(&mut self, record: Record, seconds: f64) -> Result<(), Error> {
        self.write_line(record, Some(seconds))?;
        self.take_earlier()
    }

    /// Writes the records of a smaller run whose turn it is.
    fn take_earlier(&mut self) -> Result<(), Error> {
        while let Some((record, seconds)) =
            self.ids.get(self.done.len()).and_then(|next| self.earlier.remove(next))
        {
            self.write_line(record, seconds)?;
        }
        Ok(())
    }

    fn write_line(&mut self, record: Record, seconds: Option<f64>) -> Result<(), Error> {
        if let Some(seconds) = seconds {
            self.timings.append(&Timing { index: record.index, seconds })?;
        }
        self.records.append(&record)?;
        self.done.push(record);
        Ok(())
    }

    fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    fn write_results(&self) -> Result<(), Error> {
        // if two shards end at the same time, the second one writes the results of both
        let (_lock, _) = lock_spec(&self.dir)?;
        grow::clean(&self.dir)?;
        let stored = self.install(|| read(&self.dir, Depth::Verdicts))?;
        files::write(&self.dir.join("results.tsv"), results_tsv(&stored).as_bytes())
    }
}

/// The record of one input. Scores that cannot vote, copies that are all rejected and series that do not
/// converge are facts about the input, so they get a record; anything else may succeed on the next try, so it
/// does not.
pub fn record(
    spec: &Spec,
    sampler: &dyn SampleUnderNoise,
    inputs: &Inputs<'_>,
    index: u32,
) -> Result<Record, Error> {
    Ok(record_and_pixels(spec, sampler, inputs, index)?.0)
}

/// A record, and the pixels that it is about.
type Certified = (Record, Vec<f32>);

fn record_and_pixels(
    spec: &Spec,
    sampler: &dyn SampleUnderNoise,
    inputs: &Inputs<'_>,
    index: u32,
) -> Result<Certified, Error> {
    let Example { pixels, label, file } = inputs(index).map_err(at(index))?;
    let question = spec.one_class.map(|class| OneClass { inner: sampler, class });
    let (sampler, label): (&dyn SampleUnderNoise, _) = match &question {
        Some(question) => (question, label.map(|label| question.label(label))),
        None => (sampler, label),
    };
    let input = Input { pixels: &pixels, seed: spec.seed, index };
    let finding = match certify(&spec.method, &spec.budget, sampler, &input) {
        Ok(outcome) => Finding::Outcome(outcome),
        Err(error @ (Error::NotFinite { .. } | Error::NotConverged(_) | Error::NoVotes)) => {
            Finding::Failed { error: error.to_string() }
        }
        Err(Error::Interrupted) => return Err(Error::Interrupted),
        Err(error) => return Err(at(index)(error)),
    };
    let record = Record { index, label, file, pixels: Some(pixel_hash(&pixels)), finding, bank: None };
    Ok((record, pixels))
}

/// For `map_err`: says which input has the problem.
fn at(index: u32) -> impl Fn(Error) -> Error {
    move |source| Error::Input { index, source: Box::new(source) }
}
