//! What does a process answer that was started to try onnxruntime?

use crate::engines::ort::{Ort, load_library};
use crate::fit::fit;
use crate::inspect;
use crate::network::Engine;
use crate::trial::{ALIVE, Question, VARIABLES};
use std::path::PathBuf;

/// If this process was started for a trial, loads onnxruntime, runs the model on one black image, says
/// that it is alive, and gives true: the program should end then. An orderly error counts as life.
pub fn answer_trial() -> bool {
    let [Some(shape), Some(device), Some(model)] = VARIABLES.map(std::env::var_os) else { return false };
    let shape: Vec<usize> = shape.to_string_lossy().split(',').flat_map(str::parse).collect();
    if let (&[c, h, w], Ok(device)) = (shape.as_slice(), device.to_string_lossy().parse()) {
        let model = PathBuf::from(model);
        let model = Some(model.as_path()).filter(|model| !model.as_os_str().is_empty());
        let question = Question { model, shape: [c, h, w], device };
        // the process that asks will see the same error
        let _ = run_once(&question);
        println!("{ALIVE}");
    }
    true
}

/// Runs the model at a path once, on black images, with onnxruntime; without one only the library is loaded.
fn run_once(question: &Question<'_>) -> Result<(), String> {
    let Some(model) = question.model else { return load_library(question) };
    let file = inspect::read(model).map_err(|error| error.to_string())?;
    let [c, h, w] = question.shape;
    let (_, fixed_batch) = fit(&file.graph, question.shape)?;
    let rows = fixed_batch.unwrap_or(1);
    let (engine, _) = Ort::load(&file, question, None, 1)?;
    engine.run([rows, c, h, w], &vec![0.0; rows * c * h * w]).map(drop)
}
