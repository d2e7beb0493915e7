//! Which image is this, whatever form it came in?

/// The BLAKE3 hash of an image, in hex: of one byte k per pixel where every pixel is exactly k/255, else of
/// the pixels as little-endian f32. So an image has the same hash whether it came as bytes or as floats.
pub fn pixel_hash(pixels: &[f32]) -> String {
    let mut hash = blake3::Hasher::new();
    if let Some(bytes) = exact_bytes(pixels) {
        hash.update(b"qcrs pixels u8\0").update(&bytes);
    } else {
        hash.update(b"qcrs pixels f32\0");
        for value in pixels {
            hash.update(&value.to_le_bytes());
        }
    }
    hash.finalize().to_string()
}

/// One byte k per pixel, where every pixel is k/255 to the last bit.
pub fn exact_bytes(pixels: &[f32]) -> Option<Vec<u8>> {
    let byte = |value: &f32| {
        let k = (value * 255.0).round() as u8;
        (byte_to_pixel(k).to_bits() == value.to_bits()).then_some(k)
    };
    pixels.iter().map(byte).collect()
}

/// The pixel that an 8-bit value stands for.
pub fn byte_to_pixel(k: u8) -> f32 {
    f32::from(k) / 255.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_that_of_the_bytes_where_all_pixels_are_bytes() {
        let all: Vec<f32> = (0..=255).map(byte_to_pixel).collect();
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(exact_bytes(&all), Some(bytes.clone()));
        let mut hash = blake3::Hasher::new();
        hash.update(b"qcrs pixels u8\0").update(&bytes);
        assert_eq!(pixel_hash(&all), hash.finalize().to_string());
        // as numpy computes them
        let from_f64: Vec<f32> = (0..=255_u8).map(|k| (f64::from(k) / 255.0) as f32).collect();
        assert_eq!(pixel_hash(&from_f64), pixel_hash(&all));
    }

    #[test]
    fn a_pixel_that_is_no_byte_to_the_last_bit_makes_another_hash() {
        let all: Vec<f32> = (0..=255).map(byte_to_pixel).collect();
        let mut seen = std::collections::HashSet::from([pixel_hash(&all)]);
        let odd = [
            (0, -0.0),
            (7, all[7].next_up()),
            (7, all[7].next_down()),
            (255, 1.0_f32.next_down()),
            (3, f32::NAN),
        ];
        for (at, value) in odd {
            let mut other = all.clone();
            other[at] = value;
            assert_eq!(exact_bytes(&other), None, "{value}");
            assert!(seen.insert(pixel_hash(&other)), "{value}");
        }
    }
}
