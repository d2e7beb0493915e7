//! What is written is what is read.

use super::*;
use crate::data::{InMemory, Layout, Range, Split};

const K: f32 = 1.0 / 255.0;

#[test]
fn cifar_folder_parent_and_file_are_the_same_data() {
    let root = folder();
    let file = write(root.path(), "cifar-10-batches-bin/test_batch.bin", cifar(&[3, 9]));
    let (inner, options) = (root.path().join("cifar-10-batches-bin"), OpenOptions::default());
    let expected = opened(&file, &options).about;
    for path in [root.path(), &inner, &file] {
        let Opened { dataset, about, .. } = opened(path, &options);
        assert_eq!((dataset.len(), dataset.shape()), (2, [3, 32, 32]));
        let second = dataset.get(1).unwrap();
        assert_eq!((second.label, second.pixels[3071]), (Some(9), K));
        assert_eq!(about.classes.unwrap()[3], "cat");
        assert_eq!(about.blake3, expected.blake3);
        assert!(dataset.get(2).unwrap_err().to_string().contains("no image 2"));
    }
}

#[test]
fn cifar_training_split_is_five_batches_in_order() {
    let root = folder();
    for batch in 1..=5_u8 {
        write(root.path(), &format!("data_batch_{batch}.bin"), cifar(&[batch]));
    }
    write(root.path(), "batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n");
    let options = OpenOptions { split: Split::Train, ..Default::default() };
    let Opened { dataset, about, .. } = opened(root.path(), &options);
    let labels: Vec<_> = (0..5).map(|i| dataset.get(i).unwrap().label.unwrap()).collect();
    assert_eq!(labels, [1, 2, 3, 4, 5]);
    assert_eq!(about.classes.unwrap()[9], "j");
    let missing = complaint(root.path(), &OpenOptions::default());
    assert!(missing.contains("test_batch.bin is missing from the test part"), "{missing}");
}

#[test]
fn cifar_100_gives_the_fine_label() {
    let root = folder();
    let file = write(root.path(), "test.bin", [vec![19, 99], vec![255; 3072]].concat());
    let example = opened(&file, &OpenOptions::default()).dataset.get(0).unwrap();
    assert_eq!((example.label, example.pixels[0]), (Some(99), 1.0));
}

#[test]
fn idx_plain_and_gzip_are_the_same_data() {
    let root = folder();
    let images = idx(&[2, 2, 3], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255]);
    let labels = idx(&[2], &[7, 1]);
    write(root.path(), "plain/t10k-images-idx3-ubyte", &images);
    write(root.path(), "plain/t10k-labels-idx1-ubyte", &labels);
    let file = write(root.path(), "packed/t10k-images-idx3-ubyte.gz", gzip(&images));
    write(root.path(), "packed/t10k-labels-idx1-ubyte.gz", gzip(&labels));
    let options = OpenOptions::default();
    let plain = opened(&root.path().join("plain"), &options);
    for path in [root.path().join("packed"), file] {
        let packed = opened(&path, &options);
        assert_eq!(packed.about.blake3, plain.about.blake3);
        assert_eq!(packed.dataset.shape(), [1, 2, 3]);
        let second = packed.dataset.get(1).unwrap();
        assert_eq!((second.label, second.pixels[5], second.pixels[0]), (Some(1), 1.0, 6.0 / 255.0));
    }
}

#[test]
fn numpy_layouts_kinds_and_ranges_agree() {
    let root = folder();
    let bytes: Vec<u8> = (0..24).collect(); // one image of 3 channels, 2 rows, 4 columns
    let as_f64: Vec<u8> = bytes.iter().flat_map(|k| f64::from(*k).to_le_bytes()).collect();
    let as_unit = floats(&bytes.iter().map(|k| f32::from(*k) / 255.0).collect::<Vec<_>>());
    let hwc: Vec<u8> = (0..8).flat_map(|at| [at, 8 + at, 16 + at]).collect();
    let plain = OpenOptions::default();
    let cases = [
        ("chw.npy", npy("|u1", "(1, 3, 2, 4)", &bytes), plain.clone()),
        ("hwc.npy", npy("|u1", "(1, 2, 4, 3)", &hwc), plain.clone()),
        (
            "said.npy",
            npy("|u1", "(1, 2, 4, 3)", &hwc),
            OpenOptions { layout: Some(Layout::Nhwc), ..plain.clone() },
        ),
        ("f8.npy", npy("<f8", "(1, 3, 2, 4)", &as_f64), OpenOptions { range: Range::Bytes, ..plain.clone() }),
        ("f4.npy", npy("<f4", "(1, 3, 2, 4)", &as_unit), plain),
    ];
    let expected: Vec<f32> = bytes.iter().map(|k| f32::from(*k) / 255.0).collect();
    for (name, file, options) in cases {
        let dataset = opened(&write(root.path(), name, file), &options).dataset;
        assert_eq!(dataset.shape(), [3, 2, 4], "{name}");
        assert_eq!(dataset.get(0).unwrap().pixels, expected, "{name}");
    }
}

#[test]
fn numpy_as_another_library_writes_it() {
    use npyz::WriterBuilder;
    let root = folder();
    let mut file = Vec::new();
    let builder = npyz::WriteOptions::new().default_dtype().shape(&[2, 2, 2]);
    let mut writer = builder.writer(&mut file).begin_nd().unwrap();
    writer.extend([0.0_f32, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0]).unwrap();
    writer.finish().unwrap();
    let dataset = opened(&write(root.path(), "a.npy", file), &OpenOptions::default()).dataset;
    assert_eq!(dataset.get(1).unwrap().pixels, [0.4, 0.5, 0.6, 1.0]);
    assert_eq!(dataset.get(1).unwrap().label, None);
}

#[test]
fn npz_and_label_files() {
    let root = folder();
    let x = npy("|u1", "(2, 1, 1)", &[0, 255]);
    let y = npy("<i8", "(2,)", &[5_i64.to_le_bytes(), 6_i64.to_le_bytes()].concat());
    let short = npy("<i2", "(2, 1)", &[5, 0, 6, 0]);
    let archive =
        write(root.path(), "a.npz", npz(&[("x_test.npy", &x), ("y_test.npy", &short), ("other.npy", &y)]));
    let image = write(root.path(), "x.npy", &x);
    let plain = OpenOptions::default();
    let with = |labels| OpenOptions { labels: Some(labels), ..OpenOptions::default() };
    let cases = [
        (&archive, plain.clone()),
        (&image, with(write(root.path(), "y.npy", y))),
        (&image, with(write(root.path(), "y.csv", "label\r\n5\r\n6\r\n"))),
        (&image, with(write(root.path(), "y-idx1-ubyte.gz", gzip(&idx(&[2], &[5, 6]))))),
    ];
    for (path, options) in cases {
        let dataset = opened(path, &options).dataset;
        let labels: Vec<_> = (0..2).map(|i| dataset.get(i).unwrap().label).collect();
        assert_eq!(labels, [Some(5), Some(6)], "{options:?}");
    }
    assert!(
        complaint(&archive, &OpenOptions { split: Split::Train, ..plain })
            .contains("no images for the train part")
    );
}

#[test]
fn the_fingerprint_covers_pixels_labels_and_shape() {
    let root = folder();
    let options = OpenOptions::default();
    let hash = |name: &str, shape: &str, x: &[u8], y: &[u8]| {
        let (x, y) = (npy("|u1", shape, x), npy("|u1", "(2,)", y));
        opened(&write(root.path(), name, npz(&[("x.npy", &x), ("y.npy", &y)])), &options).about.blake3
    };
    let first = hash("a.npz", "(2, 2, 4)", &[1; 16], &[0, 1]);
    assert_eq!(first, hash("b.npz", "(2, 1, 2, 4)", &[1; 16], &[0, 1]));
    // the same images as floats, and as floats that are not bytes
    let floats = |name: &str, value: f32| {
        let (x, y) = (npy("<f4", "(2, 2, 4)", &floats(&[value; 16])), npy("|u1", "(2,)", &[0, 1]));
        opened(&write(root.path(), name, npz(&[("x.npy", &x), ("y.npy", &y)])), &options).about.blake3
    };
    let byte = 1.0_f32 / 255.0;
    assert_eq!(first, floats("f.npz", byte));
    assert_ne!(first, floats("g.npz", byte.next_up()));
    assert_ne!(first, hash("c.npz", "(2, 2, 4)", &[2; 16], &[0, 1]));
    assert_ne!(first, hash("d.npz", "(2, 2, 4)", &[1; 16], &[1, 1]));
    assert_ne!(first, hash("e.npz", "(2, 4, 2)", &[1; 16], &[0, 1]));
}

/// Bytes, the floats that they stand for, and an array file of either: one dataset, so that a run of one can
/// be resumed with another.
#[test]
fn images_in_memory_are_those_of_a_file() {
    let bytes: Vec<u8> = (0..24).map(|k| k * 10).collect();
    let floats: Vec<f32> = bytes.iter().map(|k| f32::from(*k) / 255.0).collect();
    let labels = Some(vec![1, 0]);
    let about = |images: InMemory| Opened::of_images("mine", images).about;
    let from_bytes = about(InMemory::from_bytes([3, 2, 2], bytes.clone(), labels.clone()).unwrap());
    let from_floats = about(InMemory::new([3, 2, 2], floats.clone(), labels.clone()).unwrap());
    assert_eq!(from_bytes, from_floats);
    assert_eq!((from_bytes.name.as_str(), from_bytes.preprocess.as_str()), ("mine", "value/255"));
    let mut other = floats;
    other[5] = 0.5;
    let other = about(InMemory::new([3, 2, 2], other, labels).unwrap());
    assert!(other.blake3 != from_bytes.blake3 && other.preprocess == "value");
    assert!(InMemory::from_bytes([3, 2, 2], vec![0; 23], None).is_err());
}
