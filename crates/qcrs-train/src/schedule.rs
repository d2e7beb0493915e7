//! How fast does it learn now?

use qcrs::types::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The learning rate over a training, as a factor of its largest value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// ×0.1 at each of these epochs.
    Step(Vec<usize>),
    /// Up in a line for `warm_up` of the training, then down along a cosine to 0.
    Cosine {
        /// A share of the training.
        warm_up: f64,
    },
    /// Up in a line for `warm_up` of the training, then down in a line to 0.
    OneCycle {
        /// A share of the training.
        warm_up: f64,
    },
}

impl Schedule {
    /// The factor at step `step` of `steps`, in epoch `epoch`; steps and epochs count from 0.
    pub fn factor(&self, step: usize, steps: usize, epoch: usize) -> f64 {
        match self {
            Self::Step(epochs) => 0.1f64.powi(epochs.iter().filter(|at| epoch >= **at).count() as i32),
            Self::Cosine { warm_up } => {
                ramp(step, steps, *warm_up, |t| f64::midpoint(1.0, (std::f64::consts::PI * t).cos()))
            }
            Self::OneCycle { warm_up } => ramp(step, steps, *warm_up, |t| 1.0 - t),
        }
    }

    /// A warm-up longer than the training, or no number, is an error.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::Cosine { warm_up } | Self::OneCycle { warm_up } if !(0.0..1.0).contains(warm_up) => Err(
                Error::Invalid(format!("the warm-up must be a share of the training below 1, got {warm_up}")),
            ),
            _ => Ok(()),
        }
    }
}

/// Up to 1 until `warm_up`, then `down` from 0 to 1; taken at the middle of a step, so that neither
/// the first nor the last step is wasted on a rate of 0.
fn ramp(step: usize, steps: usize, warm_up: f64, down: impl Fn(f64) -> f64) -> f64 {
    let t = (step as f64 + 0.5) / steps as f64;
    if t < warm_up { t / warm_up } else { down((t - warm_up) / (1.0 - warm_up)) }
}

impl FromStr for Schedule {
    type Err = Error;

    /// Reads `step:30,60`, `cosine`, `cosine:0.1`, `one-cycle` or `one-cycle:0.2`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let (name, argument) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let problem = || {
            Error::Invalid(format!(
                "a schedule is step:EPOCH,EPOCH…, cosine[:WARM-UP] or one-cycle[:WARM-UP]; got '{text}'"
            ))
        };
        let share = |default: f64| argument.map_or(Ok(default), str::parse).map_err(|_| problem());
        let schedule = match (name, argument) {
            ("step", Some(epochs)) => {
                let epochs = epochs.split(',').map(str::parse).collect::<Result<_, _>>();
                Self::Step(epochs.map_err(|_| problem())?)
            }
            ("cosine", _) => Self::Cosine { warm_up: share(0.0)? },
            ("one-cycle", _) => Self::OneCycle { warm_up: share(0.2)? },
            _ => return Err(problem()),
        };
        schedule.check()?;
        Ok(schedule)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(epochs) => {
                write!(f, "step:{}", epochs.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
            }
            Self::Cosine { warm_up } => write!(f, "cosine:{warm_up}"),
            Self::OneCycle { warm_up } => write!(f, "one-cycle:{warm_up}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_those_of_the_formulas() {
        let cases = [
            ("step:30,60", [(0, 1.0), (29, 1.0), (30, 0.1), (59, 0.1), (60, 0.01), (89, 0.01)]),
            // 100 steps: the middle of step 24 is .245, of step 62 (.625 - .25)/.75 = .5 of the way down
            ("one-cycle:0.25", [(0, 0.02), (24, 0.98), (25, 0.9933), (62, 0.5), (90, 0.1267), (99, 0.0067)]),
            ("cosine:0.25", [(0, 0.02), (24, 0.98), (25, 0.99989), (62, 0.5), (90, 0.03907), (99, 0.00011)]),
            (
                "cosine",
                [(0, 0.99994), (24, 0.85906), (49, 0.50785), (50, 0.49215), (75, 0.14094), (99, 0.00006)],
            ),
        ];
        for (text, points) in cases {
            let schedule: Schedule = text.parse().unwrap();
            for (at, factor) in points {
                let found = schedule.factor(at, 100, at);
                assert!((found - factor).abs() < 6e-5, "{text} at {at}: {found} instead of {factor}");
            }
            assert_eq!(schedule.to_string().parse::<Schedule>().unwrap(), schedule);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "step", "step:a", "cosine:2", "cosine:-1", "one-cycle:NaN", "linear"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}
