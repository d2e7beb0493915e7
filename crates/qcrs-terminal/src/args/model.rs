//! Which classifier, run how?

use super::count;
use crate::settings::ModelSettings;
use qcrs_onnx::{Device, EngineChoice, LoadOptions, OutputKind, Precision};
use std::path::PathBuf;

/// Options about the classifier.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// The classifier, an ONNX file
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,
    #[allow(missing_docs)] // its help is made of the list of engines
    #[arg(long, requires = "model", default_value_t, value_name = EngineChoice::names().join("|"), help = engines())]
    pub engine: EngineChoice,
    /// Where onnxruntime runs it
    #[arg(long, requires = "model", default_value_t, value_name = "cpu|cuda|tensorrt|coreml")]
    pub device: Device,
    /// How our own engine keeps values between two layers; bf16 is another classifier, fast on processors
    /// with AMX
    #[arg(long, requires = "model", default_value_t, value_name = "f32|bf16")]
    pub precision: Precision,
    /// What its scores are
    #[arg(long, requires = "model", default_value_t, value_name = "logits|probs")]
    pub output: OutputKind,
    /// Normalisation that the model expects but does not contain: cifar10, cifar10-0.247, imagenet, half, 255
    /// or MEANS/DEVIATIONS; --help has the numbers
    ///
    /// It is applied after the noise: cifar10 is 0.4914,0.4822,0.4465/0.2023,0.1994,0.2010, cifar10-0.247 has the
    /// same means and the deviations 0.2470,0.2435,0.2616, imagenet is 0.485,0.456,0.406/0.229,0.224,0.225, half
    /// is (x − ½)/½ and 255 is x · 255. Your own are written like 0.5,0.5,0.5/0.2,0.2,0.2.
    #[arg(long, requires = "model", alias = "normalise", value_name = "HOW")]
    pub normalize: Option<String>,
    /// The model expects blue first
    #[arg(long, requires = "model")]
    pub bgr: bool,
    /// Threads, each with its own copy of the engine [default: all cores]
    #[arg(long, requires = "model", value_name = "T", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Noisy copies per call of the engine
    #[arg(long, requires = "model", default_value_t = ModelSettings::BATCH, value_name = "B", value_parser = count(1..=65536))]
    pub batch: u32,
}

fn engines() -> String {
    let in_turn = EngineChoice::in_turn().into_iter().filter_map(EngineChoice::info);
    let taken: Vec<&str> = in_turn.map(|engine| engine.auto).collect();
    format!("What runs it: auto takes {}", taken.join(", else "))
}

impl ModelArgs {
    /// What was asked for.
    pub fn settings(&self) -> ModelSettings {
        let usual = ModelSettings::new(self.model.clone());
        let &Self { engine, device, precision, output, batch, bgr, .. } = self;
        let threads = self.threads.map_or(usual.options.threads, usize::from);
        let options = LoadOptions { engine, device, precision, output, batch, threads, ..usual.options };
        ModelSettings { options, normalize: self.normalize.clone(), bgr, ..usual }
    }
}

impl From<&ModelArgs> for ModelSettings {
    fn from(args: &ModelArgs) -> Self {
        args.settings()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Typed {
        #[command(flatten)]
        model: ModelArgs,
    }

    /// A command that builds its own settings runs the model as the default options do.
    #[test]
    fn what_was_not_typed_is_as_usual() {
        let typed = Typed::try_parse_from(["qcrs", "--model", "m.onnx"]).unwrap().model.settings();
        assert_eq!(format!("{typed:?}"), format!("{:?}", ModelSettings::new("m.onnx".into())));
        let typed =
            ["qcrs", "--model", "m.onnx", "--threads", "3", "--batch", "7", "--engine", "rten", "--bgr"];
        let typed = Typed::try_parse_from(typed).unwrap().model.settings();
        let LoadOptions { threads, batch, engine, .. } = typed.options;
        assert_eq!((threads, batch, engine, typed.bgr), (3, 7, EngineChoice::Rten, true));
    }
}
