//! Which images of other classes are near?

use crate::data::Example;
use crate::run::Inputs;
use crate::types::Error;
use std::collections::BTreeMap;

/// The most values that are kept in memory: all 10,000 images of CIFAR-10, or 200 of ImageNet.
const VALUES: usize = 1 << 25;
/// The most classes whose nearest image is given.
const CLASSES: usize = 8;

/// Labelled images in memory, from all over a dataset.
pub struct Gallery {
    images: Vec<(usize, Vec<f32>)>,
}

impl Gallery {
    /// Reads as many of `count` images as memory should hold. If only `one_class` is asked about, its images
    /// have the class 1 and all others the class 0.
    pub fn read(inputs: &Inputs<'_>, count: u32, one_class: Option<usize>) -> Result<Self, Error> {
        let values = if count == 0 { 1 } else { inputs(0)?.pixels.len().max(1) };
        let step = (count as usize).div_ceil((VALUES / values).max(1)).max(1);
        let mut images = Vec::new();
        for index in (0..count).step_by(step) {
            let Example { pixels, label, .. } = inputs(index)?;
            let class = |label| one_class.map_or(label, |asked| usize::from(label == asked));
            images.extend(label.map(|label| (class(label), pixels)));
        }
        Ok(Self { images })
    }

    /// The image of each class but `class` that is nearest to `x`, the nearest first.
    pub fn nearest_others(&self, x: &[f32], class: usize) -> Vec<Vec<f32>> {
        let mut nearest: BTreeMap<usize, (f32, &Vec<f32>)> = BTreeMap::new();
        for (other, image) in self.images.iter().filter(|(other, _)| *other != class) {
            let distance: f32 = x.iter().zip(image).map(|(a, b)| (a - b) * (a - b)).sum();
            let best = nearest.entry(*other).or_insert((distance, image));
            if distance < best.0 {
                *best = (distance, image);
            }
        }
        let mut nearest: Vec<_> = nearest.into_values().collect();
        nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
        nearest.into_iter().take(CLASSES).map(|(_, image)| image.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_image_of_each_other_class_comes_first() {
        let image = |index: u32| {
            let label = (index < 9).then_some(index as usize % 3);
            Ok(Example::new(vec![0.1 * index as f32], label))
        };
        let near = |one_class| {
            let gallery = Gallery::read(&image, 10, one_class).unwrap();
            gallery.nearest_others(&[0.42], 1)
        };
        assert_eq!(near(None), [[0.1 * 5.0], [0.1 * 3.0]]); // classes 2 and 0
        assert_eq!(near(Some(1)), [[0.1 * 5.0]]);
    }
}
