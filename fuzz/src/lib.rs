//! What the fuzz targets share: good models, ways to spoil them, and what must hold for any of them.

mod compare;
mod edit;
mod fields;
mod mirror;
mod models;
mod nested;
mod onnx;
mod rewrite;

pub use compare::compare_readers;
pub use edit::edited;
pub use models::models;
pub use nested::{apart, nested};
pub use rewrite::rewritten;

use qcrs::sample::Classifier;
use qcrs_cnn::{Cnn, Instructions, Precision};

/// The images that a model is read for.
const SHAPES: [[usize; 3]; 3] = [[3, 8, 8], [1, 1, 1], [2, 5, 3]];
/// A network with more work than this per image is read but not run: the fuzzer has no time for it.
const MOST_WORK: u64 = 1 << 20;

/// Reads a model for some small images. If a network comes out, it must score two images
/// with the same bits on every set of instructions.
pub fn read_and_run(model: &[u8]) {
    let precisions = [Precision::F32, Precision::Bf16];
    for (shape, precision) in SHAPES.into_iter().flat_map(|shape| precisions.map(|p| (shape, p))) {
        let mut first: Option<Option<Vec<u32>>> = None;
        for instructions in Instructions::here() {
            let Ok(cnn) = Cnn::read(model, &[], shape, instructions, precision) else { break };
            if cnn.work() > MOST_WORK {
                break;
            }
            let images: Vec<f32> = (0..2 * cnn.input_len()).map(|at| (at % 7) as f32 / 6.0).collect();
            let mut scores = vec![0.0_f32; 2 * cnn.num_classes()];
            let found = cnn.logits(&images, &mut scores).ok();
            let found = found.map(|()| scores.iter().map(|score| score.to_bits()).collect());
            assert_eq!(first.get_or_insert_with(|| found.clone()), &found, "{instructions:?}");
        }
    }
}
