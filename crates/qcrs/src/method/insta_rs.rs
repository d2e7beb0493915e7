//! Chen et al. 2021 (Insta-RS): climb from several places, keep the highest.

use super::ddrs::ASCENT;
use super::{Ddrs, Descriptor, Facts, Given, Plan, PlanCertificate, Scout, Setting};
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
    /// The settings of each ascent.
    pub ascent: Ddrs,
}

const STARTS: Setting = Setting {
    name: "starts",
    value: "SIGMAS",
    about: "where the ascents begin, with commas",
    default: "half of sigma, sigma and twice sigma",
};

impl InstaRs {
    pub(super) const DESCRIPTOR: Descriptor = Descriptor {
        name: "insta-rs",
        about: "the same ascent from several starts (Chen et al. 2021), reconstructed",
        settings: &{
            let [left, right, draws, recipe, iterations, rate, clamp] = ASCENT;
            [left, right, draws, recipe, iterations, rate, clamp, STARTS]
        },
        read: |given| Ok(Self::read(given)?.into()),
    };

    fn read(given: &Given<'_>) -> Result<Self, Error> {
        let ascent = Ddrs::read(given)?;
        match given.sigmas("starts")? {
            Some(starts) => Ok(Self::starting_at(starts, &ascent)),
            None => Self::around(&ascent),
        }
    }

    pub(super) fn facts(&self) -> Facts {
        Facts { search: self.passes(), ..self.ascent.facts() }
    }

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
            let problem = format!("an ascent from {start} begins outside the region [{low}, {high}]");
            return Err(Error::setting("starts", problem));
        }
        self.ascent.check()
    }

    /// Draws per input.
    pub fn passes(&self) -> u64 {
        self.ascent.passes().saturating_mul(self.starts.len() as u64)
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
        Ok(Plan::certify(scout.at(Sigma::new(best.1)?)).into())
    }
}
