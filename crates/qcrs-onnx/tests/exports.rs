//! Do the networks load that people export with torch, and are those refused that mix their images?
//!
//! `scripts/export_networks.py` made the files.

mod common;

use common::load_with;
use qcrs_onnx::EngineChoice;
use std::path::{Path, PathBuf};

const SHAPE: [usize; 3] = [3, 16, 16];

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exports").join(folder);
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "onnx"));
    files.sort();
    files
}

#[test]
fn honest_exports_load() {
    let files = files("");
    assert_eq!(files.len(), 32);
    let (mut measured, mut ours) = (0, 0);
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy();
        let model = load_with(&file, SHAPE, EngineChoice::Cnn);
        let model = model.or_else(|_| load_with(&file, SHAPE, EngineChoice::Rten));
        let model = model.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(model.classifier.num_classes(), 5, "{name}");
        assert_eq!(
            model.fixed_batch.is_some(),
            name.contains("fixed") && !model.engine.contains("cnn"),
            "{name}"
        );
        measured += usize::from(model.not_followed.is_some());
        ours += usize::from(model.engine.contains("qcrs-cnn"));
    }
    assert_eq!(measured, 1, "all but one are followed to their scores");
    assert!(ours >= 3, "our own engine runs {ours} of them");
}

#[test]
fn exports_that_mix_are_refused() {
    let files = files("mixing");
    assert_eq!(files.len(), 12);
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy();
        let error = match load_with(&file, SHAPE, EngineChoice::Rten) {
            Ok(model) => panic!("{name}: {} took it", model.engine),
            Err(error) => error.to_string(),
        };
        assert!(error.contains("batch") || error.contains("is random"), "{name}: {error}");
    }
}
