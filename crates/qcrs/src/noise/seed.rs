//! Which seed makes the noise?

use crate::types::Error;

/// The seed of all noise. A certificate holds for inputs and models that were chosen without knowing the
/// seed: where others choose them, it must be secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// Seeds from here on are drawn; those that people choose are smaller, and are not secret.
    pub const FIRST_SECRET: u64 = 1 << 32;

    /// A seed that a person chose, so that the same votes can be cast again.
    pub const fn chosen(seed: u64) -> Self {
        Self(seed)
    }

    /// A seed from the system's randomness.
    pub fn secret() -> Result<Self, Error> {
        loop {
            let drawn = getrandom::u64().map_err(|error| {
                Error::Invalid(format!("the system gives no random numbers for a secret seed: {error}"))
            })?;
            if drawn >= Self::FIRST_SECRET {
                return Ok(Self(drawn));
            }
        }
    }

    /// The number itself. Keep it from people who must not know the noise.
    pub const fn get(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_seeds_differ_and_are_none_that_people_choose() {
        let [one, other] = [Seed::secret().unwrap(), Seed::secret().unwrap()];
        assert_ne!(one, other);
        assert!(one.get() >= Seed::FIRST_SECRET && other.get() >= Seed::FIRST_SECRET);
    }
}
