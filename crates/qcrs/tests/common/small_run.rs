//! A run of ten inputs that takes a moment.

use crate::common::{DIM, alpha, budget, spec};
use qcrs::data::Example;
use qcrs::noise::NoiseKind;
use qcrs::run::{Run, Shard, Spec};
use qcrs::sample::MonteCarlo;
use qcrs::testing::HalfSpace;
use qcrs::types::Error;
use std::fs;
use std::path::Path;

/// Inputs of a small run.
pub const INPUTS: u32 = 10;

/// A run of few draws on these inputs.
pub fn small(search: qcrs::method::AnyMethod) -> Spec {
    spec(search, budget(20, 200, alpha(0.01)), INPUTS)
}

/// Points on both sides of the half space.
#[allow(clippy::unnecessary_wraps)] // the shape that a run asks for
pub fn input(index: u32) -> Result<Example, Error> {
    let mut pixels = vec![0.0; DIM];
    pixels[0] = index as f32 * 0.1 - 0.4;
    Ok(Example::new(pixels, Some(usize::from(index > 4))))
}

/// Certifies what is missing of a shard; how many inputs are under way must not matter.
pub fn certify(dir: &Path, spec: &Spec, shard: Shard, batch: u32, in_flight: usize) -> Result<(), Error> {
    let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, batch).under(NoiseKind::Float);
    Run::open(dir, spec, shard)?.certify(&sampler, &input, in_flight, |_, _| Ok(None))
}

/// The records of a run that is not split.
pub fn records(dir: &Path) -> String {
    fs::read_to_string(dir.join("records-0-of-1.jsonl")).unwrap()
}
