//! What is known about images that are ready to be read?

use super::rounded::Rounded;
use super::{About, Dataset, Example, InMemory, known};
use crate::noise::{Lattice, NoiseKind};
use crate::types::Error;

/// A dataset and what is known about it.
pub struct Opened {
    /// The images.
    pub dataset: Box<dyn Dataset>,
    /// What they are and how they are read.
    pub about: About,
    /// Whether the dataset has a training part and a test part; if so, this is the part that was asked for.
    pub has_parts: bool,
    /// Whether the hash in `about` covers every image. If not, images can be replaced without changing it:
    /// compare the [`pixel_hash`](super::pixel_hash) of each.
    pub contents_hashed: bool,
    /// Where the class names in `about` come from.
    pub named_by: NamedBy,
    /// Files beside the images that are no PNG or JPEG, and so are not part of the dataset.
    pub left_out: Vec<String>,
}

/// Where class names come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBy {
    /// The dataset has its own, or none.
    Data,
    /// Each class has a folder.
    Folders,
    /// A list of all classes.
    List,
}

impl Opened {
    /// Images that are already in memory. They are known by their content: the same images in a file, as
    /// bytes or as floats, are the same dataset.
    pub fn of_images(name: &str, images: InMemory) -> Self {
        Self::in_memory(name.into(), images, "value", None)
    }

    pub(super) fn in_memory(
        name: String,
        images: InMemory,
        preprocess: &str,
        classes: Option<Vec<String>>,
    ) -> Self {
        let blake3 = images.fingerprint();
        let known = known::recognise(&blake3);
        let about = About {
            name: known.map_or(name, |known| known.name.into()),
            classes: classes.or_else(|| known.map(|known| known.classes.map(String::from).to_vec())),
            blake3,
            shape: images.shape(),
            // however they were written: a run on the same images is the same run
            preprocess: if images.are_bytes() { "value/255" } else { preprocess }.into(),
        };
        Self {
            dataset: Box::new(images),
            about,
            has_parts: false,
            contents_hashed: true,
            named_by: NamedBy::Data,
            left_out: Vec::new(),
        }
    }

    /// The images as noise of this kind takes them: on the fine lattice every pixel is rounded to a step, and
    /// `about` says so. An error where the images do not lie on the lattice and are not rounded.
    pub fn under(self, noise: NoiseKind) -> Result<Self, Error> {
        match (noise.lattice(), self.dataset.lattice()) {
            (Some(Lattice::Bytes), Lattice::Fine) => {
                Err(Error::Invalid("these images are not 8-bit, and the noise is for 8-bit images".into()))
            }
            (Some(lattice @ Lattice::Fine), _) => {
                let preprocess = format!("{}, rounded to 1/{}", self.about.preprocess, lattice.steps());
                let about = About { preprocess, ..self.about };
                Ok(Self { dataset: Box::new(Rounded { images: self.dataset, lattice }), about, ..self })
            }
            _ => Ok(self),
        }
    }

    /// Gives an image and its label by its number in records.
    pub fn inputs(&self) -> impl Fn(u32) -> Result<Example, Error> + Sync + '_ {
        |index| self.dataset.get(index as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_rounded_for_the_fine_lattice_only() {
        let of = |pixels: Vec<f32>| Opened::of_images("x", InMemory::new([1, 1, 2], pixels, None).unwrap());
        let pixels = |opened: &Opened| opened.dataset.get(0).unwrap().pixels;
        let [bytes, fine, float] = NoiseKind::ALL;
        let eight_bit = of(vec![0.2, 1.0]);
        assert_eq!(eight_bit.dataset.lattice(), Lattice::Bytes);
        let eight_bit = eight_bit.under(bytes).unwrap();
        assert_eq!((pixels(&eight_bit), eight_bit.about.preprocess.as_str()), (vec![0.2, 1.0], "value/255"));
        let others = || of(vec![0.1, 0.5]);
        assert_eq!(others().dataset.lattice(), Lattice::Fine);
        assert_eq!(pixels(&others().under(float).unwrap()), [0.1, 0.5]);
        assert!(others().under(bytes).err().unwrap().to_string().contains("not 8-bit"));
        let rounded = others().under(fine).unwrap();
        assert_eq!(pixels(&rounded), [410.0 / 4096.0, 0.5]);
        assert_eq!((rounded.dataset.lattice(), rounded.dataset.len()), (Lattice::Fine, 1));
        assert_eq!(rounded.about.preprocess, "value, rounded to 1/4096");
        assert_eq!(rounded.about.blake3, others().about.blake3);
    }
}
