//! CERTIFY (Cohen et al. 2019, section 3.2) with σ chosen per input.

mod agenda;
mod budget;
mod estimate;
mod fail_safe;
mod guarantee;
mod rounding;
mod sides;
mod verdict;

pub(crate) use agenda::{Agenda, is_looked_at};
pub use budget::{Bound, Budget};
pub use estimate::Estimate;
pub use fail_safe::{FailSafe, fail_safe};
pub use guarantee::Guarantee;
pub use rounding::Rounding;
pub(crate) use verdict::is_decided;
pub use verdict::{Reason, Verdict, decide};

use crate::method::{Look, Plan, PlanCertificate, Posterior, Scout};
use crate::noise::{Draws, Phase};
use crate::sample::{Input, SampleUnderNoise, ask};
use crate::types::Error;
use serde::{Deserialize, Serialize};

/// A verdict and all the evidence for it: enough to compute it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// What the search looked at; these draws carry no guarantee.
    pub looks: Vec<Look>,
    /// The n0 votes that guessed the class; absent where the search named it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub selection: Option<Look>,
    /// What the search believes of the σ–radius curve; it proves nothing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub posterior: Option<Posterior>,
    /// The votes of the certificates that the plan asked for.
    pub estimates: Vec<Estimate>,
    /// What they prove.
    pub verdict: Verdict,
    /// Within which radius the majority predictor answers the class or abstains, where the votes show one.
    /// Records of earlier versions do not have it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fail_safe: Option<FailSafe>,
}

impl Outcome {
    /// Forward passes spent on this input.
    pub fn passes(&self) -> u64 {
        let looks = self.looks.iter().chain(&self.selection).map(|look| look.votes.total());
        let estimates = self.estimates.iter().map(|estimate| estimate.votes.total());
        looks.chain(estimates).fold(0, u64::saturating_add) // a run may be read before it is verified
    }
}

/// Certifies `input`.
pub fn certify(
    method: &dyn PlanCertificate,
    budget: &Budget,
    sampler: &dyn SampleUnderNoise,
    input: &Input,
) -> Result<Outcome, Error> {
    // search: which smoothed classifier? Its draws are never counted again
    let mut scout = Scout::new(sampler, input, budget.alpha(), budget.n());
    let plan = method.plan(&mut scout)?;
    let (looks, posterior) = scout.into_evidence();

    // use n0 samples to take a guess at the top class
    let selection = select(&plan, budget, sampler, input)?;

    // use n fresh samples to bound its probability from below
    let agenda = Agenda::new(plan, budget, &looks, selection.as_ref())?;
    let mut estimates = Vec::new();
    while let Some(draft) = agenda.next(&estimates)? {
        estimates.push(draft.vote(budget, sampler, input)?);
    }

    // the radius that follows, or none
    let verdict = decide(&estimates, budget)?;
    let fail_safe = fail_safe(&estimates, budget)?;
    Ok(Outcome { looks, selection, posterior, estimates, verdict, fail_safe })
}

/// The n0 draws that name the class, where the plan does not.
pub(crate) fn select(
    plan: &Plan,
    budget: &Budget,
    sampler: &dyn SampleUnderNoise,
    input: &Input,
) -> Result<Option<Look>, Error> {
    agenda::check(plan, budget, input)?;
    let Some(g) = agenda::names_by(plan) else { return Ok(None) };
    let draws = Draws::first(budget.n0(), input.stream(Phase::Select));
    Ok(Some(Look::new(g, ask(sampler, input.pixels, g, &draws)?)))
}
