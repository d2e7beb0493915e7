//! The best of a list of σ.

use super::given::{GRADIENT_N, LEFT, RIGHT};
use super::{Descriptor, Facts, Given, Plan, PlanCertificate, Qcrs, Scout, Setting};
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

/// With more points, neighbours would differ by less than any classifier can tell.
const MOST_POINTS: u32 = 1 << 16;

const POINTS: Setting =
    Setting { name: "points", value: "K", about: "how many sigma are tried", default: "24" };

const WINNER: Setting = Setting {
    name: "winner",
    value: "fresh|max-of-certificates",
    about: "small looks choose and fresh draws certify, or every point gets a certificate at alpha/K, as in the paper",
    default: "fresh",
};

/// [`Winner`] by name.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WinnerName {
    #[default]
    Fresh,
    MaxOfCertificates,
}

impl Grid {
    pub(super) const DESCRIPTOR: Descriptor = Descriptor {
        name: "grid",
        about: "the best of a list of sigma per input",
        settings: &[LEFT, RIGHT, GRADIENT_N, POINTS, WINNER],
        read: |given| Ok(Self::read(given)?.into()),
    };

    fn read(given: &Given<'_>) -> Result<Self, Error> {
        let Qcrs { sigma, low, high, draws, .. } = given.published()?;
        let winner = match given.word(&WINNER)?.unwrap_or_default() {
            WinnerName::Fresh => Winner::Fresh { draws },
            WinnerName::MaxOfCertificates => Winner::MaxOfCertificates,
        };
        Ok(Self { sigma, low, high, points: given.count("points")?.unwrap_or(24), winner })
    }

    pub(super) fn facts(&self) -> Facts {
        let about = Facts { region: Some([self.low, self.high]), ..Facts::about(self.sigma) };
        match self.winner {
            Winner::Fresh { draws } => {
                Facts { search: (u64::from(self.points) + 1) * u64::from(draws), ..about }
            }
            Winner::MaxOfCertificates => Facts { certificates: self.points, ..about },
        }
    }

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
            let candidates = self.sigmas()?.into_iter().map(|sigma| scout.at(sigma)).collect();
            return Plan::best_of(candidates, scout.at(self.sigma));
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
        Ok(Plan::certify(scout.at(best.1)).into())
    }
}
