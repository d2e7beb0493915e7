//! What does a classifier answer under more and less noise than it was trained with?

use super::{BATCH, Patient, Way, noisy_copies};
use crate::data::Example;
use crate::method::Qcrs;
use crate::sample::Votes;
use crate::types::{Error, Sigma};
use rayon::prelude::*;

/// Noisy copies of each image at each σ: an odd number, so that two classes have a winner.
const COPIES: u32 = 5;

/// The σ at which a doctor looks: both ends of the region that QCRS searches, σ itself, and the middle between it
/// and the right end.
pub fn region(sigma: Sigma) -> Result<[Sigma; 4], Error> {
    let Qcrs { low, high, .. } = Qcrs::scaled_to(sigma)?;
    Ok([low, sigma, Sigma::new((sigma.get() * high.get()).sqrt())?, high])
}

impl Patient<'_> {
    /// What each image is taken for at each σ when its pixels are handed over this way: the class that most of five
    /// noisy copies win, `None` where none can vote.
    pub fn answers(
        &self,
        examples: &[(u32, Example)],
        way: Way,
        sigmas: &[Sigma],
    ) -> Result<Vec<Vec<Option<usize>>>, Error> {
        let at = |&sigma: &Sigma| {
            let batches = examples.par_chunks(BATCH).map(|some| self.vote(some, way, sigma));
            Ok(batches.collect::<Result<Vec<_>, Error>>()?.concat())
        };
        sigmas.iter().map(at).collect()
    }

    fn vote(&self, examples: &[(u32, Example)], way: Way, sigma: Sigma) -> Result<Vec<Option<usize>>, Error> {
        let classes = self.classifier.num_classes();
        let mut votes = vec![Votes::default(); examples.len()];
        for copy in 0..COPIES {
            let noisy = noisy_copies(examples, self.noise, sigma, copy)?;
            let pixels = way.hand_over(self.declared, &noisy, self.shape);
            let mut scores = vec![f32::NAN; examples.len() * classes];
            self.classifier.logits(&pixels, &mut scores)?;
            votes.iter_mut().zip(scores.chunks(classes)).for_each(|(votes, row)| votes.count(winner(row)));
        }
        Ok(votes.iter().map(Votes::winner).collect())
    }
}

/// The class with the largest score; none where a score is not finite.
fn winner(row: &[f32]) -> Option<usize> {
    let finite = row.iter().all(|score| score.is_finite());
    let best = row.iter().enumerate().max_by(|(a, x), (b, y)| x.total_cmp(y).then(b.cmp(a)));
    best.filter(|_| finite).map(|(class, _)| class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseKind;
    use crate::sample::Classifier;

    /// Asks whether the first value is positive; beyond 50 it gives no score.
    struct Positive;

    impl Classifier for Positive {
        fn input_len(&self) -> usize {
            1
        }
        fn num_classes(&self) -> usize {
            2
        }
        fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
            for (x, row) in batch.iter().zip(out.chunks_mut(2)) {
                row.copy_from_slice(&[0.0, if *x > 50.0 { f32::NAN } else { *x }]);
            }
            Ok(())
        }
    }

    #[test]
    fn an_answer_is_what_most_copies_are_taken_for() {
        let sigma = |value| Sigma::new(value).unwrap();
        let patient = Patient {
            classifier: &Positive,
            declared: None,
            shape: [1, 1, 1],
            sigma: sigma(0.25),
            noise: NoiseKind::Float,
        };
        let example = |(index, pixel)| (index, Example { pixels: vec![pixel], label: None });
        let examples: Vec<_> = [1.0, -1.0, 99.0]
            .into_iter()
            .cycle()
            .take(40)
            .zip(0..)
            .map(|(x, i)| (i, x))
            .map(example)
            .collect();
        let answers = patient.answers(&examples, Way::Plain, &[sigma(0.1), sigma(40.0)]).unwrap();
        let expected: Vec<_> = [Some(1), Some(0), None].into_iter().cycle().take(40).collect();
        assert_eq!(answers[0], expected);
        // the noise decides now, for each image by itself
        let ones = answers[1].iter().filter(|answer| **answer == Some(1)).count();
        assert!((10..=30).contains(&ones), "{:?}", answers[1]);
    }

    #[test]
    fn the_region_is_that_of_the_search() {
        let [low, start, middle, high] = region(Sigma::new(0.5).unwrap()).unwrap().map(Sigma::get);
        assert!(low < start && start < middle && middle < high, "{low} {start} {middle} {high}");
        assert!((start - 0.5).abs() < 1e-12 && (high - 1.7).abs() < 1e-9, "{high}");
    }
}
