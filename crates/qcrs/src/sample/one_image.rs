//! Is the classifier a function of one image?

use super::engine::noisy_copies;
use super::{Classifier, argmax, has_values_and_classes};
use crate::noise::{Draws, Noise, Phase, Stream};
use crate::types::{Error, Sigma};

/// Copies of the image that stand in one batch; the last seven are also asked in a small batch and alone.
const COPIES: u32 = 32;
const FEW: usize = 7;
/// From little noise to much: copies of one batch may have any σ.
const SIGMAS: [f64; 3] = [0.12, 0.5, 1.0];

/// Asks for noisy copies of `x` alone, twice, in a small batch and in batches of `batch` beside different
/// others, and compares what votes.
///
/// True when every score had the same bits each time. An error when another class wins, or the lead of the
/// winner over some class differs by more than `tolerance` of itself or of the usual gap between the first
/// two classes, and by more than the last bit of the two scores: then the scores are not a function of the
/// image, and a statement about them would mean nothing. A class that is masked by a large negative score
/// does not loosen what is asked of the others. Scores that look like probabilities are compared by their
/// logarithms as well.
pub fn is_function_of_one_image(
    classifier: &dyn Classifier,
    x: &[f32],
    batch: u32,
    tolerance: f64,
) -> Result<bool, Error> {
    let (len, classes) = (classifier.input_len(), classifier.num_classes());
    if x.len() != len {
        return Err(Error::Invalid(format!("the image has {} values, the classifier takes {len}", x.len())));
    }
    has_values_and_classes(classifier)?;
    let copies = copies_of(x, batch.max(COPIES))?;
    let score = |images: &[f32]| {
        let mut scores = vec![f32::NAN; images.len() / len * classes];
        classifier.logits(images, &mut scores).map(|()| scores)
    };
    let last = copies.len() - FEW * len;
    let alone = copies[last..].chunks_exact(len).map(score).collect::<Result<Vec<_>, _>>()?.concat();
    let tail = |scores: Vec<f32>| scores[scores.len() - FEW * classes..].to_vec();
    // the same copies at other places, beside other copies
    let turned = [&copies[last..], &copies[..last / 2 / len * len]].concat();
    let asked = [
        (
            "alone once more",
            copies[last..].chunks_exact(len).map(score).collect::<Result<Vec<_>, _>>()?.concat(),
        ),
        ("in a small batch", score(&copies[last..])?),
        ("at the end of a batch", tail(score(&copies)?)),
        ("at the start of a batch", score(&turned)?[..FEW * classes].to_vec()),
    ];
    let mut same = true;
    let gap = usual_gap(&alone, classes);
    let logarithms: Vec<f32> = alone.chunks_exact(classes).filter_map(logarithms_of).flatten().collect();
    let gap_of_logarithms = usual_gap(&logarithms, classes);
    for (how, scores) in asked {
        for (one, other) in alone.chunks_exact(classes).zip(scores.chunks_exact(classes)) {
            same &= one.iter().zip(other).all(|(a, b)| a.to_bits() == b.to_bits());
            let unlike = difference(one, other, gap, tolerance).or_else(|| {
                let (one, other) = (logarithms_of(one)?, logarithms_of(other)?);
                difference(&one, &other, gap_of_logarithms, tolerance)
            });
            if let Some(difference) = unlike {
                return Err(Error::Engine(format!(
                    "a noisy image got other scores {how} than alone ({difference}): the model is random or mixes the \
                     images of a batch; export it in evaluation mode (model.eval())"
                )));
            }
        }
    }
    Ok(same)
}

/// `x` under the noise of each σ in turn; no run uses this seed.
fn copies_of(x: &[f32], count: u32) -> Result<Vec<f32>, Error> {
    let stream = Stream { seed: u64::MAX, input: u32::MAX, phase: Phase::Measure };
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    for draw in 0..count {
        let sigma = Sigma::new(SIGMAS[draw as usize % SIGMAS.len()])?;
        noisy_copies(x, &[(Noise::Gaussian(sigma), Draws { stream, range: draw..draw + 1 })], &mut batch)?;
        all.extend_from_slice(&batch);
    }
    Ok(all)
}

/// The middle one of the gaps between the first and the second class, so that a tie by chance does not count.
fn usual_gap(scores: &[f32], classes: usize) -> f64 {
    let gap = |row: &[f32]| {
        let first = argmax(row);
        let others = row.iter().enumerate().filter(|(class, _)| *class != first);
        others.map(|(_, score)| lead(row, first, *score)).fold(f64::INFINITY, f64::min)
    };
    let mut gaps: Vec<f64> = scores.chunks_exact(classes).map(gap).filter(|gap| gap.is_finite()).collect();
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 2).copied().unwrap_or(0.0)
}

/// The logarithms of probabilities; `None` for other scores. Where a network is confident, its probabilities
/// hardly move however much its scores do. Below `SMALL` the last bits of 1 − p would matter.
fn logarithms_of(row: &[f32]) -> Option<Vec<f32>> {
    const SMALL: f32 = 1e-4;
    let sum: f32 = row.iter().sum();
    let are_probabilities = (sum - 1.0).abs() < 1e-3 && row.iter().all(|score| (0.0..=1.001).contains(score));
    are_probabilities.then(|| row.iter().map(|share| (share + SMALL).ln()).collect())
}

fn lead(row: &[f32], first: usize, score: f32) -> f64 {
    f64::from(row[first]) - f64::from(score)
}

/// How two rows of scores for the same copy differ, if in more than rounding.
fn difference(one: &[f32], other: &[f32], gap: f64, tolerance: f64) -> Option<String> {
    let finite = |row: &[f32]| row.iter().all(|score| score.is_finite());
    if !finite(one) || !finite(other) {
        // such a copy never votes, but its scores must be like that each time
        return (finite(one) != finite(other)).then(|| "only one of them is finite".into());
    }
    let (first, winner) = (argmax(one), argmax(other));
    if first != winner {
        return Some(format!("class {first} won alone, and class {winner} beside others"));
    }
    (0..one.len()).find_map(|class| {
        let (alone, beside) = (lead(one, first, one[class]), lead(other, first, other[class]));
        let rounding = f64::from(f32::EPSILON) * f64::from(one[first].abs() + one[class].abs());
        let differs = (alone - beside).abs() > (tolerance * alone.max(gap)).max(rounding);
        differs.then(|| {
            format!(
                "class {first} was ahead of class {class} by {alone} alone, and by {beside} beside others"
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores each pixel plus `leak` times the mean of its batch, plus an offset; some classes are masked.
    struct Leaky {
        leak: f32,
        offset: f32,
        masked: usize,
        /// What the scores are multiplied by before they become probabilities, if they do.
        softmax: Option<f32>,
    }

    impl Classifier for Leaky {
        fn input_len(&self) -> usize {
            5
        }
        fn num_classes(&self) -> usize {
            5
        }
        fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
            for (at, (image, row)) in batch.chunks(5).zip(out.chunks_mut(5)).enumerate() {
                for class in 0..5 {
                    let others = batch.iter().skip(class).step_by(5);
                    let mean = others.sum::<f32>() / (batch.len() / 5) as f32;
                    row[class] = image[class] + self.leak * mean + self.offset;
                    // a last bit that depends on the place, as that of other engines does
                    row[class] *= 1.0 + f32::EPSILON * (at % 2) as f32;
                }
                row[5 - self.masked..].fill(-1e9);
                if let Some(factor) = self.softmax {
                    let top = row[argmax(row)];
                    for score in row.iter_mut() {
                        *score = (factor * (*score - top)).exp();
                    }
                    let sum: f32 = row.iter().sum();
                    for score in row.iter_mut() {
                        *score /= sum;
                    }
                }
            }
            Ok(())
        }
    }

    fn verdict(leak: f32, offset: f32, masked: usize) -> Result<bool, Error> {
        let x = [0.2, 0.4, 0.6, 0.3, 0.5];
        is_function_of_one_image(&Leaky { leak, offset, masked, softmax: None }, &x, 16, 1e-3)
    }

    /// Whatever the size of the scores: a masked class, an offset, a small leak.
    #[test]
    fn images_that_mix_are_seen_and_rounding_is_not() {
        for masked in 0..=3 {
            for offset in [0.0, 1e4, -1e4] {
                assert!(!verdict(0.0, offset, masked).unwrap(), "{masked} {offset}");
                for leak in [0.05, 0.5, 100.0] {
                    let error = verdict(leak, offset, masked).unwrap_err().to_string();
                    assert!(error.contains("model.eval()"), "{error}");
                }
            }
        }
    }

    /// Probabilities of a confident network hardly move, whatever its scores do.
    #[test]
    fn images_that_mix_are_seen_in_probabilities() {
        let x = [0.2, 0.4, 9.6, 0.3, 0.5];
        for factor in [0.1, 1.0] {
            for masked in [0, 2] {
                let measured = |leak| {
                    let leaky = Leaky { leak, offset: 0.0, masked, softmax: Some(factor) };
                    is_function_of_one_image(&leaky, &x, 16, 1e-3)
                };
                assert!(!measured(0.0).unwrap(), "{factor} {masked}");
                assert!(measured(0.5).is_err(), "{factor} {masked}");
            }
        }
    }

    #[test]
    fn the_same_bits_are_told_from_almost_the_same() {
        assert!(is_function_of_one_image(&crate::testing::HalfSpace { dim: 3 }, &[0.5; 3], 7, 1e-3).unwrap());
        assert!(is_function_of_one_image(&crate::testing::HalfSpace { dim: 3 }, &[0.5; 4], 7, 1e-3).is_err());
    }
}
