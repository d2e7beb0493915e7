//! A broken or hostile file gives an error that names the file and the fault, never a number.

use super::*;
use crate::data::{Channels, InMemory, Layout, Range};

/// A file, what it holds, and words that the complaint must contain.
type Case<'a> = (&'a str, Vec<u8>, &'a str);

fn assert_refused(cases: Vec<Case<'_>>) {
    let root = folder();
    for (name, bytes, words) in cases {
        let path = write(root.path(), name, bytes);
        let message = complaint(&path, &OpenOptions::default());
        assert!(message.contains(words), "{name}: {message}");
        let file_name = path.file_name().unwrap().to_str().unwrap();
        assert!(message.contains(file_name), "{name} is not named: {message}");
    }
}

#[test]
fn broken_cifar() {
    let torn = [cifar(&[1, 2]), vec![0; 100]].concat();
    assert_refused(vec![
        ("torn/test_batch.bin", torn, "the last one, at offset 6146, has 100"),
        ("label/test_batch.bin", cifar(&[1, 10]), "label 10 at offset 3073 (image 1)"),
        ("empty/test_batch.bin", vec![], "is empty"),
        ("odd.bin", vec![1; 77], "not whole CIFAR-10 records"),
    ]);
}

#[test]
fn broken_idx() {
    let root = folder();
    let labels = gzip(&idx(&[1], &[1]));
    let bomb = gzip(&[idx(&[1, 2, 2], &[]), vec![0; 50 << 20]].concat());
    assert!(bomb.len() < 100_000);
    let images = idx(&[1, 2, 2], &[1, 2, 3, 4]);
    let whole = gzip(&images);
    let cases: Vec<Case<'_>> = vec![
        ("bomb", bomb, "holds more than the 4 bytes of data its header declares"),
        ("short", gzip(&idx(&[1, 2, 2], &[1, 2])), "ends after 2 of 4 bytes"),
        ("cut", whole[..whole.len() - 9].to_vec(), "cannot be unpacked"),
        ("huge", gzip(&idx(&[u32::MAX, u32::MAX, u32::MAX], &[])), "more than the limit"),
        ("large", gzip(&idx(&[1 << 10, 1 << 10, 1 << 11], &[1])), "ends after 1 of 2147483648 bytes"),
        (
            "magic",
            gzip(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]),
            "starts with [01, 02, 03, 04]",
        ),
        ("header", gzip(&[0, 0, 8, 3, 0]), "no whole IDX header"),
        ("empty", vec![], "is empty"),
        ("none", gzip(&idx(&[0, 2, 2], &[])), "no image"),
        ("pair", gzip(&idx(&[2, 1, 1], &[1, 2])), "2 images but 1 labels"),
    ];
    for (name, bytes, words) in cases {
        write(root.path(), &format!("{name}/t10k-images-idx3-ubyte.gz"), bytes);
        write(root.path(), &format!("{name}/t10k-labels-idx1-ubyte.gz"), &labels);
        let message = complaint(&root.path().join(name), &OpenOptions::default());
        assert!(message.contains(words), "{name}: {message}");
    }
    write(root.path(), "alone/t10k-images-idx3-ubyte", images);
    let message = complaint(&root.path().join("alone"), &OpenOptions::default());
    assert!(message.contains("t10k-labels-idx1-ubyte.gz) are not beside it"), "{message}");
}

#[test]
fn broken_numpy() {
    let nan = floats(&[0.5, f32::NAN]);
    let mut fortran = npy("|u1", "(1, 1, 1)", &[1]);
    let at = fortran.windows(5).position(|word| word == b"False").unwrap();
    fortran[at..at + 5].copy_from_slice(b"True ");
    let mut long = npy("|u1", "(1, 1, 1)", &[1]);
    (long[6], long[8], long[9], long[10], long[11]) = (2, 255, 255, 255, 255);
    assert_refused(vec![
        ("nan.npy", npy("<f4", "(2, 1, 1)", &nan), "image 1 has the value NaN"),
        ("range.npy", npy("<f4", "(2, 1, 1)", &floats(&[0.5, 1.5])), "image 1 has the value 1.5"),
        (
            "negative.npy",
            npy("<f4", "(1, 1, 1)", &floats(&[-0.25])),
            "-0.25 (at 0 of its 1 values), outside the range 0..1",
        ),
        ("both.npy", npy("|u1", "(1, 3, 2, 3)", &[0; 18]), "choose nchw or nhwc"),
        ("neither.npy", npy("|u1", "(1, 4, 4, 4)", &[0; 64]), "choose nchw or nhwc"),
        ("axes.npy", npy("|u1", "(4, 4)", &[0; 16]), "this has shape [4, 4]"),
        ("huge.npy", npy("<f8", "(9223372036854775807, 3, 32, 32)", &[]), "more than the limit"),
        ("wide.npy", npy("|u1", "(99999999999999999999, 3, 2)", &[]), "cannot read"),
        ("minus.npy", npy("|u1", "(-1, 3, 2)", &[]), "cannot read"),
        ("large.npy", npy("|u1", "(1000000, 32, 32)", &[1, 2]), "ends after 2 of 1024000000"),
        ("longer.npy", npy("|u1", "(1, 1, 1)", &[1, 2]), "more than the 1 bytes"),
        ("empty.npy", vec![], "too short"),
        ("none.npy", npy("|u1", "(0, 2, 2)", &[]), "no image"),
        ("flat.npy", npy("|u1", "(2, 0, 2)", &[]), "no image"),
        ("type.npy", npy("<c8", "(1, 1, 1)", &[0; 8]), "type <c8"),
        ("object.npy", npy("|O", "(1, 1, 1)", &[0; 8]), "type |O"),
        ("integers.npy", npy("<i8", "(1, 1, 1)", &[0; 8]), "pixels of type <i8"),
        ("big.npy", npy(">f4", "(1, 1, 1)", &[0; 4]), "type >f4"),
        ("fortran.npy", fortran, "Fortran order"),
        ("long.npy", long, "more than 64 KiB"),
        ("magic.npy", vec![0; 100], "first bytes are wrong"),
    ]);
}

#[test]
fn broken_npz() {
    let one = npy("|u1", "(1, 1, 1)", &[1]);
    let two_labels = npy("|u1", "(2,)", &[1, 2]);
    let minus = npy("|i1", "(1,)", &[255]);
    let huge = npy("|u1", "(1000000000000, 32, 32)", &[0; 64]);
    let bomb = npy("|u1", "(1, 1, 1)", &vec![0; 50 << 20]);
    let mut cut = npz(&[("x.npy", &one)]);
    cut.truncate(cut.len() / 2);
    assert_refused(vec![
        ("huge.npz", npz(&[("x.npy", &huge)]), "x.npy: declares more than the limit"),
        ("bomb.npz", npz(&[("x.npy", &bomb)]), "more than the 1 bytes"),
        ("pair.npz", npz(&[("x.npy", &one), ("y.npy", &two_labels)]), "1 images but 2 labels"),
        ("minus.npz", npz(&[("x.npy", &one), ("y.npy", &minus)]), "label -1 of image 0"),
        ("both.npz", npz(&[("x.npy", &one), ("images.npy", &one)]), "has both x.npy and images.npy"),
        ("other.npz", npz(&[("z.npy", &one)]), "there are: z.npy"),
        ("cut.npz", cut, "not a readable .npz"),
        ("empty.npz", vec![], "not a readable .npz"),
    ]);
}

#[test]
fn what_is_not_understood_says_what_is() {
    let root = folder();
    let missing = complaint(&root.path().join("nowhere"), &OpenOptions::default());
    assert!(missing.contains("nowhere: there is no such file"), "{missing}");
    let empty = complaint(root.path(), &OpenOptions::default());
    assert!(empty.contains("CIFAR .bin") && empty.contains("this folder is empty"), "{empty}");
    let file = write(root.path(), "notes.txt", "hello");
    assert!(complaint(&file, &OpenOptions::default()).contains("none of them"));
    assert!(complaint(root.path(), &OpenOptions::default()).contains("here is: notes.txt"));
}

#[test]
fn options_that_cannot_be_followed_are_refused() {
    let root = folder();
    let file = write(root.path(), "test_batch.bin", cifar(&[1]));
    let resize = OpenOptions { resize: Some(8), ..OpenOptions::default() };
    assert!(complaint(&file, &resize).contains("resize: is for image files, not for "));
    let layout = OpenOptions { layout: Some(Layout::Nhwc), ..OpenOptions::default() };
    let range = OpenOptions { range: Range::Bytes, ..OpenOptions::default() };
    let channels = OpenOptions { channels: Channels::Grey, ..OpenOptions::default() };
    assert!(complaint(&file, &layout).contains("layout: is for NumPy arrays"));
    assert!(complaint(&file, &range).contains("range: is for NumPy arrays"));
    assert!(complaint(&file, &channels).contains("channels: is for image files"));
    let picture = pictures::png(root.path(), "one.png", 2, 2, [0; 3]);
    assert!(complaint(&picture, &layout).contains("layout: is for NumPy arrays"));
    let labels = OpenOptions { labels: Some(file.clone()), ..OpenOptions::default() };
    assert!(complaint(&file, &labels).contains("has its own labels"));
    assert!("0..2".parse::<Range>().unwrap_err().to_string().contains("0..1, 0..255"));
}

#[test]
fn images_in_memory_are_checked_too() {
    let case = |pixels: Vec<f32>, labels| InMemory::new([1, 1, 2], pixels, labels).unwrap_err().to_string();
    assert!(case(vec![0.0, 1.0, f32::NAN, 0.0], None).contains("image 1 has the value NaN"));
    assert!(case(vec![0.0], None).contains("whole images"));
    assert!(case(vec![], None).contains("no image"));
    assert!(case(vec![0.0, 1.0], Some(vec![])).contains("1 images but 0 labels"));
}
