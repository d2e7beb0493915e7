//! Which noise?

use crate::output::say;
use anyhow::Context;
use qcrs::Seed;
use std::fmt;
use std::str::FromStr;

/// The seed of all noise, as it was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedArg {
    /// This one.
    Chosen(u64),
    /// One from the system's randomness, not known before the run.
    Secret,
}

impl SeedArg {
    /// The seed itself; a secret one is drawn.
    pub fn draw(self) -> anyhow::Result<u64> {
        match self {
            Self::Chosen(seed) => Ok(seed),
            Self::Secret => Ok(Seed::secret().context("--seed secret")?.get()),
        }
    }

    /// The same for a command that keeps no spec: it says which seed was drawn, so that its answer can be
    /// repeated.
    pub fn draw_and_say(self) -> anyhow::Result<u64> {
        let seed = self.draw()?;
        if self == Self::Secret {
            say!("seed {seed}, drawn from the system's randomness");
        }
        Ok(seed)
    }
}

impl FromStr for SeedArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "secret" => Ok(Self::Secret),
            _ => text
                .parse()
                .map(Self::Chosen)
                .map_err(|_| format!("a seed is a whole number or 'secret', got {text}")),
        }
    }
}

impl fmt::Display for SeedArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen(seed) => write!(f, "{seed}"),
            Self::Secret => f.write_str("secret"),
        }
    }
}
