//! Is a JPEG file whole?
//!
//! The decoder fills missing parts of a file with grey, so a file that is cut off would be certified as
//! another picture.

/// Markers that stand alone, without a length behind them.
const ALONE: [std::ops::RangeInclusive<u8>; 2] = [0x00..=0xBF, 0xD0..=0xD8];
const END_OF_IMAGE: u8 = 0xD9;

/// Whether a JPEG is complete up to the end of its image. What follows does not matter, and thumbnails have
/// their own end, inside their segment.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    let mut at = 0;
    loop {
        // in scans, FF stands only before 00; fill bytes and unknown bytes between segments are skipped, as
        // decoders do
        let Some(next) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == 0xFF)) else {
            return false;
        };
        at += next + 1;
        match bytes.get(at) {
            None => return false,
            Some(&END_OF_IMAGE) => return true,
            Some(0xFF) => {}
            Some(marker) if ALONE.iter().any(|alone| alone.contains(marker)) => at += 1,
            Some(_) => match bytes.get(at + 1..at + 3) {
                Some(length) => at += 1 + usize::from(u16::from_be_bytes([length[0], length[1]])),
                None => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table that contains an end marker, two scans with stuffed bytes and restarts, and fill bytes.
    const WHOLE: &[u8] = &[
        0xFF, 0xD8, 0xFF, 0xE1, 0, 6, 0xFF, 0xD9, 0xFF, 0xD9, 0xFF, 0xDA, 0, 3, 1, 0x12, 0xFF, 0, 0xD9, 0xFF,
        0xD0, 0x34, 0xFF, 0xDA, 0, 2, 0x56, 0xFF, 0xFF, 0xFF, 0xD9,
    ];

    #[test]
    fn only_the_end_of_the_image_is_an_end() {
        assert!(is_whole(WHOLE));
        assert!(is_whole(&[WHOLE, &[0xFF, 0xD8, 7]].concat()));
        for end in 0..WHOLE.len() {
            assert!(!is_whole(&WHOLE[..end]), "cut after {end} bytes");
        }
    }
}
