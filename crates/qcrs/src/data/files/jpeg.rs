//! Is a JPEG file whole?
//!
//! The decoder fills missing parts of a file with grey, so a file that is cut off would be certified as
//! another picture.

/// Markers that stand alone, without a length behind them.
const ALONE: [std::ops::RangeInclusive<u8>; 2] = [0x00..=0xBF, 0xD0..=0xD8];
const END_OF_IMAGE: u8 = 0xD9;

/// Where the marker at the end of the image stands; nowhere in a JPEG that is cut off. What follows it does not
/// matter, and thumbnails have their own end, inside their segment.
pub(super) fn end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        // in scans, FF stands only before 00; fill bytes and unknown bytes between segments are skipped, as
        // decoders do
        at += bytes.get(at..)?.iter().position(|byte| *byte == 0xFF)? + 1;
        match bytes.get(at)? {
            &END_OF_IMAGE => return Some(at - 1),
            0xFF => {}
            marker if ALONE.iter().any(|alone| alone.contains(marker)) => at += 1,
            _ => {
                let length = bytes.get(at + 1..at + 3)?;
                at += 1 + usize::from(u16::from_be_bytes([length[0], length[1]]));
            }
        }
    }
}

/// The same file with more bytes at the end of its last scan. A whole image is complete before them, so decoders
/// ignore them; one that was cut off before its end marker takes them for the missing part, and changes. Not
/// found: a few cuts in the last block, and a progressive file that ends after one of its scans, which is a whole
/// image with less detail.
pub(super) fn with_more(bytes: &[u8], end: usize) -> Vec<u8> {
    [&bytes[..end], &[0xAA; 64], &[0xFF, END_OF_IMAGE]].concat()
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
        let last = WHOLE.len() - 2;
        assert_eq!(end(WHOLE), Some(last));
        assert_eq!(end(&[WHOLE, &[0xFF, 0xD8, 7]].concat()), Some(last));
        for cut in 0..WHOLE.len() {
            assert_eq!(end(&WHOLE[..cut]), None, "cut after {cut} bytes");
        }
    }
}
