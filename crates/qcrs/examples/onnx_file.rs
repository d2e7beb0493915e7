//! A model in an ONNX file, and a method by the names of its settings.
//!
//! ```text
//! cargo run --release -p qcrs --example onnx_file [MODEL.onnx]
//! ```

use qcrs::{Certifier, Error, Seed, Settings};
use qcrs_onnx::LoadOptions;
use std::path::PathBuf;

const SHAPE: [usize; 3] = [3, 32, 32];

fn main() -> Result<(), Error> {
    let ours = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cifar10-resnet20-gaussian-0.25/model.onnx");
    let path = std::env::args_os().nth(1).map_or_else(|| ours.into(), PathBuf::from);
    let model = qcrs_onnx::load(&path, SHAPE, &LoadOptions::default())?;
    println!("{} runs {} with {} classes", model.engine, path.display(), model.classes());

    // as the command line, a TOML file or a JSON body would name them
    let settings = Settings::new().with("method", "qcrs").with("sigma", 0.25).with("n", 1000);
    let certifier = Certifier::from_settings(model, &settings)?;
    println!("label: {}", certifier.guarantee().name());

    // a grey image with a bright square, in place of yours: 8-bit pixels k/255, channels first
    let image: Vec<f32> = (0..SHAPE.iter().product::<usize>())
        .map(|at| if at % 32 / 8 == 1 && at / 32 % 32 / 8 == 1 { 0.8 } else { 0.4 })
        .collect();
    let certificate = certifier.certify(&image, Seed::secret()?)?;
    println!("{certificate} ({} forward passes)", certificate.outcome.passes());
    Ok(())
}
