//! Which way of handing over the pixels is the right one?

use super::{Reading, Way};

/// What is wrong with the pixels, if anything.
#[derive(Clone, Debug, PartialEq)]
pub enum Diagnosis {
    /// The pixels are right as declared.
    Right {
        /// Other normalisations that these images cannot tell from the declared one; empty if none is declared.
        close: Vec<Way>,
    },
    /// The model wants its pixels another way.
    Another {
        /// That way; all of them if these images cannot tell several normalisations apart.
        ways: Vec<Way>,
        /// The accuracy as declared, without noise or with it, whichever is larger.
        now: f64,
        /// The same when they are handed over the best of these ways.
        then: f64,
    },
    /// No way beats guessing: wrong labels, other classes, or an untrained model.
    Guesses,
}

/// One way, and the images that it gets right.
#[derive(Clone, Debug)]
pub(super) struct TriedWay {
    pub(super) reading: Reading,
    /// Which images are right, without noise and with it.
    pub(super) right: [Vec<bool>; 2],
}

impl TriedWay {
    /// The accuracy, without noise or with it, whichever is larger.
    fn score(&self) -> f64 {
        self.reading.clean_accuracy.max(self.reading.noisy_accuracy)
    }

    /// Whether it is right so much more often than `other` on the same images that chance does not explain it: by
    /// more than three standard errors. With noise or without it counts, whichever it stands better: under noise
    /// that a network was not trained with, the wrong numbers may be better by luck.
    fn leads(&self, other: &Self) -> bool {
        let half = usize::from(self.reading.noisy_accuracy > self.reading.clean_accuracy);
        let only = |a: &Self, b: &Self| {
            let pairs = a.right[half].iter().zip(&b.right[half]);
            pairs.filter(|(a, b)| **a && !**b).count() as f64
        };
        let (more, less) = (only(self, other), only(other, self));
        more - less > 3.0 * (more + less).sqrt()
    }
}

impl Diagnosis {
    /// Whether the pixels are handed over as the model wants them.
    pub fn pixels_are_right(&self) -> bool {
        matches!(self, Self::Right { .. })
    }

    /// Judges ways that were tried on the same images, of `classes` classes; the first is the declared way.
    pub(super) fn of(tried: &[TriedWay], classes: usize) -> Self {
        let declared = &tried[0];
        let best = |a: &'_ &TriedWay, b: &'_ &TriedWay| a.score().total_cmp(&b.score());
        // of equals, the first is the simplest
        let top = tried.iter().rev().max_by(best).unwrap_or(declared);
        let images = declared.right[0].len() as f64;
        if top.score() < 1.0 / classes as f64 + 3.0 * (0.25 / images).sqrt() {
            return Self::Guesses;
        }
        let close: Vec<&TriedWay> = tried.iter().filter(|one| !top.leads(one)).collect();
        // what is declared is tried under its name too
        let others = close.iter().filter(|one| one.right != declared.right);
        let numbers = others.map(|one| one.reading.way).filter(|way| way.name().is_some());
        if !top.leads(declared) {
            let normalised = declared.reading.way == Way::Declared;
            return Self::Right { close: numbers.filter(|_| normalised).collect() };
        }
        // ways that differ in their numbers only are all named, and otherwise the simplest
        let simplest = close[0].reading.way;
        let ways: Vec<Way> = if simplest.name().is_some() { numbers.collect() } else { vec![simplest] };
        let scores = close.iter().filter(|one| ways.contains(&one.reading.way)).map(|one| one.score());
        Self::Another { now: declared.score(), then: scores.fold(0.0, f64::max), ways }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A way that is right about the first `right` of 200 images, but wrong about `wrong` of them in another place.
    fn tried(way: Way, right: usize, wrong: usize) -> TriedWay {
        let one: Vec<bool> = (0..200).map(|image| image < right && image >= wrong).collect();
        let accuracy = (right - wrong) as f64 / 200.0;
        let reading = Reading { way, clean_accuracy: accuracy, noisy_accuracy: accuracy };
        TriedWay { reading, right: [one.clone(), one] }
    }

    #[test]
    fn of_equal_ways_the_simplest_is_advised() {
        let ways = [tried(Way::Declared, 20, 0), tried(Way::Plain, 140, 0), tried(Way::BlueFirst, 142, 0)];
        let expected = Diagnosis::Another { ways: vec![Way::Plain], now: 0.1, then: 0.7 };
        assert_eq!(Diagnosis::of(&ways, 10), expected);
    }

    #[test]
    fn normalisations_that_the_images_cannot_tell_apart_are_all_named() {
        let numbers = |cifar: TriedWay| {
            [tried(Way::Plain, 40, 0), tried(Way::Half, 100, 0), cifar, tried(Way::ImageNet, 153, 5)]
        };
        let expected = |ways: &[Way], then| Diagnosis::Another { ways: ways.to_vec(), now: 0.2, then };
        let close = numbers(tried(Way::Cifar10Pixels, 149, 0));
        assert_eq!(
            Diagnosis::of(&close, 10),
            expected(&[Way::Cifar10Pixels, Way::ImageNet], 0.745),
            "5 and 4 images"
        );
        let apart = numbers(tried(Way::Cifar10Pixels, 180, 0));
        assert_eq!(Diagnosis::of(&apart, 10), expected(&[Way::Cifar10Pixels], 0.9));
        // one of them is declared
        let same = tried(Way::Cifar10, 150, 0);
        let declared = [&[tried(Way::Declared, 150, 0)][..], &close, &[same]].concat();
        let close = vec![Way::Cifar10Pixels, Way::ImageNet];
        assert_eq!(Diagnosis::of(&declared, 10), Diagnosis::Right { close });
    }

    /// Under this noise the network guesses; without it the numbers can be told apart.
    #[test]
    fn noise_that_a_network_does_not_stand_decides_nothing() {
        let noisy = |clean: TriedWay, right: usize| {
            let reading = Reading { noisy_accuracy: right as f64 / 200.0, ..clean.reading };
            TriedWay {
                reading,
                right: [clean.right[0].clone(), (0..200).map(|image| image < right).collect()],
            }
        };
        let ways = [
            noisy(tried(Way::Plain, 40, 0), 20),
            noisy(tried(Way::Cifar10, 150, 0), 30),
            noisy(tried(Way::ImageNet, 130, 0), 60),
        ];
        let expected = Diagnosis::Another { ways: vec![Way::Cifar10], now: 0.2, then: 0.75 };
        assert_eq!(Diagnosis::of(&ways, 10), expected);
    }

    #[test]
    fn a_small_lead_does_not_make_the_declared_way_wrong() {
        let plain = [tried(Way::Plain, 150, 0), tried(Way::ImageNet, 153, 0)];
        assert_eq!(Diagnosis::of(&plain, 10), Diagnosis::Right { close: Vec::new() });
        let guesses = [tried(Way::Plain, 25, 0), tried(Way::Half, 30, 0)];
        assert_eq!(Diagnosis::of(&guesses, 10), Diagnosis::Guesses);
    }
}
