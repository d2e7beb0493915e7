//! What becomes of the networks that people export, and of those that mix their images?

#[path = "../../../qcrs/tests/common/archive.rs"]
mod archive;
mod attacks;
mod functions;
mod text;

use super::{Fate, follow};
use crate::mode;
use qcrs_cnn::proto::ModelProto;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The files in a folder beside the tests.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "onnx"));
    files.sort();
    files
}

/// The exports of `tests/exports.rs`, unpacked.
fn exports() -> TempDir {
    archive::unpack(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exports.tar.gz"))
}

/// What becomes of a file whose input declares everything but the batch.
fn fate(file: &Path) -> Fate {
    let bytes = std::fs::read(file).unwrap();
    let model = ModelProto::parse(&bytes).unwrap();
    let input = &model.graph.as_ref().unwrap().inputs[0];
    let &[batch, Some(c), Some(h), Some(w)] = input.dims.as_deref().unwrap() else { panic!("{input:?}") };
    match mode::check(&model) {
        Ok(()) => follow(&model, [c, h, w], batch),
        Err(how) => Fate::Mixed(how),
    }
}

#[test]
fn honest_networks_are_followed_to_their_scores() {
    let exports = exports();
    let mut files = files(exports.path());
    assert_eq!(files.len(), 32);
    if let Some(folder) = std::env::var_os("QCRS_TEST_EXPORTS") {
        files.extend(self::files(Path::new(&folder)));
    }
    for file in files {
        let (name, fate) = (file.file_name().unwrap().to_string_lossy().into_owned(), fate(&file));
        // its class token is a constant with a copy for each image
        let measured = name == "vision-dynamo-fixed.onnx";
        assert!(fate == Fate::Apart || (measured && matches!(fate, Fate::Lost(_))), "{name}: {fate:?}");
    }
}

#[test]
fn networks_that_mix_are_told() {
    let exports = exports();
    let files = files(&exports.path().join("mixing"));
    assert_eq!(files.len(), 12);
    for file in files {
        let fate = fate(&file);
        assert!(matches!(fate, Fate::Mixed(_)), "{}: {fate:?}", file.display());
    }
}
