//! Which engines are there?
//!
//! An engine is a file here and an entry of the list below. Loading, options, help, tests and benchmarks walk the list.

mod cnn;
#[cfg(feature = "ort")]
pub(crate) mod ort;
#[cfg(feature = "rten")]
mod rten;

pub(crate) use cnn::load as load_cnn;

use crate::device::{Device, names};
use crate::inspect::File;
use crate::network::Engine;
use qcrs::types::Error;
use qcrs_cnn::{Instructions, Precision};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// What is known of an engine before it is started.
pub struct EngineInfo {
    /// Its name, as options have it.
    pub name: &'static str,
    /// When `auto` takes it, in words that follow "auto takes", or "else".
    pub auto: &'static str,
    /// When `auto` asks it: 0 first.
    pub turn: u8,
    /// Where it runs.
    pub devices: &'static [Device],
    /// How it can keep values between two layers.
    pub precisions: &'static [Precision],
    /// Whether it runs graphs of any kind.
    pub general: bool,
    /// Whether it is there on every machine; another has to be installed.
    pub built_in: bool,
    /// What to do where it does not take a model, on the cpu.
    instead: &'static str,
    start: fn(&EngineRequest<'_>) -> Result<Started, Refused>,
}

impl EngineInfo {
    fn can(&self, device: Device, precision: Precision) -> bool {
        self.devices.contains(&device) && self.precisions.contains(&precision)
    }
}

/// Makes the enum and the list of engines.
macro_rules! engines {
    ($($(#[doc = $doc:literal])+ $engine:ident = $info:expr;)+) => {
        /// What runs the model.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum EngineChoice {
            /// Our own if it takes the model and has fast instructions here, else onnxruntime if this machine has
            /// it, else rten; a note says which and why.
            #[default]
            Auto,
            $($(#[doc = $doc])+ $engine,)+
        }

        impl EngineChoice {
            /// Every engine, in the order in which they are shown.
            pub const ALL: &[Self] = &[$(Self::$engine),+];

            /// What is known of it; nothing of `Auto`.
            pub fn info(self) -> Option<&'static EngineInfo> {
                match self {
                    Self::Auto => None,
                    $(Self::$engine => {
                        const INFO: EngineInfo = $info;
                        Some(&INFO)
                    })+
                }
            }
        }
    };
}

engines! {
    /// Our own: built in, CPU only, convolutional networks only; the fastest, and the same bits everywhere.
    Cnn = EngineInfo {
        name: "cnn",
        auto: "our own engine (cnn) where it knows the operators and is fast",
        turn: 0,
        devices: &[Device::Cpu],
        precisions: &[Precision::F32, Precision::Bf16],
        general: false,
        built_in: true,
        instead: "try the engine ort or rten",
        start: cnn::start,
    };
    /// rten: pure Rust, built in, CPU only.
    Rten = EngineInfo {
        name: "rten",
        auto: "rten",
        turn: 2,
        devices: &[Device::Cpu],
        precisions: &[Precision::F32],
        general: true,
        built_in: true,
        instead: "try the engine ort",
        #[cfg(feature = "rten")]
        start: rten::start,
        #[cfg(not(feature = "rten"))]
        start: |_| Err(Refused::Unable("this build has no rten".into())),
    };
    /// onnxruntime, loaded from where it is installed.
    Ort = EngineInfo {
        name: "ort",
        auto: "onnxruntime where it is installed",
        turn: 1,
        devices: &[Device::Cpu, Device::Cuda, Device::TensorRt, Device::CoreMl],
        precisions: &[Precision::F32],
        general: true,
        built_in: false,
        instead: "or use the engine rten",
        #[cfg(feature = "ort")]
        start: ort::start,
        #[cfg(not(feature = "ort"))]
        start: |_| Err(Refused::Unable("this build has no onnxruntime".into())),
    };
}

/// A model that is to be run, and how.
#[cfg_attr(
    not(all(feature = "rten", feature = "ort")),
    expect(dead_code, reason = "each engine needs its own part")
)]
pub(crate) struct EngineRequest<'a> {
    pub(crate) file: &'a File,
    /// None if the model is in memory only.
    pub(crate) path: Option<&'a Path>,
    pub(crate) shape: [usize; 3],
    /// Whether the model takes batches of any size.
    pub(crate) any_batch: bool,
    pub(crate) device: Device,
    pub(crate) precision: Precision,
    pub(crate) instructions: Option<Instructions>,
    pub(crate) threads: usize,
    #[cfg(feature = "ort")]
    pub(crate) trial: Option<&'a crate::trial::Trial>,
}

/// An engine that runs the model.
pub(crate) struct Started {
    pub(crate) engine: Box<dyn Engine>,
    /// Its name and version, for the record.
    pub(crate) name: String,
    /// Why another engine would be faster here, if so.
    pub(crate) slow: Option<&'static str>,
}

/// Why an engine does not run a model.
pub(crate) enum Refused {
    /// The file is broken: `auto` asks no other.
    Broken(String),
    /// This engine does not take it, or is not there.
    Unable(String),
}

impl From<String> for Refused {
    fn from(why: String) -> Self {
        Self::Unable(why)
    }
}

impl Refused {
    /// Why, and what to do instead.
    pub(crate) fn and(self, instead: &str) -> String {
        match self {
            Self::Broken(why) => format!("{why}; export it again, or {instead}"),
            Self::Unable(why) => format!("{why}; {instead}"),
        }
    }

    fn why(self) -> String {
        match self {
            Self::Broken(why) | Self::Unable(why) => why,
        }
    }
}

impl EngineChoice {
    /// The engines in the order in which `auto` asks them.
    pub fn in_turn() -> Vec<Self> {
        let mut all = Self::ALL.to_vec();
        all.sort_by_key(|engine| engine.info().map(|info| info.turn));
        all
    }

    /// What can be chosen, as it is written.
    pub fn names() -> Vec<&'static str> {
        std::iter::once(Self::Auto).chain(Self::ALL.iter().copied()).map(Self::name).collect()
    }

    fn name(self) -> &'static str {
        self.info().map_or("auto", |info| info.name)
    }

    /// Refuses an engine that never runs on this device or in this precision.
    pub(crate) fn check(self, device: Device, precision: Precision) -> Result<(), String> {
        let Some(info) = self.info() else {
            let none = able(|info| info.can(device, precision)).is_empty();
            return if none { Err(format!("no engine computes in {precision} on {device}")) } else { Ok(()) };
        };
        if !info.devices.contains(&device) {
            let (others, here) = (able(|other| other.devices.contains(&device)), names(info.devices));
            return Err(format!("{self} runs on the {here} only; for {device} use the engine {others}"));
        }
        if !info.precisions.contains(&precision) {
            let others = able(|other| other.precisions.contains(&precision));
            return Err(format!("{self} does not compute in {precision}; the engine {others} does"));
        }
        Ok(())
    }

    /// Starts the engine; `notes` say which and why where that was not asked for.
    pub(crate) fn start(
        self,
        request: &EngineRequest<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Started, String> {
        let Some(info) = self.info() else { return choose(request, notes) };
        (info.start)(request).map_err(|refused| match request.device {
            Device::Cpu => refused.and(info.instead),
            _ => refused.why(),
        })
    }
}

/// The names of the engines that can do something.
fn able(can: impl Fn(&EngineInfo) -> bool) -> String {
    names(EngineChoice::ALL.iter().filter(|engine| engine.info().is_some_and(&can)))
}

/// The first engine in turn that takes the model, with a note where it is not the first of all.
fn choose(request: &EngineRequest<'_>, notes: &mut Vec<String>) -> Result<Started, String> {
    let all = EngineChoice::in_turn();
    let mut able = all
        .iter()
        .filter_map(|engine| engine.info())
        .filter(|info| info.can(request.device, request.precision))
        .peekable();
    let (mut reasons, mut slow) = (Vec::new(), None);
    while let Some(info) = able.next() {
        match (info.start)(request) {
            Ok(started) if started.slow.is_some() && slow.is_none() => {
                reasons.extend(started.slow.map(str::to_owned));
                slow = Some(started);
            }
            Ok(started) => {
                if !reasons.is_empty() {
                    notes.push(format!("engine: {}, because {}", started.name, reasons.join(", and ")));
                }
                return Ok(started);
            }
            Err(broken @ Refused::Broken(_)) => {
                return Err(match able.peek() {
                    Some(next) => broken.and(&format!("try the engine {}", next.name)),
                    None => broken.why(),
                });
            }
            Err(refused) => reasons.push(refused.why()),
        }
    }
    if let Some(started) = slow {
        let why = started.slow.unwrap_or_default();
        notes.push(format!("{why}; and no other engine takes the model"));
        return Ok(started);
    }
    reasons.reverse();
    Err(reasons.join("; and "))
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EngineChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut all = std::iter::once(Self::Auto).chain(Self::ALL.iter().copied());
        all.find(|engine| engine.name() == text).ok_or_else(|| {
            Error::Invalid(format!("unknown engine `{text}`; choose one of {}", Self::names().join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for engine in EngineChoice::ALL.iter().chain(&[EngineChoice::Auto]) {
            assert_eq!(engine.to_string().parse::<EngineChoice>().unwrap(), *engine);
        }
        let error = "gpu".parse::<EngineChoice>().unwrap_err().to_string();
        assert!(error.starts_with("unknown engine `gpu`; choose one of auto, cnn, rten, ort"), "{error}");
    }

    #[test]
    fn auto_asks_ours_first_and_no_two_in_the_same_turn() {
        let turns: Vec<u8> = EngineChoice::in_turn().iter().filter_map(|e| Some(e.info()?.turn)).collect();
        assert!(turns.is_sorted_by(|a, b| a < b), "{turns:?}");
        assert_eq!(EngineChoice::in_turn()[..2], [EngineChoice::Cnn, EngineChoice::Ort]);
    }

    #[test]
    fn what_no_engine_can_is_refused_before_anything_is_read() {
        let check = |engine: EngineChoice| engine.check(Device::Cuda, Precision::Bf16).unwrap_err();
        assert_eq!(check(EngineChoice::Auto), "no engine computes in bf16 on cuda");
        assert_eq!(check(EngineChoice::Cnn), "cnn runs on the cpu only; for cuda use the engine ort");
        assert_eq!(check(EngineChoice::Ort), "ort does not compute in bf16; the engine cnn does");
    }
}
