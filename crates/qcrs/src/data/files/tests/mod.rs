//! Every format read back, and every way to break one.

mod attacks;
mod bytes;
mod formats;
mod pictures;

use super::{OpenOptions, Opened, open};
use flate2::{Compression, write::GzEncoder};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that is gone after the test.
fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Writes a file, making its folders.
fn write(root: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("within root")).expect("a folder");
    fs::write(&path, bytes).expect("a file");
    path
}

/// The message with which opening, or else reading the first image, fails.
fn complaint(path: &Path, options: &OpenOptions) -> String {
    match open(path, options) {
        Err(error) => error.to_string(),
        Ok(opened) => opened.dataset.get(0).expect_err("this file is broken").to_string(),
    }
}

fn opened(path: &Path, options: &OpenOptions) -> Opened {
    open(path, options).unwrap_or_else(|error| panic!("{error}"))
}

/// CIFAR-10 records: image `i` has label `labels[i]` and every pixel `i`.
fn cifar(labels: &[u8]) -> Vec<u8> {
    let record = |(i, label): (usize, &u8)| [vec![*label], vec![i as u8; 3072]].concat();
    labels.iter().enumerate().flat_map(record).collect()
}

/// An IDX file of bytes.
fn idx(sizes: &[u32], values: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, sizes.len() as u8];
    bytes.extend(sizes.iter().flat_map(|size| size.to_be_bytes()));
    bytes.extend(values);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// A `.npy` file, written by hand so that it can lie.
fn npy(kind: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values);
    bytes
}

fn npz(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).expect("memory");
        archive.write_all(bytes).expect("memory");
    }
    archive.finish().expect("memory").into_inner()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
