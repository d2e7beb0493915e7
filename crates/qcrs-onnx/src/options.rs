//! Which engine, on which device, and what do the outputs mean?

use qcrs::sample::InputTransform;
use qcrs::types::Error;
use qcrs_cnn::{Instructions, Precision};
use std::fmt;
use std::str::FromStr;

/// Gives an enum its names: `Display` writes them, `FromStr` reads them back.
macro_rules! names {
    ($type:ident, $what:literal, $($variant:ident = $name:literal),+) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$variant => $name),+ })
            }
        }
        impl FromStr for $type {
            type Err = Error;
            fn from_str(text: &str) -> Result<Self, Error> {
                match text {
                    $($name => Ok(Self::$variant),)+
                    _ => {
                        let names = [$($name),+].join(", ");
                        Err(Error::Invalid(format!("unknown {} `{text}`; choose one of {names}", $what)))
                    }
                }
            }
        }
    };
}

/// What runs the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// Our own if it takes the model and has fast instructions here, else onnxruntime if it is installed,
    /// else rten; a note says which and why.
    #[default]
    Auto,
    /// Our own: built in, CPU only, convolutional networks only; the fastest, and the same bits everywhere.
    Cnn,
    /// rten: pure Rust, built in, CPU only.
    Rten,
    /// onnxruntime, loaded from where it is installed.
    Ort,
}
names!(EngineChoice, "engine", Auto = "auto", Cnn = "cnn", Rten = "rten", Ort = "ort");

/// Where onnxruntime computes. A device that is missing is an error, never a silent fallback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// The CPU, one thread per call.
    #[default]
    Cpu,
    /// An NVIDIA GPU through CUDA.
    Cuda,
    /// An NVIDIA GPU through TensorRT.
    TensorRt,
    /// Apple's Core ML.
    CoreMl,
}
names!(Device, "device", Cpu = "cpu", Cuda = "cuda", TensorRt = "tensorrt", CoreMl = "coreml");

/// What the model's output is. Either way the scores are passed on as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputKind {
    /// Any scores; the largest wins.
    #[default]
    Logits,
    /// Probabilities: every row finite, not negative, with sum 1 ± 1e-3; any other row is an error.
    Probs,
}
names!(OutputKind, "output kind", Logits = "logits", Probs = "probs");

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
    pub trial: Option<crate::Trial>,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for engine in [EngineChoice::Auto, EngineChoice::Cnn, EngineChoice::Rten, EngineChoice::Ort] {
            assert_eq!(engine.to_string().parse::<EngineChoice>().unwrap(), engine);
        }
        for device in [Device::Cpu, Device::Cuda, Device::TensorRt, Device::CoreMl] {
            assert_eq!(device.to_string().parse::<Device>().unwrap(), device);
        }
        let error = "gpu".parse::<Device>().unwrap_err().to_string();
        assert_eq!(error, "unknown device `gpu`; choose one of cpu, cuda, tensorrt, coreml");
    }
}
