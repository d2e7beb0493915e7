//! Is it a function of one image, bit for bit?

use qcrs::sample::Classifier;
use qcrs::types::Error;

/// The batch sizes tried beside 1.
const BATCHES: [usize; 2] = [7, 32];
/// Rounding moves scores by 1e-6 or so of their size; batch statistics or dropout by far more.
const ROUNDING: f32 = 1e-3;

/// Scores the same images alone, twice, and at different places of larger batches.
/// True when every score had the same bits each time; an error when they are not even close,
/// for then the scores are no function of the image and no statement about them would mean anything.
pub(crate) fn batch_invariant(classifier: &dyn Classifier) -> Result<bool, Error> {
    let (len, classes) = (classifier.input_len(), classifier.num_classes());
    let largest = BATCHES[1];
    let images = noise(largest * len);
    let score = |from: usize, to: usize| {
        let mut scores = vec![f32::NAN; (to - from) * classes];
        classifier.logits(&images[from * len..to * len], &mut scores).map(|()| scores)
    };
    // the last images, so that each stands at another place in the small batch than in the large one
    let first = largest - BATCHES[0];
    let alone: Vec<Vec<f32>> = (first..largest).map(|i| score(i, i + 1)).collect::<Result<_, _>>()?;
    let alone = alone.concat();
    let mut same = true;
    for (scores, batch) in [
        (score(first, first + 1)?, 1),
        (score(first, largest)?, BATCHES[0]),
        (score(0, largest)?.split_off(first * classes), largest),
    ] {
        let scale = alone.iter().fold(0.0f32, |most, score| most.max(score.abs()));
        for (one, other) in alone.iter().zip(&scores) {
            same &= one.to_bits() == other.to_bits();
            if (one - other).abs() > ROUNDING * scale {
                return Err(Error::Engine(format!(
                    "an image scored {one} alone and {other} in a batch of {batch}: the model is random or mixes the images \
                     of a batch; export it in evaluation mode (model.eval())"
                )));
            }
        }
    }
    Ok(same)
}

/// Fixed pixels without a pattern, in [0, 1).
fn noise(len: usize) -> Vec<f32> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    (0..len).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores a pixel plus `leak` times the mean of its batch, both times `scale`.
    struct Leaky {
        leak: f32,
        scale: f32,
    }

    impl Classifier for Leaky {
        fn input_len(&self) -> usize {
            3
        }
        fn num_classes(&self) -> usize {
            2
        }
        fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
            let mean = batch.iter().sum::<f32>() / batch.len() as f32;
            for (image, row) in batch.chunks(3).zip(out.chunks_mut(2)) {
                row.copy_from_slice(&[image[0] + self.leak * mean, image[1]].map(|score| score * self.scale));
            }
            Ok(())
        }
    }

    #[test]
    fn a_score_that_depends_on_the_batch_is_seen() {
        for scale in [1.0, 1e4, 1e-4] {
            let leaks = |leak| batch_invariant(&Leaky { leak, scale });
            assert!(leaks(0.0).unwrap());
            assert!(!leaks(1e-5).unwrap());
            let error = leaks(0.5).unwrap_err().to_string();
            assert!(error.contains("model.eval()"), "{error}");
        }
        assert!(batch_invariant(&Leaky { leak: 0.5, scale: 0.0 }).unwrap());
    }
}
