//! SAMPLEUNDERNOISE by drawing noise on the CPU and asking a classifier batch by batch.

use super::{Classifier, SampleUnderNoise, Scores, SoftVotes, Votes};
use crate::noise::{Draws, Noise};
use crate::types::Error;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Spreads the batches of a request over the threads of the current rayon pool.
///
/// Memory is one batch per thread, whatever the number of draws.
pub struct MonteCarlo<'a> {
    classifier: &'a dyn Classifier,
    batch: u32,
    scores: Scores,
    passes: AtomicU64,
    stop: Arc<AtomicBool>,
}

impl<'a> MonteCarlo<'a> {
    /// Asks `classifier` with `batch` noisy copies at a time (at least one).
    pub fn new(classifier: &'a dyn Classifier, batch: u32) -> Self {
        Self {
            classifier,
            batch: batch.max(1),
            scores: Scores::default(),
            passes: 0.into(),
            stop: Arc::default(),
        }
    }

    /// Says what the classifier's scores mean; logits, unless said otherwise.
    #[must_use]
    pub fn of(self, scores: Scores) -> Self {
        Self { scores, ..self }
    }

    /// Forward passes made so far, for a progress display.
    pub fn passes(&self) -> u64 {
        self.passes.load(Relaxed)
    }

    /// A flag that, once true, ends every request with [`Error::Interrupted`] after its current batch.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Counts a batch; `each` sees the scores of every copy.
    fn count_batch(
        &self,
        x: &[f32],
        noise: Noise,
        draws: &Draws,
        buffers: &mut Buffers,
        mut each: impl FnMut(&[f32]),
    ) -> Result<Votes, Error> {
        if self.stop.load(Relaxed) {
            return Err(Error::Interrupted);
        }
        let (rows, classes) = (draws.range.len(), self.classifier.num_classes());
        let Buffers { batch, scores } = buffers;
        // an engine that writes too little leaves NaN behind, and NaN is never a vote
        scores.clear();
        scores.resize(rows * classes, f32::NAN);
        self.classifier.noisy_logits(x, noise, draws, batch, scores)?;
        let mut votes = Votes::default();
        for (draw, row) in draws.range.clone().zip(scores.chunks_exact(classes)) {
            if let Some(class) = row.iter().position(|score| !score.is_finite()) {
                let phase = draws.stream.phase.name();
                return Err(Error::NotFinite { phase, draw, class, score: row[class] });
            }
            votes.add(argmax(row));
            each(row);
        }
        self.passes.fetch_add(rows as u64, Relaxed);
        Ok(votes)
    }

    /// Cuts `draws` into batches, spreads them over the threads and merges what they give, in order.
    fn batches<T: Send>(
        &self,
        x: &[f32],
        draws: &Draws,
        count: impl Fn(&Draws, &mut Buffers) -> Result<T, Error> + Sync,
        merge: impl Fn(T, T) -> T + Sync,
        nothing: impl Fn() -> T + Sync,
    ) -> Result<T, Error> {
        if x.len() != self.classifier.input_len() {
            let (has, wants) = (x.len(), self.classifier.input_len());
            return Err(Error::Invalid(format!("the input has {has} values, the classifier takes {wants}")));
        }
        let n = draws.range.len() as u64;
        (0..n.div_ceil(self.batch.into()))
            .into_par_iter()
            .map_init(Buffers::default, |buffers, number| {
                let start = draws.range.start + number as u32 * self.batch;
                let end = start.saturating_add(self.batch).min(draws.range.end);
                count(&Draws { stream: draws.stream, range: start..end }, buffers)
            })
            // no short cut on an error: of several failing batches the first is named, on any number of threads
            .reduce(|| Ok(nothing()), |a, b| Ok(merge(a?, b?)))
    }
}

impl SampleUnderNoise for MonteCarlo<'_> {
    fn sample_under_noise(&self, x: &[f32], noise: Noise, draws: &Draws) -> Result<Votes, Error> {
        let count = |draws: &Draws, buffers: &mut Buffers| self.count_batch(x, noise, draws, buffers, |_| ());
        self.batches(x, draws, count, Votes::merge, Votes::default)
    }

    fn soft_sample(&self, x: &[f32], noise: Noise, draws: &Draws) -> Result<(Votes, SoftVotes), Error> {
        let count = |draws: &Draws, buffers: &mut Buffers| {
            let mut soft = SoftVotes::default();
            let votes = self.count_batch(x, noise, draws, buffers, |row| soft.add(row, self.scores))?;
            Ok((votes, soft))
        };
        let merge = |(a, b): (Votes, SoftVotes), (c, d)| (a.merge(c), b.merge(d));
        self.batches(x, draws, count, merge, Default::default)
    }
}

/// Memory that a thread keeps from batch to batch.
#[derive(Default)]
struct Buffers {
    batch: Vec<f32>,
    scores: Vec<f32>,
}

/// The largest score; ties go to the lowest class.
fn argmax(row: &[f32]) -> usize {
    (1..row.len()).fold(0, |best, i| if row[i] > row[best] { i } else { best })
}
