//! How much noise does a classifier stand?

use super::{BATCH, Patient, Way, noisy_copies};
use crate::data::Example;
use crate::method::Qcrs;
use crate::sample::Votes;
use crate::types::{Error, Sigma};
use rayon::prelude::*;

/// Noisy copies of each image at each σ: an odd number, so that two classes have a winner.
const COPIES: u32 = 5;
/// The σ that are tried whatever is declared.
const USUAL: [f64; 5] = [0.06, 0.12, 0.25, 0.5, 1.0];
/// A σ that is declared replaces those of the usual ones that are nearer than this part.
const NEAR: f64 = 0.1;
/// A σ keeps the accuracy if it is at least this part of the largest of all σ that were tried.
const KEPT: f64 = 0.9;
/// Without labels, a σ keeps the answers if at least this part of them is that without noise.
const AGREED: f64 = 0.6;

/// What a classifier answers with more and more noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// The noise levels that were tried, in rising order; the first is none.
    pub levels: Vec<NoiseLevel>,
    /// Whether every image has a label.
    pub labelled: bool,
    /// The largest σ that keeps the accuracy, if any: the majority of five noisy copies is right for at least
    /// nine tenths as many images as at the best σ tried, or as without noise. Without labels, the largest at
    /// which at least 60 % of the images keep the answer that they get without noise.
    pub keeps: Option<Sigma>,
}

/// What a classifier answers at one noise level.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseLevel {
    /// The noise; `None` for none.
    pub sigma: Option<Sigma>,
    /// The class of each image that most of its noisy copies win; `None` where none can vote.
    pub answers: Vec<Option<usize>>,
    /// The share of the images whose answer is their label; without labels, their answer without noise.
    pub share: f64,
}

impl Tolerance {
    /// Judges the answers at rising noise, the first without any.
    fn new(answers: Vec<(Option<Sigma>, Vec<Option<usize>>)>, labels: Option<&[usize]>) -> Self {
        let first = answers.first().map(|(_, answers)| answers.clone()).unwrap_or_default();
        let expected = labels.map_or(first, |labels| labels.iter().copied().map(Some).collect());
        let level = |(sigma, answers): (Option<Sigma>, Vec<Option<usize>>)| {
            let same = |(answer, expected): &(&Option<usize>, &Option<usize>)| {
                answer.is_some() && answer == expected
            };
            let share =
                answers.iter().zip(&expected).filter(same).count() as f64 / answers.len().max(1) as f64;
            NoiseLevel { sigma, answers, share }
        };
        let levels: Vec<NoiseLevel> = answers.into_iter().map(level).collect();
        let top = levels.iter().map(|level| level.share).fold(0.0, f64::max);
        let least = if labels.is_some() { KEPT * top } else { AGREED };
        let keeps =
            levels.iter().filter(|level| level.share >= least).filter_map(|level| level.sigma).next_back();
        Self { levels, labelled: labels.is_some(), keeps }
    }

    /// The level at this σ, if it was tried.
    pub fn at(&self, sigma: Sigma) -> Option<&NoiseLevel> {
        self.levels.iter().find(|level| level.sigma == Some(sigma))
    }
}

/// The σ to try: the usual ones, and those that are declared: σ and both ends of the region that QCRS searches.
fn to_try(declared: Option<Sigma>) -> Result<Vec<Sigma>, Error> {
    let own = match declared {
        None => Vec::new(),
        Some(sigma) => {
            let Qcrs { low, high, .. } = Qcrs::scaled_to(sigma)?;
            vec![low, sigma, high]
        }
    };
    let is_near = |usual: f64| own.iter().any(|own| (own.get() / usual - 1.0).abs() < NEAR);
    let usual = USUAL.into_iter().filter(|usual| !is_near(*usual)).map(Sigma::new);
    let mut all = usual.collect::<Result<Vec<_>, _>>()?;
    all.extend(&own);
    all.sort_by(|a, b| a.get().total_cmp(&b.get()));
    Ok(all)
}

impl Patient<'_> {
    /// What these images are taken for without noise and with more and more of it, when their pixels are handed
    /// over this way.
    pub fn under_noise(&self, examples: &[(u32, Example)], way: Way) -> Result<Tolerance, Error> {
        let levels = std::iter::once(None).chain(to_try(self.sigma)?.into_iter().map(Some));
        let at = |sigma: Option<Sigma>| {
            let batches = examples.par_chunks(BATCH).map(|some| self.vote(some, way, sigma));
            Ok((sigma, batches.collect::<Result<Vec<_>, Error>>()?.concat()))
        };
        let answers = levels.map(at).collect::<Result<Vec<_>, Error>>()?;
        Ok(Tolerance::new(answers, super::labels(examples).as_deref()))
    }

    fn vote(
        &self,
        examples: &[(u32, Example)],
        way: Way,
        sigma: Option<Sigma>,
    ) -> Result<Vec<Option<usize>>, Error> {
        let classes = self.classifier.num_classes();
        let mut votes = vec![Votes::default(); examples.len()];
        for copy in 0..sigma.map_or(1, |_| COPIES) {
            let noisy = match sigma {
                Some(sigma) => noisy_copies(examples, self.noise, sigma, copy)?,
                None => super::clean(examples),
            };
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

    fn sigma(value: f64) -> Sigma {
        Sigma::new(value).unwrap()
    }

    fn under_noise(declared: f64, pixels: [f32; 3], labelled: bool) -> Tolerance {
        let patient = Patient {
            classifier: &Positive,
            declared: None,
            shape: [1, 1, 1],
            sigma: Some(sigma(declared)),
            noise: NoiseKind::Float,
        };
        let example = |(index, pixel): (u32, f32)| {
            let label = labelled.then_some(usize::from(pixel > 0.0));
            (index, Example::new(vec![pixel], label))
        };
        let pixels = pixels.into_iter().cycle().take(60);
        let examples: Vec<_> = (0..).zip(pixels).map(example).collect();
        patient.under_noise(&examples, Way::Plain).unwrap()
    }

    #[test]
    fn an_answer_is_what_most_copies_are_taken_for() {
        let found = under_noise(40.0, [1.0, -1.0, 99.0], true);
        let expected: Vec<_> = [Some(1), Some(0), None].into_iter().cycle().take(60).collect();
        assert_eq!((found.levels[0].sigma, &found.levels[0].answers), (None, &expected));
        assert_eq!(found.at(sigma(0.06)).unwrap().answers, expected);
        // the noise decides now, for each image by itself
        let ones = found.at(sigma(40.0)).unwrap().answers.iter().filter(|answer| **answer == Some(1)).count();
        assert!((10..=40).contains(&ones), "{ones}");
    }

    /// Pixels of ±1 survive noise of σ = 0.5 and lose about a quarter of their five votes at 4.
    #[test]
    fn the_largest_noise_that_keeps_the_accuracy_is_found() {
        for labelled in [true, false] {
            let found = under_noise(40.0, [1.0, -1.0, 1.0], labelled);
            assert_eq!((found.labelled, found.keeps), (labelled, Some(sigma(1.0))), "{:?}", found.levels);
            let shares: Vec<f64> = found.levels.iter().map(|level| level.share).collect();
            assert!(shares[0] > 0.999 && shares[shares.len() - 1] < 0.75, "{shares:?}");
        }
        let small = under_noise(0.25, [0.001, -0.001, 0.001], true);
        assert_eq!(small.keeps, None, "{:?}", small.levels);
    }

    /// A network that was trained with noise may be less accurate without it.
    #[test]
    fn accuracy_is_compared_with_the_best_that_was_seen() {
        let answers = |right: usize| (0..100).map(|image| Some(usize::from(image >= right))).collect();
        let levels = |rights: [usize; 3]| {
            let sigmas = [None, Some(sigma(0.25)), Some(sigma(0.5))];
            sigmas.into_iter().zip(rights.map(answers)).collect::<Vec<_>>()
        };
        let keeps = |rights| Tolerance::new(levels(rights), Some(&[0; 100])).keeps;
        assert_eq!(keeps([60, 70, 63]), Some(sigma(0.5)));
        assert_eq!(keeps([60, 70, 62]), Some(sigma(0.25)));
        assert_eq!(keeps([80, 70, 62]), None);
        // without labels, the answers without noise are the measure
        let agrees = |rights| Tolerance::new(levels(rights), None).keeps;
        assert_eq!((agrees([40, 80, 81]), agrees([40, 81, 82])), (Some(sigma(0.25)), None));
    }

    #[test]
    fn the_declared_noise_and_its_region_are_tried_beside_the_usual_ones() {
        let tried = |declared: Option<f64>| -> Vec<f64> {
            to_try(declared.map(sigma)).unwrap().into_iter().map(Sigma::get).collect()
        };
        assert_eq!(tried(None), USUAL);
        assert_eq!(tried(Some(0.25)), [0.06, 0.12, 0.25, 0.5, 0.85, 1.0]);
        assert_eq!(tried(Some(0.26)).len(), 6, "0.25 would say the same");
        let wide = tried(Some(0.5));
        assert!(wide.contains(&0.5) && wide.len() == 6 && (wide[5] - 1.7).abs() < 1e-9, "{wide:?}");
    }
}
