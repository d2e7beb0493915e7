//! Do the networks load that people export with torch, and are those refused that mix their images?
//!
//! `scripts/export_networks.py` made the files.

#[path = "../../qcrs/tests/common/archive.rs"]
mod archive;
mod common;

use common::suite::{Need, Suite, tests};
use common::{general, load_with, numbers, on};
use qcrs::sample::Classifier;
use qcrs_onnx::EngineChoice;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tempfile::TempDir;

const SHAPE: [usize; 3] = [3, 16, 16];

fn main() -> ExitCode {
    let mut suite = Suite::from_args();
    suite.all(&Need::Met, tests![our_own_engine_runs_the_convolutional_ones, exports_that_mix_are_refused]);
    on(&general(), &mut suite, tests![honest_exports_load]);
    suite.run()
}

/// The exports, unpacked.
fn exports() -> TempDir {
    archive::unpack(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exports.tar.gz"))
}

fn files(folder: &Path, count: usize) -> Vec<(String, PathBuf)> {
    let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|end| end == "onnx")).collect();
    files.sort();
    assert_eq!(files.len(), count);
    let name = |file: &PathBuf| file.file_name().unwrap().to_string_lossy().into_owned();
    files.into_iter().map(|file| (name(&file), file)).collect()
}

fn honest_exports_load(engine: EngineChoice) {
    let exports = exports();
    for (name, file) in files(exports.path(), 32) {
        let model = load_with(&file, SHAPE, engine).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(model.classifier.num_classes(), 5, "{name}");
        assert_eq!(model.fixed_batch.is_some(), name.contains("fixed"), "{name}");
        // its class token is a constant with a copy for each image
        assert_eq!(model.not_followed.is_some(), name == "vision-dynamo-fixed.onnx", "{name}");
    }
}

/// A model that was exported for one image is run with many, and its scores are those of another engine,
/// which gets them one by one.
fn our_own_engine_runs_the_convolutional_ones() {
    let exports = exports();
    let all = files(exports.path(), 32);
    let images = numbers(7, 5 * SHAPE.iter().product::<usize>());
    for (name, file) in all.into_iter().filter(|(name, _)| name.starts_with("residual")) {
        let scores = |engine| {
            let model = load_with(&file, SHAPE, engine).unwrap_or_else(|error| panic!("{name}: {error}"));
            let mut scores = vec![f32::NAN; 5 * model.classes()];
            model.logits(&images, &mut scores).unwrap();
            (model, scores)
        };
        let ((ours, found), (_, expected)) = (scores(EngineChoice::Cnn), scores(EngineChoice::Rten));
        assert_eq!((ours.fixed_batch, &ours.notes[..]), (None, &[][..]), "{name}");
        let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5;
        assert!(found.iter().zip(&expected).all(near), "{name}: {found:?} {expected:?}");
    }
}

fn exports_that_mix_are_refused() {
    let exports = exports();
    for (name, file) in files(&exports.path().join("mixing"), 12) {
        let error = match load_with(&file, SHAPE, EngineChoice::Auto) {
            Ok(model) => panic!("{name}: {} took it", model.engine),
            Err(error) => error.to_string(),
        };
        assert!(error.contains("batch") || error.contains("is random"), "{name}: {error}");
    }
}
