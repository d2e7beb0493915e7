//! Chen et al. 2021 (Insta-RS): climb from several places, keep the highest.

use super::{Ddrs, Plan, PlanCertificate, Scout};
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// DDRS's ascent from several σ; the σ with the largest estimated R̃ over all starts and steps is certified.
///
/// A reconstruction from the abstract: the paper was withdrawn and no program was published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstaRs {
    /// Where the ascents begin.
    pub starts: Vec<Sigma>,
    /// How each goes on.
    pub ascent: Ddrs,
}

impl InstaRs {
    /// Starts at half of σ₀, at σ₀ and at twice σ₀ where the region has room, with the steps shared out.
    pub fn around(ascent: &Ddrs) -> Result<Self, Error> {
        let region = ascent.low..=ascent.high;
        let starts = [0.5, 1.0, 2.0].map(|factor| Sigma::new(factor * ascent.sigma.get()));
        let starts: Vec<Sigma> = starts.into_iter().collect::<Result<_, _>>()?;
        let starts: Vec<Sigma> = starts.into_iter().filter(|start| region.contains(start)).collect();
        Ok(Self::starting_at(starts, ascent))
    }

    /// Starts at each of these, with the steps of one ascent shared out.
    pub fn starting_at(starts: Vec<Sigma>, ascent: &Ddrs) -> Self {
        let iterations = (ascent.iterations / starts.len().max(1) as u32).max(1);
        Self { starts, ascent: Ddrs { iterations, ..ascent.clone() } }
    }

    /// Refuses settings that cannot work, before any draw is spent.
    pub fn check(&self) -> Result<(), Error> {
        if self.starts.is_empty() {
            return Err(Error::setting("left", "there is nowhere to start from; widen the region"));
        }
        let Ddrs { low, high, .. } = self.ascent;
        if let Some(outside) = self.starts.iter().find(|start| !(low..=high).contains(start)) {
            let [start, low, high] = [*outside, low, high].map(Sigma::get);
            let problem = format!("an ascent from {start} begins outside of the region [{low}, {high}]");
            return Err(Error::setting("starts", problem));
        }
        self.ascent.check()
    }

    /// Draws per input.
    pub fn passes(&self) -> u64 {
        self.starts.len() as u64 * self.ascent.passes()
    }
}

impl PlanCertificate for InstaRs {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        self.check()?;
        let mut best = (f64::NEG_INFINITY, self.ascent.sigma.get());
        for start in &self.starts {
            self.ascent.climb(scout, *start, |sigma, radius| {
                if radius > best.0 {
                    best = (radius, sigma);
                }
            })?;
        }
        Ok(Sigma::new(best.1)?.into())
    }
}
