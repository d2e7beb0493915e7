//! How is an image kept, to the last bit?

use qcrs::data::{byte_to_pixel, exact_bytes};

/// Pixels as they are in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StoredPixels {
    /// k stands for k/255, where this gives every pixel exactly.
    Bytes(Vec<u8>),
    /// Anything else, little-endian.
    Floats(Vec<u8>),
}

impl StoredPixels {
    /// The shortest form that gives back the same bits.
    pub(crate) fn of(x: &[f32]) -> Self {
        let floats = || x.iter().flat_map(|value| value.to_le_bytes()).collect();
        exact_bytes(x).map_or_else(|| Self::Floats(floats()), Self::Bytes)
    }

    /// The pixels themselves.
    pub(crate) fn values(&self) -> Vec<f32> {
        match self {
            Self::Bytes(bytes) => bytes.iter().map(|&k| byte_to_pixel(k)).collect(),
            Self::Floats(bytes) => {
                let (values, _) = bytes.as_chunks::<4>();
                values.iter().map(|&value| f32::from_le_bytes(value)).collect()
            }
        }
    }

    /// What is written.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) | Self::Floats(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qcrs::data::byte_to_pixel as pixel;

    #[test]
    fn every_bit_comes_back() {
        let all: Vec<f32> = (0..=255).map(pixel).collect();
        assert_eq!(StoredPixels::of(&all), StoredPixels::Bytes((0..=255).collect()));
        for odd in [-0.0f32, 0.5, pixel(7).next_up(), -1.0, 3.25, f32::MIN_POSITIVE / 4.0] {
            let kept = StoredPixels::of(&[pixel(3), odd]);
            assert!(matches!(kept, StoredPixels::Floats(_)), "{odd}");
            let bits: Vec<u32> = kept.values().iter().map(|value| value.to_bits()).collect();
            assert_eq!(bits, [pixel(3).to_bits(), odd.to_bits()]);
        }
        assert_eq!(StoredPixels::of(&all).values(), all);
    }
}
