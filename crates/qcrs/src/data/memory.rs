//! How do we hold images that fit into memory?

use super::{Dataset, Example, byte_to_pixel, exact_bytes, out_of_range};
use crate::noise::Lattice;
use crate::types::Error;

/// A dataset in memory. Every binary format is read into one.
#[derive(Clone, Debug)]
pub struct InMemory {
    shape: [usize; 3],
    pixels: Pixels,
    labels: Option<Vec<usize>>,
    len: usize,
}

/// Pixels of all images, one image after the other, each channel by channel; those that are k/255 to the last
/// bit are always kept as bytes.
#[derive(Clone, Debug)]
pub(super) enum Pixels {
    /// k stands for k/255.
    Bytes(Vec<u8>),
    /// In [0, 1].
    Floats(Vec<f32>),
}

impl InMemory {
    /// Images of `shape` (channels, height, width), one after the other, each channel by channel. Values
    /// outside [0, 1], an incomplete image, no image, or a wrong number of labels are an error.
    pub fn new(shape: [usize; 3], pixels: Vec<f32>, labels: Option<Vec<usize>>) -> Result<Self, Error> {
        if let Some(at) = pixels.iter().position(|value| !(0.0..=1.0).contains(value)) {
            let (image, value) = (at / shape.iter().product::<usize>().max(1), pixels[at]);
            return Err(Error::Invalid(format!(
                "image {image} has the value {value}; pixels lie between 0 and 1"
            )));
        }
        Self::checked(shape, Pixels::Floats(pixels), labels)
    }

    /// The same for 8-bit images: k stands for k/255.
    pub fn from_bytes(shape: [usize; 3], bytes: Vec<u8>, labels: Option<Vec<usize>>) -> Result<Self, Error> {
        Self::checked(shape, Pixels::Bytes(bytes), labels)
    }

    /// Whether every pixel is k/255 for some byte k.
    pub(super) fn are_bytes(&self) -> bool {
        matches!(self.pixels, Pixels::Bytes(_))
    }

    pub(super) fn checked(
        shape: [usize; 3],
        pixels: Pixels,
        labels: Option<Vec<usize>>,
    ) -> Result<Self, Error> {
        let (values, size) = (pixels.len(), shape.iter().product::<usize>());
        if values == 0 || size == 0 {
            return Err(Error::Invalid("there is no image in this dataset".into()));
        }
        if !values.is_multiple_of(size) {
            let [c, h, w] = shape;
            return Err(Error::Invalid(format!("{values} values do not make whole images of {c}x{h}x{w}")));
        }
        let len = values / size;
        match &labels {
            Some(labels) if labels.len() != len => Err(Error::Invalid(format!(
                "there are {len} images but {} labels; they must pair up",
                labels.len()
            ))),
            _ => Ok(Self { shape, pixels: pixels.shortest(), labels, len }),
        }
    }

    /// The hash of shape, pixels and labels: the same images have the same fingerprint
    /// whatever file they came in, and whether as bytes or as floats.
    pub(super) fn fingerprint(&self) -> String {
        let mut hash = blake3::Hasher::new();
        for size in [self.len].iter().chain(&self.shape) {
            hash.update(&(*size as u64).to_le_bytes());
        }
        match &self.pixels {
            Pixels::Bytes(bytes) => {
                hash.update(b"u8").update(bytes);
            }
            Pixels::Floats(floats) => {
                hash.update(b"f32");
                for value in floats {
                    hash.update(&value.to_le_bytes());
                }
            }
        }
        for label in self.labels.iter().flatten() {
            hash.update(&(*label as u64).to_le_bytes());
        }
        hash.finalize().to_string()
    }
}

impl Pixels {
    /// The same pixels as bytes, where bytes hold every bit of them.
    fn shortest(self) -> Self {
        match self {
            Self::Floats(floats) => exact_bytes(&floats).map_or(Self::Floats(floats), Self::Bytes),
            bytes @ Self::Bytes(_) => bytes,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Floats(floats) => floats.len(),
        }
    }
}

impl Dataset for InMemory {
    fn len(&self) -> usize {
        self.len
    }

    fn shape(&self) -> [usize; 3] {
        self.shape
    }

    fn lattice(&self) -> Lattice {
        if self.are_bytes() { Lattice::Bytes } else { Lattice::Fine }
    }

    fn label(&self, index: usize) -> Result<Option<usize>, Error> {
        match &self.labels {
            Some(labels) => labels.get(index).map(|label| Some(*label)),
            None => (index < self.len).then_some(None),
        }
        .ok_or_else(|| out_of_range(index, self.len))
    }

    fn get(&self, index: usize) -> Result<Example, Error> {
        if index >= self.len {
            return Err(out_of_range(index, self.len));
        }
        let size = self.shape.iter().product::<usize>();
        let range = index * size..(index + 1) * size;
        let pixels = match &self.pixels {
            Pixels::Bytes(bytes) => bytes[range].iter().map(|k| byte_to_pixel(*k)).collect(),
            Pixels::Floats(floats) => floats[range].to_vec(),
        };
        Ok(Example::new(pixels, self.label(index)?))
    }
}
