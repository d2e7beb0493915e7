//! How are draws counted with a classifier that takes batches?

use super::engine::each_draw;
use super::{
    Classifier, SampleUnderNoise, Scores, Smoothed, SoftVotes, Voter, Votes, has_values_and_classes,
    nearest_told,
};
use crate::noise::{Draws, Noise, NoiseKind};
use crate::types::{Error, Sigma};
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Spreads the batches of a request over threads: those of its own pool ([`MonteCarlo::on`]), or else those
/// of the current rayon pool, which is rayon's global one for threads outside any pool.
///
/// Memory is one batch per thread, whatever the number of draws.
pub struct MonteCarlo<'a> {
    voters: Vec<Voter<'a>>,
    noise: NoiseKind,
    batch: u32,
    passes: AtomicU64,
    stop: Arc<AtomicBool>,
    pool: Option<Arc<ThreadPool>>,
}

impl<'a> MonteCarlo<'a> {
    /// Asks `classifier` with `batch` noisy copies at a time (at least one).
    pub fn new(classifier: &'a dyn Classifier, batch: u32) -> Self {
        Self::asking(vec![Voter::new(classifier)], batch)
    }

    /// Asks several classifiers of the same inputs and classes, by their numbers in this list.
    pub fn among(voters: Vec<Voter<'a>>, batch: u32) -> Result<Self, Error> {
        let size = |voter: &Voter<'_>| (voter.classifier.input_len(), voter.classifier.num_classes());
        let Some(first) = voters.first().map(size) else {
            return Err(Error::Invalid("there is no classifier to ask".into()));
        };
        if let Some((other, number)) = voters.iter().map(size).zip(0..).find(|(other, _)| *other != first) {
            return Err(Error::Invalid(format!(
                "classifier {number} takes {} values and has {} classes, the first takes {} and has {}; they must agree",
                other.0, other.1, first.0, first.1
            )));
        }
        voters.iter().try_for_each(Voter::check)?;
        if voters.iter().any(|voter| voter.told.is_some()) != voters.iter().all(|voter| voter.told.is_some())
        {
            return Err(Error::Invalid("either every classifier was told its sigma, or none".into()));
        }
        Ok(Self::asking(voters, batch))
    }

    fn asking(voters: Vec<Voter<'a>>, batch: u32) -> Self {
        let (noise, stop) = (NoiseKind::default(), Arc::default());
        Self { voters, noise, batch: batch.max(1), passes: 0.into(), stop, pool: None }
    }

    /// Says how Gaussian noise is drawn; the default is the lattice of 8-bit images.
    #[must_use]
    pub fn under(self, noise: NoiseKind) -> Self {
        Self { noise, ..self }
    }

    /// Says what the scores mean; the default is logits.
    #[must_use]
    pub fn scored_in(mut self, scores: Scores) -> Self {
        self.voters.iter_mut().for_each(|voter| voter.scores = scores);
        self
    }

    fn voter(&self, model: u32) -> Result<&Voter<'a>, Error> {
        let unknown = || {
            let last = self.voters.len() - 1;
            Error::Invalid(format!("there is no classifier {model}; the last one is {last}"))
        };
        self.voters.get(model as usize).ok_or_else(unknown)
    }

    /// Forward passes made so far, for a progress display.
    pub fn passes(&self) -> u64 {
        self.passes.load(Relaxed)
    }

    /// Ends every request with [`Error::Interrupted`] after its current batch, once `stop` is true.
    #[must_use]
    pub fn until(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// Works on the threads of `pool`. A process that may fork, or that runs several models with different
    /// numbers of threads, needs this: rayon's global pool cannot be resized, and is dead in a forked child.
    #[must_use]
    pub fn on(self, pool: Arc<ThreadPool>) -> Self {
        Self { pool: Some(pool), ..self }
    }

    /// Gives each of the `parts` a tally, to which `add` adds the scores of every copy.
    ///
    /// Batches are cut from all copies in a row, so that one may hold the end of a part and the next ones.
    fn tallies<T: Default + Send>(
        &self,
        classifier: &dyn Classifier,
        x: &[f32],
        parts: &[(Noise, Draws)],
        add: impl Fn(&mut T, &[f32]) + Sync,
        merge: impl Fn(T, T) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        if x.len() != classifier.input_len() {
            let (has, wants) = (x.len(), classifier.input_len());
            return Err(Error::Invalid(format!("the input has {has} values, the classifier takes {wants}")));
        }
        has_values_and_classes(classifier)?;
        parts.iter().try_for_each(|(noise, _)| noise.fits(x.len()))?;
        let nothing = || parts.iter().map(|_| T::default()).collect::<Vec<T>>();
        let merge = |a: Vec<T>, b| a.into_iter().zip(b).map(|(a, b)| merge(a, b)).collect();
        let copies: u64 = parts.iter().map(|(_, draws)| draws.range.len() as u64).sum();
        let count = || {
            (0..copies.div_ceil(self.batch.into()))
                .into_par_iter()
                .map_init(Buffers::default, |buffers, number| {
                    let start = number * u64::from(self.batch);
                    let parts = cut(parts, start..start + u64::from(self.batch));
                    self.count_batch(classifier, x, &parts, buffers, &add)
                })
                // no short cut on an error: the first of several failing batches is named, on any number of
                // threads
                .reduce(|| Ok(nothing()), |a, b| Ok(merge(a?, b?)))
        };
        self.pool.as_ref().map_or_else(count, |pool| pool.install(count))
    }

    /// Tallies one batch.
    fn count_batch<T: Default>(
        &self,
        classifier: &dyn Classifier,
        x: &[f32],
        parts: &[(Noise, Draws)],
        buffers: &mut Buffers,
        add: impl Fn(&mut T, &[f32]),
    ) -> Result<Vec<T>, Error> {
        if self.stop.load(Relaxed) {
            return Err(Error::Interrupted);
        }
        let (copies, classes) = (each_draw(parts).count(), classifier.num_classes());
        let Buffers { batch, scores } = buffers;
        // an engine that writes too little leaves NaN behind, and NaN is never a vote
        scores.clear();
        scores.resize(copies * classes, f32::NAN);
        classifier.noisy_logits(x, parts, batch, scores)?;
        for ((stream, draw), row) in each_draw(parts).zip(scores.chunks_exact(classes)) {
            if let Some(class) = row.iter().position(|score| !score.is_finite()) {
                return Err(Error::NotFinite { phase: stream.phase.name(), draw, class, score: row[class] });
            }
        }
        self.passes.fetch_add(copies as u64, Relaxed);
        let mut rows = scores.chunks_exact(classes);
        let tally = |(_, draws): &(Noise, Draws)| {
            let mut tally = T::default();
            rows.by_ref().take(draws.range.len()).for_each(|row| add(&mut tally, row));
            tally
        };
        Ok(parts.iter().map(tally).collect())
    }
}

/// Restricts each part to those of its copies whose number in the whole request lies in `range`; may leave
/// none.
pub(super) fn cut<T: Copy>(parts: &[(T, Draws)], range: Range<u64>) -> Vec<(T, Draws)> {
    let mut before = 0;
    let piece = |(asked, draws): &(T, Draws)| {
        let len = draws.range.len() as u64;
        let within = |copy: u64| draws.range.start + copy.saturating_sub(before).min(len) as u32;
        let range = within(range.start)..within(range.end);
        before += len;
        (*asked, Draws { stream: draws.stream, range })
    };
    parts.iter().map(piece).collect()
}

impl SampleUnderNoise for MonteCarlo<'_> {
    fn sample_under_noise(&self, x: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error> {
        Ok(self.sample_each(x, &[(g, draws.clone())])?.remove(0))
    }

    fn sample_each(&self, x: &[f32], parts: &[(Smoothed, Draws)]) -> Result<Vec<Votes>, Error> {
        let mut all = vec![Votes::default(); parts.len()];
        let models: BTreeSet<u32> = parts.iter().map(|(g, _)| g.model).collect();
        for model in models {
            let voter = self.voter(model)?;
            let add = |votes: &mut Votes, row: &[f32]| votes.count(voter.vote(row));
            let mine: Vec<usize> = (0..parts.len()).filter(|at| parts[*at].0.model == model).collect();
            let asked: Vec<_> = mine.iter().map(|at| (parts[*at].0.noise, parts[*at].1.clone())).collect();
            let tallies = self.tallies(voter.classifier, x, &asked, add, Votes::merge)?;
            for (at, votes) in mine.into_iter().zip(tallies) {
                all[at] = votes;
            }
        }
        Ok(all)
    }

    fn soft_sample(&self, x: &[f32], g: Smoothed, draws: &Draws) -> Result<(Votes, SoftVotes), Error> {
        let voter = self.voter(g.model)?;
        let add = |(votes, soft): &mut (Votes, SoftVotes), row: &[f32]| {
            votes.count(voter.vote(row));
            soft.add(row, voter.scores);
        };
        let merge = |(a, b): (Votes, SoftVotes), (c, d)| (a.merge(c), b.merge(d));
        Ok(self.tallies(voter.classifier, x, &[(g.noise, draws.clone())], add, merge)?.remove(0))
    }

    fn at(&self, sigma: Sigma) -> Smoothed {
        let model = nearest_told(self.voters.iter().map(|voter| voter.told), sigma);
        Smoothed { model, noise: self.noise.at(sigma, self.voters[0].classifier.input_len()) }
    }
}

/// Memory that a thread keeps from batch to batch.
#[derive(Default)]
struct Buffers {
    batch: Vec<f32>,
    scores: Vec<f32>,
}

/// The class of the largest score; ties go to the lowest.
pub fn argmax(row: &[f32]) -> usize {
    (1..row.len()).fold(0, |best, i| if row[i] > row[best] { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Phase, Stream};

    /// Fails on a thread that is not called as it should be.
    struct OnlyOn(&'static str);

    impl Classifier for OnlyOn {
        fn input_len(&self) -> usize {
            1
        }
        fn num_classes(&self) -> usize {
            2
        }
        fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
            let thread = std::thread::current();
            if thread.name() != Some(self.0) {
                return Err(Error::Engine(format!("called on {:?}", thread.name())));
            }
            for (x, row) in batch.iter().zip(out.chunks_exact_mut(2)) {
                row.copy_from_slice(&[0.0, *x]);
            }
            Ok(())
        }
    }

    #[test]
    fn a_pool_of_its_own_does_all_the_work() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).thread_name(|_| "own".into()).build();
        let sampler = MonteCarlo::new(&OnlyOn("own"), 10).on(Arc::new(pool.unwrap()));
        let draws = Draws::first(1000, Stream { seed: 1, input: 0, phase: Phase::Estimate });
        let noise = Smoothed::gaussian(Sigma::new(0.5).unwrap());
        let votes = sampler.sample_under_noise(&[0.5], noise, &draws).unwrap();
        assert_eq!(votes.total(), 1000);
        let elsewhere = MonteCarlo::new(&OnlyOn("own"), 10).sample_under_noise(&[0.5], noise, &draws);
        assert!(elsewhere.unwrap_err().to_string().contains("called on"));
    }
}
