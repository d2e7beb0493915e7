//! How is a point written so that other programs can read it?

/// A `.npy` file of one image of this shape (channels, height, width), as f32.
pub(super) fn npy(shape: [usize; 3], pixels: &[f32]) -> Vec<u8> {
    let [channels, height, width] = shape;
    let header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': (1, {channels}, {height}, {width}), }}");
    // magic, version and length take 10 bytes; the values begin at a multiple of 64
    let size = (header.len() + 11).next_multiple_of(64) - 10;
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((size as u16).to_le_bytes());
    file.extend(format!("{header:<width$}\n", width = size - 1).bytes());
    file.extend(pixels.iter().flat_map(|value| value.to_le_bytes()));
    file
}

#[cfg(all(test, feature = "data"))]
mod tests {
    use super::*;
    use crate::data::{Layout, OpenOptions, open};

    #[test]
    fn a_point_reads_back_to_the_last_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("violation-3.npy");
        let pixels: Vec<f32> = (0..2 * 3 * 4).map(|i| 0.04 * i as f32 + 1e-7).collect();
        std::fs::write(&path, npy([2, 3, 4], &pixels)).unwrap();
        let options = OpenOptions { layout: Some(Layout::Nchw), ..OpenOptions::default() };
        let opened = open(&path, &options).unwrap();
        assert_eq!((opened.dataset.len(), opened.dataset.shape()), (1, [2, 3, 4]));
        assert_eq!(opened.dataset.get(0).unwrap().pixels, pixels);
    }
}
