//! What does a model want done to its pixels after the noise?

use super::Classifier;
use crate::types::Error;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// (x − mean) / std per channel, and the order of the channels: what a model without built-in normalisation
/// expects. Applied after the noise, so that σ stays in pixel units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputTransform {
    /// Subtracted, per channel of the data.
    pub mean: Vec<f32>,
    /// Divided by, per channel of the data.
    pub std: Vec<f32>,
    /// Whether the model wants the channels in reverse (BGR).
    pub reversed: bool,
}

impl InputTransform {
    /// No change for pixels of this many channels.
    pub fn none(channels: usize) -> Self {
        Self { mean: vec![0.0; channels], std: vec![1.0; channels], reversed: false }
    }

    /// The names that [`InputTransform::named`] knows.
    pub const NAMES: [&str; 5] = ["cifar10", "cifar10-0.247", "imagenet", "half", "255"];

    /// Normalisation by the name of its numbers, which are those of the published training programs:
    /// `cifar10`, `cifar10-0.247` and `imagenet` for three channels, `half` ((x − ½)/½) and `255` (x · 255) for
    /// any number. None for other names.
    ///
    /// Programs for CIFAR-10 use one of two tuples of deviations: the mean of the deviations of single images
    /// (0.2023, 0.1994, 0.2010; Cohen et al. 2019), or the deviation of all pixels (0.2470, 0.2435, 0.2616).
    pub fn named(name: &str, channels: usize) -> Option<Self> {
        let (mean, std) = match name {
            "cifar10" => (vec![0.4914, 0.4822, 0.4465], vec![0.2023, 0.1994, 0.2010]),
            "cifar10-0.247" => (vec![0.4914, 0.4822, 0.4465], vec![0.2470, 0.2435, 0.2616]),
            "imagenet" => (vec![0.485, 0.456, 0.406], vec![0.229, 0.224, 0.225]),
            "half" => (vec![0.5; channels], vec![0.5; channels]),
            "255" => (vec![0.0; channels], vec![1.0 / 255.0; channels]),
            _ => return None,
        };
        Some(Self { mean, std, reversed: false })
    }

    /// Refuses numbers that make no sense.
    pub fn check(&self, channels: usize) -> Result<(), Error> {
        let Self { mean, std, .. } = self;
        if mean.len() != channels || std.len() != channels {
            let (means, stds) = (mean.len(), std.len());
            let problem = format!(
                "there are {means} means and {stds} deviations, but the data has {channels} channels"
            );
            return Err(Error::Invalid(problem));
        }
        if !mean.iter().all(|mean| mean.is_finite()) || !std.iter().all(|std| std.is_finite() && *std > 0.0) {
            return Err(Error::Invalid(format!("cannot normalise by means {mean:?} and deviations {std:?}")));
        }
        Ok(())
    }

    /// What the model sees of a batch of images with `plane` pixels per channel.
    pub(crate) fn apply(&self, batch: &[f32], plane: usize) -> Vec<f32> {
        let mut out = Vec::with_capacity(batch.len());
        self.apply_into(batch, plane, &mut out);
        out
    }

    fn apply_into(&self, batch: &[f32], plane: usize, out: &mut Vec<f32>) {
        out.clear();
        for image in batch.chunks_exact(plane * self.mean.len()) {
            let channels = image.chunks_exact(plane).zip(self.mean.iter().zip(&self.std));
            let mut write = |(pixels, (mean, std)): (&[f32], (&f32, &f32))| {
                out.extend(pixels.iter().map(|pixel| (pixel - mean) / std));
            };
            if self.reversed { channels.rev().for_each(&mut write) } else { channels.for_each(&mut write) }
        }
    }
}

/// A classifier behind an [`InputTransform`].
pub struct Transformed<C> {
    /// The classifier.
    pub inner: C,
    /// What it wants.
    pub transform: InputTransform,
}

thread_local! {
    static BATCH: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

impl<C: Classifier> Classifier for Transformed<C> {
    fn input_len(&self) -> usize {
        self.inner.input_len()
    }

    fn num_classes(&self) -> usize {
        self.inner.num_classes()
    }

    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
        let plane = self.input_len() / self.transform.mean.len();
        BATCH.with_borrow_mut(|buffer| {
            self.transform.apply_into(batch, plane, buffer);
            self.inner.logits(buffer, out)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its input back as scores.
    struct Echo;

    impl Classifier for Echo {
        fn input_len(&self) -> usize {
            4
        }
        fn num_classes(&self) -> usize {
            4
        }
        fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
            out.copy_from_slice(batch);
            Ok(())
        }
    }

    #[test]
    fn channels_are_normalised_and_then_reversed() {
        let transform = InputTransform { mean: vec![0.5, 1.0], std: vec![0.5, 2.0], reversed: true };
        let mut out = [0.0; 8];
        let model = Transformed { inner: &Echo, transform };
        model.logits(&[0.0, 1.0, 3.0, 5.0, 0.5, 0.5, 1.0, 1.0], &mut out).unwrap();
        assert_eq!(out.map(f32::to_bits), [1.0, 2.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0].map(f32::to_bits));
    }

    #[test]
    fn every_name_has_numbers() {
        for name in InputTransform::NAMES {
            InputTransform::named(name, 3).unwrap().check(3).unwrap();
        }
        assert_eq!(InputTransform::named("cifar100", 3), None);
        let [old, pixels] = ["cifar10", "cifar10-0.247"].map(|name| InputTransform::named(name, 3).unwrap());
        assert_eq!((old.mean == pixels.mean, old.std[2], pixels.std[2]), (true, 0.2010, 0.2616));
    }

    #[test]
    fn impossible_numbers_are_refused() {
        let of = |mean: &[f32], std: &[f32]| InputTransform {
            mean: mean.into(),
            std: std.into(),
            reversed: false,
        };
        assert!(of(&[0.5; 3], &[0.5; 3]).check(3).is_ok());
        assert!(of(&[0.5; 3], &[0.5; 3]).check(1).is_err());
        assert!(of(&[0.5], &[0.0]).check(1).is_err());
        assert!(of(&[f32::NAN], &[1.0]).check(1).is_err());
    }
}
