//! Where does a model run, and what do its outputs mean?

use qcrs::types::Error;
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

/// Where onnxruntime computes. A device that is not there is an error, never a quiet fallback.
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

/// Names for a sentence: `cpu or cuda`.
pub(crate) fn names<T: fmt::Display>(all: impl IntoIterator<Item = T>) -> String {
    all.into_iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for device in [Device::Cpu, Device::Cuda, Device::TensorRt, Device::CoreMl] {
            assert_eq!(device.to_string().parse::<Device>().unwrap(), device);
        }
        let error = "gpu".parse::<Device>().unwrap_err().to_string();
        assert_eq!(error, "unknown device `gpu`; choose one of cpu, cuda, tensorrt, coreml");
    }
}
