//! The best of a list of σ.

use super::{Plan, PlanCertificate, Scout};
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// Looks at `points` equidistant σ in [`low`, `high`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// σ₀: where the class is guessed, and the fallback.
    pub sigma: Sigma,
    /// The smallest candidate.
    pub low: Sigma,
    /// The largest candidate.
    pub high: Sigma,
    /// How many candidates.
    pub points: u32,
    /// How the winner gets its certificate.
    pub winner: Winner,
}

/// How the winner of a grid gets its certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Winner {
    /// Looks of `draws` each choose σ, fresh draws certify it.
    Fresh {
        /// Draws per candidate.
        draws: u32,
    },
    /// Every candidate gets a whole certificate and the largest is kept, as in the paper; but each
    /// is made at α/K, without which the best of K is wrong up to K times as often as α says.
    MaxOfCertificates,
}

/// Neighbours of so many points differ by less than any classifier can tell.
const MOST_POINTS: u32 = 1 << 16;

impl Grid {
    /// Refuses settings that cannot work, before any draw is spent.
    pub fn check(&self) -> Result<(), Error> {
        let (name, problem) = if self.low >= self.high {
            let (low, high) = (self.low.get(), self.high.get());
            ("left", format!("must be below the right end; the grid [{low}, {high}] is empty"))
        } else if !(2..=MOST_POINTS).contains(&self.points) {
            ("points", format!("a grid has 2 to {MOST_POINTS} points, got {}", self.points))
        } else if self.winner == (Winner::Fresh { draws: 0 }) {
            ("gradient_n", "a look needs at least one draw".into())
        } else {
            return Ok(());
        };
        Err(Error::setting(name, problem))
    }

    /// The candidates, from `low` to `high`.
    pub fn sigmas(&self) -> Result<Vec<Sigma>, Error> {
        let (low, high, last) = (self.low.get(), self.high.get(), f64::from(self.points - 1));
        (0..self.points).map(|i| Sigma::new(low + (high - low) * f64::from(i) / last)).collect()
    }
}

impl PlanCertificate for Grid {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        self.check()?;
        let Winner::Fresh { draws } = self.winner else {
            return Plan::best_of(self.sigmas()?, self.sigma);
        };
        let start = scout.look(self.sigma, draws)?;
        let class = start.votes.elected()?;
        let mut best = (scout.predicted_radius(&start, class)?, self.sigma);
        for sigma in self.sigmas()? {
            let look = scout.look(sigma, draws)?;
            let radius = scout.predicted_radius(&look, class)?;
            if radius > best.0 {
                best = (radius, sigma);
            }
        }
        Ok(best.1.into())
    }
}
