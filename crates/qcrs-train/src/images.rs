//! Which images, in which order, cut and mirrored how?

use crate::random::{Purpose, Random};
use qcrs::data::{About, Dataset, OpenOptions, Opened, open};
use qcrs::types::Error;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tch::{Device, Tensor};

/// Images of one size with a label each.
pub struct Images {
    /// What they are.
    pub about: About,
    /// The number of classes.
    pub classes: usize,
    dataset: Box<dyn Dataset>,
}

/// How a training image is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Augment {
    /// Add this many black pixels on every side before cutting.
    pub pad: usize,
    /// Mirror every second image.
    pub flip: bool,
}

/// Images with at least this many values are prepared by several threads.
const WORTH_A_THREAD: usize = 50_000;

/// A label beyond this is a mistake: ImageNet-21k has 21,843 classes.
const MOST_CLASSES: usize = 1 << 20;

/// A batch: images of shape [N, C, H, W], and their classes.
pub struct Batch {
    /// Pixels in [0, 1].
    pub images: Tensor,
    /// Class numbers.
    pub labels: Tensor,
}

/// The ids of a dataset in two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Train on these.
    pub training: Vec<usize>,
    /// Look at these to see how it goes; never trained on.
    pub held_out: Vec<usize>,
}

impl Images {
    /// Opens whatever [`open`] understands; images without labels are an error.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Self, Error> {
        let Opened { dataset, about, .. } = open(path, options)?;
        let classes = if let Some(names) = &about.classes {
            names.len()
        } else {
            let mut labels = (0..dataset.len()).map(|id| label(dataset.as_ref(), id));
            1 + labels.try_fold(0, |most, label| Ok::<_, Error>(most.max(label?)))?
        };
        if classes < 2 {
            return Err(Error::format(path, format!("has {classes} class; a classifier needs two")));
        }
        if classes > MOST_CLASSES {
            let problem = format!("has a label {}; classes are counted from 0", classes - 1);
            return Err(Error::format(path, problem));
        }
        Ok(Self { about, classes, dataset })
    }

    /// The number of images.
    pub fn len(&self) -> usize {
        self.dataset.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.dataset.is_empty()
    }

    /// Images that a network for `shape` cannot take are an error; larger ones are cut.
    pub fn check_shape(&self, shape: [usize; 3]) -> Result<(), Error> {
        let from = self.dataset.shape();
        if from[0] == shape[0] && from[1] >= shape[1] && from[2] >= shape[2] {
            return Ok(());
        }
        let ([c, h, w], [channels, height, width], name) = (from, shape, &self.about.name);
        Err(Error::Invalid(format!(
            "{name} has images of {c}×{h}×{w}, the network takes {channels}×{height}×{width}; choose another --arch"
        )))
    }

    /// Holds out `held_out` images chosen by `seed`.
    pub fn part(&self, held_out: usize, seed: u64) -> Result<Parts, Error> {
        if held_out >= self.len() {
            let problem = format!("{held_out} images cannot be held out of {}; hold out fewer", self.len());
            return Err(Error::Invalid(problem));
        }
        let mut order = Random::at(seed, Purpose::HeldOut, [0, 0]).order(self.len());
        let mut training = order.split_off(held_out);
        order.sort_unstable();
        training.sort_unstable();
        Ok(Parts { training, held_out: order })
    }

    /// The images `ids`, cut from the centre to `shape`.
    pub fn plain(&self, ids: &[usize], shape: [usize; 3], device: Device) -> Result<Batch, Error> {
        self.batch(ids, shape, device, |_| Cut { pad: 0, place: CropPlace::Centre, mirror: false })
    }

    /// The images `ids`, varied as (seed, epoch, id) say.
    pub fn varied(
        &self,
        ids: &[usize],
        shape: [usize; 3],
        device: Device,
        (augment, seed, epoch): (Augment, u64, usize),
    ) -> Result<Batch, Error> {
        self.batch(ids, shape, device, |id| {
            let mut random = Random::at(seed, Purpose::Augment, [epoch as u64, id as u64]);
            let mirror = random.below(2) == 1 && augment.flip;
            Cut { pad: augment.pad, place: CropPlace::Random(random), mirror }
        })
    }

    fn batch(
        &self,
        ids: &[usize],
        shape: [usize; 3],
        device: Device,
        cut: impl Fn(usize) -> Cut + Sync,
    ) -> Result<Batch, Error> {
        self.check_shape(shape)?;
        let from = self.dataset.shape();
        let size = shape.iter().product::<usize>();
        let mut pixels = vec![0.0; ids.len() * size];
        let fill = |(out, id): (&mut [f32], &usize)| {
            let example = self.dataset.get(*id)?;
            cut(*id).copy(&example.pixels, from, shape, out);
            match example.label {
                Some(label) if label < self.classes => Ok(label as i64),
                found => Err(bad_label(*id, found, self.classes)),
            }
        };
        // small images are copied faster than another thread is woken
        let labels: Result<Vec<i64>, Error> = if size < WORTH_A_THREAD {
            pixels.chunks_mut(size).zip(ids).map(fill).collect()
        } else {
            pixels.par_chunks_mut(size).zip(ids).map(fill).collect()
        };
        let labels = labels?;
        let [c, h, w] = shape.map(|size| size as i64);
        let images = Tensor::from_slice(&pixels).view([ids.len() as i64, c, h, w]);
        Ok(Batch { images: images.to_device(device), labels: Tensor::from_slice(&labels).to_device(device) })
    }
}

fn label(dataset: &dyn Dataset, id: usize) -> Result<usize, Error> {
    dataset.get(id)?.label.ok_or_else(|| bad_label(id, None, 0))
}

fn bad_label(id: usize, found: Option<usize>, classes: usize) -> Error {
    Error::Invalid(match found {
        None => format!("image {id} has no label; training needs one for each image"),
        Some(label) => format!("image {id} has label {label}, but there are only {classes} classes"),
    })
}

enum CropPlace {
    Centre,
    Random(Random),
}

struct Cut {
    pad: usize,
    place: CropPlace,
    mirror: bool,
}

impl Cut {
    fn copy(self, pixels: &[f32], from: [usize; 3], to: [usize; 3], out: &mut [f32]) {
        let Self { pad, place, mirror } = self;
        let room = [from[1] + 2 * pad - to[1], from[2] + 2 * pad - to[2]];
        let [top, left] = match place {
            CropPlace::Centre => room.map(|room| room / 2),
            CropPlace::Random(mut random) => room.map(|room| random.below(room + 1)),
        };
        for (row, out) in out.chunks_exact_mut(to[2]).enumerate() {
            let (channel, y) = (row / to[1], row % to[1] + top);
            let inside = (pad..pad + from[1]).contains(&y);
            for (column, out) in out.iter_mut().enumerate() {
                let x = left + if mirror { to[2] - 1 - column } else { column };
                let seen = inside && (pad..pad + from[2]).contains(&x);
                *out = if seen { pixels[(channel * from[1] + y - pad) * from[2] + x - pad] } else { 0.0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3×3 pixels in two channels, cut to 2 rows of 3.
    fn cut(pad: usize, place: CropPlace, mirror: bool) -> Vec<f32> {
        let pixels: Vec<f32> = (1..=18u8).map(f32::from).collect();
        let mut out = vec![-1.0; 12];
        Cut { pad, place, mirror }.copy(&pixels, [2, 3, 3], [2, 2, 3], &mut out);
        out
    }

    #[test]
    fn an_image_is_cut_padded_and_mirrored() {
        let plain = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0];
        assert_eq!(cut(0, CropPlace::Centre, false), plain);
        let mirrored = [3.0, 2.0, 1.0, 6.0, 5.0, 4.0, 12.0, 11.0, 10.0, 15.0, 14.0, 13.0];
        assert_eq!(cut(0, CropPlace::Centre, true), mirrored);
        // 5×5 with a black frame: 4 × 3 places, the first of them at the upper left corner
        let mut seen = std::collections::BTreeSet::new();
        for epoch in 0..300 {
            let place = CropPlace::Random(Random::at(1, Purpose::Augment, [epoch, 0]));
            seen.insert(cut(1, place, false).into_iter().map(|pixel| pixel as u8).collect::<Vec<_>>());
        }
        assert_eq!(seen.len(), 12);
        assert!(seen.contains(&vec![0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 10, 11]));
        assert!(seen.contains(&vec![8, 9, 0, 0, 0, 0, 17, 18, 0, 0, 0, 0]));
    }
}
