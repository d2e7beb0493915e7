//! Folders of image files: order, labels, treatment, and what can be wrong with them.

use super::*;
use crate::data::Channels;
use crate::types::Error;
use image::{Rgb, RgbImage};

/// A PNG of one colour.
pub(super) fn png(root: &Path, name: &str, width: u32, height: u32, colour: [u8; 3]) -> PathBuf {
    let path = write(root, name, []);
    RgbImage::from_pixel(width, height, Rgb(colour)).save(&path).expect("a test image");
    path
}

fn labels_of(opened: &Opened) -> Vec<Option<usize>> {
    (0..opened.dataset.len()).map(|i| opened.dataset.get(i).unwrap().label).collect()
}

#[test]
fn class_folders_give_labels_in_the_order_of_names() {
    let root = folder();
    png(root.path(), "dog/b.PNG", 4, 2, [10, 20, 30]);
    png(root.path(), "dog/a.png", 4, 2, [1, 2, 3]);
    png(root.path(), "cat/z.png", 4, 2, [255, 0, 0]);
    write(root.path(), "cat/notes.txt", "not an image");
    let opened = opened(root.path(), &OpenOptions::default());
    assert_eq!(labels_of(&opened), [Some(0), Some(1), Some(1)]);
    assert_eq!(opened.about.classes.as_deref().unwrap(), ["cat", "dog"]);
    assert_eq!(opened.dataset.shape(), [3, 2, 4]);
    let last = opened.dataset.get(2).unwrap().pixels;
    assert_eq!(
        last,
        [[10.0_f32; 8], [20.0; 8], [30.0; 8]].concat().iter().map(|k| k / 255.0).collect::<Vec<_>>()
    );
    let before = opened.about.blake3;
    png(root.path(), "dog/b.PNG", 4, 2, [10, 20, 31]);
    assert_ne!(before, super::opened(root.path(), &OpenOptions::default()).about.blake3);
}

#[test]
fn a_list_gives_its_own_order_with_or_without_header() {
    let root = folder();
    png(root.path(), "a.png", 2, 2, [0; 3]);
    png(root.path(), "in/b, c.png", 2, 2, [0; 3]);
    let list =
        write(root.path(), "list.csv", "\u{feff}file,label\r\n\"in/b, c.png\",7\r\n\r\n./a.png, 2\r\n");
    assert_eq!(labels_of(&opened(&list, &OpenOptions::default())), [Some(7), Some(2)]);
    let bare = write(root.path(), "bare.csv", "\u{feff}a.png,4\n");
    assert_eq!(labels_of(&opened(&bare, &OpenOptions::default())), [Some(4)]);
}

#[test]
fn loose_images_have_labels_from_elsewhere_or_none() {
    let root = folder();
    let file = png(root.path(), "images/b.png", 2, 2, [0; 3]);
    png(root.path(), "images/a.png", 2, 2, [9; 3]);
    let images = root.path().join("images");
    assert_eq!(labels_of(&opened(&images, &OpenOptions::default())), [None, None]);
    assert_eq!(labels_of(&opened(&file, &OpenOptions::default())), [None]);
    let with = |labels| OpenOptions { labels: Some(labels), ..OpenOptions::default() };
    let list = with(write(root.path(), "list.csv", "b.png,1\na.png,2\n"));
    assert_eq!(labels_of(&opened(&images, &list)), [Some(1), Some(2)]);
    let array = with(write(root.path(), "y.npy", npy("|u1", "(2,)", &[3, 4])));
    assert_eq!(labels_of(&opened(&images, &array)), [Some(3), Some(4)]);
    let short = with(write(root.path(), "short.npy", npy("|u1", "(1,)", &[3])));
    assert!(complaint(&images, &short).contains("1 labels for 2 images"));
    assert!(complaint(&file, &short).contains("b.png is one image; labels are for folders of images"));
}

#[test]
fn resize_then_crop_is_the_shorter_side_then_the_centre() {
    let root = folder();
    let path = write(root.path(), "a/wide.png", []);
    // the left half is black, the right half white
    RgbImage::from_fn(16, 8, |x, _| Rgb([if x < 8 { 0 } else { 255 }; 3])).save(&path).unwrap();
    png(root.path(), "a/tall.png", 10, 31, [7; 3]);
    let options = OpenOptions { resize: Some(4), crop: Some(2), ..OpenOptions::default() };
    let opened = opened(root.path(), &options);
    assert_eq!(opened.dataset.shape(), [3, 2, 2]);
    assert_eq!(opened.dataset.get(0).unwrap().pixels, [7.0 / 255.0; 12]);
    let wide = opened.dataset.get(1).unwrap().pixels;
    assert!(wide[0] < 0.2 && wide[1] > 0.8, "the edge is in the centre: {wide:?}");
    assert!(opened.about.preprocess.starts_with("shorter side to 4 (triangle filter"));
}

#[test]
fn grey_is_read_as_one_or_three_channels() {
    let root = folder();
    let path = write(root.path(), "g.png", []);
    image::GrayImage::from_pixel(2, 1, image::Luma([51])).save(&path).unwrap();
    let grey = OpenOptions { channels: Channels::Grey, ..OpenOptions::default() };
    assert_eq!(opened(&path, &grey).dataset.get(0).unwrap().pixels, [0.2; 2]);
    assert_eq!(opened(&path, &OpenOptions::default()).dataset.get(0).unwrap().pixels, [0.2; 6]);
    let colour = png(root.path(), "c.png", 2, 1, [1, 2, 3]);
    assert!(complaint(&colour, &grey).contains("has colour in it"));
}

#[test]
fn broken_folders_name_the_file_and_the_fault() {
    let root = folder();
    png(root.path(), "sizes/a/1.png", 2, 2, [0; 3]);
    png(root.path(), "sizes/a/2.png", 3, 2, [0; 3]);
    write(root.path(), "text/a/1.png", "this is no image");
    write(root.path(), "empty/a/1.jpg", "");
    let whole = fs::read(png(root.path(), "cut.png", 64, 64, [5; 3])).unwrap();
    write(root.path(), "cut/1.png", &whole[..whole.len() - 40]);
    let mut bomb = whole.clone();
    bomb[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]); // 65536 x 65536
    write(root.path(), "bomb/1.png", bomb);
    let deep = write(root.path(), "deep/1.png", []);
    image::ImageBuffer::<image::Luma<u16>, _>::from_pixel(1, 1, image::Luma([300])).save(&deep).unwrap();
    png(root.path(), "mixed/a/1.png", 2, 2, [0; 3]);
    png(root.path(), "mixed/1.png", 2, 2, [0; 3]);
    png(root.path(), "hollow/train/cat/1.png", 2, 2, [0; 3]);
    let cases = [
        ("sizes", "2.png: is 3x2, but the first image is 2x2"),
        ("text", "1.png: cannot be read as PNG or JPEG"),
        ("empty", "1.jpg: cannot be read as PNG or JPEG"),
        ("cut", "1.png: cannot be read as PNG or JPEG"),
        ("bomb", "1.png: cannot be read as PNG or JPEG"),
        ("deep", "1.png: has 16 bits per value"),
        ("mixed", "class folders (a) and also images"),
        (
            "hollow",
            "train: holds no .png or .jpg file itself, as a class folder does; if this is the dataset, give its own path",
        ),
    ];
    for (name, words) in cases {
        let message = complaint(&root.path().join(name), &OpenOptions::default());
        assert!(message.contains(words), "{name}: {message}");
    }
}

#[test]
fn an_empty_class_folder_keeps_the_numbers_of_the_others() {
    let root = folder();
    png(root.path(), "ant/1.png", 2, 2, [0; 3]);
    fs::create_dir(root.path().join("bee")).unwrap();
    png(root.path(), "cat/1.png", 2, 2, [0; 3]);
    let Opened { dataset, about, has_parts, .. } = opened(root.path(), &OpenOptions::default());
    assert_eq!(about.classes.unwrap(), ["ant", "bee", "cat"]);
    assert_eq!([0, 1].map(|at| dataset.get(at).unwrap().label), [Some(0), Some(2)]);
    assert!(!has_parts);
}

#[test]
fn broken_lists_name_the_line_and_the_fault() {
    let root = folder();
    png(root.path(), "secret.png", 2, 2, [0; 3]);
    png(root.path(), "in/a.png", 2, 2, [0; 3]);
    let absolute = format!("{},1\n", root.path().join("secret.png").display());
    let cases = [
        ("../secret.png,1\n", "line 1: '../secret.png' leaves the folder"),
        ("a.png,1\nb/../../secret.png,1\n", "line 2: 'b/../../secret.png' leaves the folder"),
        (&absolute, "leaves the folder"),
        (",1\n", "leaves the folder"),
        ("a.png,cat\n", "line 1: 'cat' is not a class number"),
        ("a.png,-1\n", "line 1: '-1' is not a class number"),
        ("a.png\n", "expected 'file,label'"),
        ("b.png,1\n", "lists 'b.png', which is not a file in /"),
        ("file,label\n", "lists no image"),
        ("", "lists no image"),
    ];
    for (text, words) in cases {
        let list = write(root.path(), "in/list.csv", text);
        let message = complaint(&list, &OpenOptions::default());
        assert!(message.contains(words), "{text:?}: {message}");
    }
}

#[test]
fn class_folders_and_labels_are_looked_up_in_a_list_of_names() {
    let root = folder();
    png(root.path(), "folders/dog/1.png", 2, 2, [0; 3]);
    png(root.path(), "folders/cat/1.png", 2, 2, [0; 3]);
    let names = |text: &str| {
        let names = Some(write(root.path(), "names.txt", text));
        OpenOptions { names, ..OpenOptions::default() }
    };
    let five = names("\u{feff}ant\r\ndog\r\nbee\r\ncat\r\nwhite shark\r\n\r\n");
    let folders = root.path().join("folders");
    let opened = opened(&folders, &five);
    // files stay in the order of their paths
    assert_eq!(labels_of(&opened), [Some(3), Some(1)]);
    assert_eq!(opened.about.classes.as_deref().unwrap(), ["ant", "dog", "bee", "cat", "white shark"]);
    assert_eq!(opened.named_by, crate::data::NamedBy::List);

    png(root.path(), "a.png", 2, 2, [0; 3]);
    let list = write(root.path(), "list.csv", "a.png,white shark\nfolders/dog/1.png,0\n");
    assert_eq!(labels_of(&super::opened(&list, &five)), [Some(4), Some(0)]);
    let column = write(root.path(), "column.csv", "cat\n2\n");
    let array = write(root.path(), "x.npy", npy("|u1", "(2, 1, 1)", &[1, 2]));
    let with_labels = OpenOptions { labels: Some(column), ..five.clone() };
    assert_eq!(labels_of(&super::opened(&array, &with_labels)), [Some(3), Some(2)]);
    assert_eq!(super::opened(&array, &five).about.classes.unwrap()[4], "white shark");

    let unknown = write(root.path(), "unknown.csv", "a.png,bird\n");
    assert!(complaint(&unknown, &five).contains("line 1: 'bird' is neither a class number nor"));
    let cases = [
        ("ant\ncat\n", "dog: is not one of the class names"),
        ("ant\ncat\ndog\ncat\n", "names.txt: lines 2 and 4 both say 'cat'"),
        ("ant\n\ncat\ndog\n", "names.txt: line 2 is empty"),
        ("\n", "names.txt: is empty"),
    ];
    for (text, words) in cases {
        let message = complaint(&folders, &names(text));
        assert!(message.contains(words), "{text:?}: {message}");
    }
}

#[test]
fn folders_of_imagenet_are_looked_up_by_wordnet_numbers() {
    let root = folder();
    for name in ["val/n03126707/1.JPEG", "val/n02123045/1.png"] {
        png(root.path(), name, 2, 2, [0; 3]);
    }
    let names = |text: &str| {
        let names = Some(write(root.path(), "names.txt", text));
        OpenOptions { names, ..OpenOptions::default() }
    };
    let list = "n02012849 crane\nn02123045\ttabby, tabby cat\nn03126707 crane\n";
    let (val, options) = (root.path().join("val"), names(list));
    let classes = opened(&val, &options);
    assert_eq!(labels_of(&classes), [Some(1), Some(2)]);
    assert_eq!(classes.about.classes.unwrap(), ["crane (n02012849)", "tabby", "crane (n03126707)"]);
    let csv = write(root.path(), "list.csv", "val/n02123045/1.png,tabby\nval/n02123045/1.png,n03126707\n");
    assert_eq!(labels_of(&opened(&csv, &options)), [Some(1), Some(2)]);

    // one line of another form, and all are plain names
    let mixed = complaint(&val, &names(&format!("{list}dog\n")));
    assert!(mixed.contains("n02123045: is not one of the class names"), "{mixed}");
    let twice = complaint(&val, &names(&format!("{list}n02123045 tiger cat\n")));
    assert!(twice.contains("lines 2 and 4 both say 'n02123045'"), "{twice}");
}

#[test]
fn files_that_are_no_images_are_listed() {
    let root = folder();
    for (folder, names) in [("flat", ["b.webp", "a.bmp"]), ("classes/cat", ["c.gif", ".hidden"])] {
        png(root.path(), &format!("{folder}/1.png"), 2, 2, [0; 3]);
        for name in names {
            write(root.path(), &format!("{folder}/{name}"), "");
        }
    }
    let labels = write(root.path(), "flat/y.npy", npy("|u1", "(1,)", &[3]));
    let options = OpenOptions { labels: Some(labels), ..OpenOptions::default() };
    assert_eq!(opened(&root.path().join("flat"), &options).left_out, ["a.bmp", "b.webp"]);
    let classes = opened(&root.path().join("classes"), &OpenOptions::default());
    assert_eq!(classes.left_out, ["cat/c.gif"]);
}

#[test]
fn impossible_treatments_are_refused() {
    let root = folder();
    png(root.path(), "a.png", 8, 8, [0; 3]);
    let with = |resize, crop| OpenOptions { resize, crop, ..OpenOptions::default() };
    assert!(complaint(root.path(), &with(Some(4), Some(5))).contains("crop: 5 is larger than resize 4"));
    assert!(complaint(root.path(), &with(None, Some(9))).contains("is 8x8, too small to crop 9"));
    assert!(complaint(root.path(), &with(Some(0), None)).contains("at least 1 pixel"));
}

/// A photograph-like JPEG of this size.
pub(super) fn jpeg(width: u32, height: u32) -> Vec<u8> {
    let pixel = |x: u32, y: u32| Rgb([(7 * x + 3 * y) as u8, (x * y) as u8, (255 - 5 * y) as u8]);
    let mut bytes = std::io::Cursor::new(Vec::new());
    RgbImage::from_fn(width, height, pixel).write_to(&mut bytes, image::ImageFormat::Jpeg).unwrap();
    bytes.into_inner()
}

/// The decoder fills missing parts with grey, which would be certified as if they were the picture.
#[test]
fn a_jpeg_cut_anywhere_is_an_error_and_never_pixels() {
    let root = folder();
    let whole = jpeg(40, 24);
    for end in 0..whole.len() {
        let path = write(root.path(), "cut.jpg", &whole[..end]);
        let complaint = complaint(&path, &OpenOptions::default());
        assert!(complaint.contains("cut.jpg"), "{end} of {} bytes: {complaint}", whole.len());
    }
    let path = write(root.path(), "cut.jpg", &whole[..whole.len() * 9 / 10]);
    let complaint = complaint(&path, &OpenOptions::default());
    assert!(complaint.contains("is a JPEG that is cut off; download or save it again"), "{complaint}");
}

/// A file that was cut off may have got an end of its own from a program that repaired it.
#[test]
fn a_jpeg_cut_before_its_end_marker_is_an_error() {
    let root = folder();
    let (progressive, restarts) = (include_bytes!("progressive.jpg"), include_bytes!("restarts.jpg"));
    for whole in [&jpeg(40, 24)[..], progressive, restarts] {
        let read = |end: usize| {
            let path = write(root.path(), "cut.jpg", [&whole[..end], &[0xFF, 0xD9]].concat());
            Ok::<_, Error>(open(&path, &OpenOptions::default())?.dataset.get(0)?.pixels)
        };
        // a progressive image is whole after each of its scans
        let in_a_scan =
            |end: &usize| whole[end - 4..end + 4].windows(2).all(|pair| pair[0] != 0xFF || pair[1] == 0);
        for end in (whole.len() * 3 / 4..whole.len() - 24).filter(in_a_scan) {
            assert!(read(end).is_err(), "{end} of {} bytes", whole.len());
        }
        assert!(read(whole.len() - 2).is_ok());
        let complaint = read(whole.len() - 30).unwrap_err().to_string();
        assert!(complaint.contains("is a JPEG that is cut off; download or save it again"), "{complaint}");
    }
}

#[test]
fn a_jpeg_with_a_thumbnail_or_more_bytes_behind_it_is_read() {
    let root = folder();
    let whole = jpeg(40, 24);
    let pixels = |bytes: &[u8]| {
        let path = write(root.path(), "whole.jpg", bytes);
        opened(&path, &OpenOptions::default()).dataset.get(0).unwrap().pixels
    };
    let plain = pixels(&whole);
    assert_eq!(pixels(&[&whole[..], b"and more"].concat()), plain);
    let thumbnail = jpeg(8, 8);
    let length = u16::try_from(thumbnail.len() + 8).unwrap().to_be_bytes();
    let exif = [&[0xFF, 0xE1][..], &length, b"Exif\0\0", &thumbnail].concat();
    let with_thumbnail = [&whole[..2], &exif, &whole[2..]].concat();
    assert_eq!(pixels(&with_thumbnail), plain);
    let torn = write(root.path(), "torn.jpg", &with_thumbnail[..with_thumbnail.len() - 100]);
    assert!(complaint(&torn, &OpenOptions::default()).contains("torn.jpg: is a JPEG that is cut off"));
}
