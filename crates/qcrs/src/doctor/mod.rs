//! Does a classifier get its pixels the way it wants them, and how long will certificates take?

mod answers;
mod diagnosis;
mod ways;

pub use answers::region;
pub use diagnosis::Diagnosis;
pub use ways::Way;

use crate::data::Example;
use crate::method::{AnyMethod, Cohen, Qcrs};
use crate::noise::{NoiseKind, Phase, Stream};
use crate::sample::{Classifier, InputTransform};
use crate::types::{Error, Sigma};
use rayon::prelude::*;

/// Images that are scored at a time.
const BATCH: usize = 16;
/// The draws that name the class in a forecast, the usual number.
const N0: u32 = 100;

/// A classifier without any transform of its pixels, and what is declared about it.
pub struct Patient<'a> {
    /// The classifier itself.
    pub classifier: &'a dyn Classifier,
    /// What is declared to be done to the pixels before it sees them, if anything.
    pub declared: Option<&'a InputTransform>,
    /// Channels, height and width of the images.
    pub shape: [usize; 3],
    /// The noise that it is declared to be trained with.
    pub sigma: Sigma,
    /// How the noise is drawn.
    pub noise: NoiseKind,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The accuracy of every way that was tried; the first is the declared one.
    pub readings: Vec<Reading>,
    /// What they say.
    pub diagnosis: Diagnosis,
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
    /// With one draw of noise per image, added before anything else is done to the pixels.
    pub noisy_accuracy: f64,
}

/// `count` of the `ids`, spread over all of them, because folders and files are often sorted by class.
pub fn spread(ids: &[u32], count: usize) -> Vec<u32> {
    let step = (ids.len() / count.max(1)).max(1);
    ids.iter().copied().step_by(step).take(count).collect()
}

/// The forward passes that one input takes with COHEN and with QCRS, by the name of the method.
pub fn forecast(sigma: Sigma, n: u32) -> Result<[(&'static str, u64); 2], Error> {
    let methods = [AnyMethod::Cohen(Cohen { sigma }), AnyMethod::Qcrs(Qcrs::scaled_to(sigma)?)];
    Ok(methods.map(|method| (method.name(), method.passes(N0, n))))
}

impl Patient<'_> {
    /// Tries every way of handing over the pixels of these images, given with their numbers in the dataset.
    pub fn examine(&self, examples: &[(u32, Example)]) -> Result<Findings, Error> {
        let labels: Option<Vec<usize>> = examples.iter().map(|(_, example)| example.label).collect();
        let labels = labels.filter(|labels| !labels.is_empty()).ok_or_else(|| {
            Error::setting(
                "labels",
                "the data has no labels, so nothing can be said about accuracy; give some",
            )
        })?;
        let clean: Vec<f32> =
            examples.iter().flat_map(|(_, example)| example.pixels.iter().copied()).collect();
        let noisy = noisy_copies(examples, self.noise, self.sigma, 0)?;
        let ways = Way::to_try(self.declared.is_some(), self.shape[0]);
        let reading = |way: Way| {
            let accuracy = |pixels: &[f32]| {
                accuracy(self.classifier, &way.hand_over(self.declared, pixels, self.shape), &labels)
            };
            Ok(Reading { way, clean_accuracy: accuracy(&clean)?, noisy_accuracy: accuracy(&noisy)? })
        };
        let readings = ways.into_iter().map(reading).collect::<Result<Vec<_>, Error>>()?;
        let (low, high) = clean.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &pixel| {
            (low.min(pixel), high.max(pixel))
        });
        Ok(Findings {
            diagnosis: Diagnosis::of(&readings, labels.len(), self.classifier.num_classes()),
            readings,
            pixel_range: [low, high],
            images: labels.len(),
        })
    }
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

/// The share of images whose label scores highest; scores that are not finite are wrong.
fn accuracy(classifier: &dyn Classifier, pixels: &[f32], labels: &[usize]) -> Result<f64, Error> {
    let (len, classes) = (classifier.input_len(), classifier.num_classes());
    let right = pixels.par_chunks(BATCH * len).zip(labels.par_chunks(BATCH)).map(|(batch, labels)| {
        let mut scores = vec![f32::NAN; labels.len() * classes];
        classifier.logits(batch, &mut scores)?;
        let wins = |(row, &label): (&[f32], &usize)| {
            let Some(score) = row.get(label).filter(|score| score.is_finite()) else { return false };
            row.iter().enumerate().all(|(class, other)| other < score || class == label)
        };
        Ok(scores.chunks(classes).zip(labels).filter(|&pair| wins(pair)).count())
    });
    let right: usize = right.try_reduce(|| 0, |a, b| Ok::<_, Error>(a + b))?;
    Ok(right as f64 / labels.len() as f64)
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
            Example { pixels: vec![[0.3, 0.7][label]; 4], label: Some(label) }
        };
        (0..100).map(|index| (index, example(index))).collect()
    }

    fn examine(classifier: &Threshold, declared: Option<&InputTransform>) -> Findings {
        let patient = Patient {
            classifier,
            declared,
            shape: [1, 2, 2],
            sigma: Sigma::new(0.05).unwrap(),
            noise: NoiseKind::Float,
        };
        patient.examine(&examples()).unwrap()
    }

    #[test]
    fn the_way_that_a_model_wants_is_found_and_a_declared_one_is_believed() {
        let plain = examine(&Threshold(0.5, 9.0), None);
        assert_eq!((plain.diagnosis, plain.images, plain.pixel_range), (Diagnosis::Right, 100, [0.3, 0.7]));
        let bytes = Threshold(127.5, 999.0);
        let wrong = examine(&bytes, None);
        assert_eq!(wrong.diagnosis, Diagnosis::Another { way: Way::Bytes, now: 0.5, then: 1.0 });
        let transform = InputTransform::named("255", 1).unwrap();
        let declared = examine(&bytes, Some(&transform));
        assert_eq!(declared.diagnosis, Diagnosis::Right);
        assert_eq!(declared.readings[0].way, Way::Declared);
        // what is declared changes no other way
        assert_eq!(declared.readings[1..], wrong.readings);
        let superfluous = examine(&Threshold(0.5, 9.0), Some(&transform));
        assert!(matches!(superfluous.diagnosis, Diagnosis::Another { way: Way::Plain, .. }));
    }

    #[test]
    fn scores_that_are_not_finite_are_wrong() {
        let reading = examine(&Threshold(0.5, 0.6), None).readings[0];
        assert!((reading.clean_accuracy - 0.5).abs() < 1e-12, "{reading:?}");
    }

    #[test]
    fn images_without_labels_say_nothing() {
        let mut examples = examples();
        examples[7].1.label = None;
        let sigma = Sigma::new(0.05).unwrap();
        let patient = Patient {
            classifier: &Threshold(0.5, 9.0),
            declared: None,
            shape: [1, 2, 2],
            sigma,
            noise: NoiseKind::Float,
        };
        for examples in [&examples[..], &[]] {
            let error = patient.examine(examples).unwrap_err();
            assert!(matches!(error, Error::Setting { name: "labels", .. }), "{error}");
        }
    }

    #[test]
    fn ids_are_spread_and_passes_are_those_of_the_methods() {
        assert_eq!(spread(&[3, 5, 8, 9, 11, 12, 20], 3), [3, 8, 11]);
        assert_eq!(spread(&[3, 5], 3), [3, 5]);
        let [cohen, qcrs] = forecast(Sigma::new(0.25).unwrap(), 1000).unwrap();
        assert_eq!(cohen, ("cohen", 1100));
        assert!(qcrs.0 == "qcrs" && qcrs.1 > 1100, "{qcrs:?}");
    }
}
