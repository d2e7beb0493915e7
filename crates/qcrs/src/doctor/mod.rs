//! Does a classifier get its pixels the way it wants them, how much noise does it stand, and how long will
//! certificates take?

mod cost;
mod diagnosis;
mod tolerance;
mod ways;

pub use cost::{MethodCost, costs};
pub use diagnosis::Diagnosis;
pub use tolerance::{NoiseLevel, Tolerance};
pub use ways::Way;

use crate::data::Example;
use crate::noise::{NoiseKind, Phase, Stream};
use crate::sample::{Classifier, InputTransform};
use crate::types::{Error, Sigma};
use diagnosis::TriedWay;
use rayon::prelude::*;

/// Images that are scored at a time.
const BATCH: usize = 16;

/// A classifier without any transform of its pixels, and what is declared about it.
pub struct Patient<'a> {
    /// The classifier itself.
    pub classifier: &'a dyn Classifier,
    /// What is declared to be done to the pixels before it sees them, if anything.
    pub declared: Option<&'a InputTransform>,
    /// Channels, height and width of the images.
    pub shape: [usize; 3],
    /// The noise that it is declared to be trained with, if known.
    pub sigma: Option<Sigma>,
    /// How the noise is drawn.
    pub noise: NoiseKind,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The accuracy of every way that was tried; the first is the declared one. Empty unless every image has a
    /// label.
    pub readings: Vec<Reading>,
    /// What they say; `None` without labels.
    pub diagnosis: Option<Diagnosis>,
    /// What noise does to the answers; `None` if the pixels are wrong.
    pub tolerance: Option<Tolerance>,
    /// The smallest and the largest pixel of the data.
    pub pixel_range: [f32; 2],
    /// The number of images.
    pub images: usize,
}

/// Accuracy when the pixels are handed over in one particular way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The way.
    pub way: Way,
    /// Without noise.
    pub clean_accuracy: f64,
    /// With one draw of noise per image ([`Patient::noise_of_readings`]), added before anything else is done to
    /// the pixels.
    pub noisy_accuracy: f64,
}

/// `count` of the `ids`, spread over all of them, because folders and files are often sorted by class.
pub fn spread(ids: &[u32], count: usize) -> Vec<u32> {
    let step = (ids.len() / count.max(1)).max(1);
    ids.iter().copied().step_by(step).take(count).collect()
}

impl Patient<'_> {
    /// The noise of [`Reading::noisy_accuracy`]: the declared one, or 0.25.
    pub fn noise_of_readings(&self) -> Result<Sigma, Error> {
        self.sigma.map_or_else(|| Sigma::new(0.25), Ok)
    }

    /// Tries these images, given with their numbers in the dataset: every way of handing over their pixels if all
    /// of them have labels, and then more and more noise.
    pub fn examine(&self, examples: &[(u32, Example)]) -> Result<Findings, Error> {
        if examples.is_empty() {
            return Err(Error::Invalid("there are no images to look at; select at least one".into()));
        }
        let (readings, diagnosis) = match labels(examples) {
            Some(labels) => {
                let tried = self.try_ways(examples, &labels)?;
                let diagnosis = Diagnosis::of(&tried, self.classifier.num_classes());
                (tried.into_iter().map(|way| way.reading).collect(), Some(diagnosis))
            }
            None => (Vec::new(), None),
        };
        let way = if self.declared.is_some() { Way::Declared } else { Way::Plain };
        let is_right = diagnosis.as_ref().is_none_or(Diagnosis::pixels_are_right);
        let pixels = examples.iter().flat_map(|(_, example)| &example.pixels);
        let (low, high) = pixels.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &pixel| {
            (low.min(pixel), high.max(pixel))
        });
        Ok(Findings {
            readings,
            diagnosis,
            tolerance: is_right.then(|| self.under_noise(examples, way)).transpose()?,
            pixel_range: [low, high],
            images: examples.len(),
        })
    }

    /// Every way of handing over the pixels.
    fn try_ways(&self, examples: &[(u32, Example)], labels: &[usize]) -> Result<Vec<TriedWay>, Error> {
        let clean = clean(examples);
        let noisy = noisy_copies(examples, self.noise, self.noise_of_readings()?, 0)?;
        let one = |way: Way| {
            let right = |pixels: &[f32]| {
                right(self.classifier, &way.hand_over(self.declared, pixels, self.shape), labels)
            };
            let (clean, noisy) = (right(&clean)?, right(&noisy)?);
            let reading = Reading { way, clean_accuracy: share(&clean), noisy_accuracy: share(&noisy) };
            Ok(TriedWay { reading, right: [clean, noisy] })
        };
        Way::to_try(self.declared.is_some(), self.shape[0]).into_iter().map(one).collect()
    }
}

/// The labels of the images, if all of them have one.
fn labels(examples: &[(u32, Example)]) -> Option<Vec<usize>> {
    examples.iter().map(|(_, example)| example.label).collect()
}

/// The images, one after the other.
fn clean(examples: &[(u32, Example)]) -> Vec<f32> {
    examples.iter().flat_map(|(_, example)| example.pixels.iter().copied()).collect()
}

fn share(right: &[bool]) -> f64 {
    right.iter().filter(|right| **right).count() as f64 / right.len() as f64
}

/// One noisy copy of each image, one after the other; `draw` is its number.
fn noisy_copies(
    examples: &[(u32, Example)],
    kind: NoiseKind,
    sigma: Sigma,
    draw: u32,
) -> Result<Vec<f32>, Error> {
    let copy = |(index, example): &(u32, Example)| {
        let mut noisy = vec![0.0; example.pixels.len()];
        let stream = Stream { seed: 0, input: *index, phase: Phase::Measure };
        kind.at(sigma, noisy.len()).copies_of(&example.pixels)?.write(&stream, draw, &mut noisy);
        Ok(noisy)
    };
    Ok(examples.iter().map(copy).collect::<Result<Vec<_>, Error>>()?.concat())
}

/// Whether the label of each image scores highest; scores that are not finite are wrong.
fn right(classifier: &dyn Classifier, pixels: &[f32], labels: &[usize]) -> Result<Vec<bool>, Error> {
    let (len, classes) = (classifier.input_len(), classifier.num_classes());
    let right = pixels.par_chunks(BATCH * len).zip(labels.par_chunks(BATCH)).map(|(batch, labels)| {
        let mut scores = vec![f32::NAN; labels.len() * classes];
        classifier.logits(batch, &mut scores)?;
        let wins = |(row, &label): (&[f32], &usize)| {
            let Some(score) = row.get(label).filter(|score| score.is_finite()) else { return false };
            row.iter().enumerate().all(|(class, other)| other < score || class == label)
        };
        Ok(scores.chunks(classes).zip(labels).map(wins).collect())
    });
    Ok(right.collect::<Result<Vec<Vec<bool>>, Error>>()?.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks whether the first value lies above a threshold; NaN where it lies above the last one.
    struct Threshold(f32, f32);

    impl Classifier for Threshold {
        fn input_len(&self) -> usize {
            4
        }
        fn num_classes(&self) -> usize {
            2
        }
        fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
            for (x, row) in batch.chunks(4).zip(out.chunks_mut(2)) {
                row.copy_from_slice(&[0.0, if x[0] > self.1 { f32::NAN } else { x[0] - self.0 }]);
            }
            Ok(())
        }
    }

    /// 100 grey images, half of them dark (0) and half bright (1).
    fn examples() -> Vec<(u32, Example)> {
        let example = |index: u32| {
            let label = usize::from(index % 2 == 1);
            Example::new(vec![[0.3, 0.7][label]; 4], Some(label))
        };
        (0..100).map(|index| (index, example(index))).collect()
    }

    fn examine(classifier: &Threshold, declared: Option<&InputTransform>) -> Findings {
        let patient = Patient {
            classifier,
            declared,
            shape: [1, 2, 2],
            sigma: Sigma::new(0.05).ok(),
            noise: NoiseKind::Float,
        };
        patient.examine(&examples()).unwrap()
    }

    #[test]
    fn the_way_that_a_model_wants_is_found_and_a_declared_one_is_believed() {
        let right = || Some(Diagnosis::Right { close: Vec::new() });
        let plain = examine(&Threshold(0.5, 9.0), None);
        assert_eq!((plain.diagnosis, plain.images, plain.pixel_range), (right(), 100, [0.3, 0.7]));
        let bytes = Threshold(127.5, 999.0);
        let wrong = examine(&bytes, None);
        let expected = Diagnosis::Another { ways: vec![Way::Bytes], now: 0.5, then: 1.0 };
        assert_eq!((wrong.diagnosis, wrong.tolerance), (Some(expected), None));
        let transform = InputTransform::named("255", 1).unwrap();
        let declared = examine(&bytes, Some(&transform));
        assert_eq!(declared.diagnosis, right());
        assert_eq!(declared.readings[0].way, Way::Declared);
        // what is declared changes no other way
        assert_eq!(declared.readings[1..], wrong.readings);
        let superfluous = examine(&Threshold(0.5, 9.0), Some(&transform)).diagnosis.unwrap();
        assert!(matches!(superfluous, Diagnosis::Another { ways, .. } if ways == [Way::Plain]));
    }

    #[test]
    fn scores_that_are_not_finite_are_wrong() {
        let reading = examine(&Threshold(0.5, 0.6), None).readings[0];
        assert!((reading.clean_accuracy - 0.5).abs() < 1e-12, "{reading:?}");
    }

    /// Accuracy is not known then, but what noise changes is.
    #[test]
    fn images_without_labels_are_compared_with_themselves() {
        let mut examples = examples();
        examples[7].1.label = None;
        let patient = Patient {
            classifier: &Threshold(0.5, 9.0),
            declared: None,
            shape: [1, 2, 2],
            sigma: None,
            noise: NoiseKind::Float,
        };
        let found = patient.examine(&examples).unwrap();
        assert_eq!((found.readings.len(), found.diagnosis, found.images), (0, None, 100));
        let tolerance = found.tolerance.unwrap();
        assert!(!tolerance.labelled && tolerance.keeps.is_some(), "{:?}", tolerance.levels);
        assert!(patient.examine(&[]).is_err());
    }

    #[test]
    fn ids_are_spread() {
        assert_eq!(spread(&[3, 5, 8, 9, 11, 12, 20], 3), [3, 8, 11]);
        assert_eq!(spread(&[3, 5], 3), [3, 5]);
    }
}
