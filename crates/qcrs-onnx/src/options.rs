//! How is a model to be loaded?

use crate::device::{Device, OutputKind};
use crate::engines::EngineChoice;
use qcrs::sample::InputTransform;
use qcrs_cnn::{Instructions, Precision};

/// How to load a model.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// What runs it.
    pub engine: EngineChoice,
    /// Where it runs.
    pub device: Device,
    /// What its output is.
    pub output: OutputKind,
    /// How our own engine keeps values between two layers; other engines have no choice.
    pub precision: Precision,
    /// What our own engine may use of the processor; by default everything.
    pub instructions: Option<Instructions>,
    /// What is done to the pixels after the noise, where the model does not do it itself.
    pub transform: Option<InputTransform>,
    /// An image like those that will be asked about: noisy copies of it show whether the scores of one depend
    /// on the others. Without one, a made-up image is used.
    pub image: Option<Vec<f32>>,
    /// How many images a batch will have.
    pub batch: u32,
    /// How many threads will call at once; a call beyond that waits for another to end.
    pub threads: usize,
    /// Whether and how onnxruntime is tried in a separate process before it is loaded into this one.
    #[cfg(feature = "ort")]
    pub trial: Option<crate::trial::Trial>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        let (engine, device, output) = (EngineChoice::Auto, Device::Cpu, OutputKind::Logits);
        Self {
            engine,
            device,
            output,
            precision: Precision::F32,
            instructions: None,
            transform: None,
            image: None,
            batch: 32,
            threads: 1,
            #[cfg(feature = "ort")]
            trial: None,
        }
    }
}
