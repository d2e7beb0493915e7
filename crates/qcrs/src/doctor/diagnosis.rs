//! Which way of handing over the pixels is the right one?

use super::{Reading, Way};

/// What is wrong, if anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Diagnosis {
    /// The pixels are right as declared.
    Right,
    /// The model wants its pixels another way.
    Another {
        /// That way.
        way: Way,
        /// The accuracy as declared, without noise or with it, whichever is larger.
        now: f64,
        /// The same when they are handed over that way.
        then: f64,
    },
    /// No way beats guessing: wrong labels, other classes, or an untrained model.
    Guesses,
    /// The pixels are right, but under this noise the model only guesses.
    GuessesUnderNoise,
    /// The pixels are right, but this noise costs much accuracy.
    LosesUnderNoise,
}

impl Diagnosis {
    /// Whether the pixels are handed over as the model wants them, whatever the noise does.
    pub fn pixels_are_right(self) -> bool {
        matches!(self, Self::Right | Self::GuessesUnderNoise | Self::LosesUnderNoise)
    }

    /// Judges accuracies on `images` images of `classes` classes; the first reading is the declared way. A
    /// lead counts when it is larger than three standard errors.
    pub(super) fn of(readings: &[Reading], images: usize, classes: usize) -> Self {
        let score = |reading: &Reading| reading.clean_accuracy.max(reading.noisy_accuracy);
        let declared = &readings[0];
        let error = 3.0 * (0.25 / images as f64).sqrt();
        // the first of those that are about as good, which is the simplest
        let top = readings.iter().map(score).fold(0.0, f64::max);
        let best = readings.iter().find(|reading| score(reading) + error / 3.0 >= top).unwrap_or(declared);
        let chance = 1.0 / classes as f64;
        if score(best) > score(declared) + error {
            Self::Another { way: best.way, now: score(declared), then: score(best) }
        } else if score(declared) < chance + error {
            Self::Guesses
        } else if declared.noisy_accuracy < chance + error {
            Self::GuessesUnderNoise
        } else if declared.noisy_accuracy < 0.6 * declared.clean_accuracy {
            Self::LosesUnderNoise
        } else {
            Self::Right
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(way: Way, clean_accuracy: f64, noisy_accuracy: f64) -> Reading {
        Reading { way, clean_accuracy, noisy_accuracy }
    }

    #[test]
    fn of_equal_ways_the_simplest_is_advised() {
        let readings = [
            reading(Way::Declared, 0.1, 0.1),
            reading(Way::Plain, 0.7, 0.7),
            reading(Way::BlueFirst, 0.71, 0.71),
        ];
        let expected = Diagnosis::Another { way: Way::Plain, now: 0.1, then: 0.7 };
        assert_eq!(Diagnosis::of(&readings, 100, 10), expected);
    }

    #[test]
    fn what_noise_does_is_told_from_what_pixels_do() {
        for (clean, noisy, expected) in [
            (0.9, 0.8, Diagnosis::Right),
            (0.12, 0.1, Diagnosis::Guesses),
            (0.9, 0.12, Diagnosis::GuessesUnderNoise),
            (0.9, 0.5, Diagnosis::LosesUnderNoise),
        ] {
            let readings = [reading(Way::Plain, clean, noisy), reading(Way::Half, 0.1, 0.1)];
            assert_eq!(Diagnosis::of(&readings, 200, 10), expected, "{clean} {noisy}");
        }
    }
}
