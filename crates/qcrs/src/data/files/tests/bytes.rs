//! Images that come as the bytes of a file.

use super::pictures::{jpeg, png};
use super::*;
use crate::data::{Channels, Layout, decode, shape_of};

fn with(resize: Option<u32>, crop: Option<u32>) -> OpenOptions {
    OpenOptions { resize, crop, ..OpenOptions::default() }
}

#[test]
fn bytes_give_the_same_pixels_as_the_file_that_holds_them() {
    let root = folder();
    write(root.path(), "photo.jpg", jpeg(41, 24));
    png(root.path(), "plain.png", 30, 50, [7, 7, 7]);
    let grey = OpenOptions { channels: Channels::Grey, ..with(None, Some(20)) };
    let cases = [
        ("photo.jpg", with(None, None)),
        ("photo.jpg", with(Some(13), None)),
        ("photo.jpg", with(Some(17), Some(16))),
        ("plain.png", with(None, None)),
        ("plain.png", grey),
    ];
    for (name, options) in cases {
        let (path, bytes) = (root.path().join(name), fs::read(root.path().join(name)).unwrap());
        let from_file = opened(&path, &options).dataset;
        let case = format!("{name}, {options:?}");
        assert_eq!(decode(&bytes, &options).unwrap().pixels, from_file.get(0).unwrap().pixels, "{case}");
        assert_eq!(shape_of(&bytes, &options).unwrap(), from_file.shape(), "{case}");
    }
}

#[test]
fn what_is_no_image_or_cannot_be_treated_so_is_refused_in_words() {
    let whole = jpeg(40, 24);
    let labels = OpenOptions { labels: Some("labels.csv".into()), ..OpenOptions::default() };
    let layout = OpenOptions { layout: Some(Layout::Nchw), ..OpenOptions::default() };
    let grey = OpenOptions { channels: Channels::Grey, ..OpenOptions::default() };
    let cases: [(&[u8], OpenOptions, &str); 8] = [
        (b"", with(None, None), "the image cannot be read as PNG or JPEG"),
        (b"hello", with(None, None), "the image cannot be read as PNG or JPEG"),
        (&whole[..whole.len() / 2], with(None, None), "the image is a JPEG that is cut off"),
        (&whole, with(None, Some(30)), "the image is 40x24, too small to crop 30; resize it to 30 first"),
        (&whole, with(None, Some(0)), "crop: must be at least 1 pixel"),
        (&whole, labels, "labels: are for folders"),
        (&whole, layout, "layout: is for NumPy arrays, not for the image"),
        (&whole, grey, "the image has colour in it"),
    ];
    for (bytes, options, words) in cases {
        let error = decode(bytes, &options).unwrap_err().to_string();
        assert!(error.starts_with(words), "{error}");
    }
    assert!(shape_of(b"hello", &with(None, None)).unwrap_err().to_string().starts_with("the image cannot"));
}
