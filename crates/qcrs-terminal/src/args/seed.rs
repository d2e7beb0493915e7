//! Which noise?

use crate::output::say;
use anyhow::Context;
use std::fmt;
use std::str::FromStr;

/// The seed of all noise, as it was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seed {
    /// This one.
    Chosen(u64),
    /// One from the system's randomness, not known before the run.
    Secret,
}

impl Seed {
    /// Seeds from here on are drawn; those that people choose are smaller, and no secret.
    pub const FIRST_SECRET: u64 = 1 << 32;

    /// The seed itself, drawn if it is to be secret.
    pub fn draw(self) -> anyhow::Result<u64> {
        match self {
            Self::Chosen(seed) => Ok(seed),
            Self::Secret => loop {
                let seed =
                    getrandom::u64().context("the system gives no random numbers for --seed secret")?;
                if seed >= Self::FIRST_SECRET {
                    return Ok(seed);
                }
            },
        }
    }

    /// The same for a command that keeps no spec: it says which seed was drawn, so that its answer can be repeated.
    pub fn draw_and_say(self) -> anyhow::Result<u64> {
        let seed = self.draw()?;
        if self == Self::Secret {
            say!("seed {seed}, drawn from the system's randomness");
        }
        Ok(seed)
    }
}

impl FromStr for Seed {
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

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen(seed) => write!(f, "{seed}"),
            Self::Secret => f.write_str("secret"),
        }
    }
}
