//! What do we call things? Checked numbers and the one error type.

use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The standard deviation of the smoothing noise, in units of a pixel range [0, 1];
/// finite and at least [`Sigma::LEAST`].
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Sigma(f64);

impl Sigma {
    /// The smallest noise level, 2⁻¹⁰. Pixels lie in [0, 1], and with that little noise x + σε lies below 2,
    /// where neighbouring f32 are at most 2⁻²³ apart: one σ has at least 2¹³ of their steps in it. With far
    /// fewer, x + σε is no longer Gaussian noise, and certificates, whose proof is about real numbers,
    /// would be wrong.
    pub const LEAST: f64 = 1.0 / 1024.0;

    /// Checks `value` once, so that no later code has to.
    pub fn new(value: f64) -> Result<Self, Error> {
        if !(value.is_finite() && value > 0.0) {
            return Err(Error::InvalidSigma(value));
        }
        if value < Self::LEAST { Err(Error::SmallSigma(value)) } else { Ok(Self(value)) }
    }

    /// The number itself.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// The probability with which a statement may be wrong; strictly between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Alpha(f64);

impl Alpha {
    /// The failure probability that the field uses: 0.001.
    pub const USUAL: Self = Self(0.001);

    /// Checks `value` once, so that no later code has to.
    pub fn new(value: f64) -> Result<Self, Error> {
        // a share of a subnormal number could be none
        if (f64::MIN_POSITIVE..1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(Error::InvalidAlpha(value))
        }
    }

    /// The number itself.
    pub fn get(self) -> f64 {
        self.0
    }

    /// An equal share of this failure probability for each of `parts` statements,
    /// rounded down so that the shares never add up to more than the whole.
    #[must_use]
    pub fn share(self, parts: usize) -> Self {
        if parts == 1 { self } else { Self((self.0 / parts as f64).next_down()) }
    }
}

macro_rules! serde_as_f64 {
    ($name:ident) => {
        impl TryFrom<f64> for $name {
            type Error = Error;
            fn try_from(value: f64) -> Result<Self, Error> {
                Self::new(value)
            }
        }
        impl From<$name> for f64 {
            fn from(value: $name) -> f64 {
                value.get()
            }
        }
    };
}
serde_as_f64!(Sigma);
serde_as_f64!(Alpha);

/// Everything that can go wrong in this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A noise level that is not finite and positive.
    #[error("sigma must be finite and positive, got {0}")]
    InvalidSigma(f64),
    /// A noise level with too few steps of f32.
    #[error("sigma must be at least {least} (2^-10), got {0}; with less the noise is too coarse in 32-bit numbers", least = Sigma::LEAST)]
    SmallSigma(f64),
    /// A failure probability outside (0, 1).
    #[error("alpha must lie strictly between 0 and 1, got {0}")]
    InvalidAlpha(f64),
    /// A setting that cannot work. Its name is the same for all users of the library, as a field of this name
    /// would be written: the command line shows `gradient_n` as `--gradient-n`.
    #[error("{name}: {problem}")]
    Setting {
        /// Which setting.
        name: &'static str,
        /// What is wrong with its value, and what would work.
        problem: String,
    },
    /// Something else that makes no sense; the text says what, and what would work.
    #[error("{0}")]
    Invalid(String),
    /// A numerical routine gave up; its value must not be used.
    #[error("{0} did not converge; please report this with the command that led here")]
    NotConverged(&'static str),
    /// The classifier gave a score that cannot be compared; it is never a vote.
    #[error("draw {draw} of phase {phase}: class {class} scored {score}; only finite scores can vote")]
    NotFinite {
        /// The phase of the draw.
        phase: &'static str,
        /// The number of the draw.
        draw: u32,
        /// The class with the bad score.
        class: usize,
        /// The score.
        score: f32,
    },
    /// Every copy was rejected, so that no class is ahead.
    #[error("no copy voted for any class; ask for more draws, or for less confidence")]
    NoVotes,
    /// The engine failed on a batch, or does not fit the data.
    #[error("engine: {0}")]
    Engine(String),
    /// Reading or writing a file failed.
    #[error("{}: {}", path.display(), in_words(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file does not hold what it should.
    #[error("{}: {problem}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// A directory holds another run than the one that was asked for.
    #[error("{}: {}; {cure}", path.display(), ChangedSetting::all(changed, str::to_owned))]
    OtherRun {
        /// The spec of the run that is there.
        path: PathBuf,
        /// In what it differs, at least one.
        changed: Vec<ChangedSetting>,
        /// What to do.
        cure: String,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// An error at one input of a run.
    #[error("input {index}: {source}")]
    Input {
        /// Which input.
        index: u32,
        /// What went wrong there.
        source: Box<Error>,
    },
}

/// What the system said, and what to do about it where that is known.
#[doc(hidden)] // public for our own programs only
pub fn in_words(error: &std::io::Error) -> String {
    let said = error.to_string();
    let advice = match error.kind() {
        ErrorKind::NotFound => "check the path",
        ErrorKind::PermissionDenied => "check who may read and write it, or choose another place",
        ErrorKind::AlreadyExists => "choose another name",
        ErrorKind::IsADirectory => "name a file instead of a folder",
        ErrorKind::NotADirectory => "a part of the path is a file; check the path",
        ErrorKind::ReadOnlyFilesystem => "choose another place",
        ErrorKind::StorageFull => "make room, then run the same command again",
        _ => return said,
    };
    let words = said.split(" (os error ").next().unwrap_or_default();
    format!("{words}; {advice}")
}

/// A setting in which a run differs from what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedSetting {
    /// One that is given by name.
    Named {
        /// Its name.
        name: &'static str,
        /// What the run used.
        used: String,
        /// What was asked for.
        wanted: String,
    },
    /// Another difference, in words.
    Other(String),
}

impl ChangedSetting {
    /// What differs, with the name of the setting as `written` has it.
    pub fn words(&self, written: impl Fn(&str) -> String) -> String {
        match self {
            Self::Named { name, used, wanted } => {
                format!("this run used {} {used}, you asked for {wanted}", written(name))
            }
            Self::Other(words) => words.clone(),
        }
    }

    /// All of them in one sentence.
    pub fn all(changed: &[Self], written: impl Fn(&str) -> String) -> String {
        changed.iter().map(|setting| setting.words(&written)).collect::<Vec<_>>().join("; ")
    }
}

impl Error {
    /// A setting that cannot work.
    pub fn setting(name: &'static str, problem: impl Into<String>) -> Self {
        Self::Setting { name, problem: problem.into() }
    }

    /// For `map_err`: says at which path the file system failed.
    pub fn io(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| Self::Io { path, source }
    }

    /// A file that does not hold what it should.
    pub fn format(path: impl AsRef<Path>, problem: impl Into<String>) -> Self {
        Self::Format { path: path.as_ref().to_owned(), problem: problem.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_alpha_are_positive_and_add_up_to_no_more() {
        for value in [0.05, 0.001, f64::MIN_POSITIVE] {
            let alpha = Alpha::new(value).unwrap();
            for parts in [1, 2, 3, 7, 24, 1000] {
                let share = alpha.share(parts).get();
                assert!(share > 0.0 && share * parts as f64 <= value, "{value} in {parts}: {share}");
            }
        }
        for value in [0.0, 5e-324, 1.0, f64::NAN, -0.1] {
            assert!(Alpha::new(value).is_err(), "{value}");
        }
    }

    /// With σ = 1e-8 around a pixel of ½, f32 knows two or three values, and a class that wins half of all
    /// draws won 99.8 % of them.
    #[test]
    fn a_sigma_near_the_steps_of_f32_is_refused() {
        for value in [Sigma::LEAST.next_down(), 1e-8, f64::MIN_POSITIVE] {
            let error = Sigma::new(value).unwrap_err().to_string();
            assert!(
                error.starts_with("sigma must be at least 0.0009765625") && error.contains("got "),
                "{error}"
            );
            assert!(serde_json::from_str::<Sigma>(&value.to_string()).is_err(), "{value}");
        }
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Sigma::new(value).unwrap_err().to_string().contains("finite and positive"), "{value}");
        }
        assert!(Sigma::new(Sigma::LEAST).is_ok());
    }
}
