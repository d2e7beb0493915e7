//! CERTIFY (Cohen et al. 2019, section 3.2) with σ chosen per input.

mod budget;
mod sides;
mod verdict;

pub use budget::{Bound, Budget};
use sides::choose_sides;
pub(crate) use verdict::is_decided;
pub use verdict::{Estimate, Reason, Verdict, decide};

use crate::method::{Laws, Look, Naming, Plan, PlanCertificate, Posterior, Scout};
use crate::noise::{Draws, Phase};
use crate::sample::{Input, SampleUnderNoise, Votes};
use crate::types::{Alpha, Error, Sigma};
use serde::{Deserialize, Serialize};
use std::ops::Range;

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
    /// The certificates, one per σ of the plan.
    pub estimates: Vec<Estimate>,
    /// What they prove.
    pub verdict: Verdict,
}

impl Outcome {
    /// Forward passes spent on this input.
    pub fn passes(&self) -> u64 {
        let looks = self.looks.iter().chain(&self.selection).map(|look| look.votes.total());
        let estimates = self.estimates.iter().map(|estimate| estimate.votes.total());
        looks.chain(estimates).sum()
    }
}

/// Certifies `input`.
pub fn certify(
    search: &dyn PlanCertificate,
    budget: &Budget,
    sampler: &dyn SampleUnderNoise,
    input: &Input,
) -> Result<Outcome, Error> {
    let Prepared { looks, selection, posterior, n, mut estimates, laws } =
        prepare(search, budget, sampler, input)?;

    // use n fresh samples to bound its probability from below
    let alpha = budget.alpha().share(estimates.len().max(1));
    let (x, stream) = (input.pixels, input.stream(Phase::Estimate));
    for (number, estimate) in estimates.iter_mut().enumerate() {
        let sample = |range| {
            let draws = Draws { stream, range };
            sampler.sample_under_noise(x, estimate.noise(), &draws)?.for_each_of(&draws)
        };
        let range = Budget::range(number, n)?;
        estimate.votes = match budget.at_radius() {
            None => sample(range)?,
            Some(radius) => until_decided(estimate, radius, alpha, range, sample)?,
        };
    }
    // the other draws, under the second law
    if let Some(second) = under_second_law(&estimates, laws, budget.alpha())? {
        let draws = Draws { stream, range: n..budget.n() };
        let votes = sampler.sample_under_noise(x, second.noise(), &draws)?.for_each_of(&draws)?;
        estimates.push(Estimate { votes, ..second });
    }
    let verdict = decide(&estimates, budget)?;
    Ok(Outcome { looks, selection, posterior, estimates, verdict })
}

/// Everything that is settled before the certifying draws.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prepared {
    /// What the search looked at.
    pub looks: Vec<Look>,
    /// The n0 votes that guessed the class; absent where the search named it.
    pub selection: Option<Look>,
    /// What the search believes of the σ–radius curve.
    pub posterior: Option<Posterior>,
    /// The draws that each certificate may take; where there is a second law, those under the first.
    pub n: u32,
    /// The certificates to make, still without votes.
    pub estimates: Vec<Estimate>,
    /// The laws of the noise; `None`: Gaussian.
    pub laws: Option<Laws>,
}

/// Chooses σ, class and bound for `input`, with draws that are never counted in the certificate.
pub(crate) fn prepare(
    search: &dyn PlanCertificate,
    budget: &Budget,
    sampler: &dyn SampleUnderNoise,
    input: &Input,
) -> Result<Prepared, Error> {
    let mut scout = Scout::new(sampler, input, budget.alpha(), budget.n());
    let plan = search.plan(&mut scout)?;
    check_plan(&plan, budget, input)?;
    let looks = scout.into_looks();

    // use n0 samples to take a guess at the top class, the same for every σ of the plan
    let (class, selection) = match plan.naming {
        Naming::Searched(class) => (class, None),
        Naming::Select(sigma) => {
            let draws = Draws::first(budget.n0(), input.stream(Phase::Select));
            let votes = sampler.sample_under_noise(input.pixels, plan.noise(sigma), &draws)?;
            let votes = votes.for_each_of(&draws)?;
            let class = votes.winner().ok_or_else(|| Error::Invalid("n0 must be at least 1".into()))?;
            (class, Some(Look::new(sigma, votes)))
        }
    };

    let Plan { sigmas, n, sides, laws, posterior, .. } = plan;
    let n = n.unwrap_or(budget.n());
    let n = laws.map_or(n, |laws| laws.first_draws(n));
    let law = laws.map(|laws| laws.first);
    let estimate = |sigma| {
        let before = votes_at(sigma, looks.iter().chain(&selection));
        let sides = choose_sides(budget, sides, class, &before, sigma, n)?;
        Ok(Estimate { sigma, class, sides, law, votes: Votes::default() })
    };
    let estimates = sigmas.into_iter().filter(|_| n > 0).map(estimate).collect::<Result<_, Error>>()?;
    Ok(Prepared { looks, selection, posterior, n, estimates, laws })
}

/// Refuses a plan that does not fit the budget or the input, before any draw is spent on it.
fn check_plan(plan: &Plan, budget: &Budget, input: &Input) -> Result<(), Error> {
    let (asked, most) = (plan.n.unwrap_or(0), budget.n());
    let problem = if asked > most {
        format!("the search planned {asked} draws, and the budget has {most}")
    } else if plan.laws.is_some() && budget.at_radius().is_some() {
        // its bound holds for a number of draws that is fixed beforehand
        "generalized noise cannot be asked about one radius only".into()
    } else if let Some(laws) = plan.laws.filter(|laws| laws.first.dim() as usize != input.pixels.len()) {
        format!(
            "the search planned noise on {} values for an input of {}",
            laws.first.dim(),
            input.pixels.len()
        )
    } else {
        return Ok(());
    };
    Err(Error::Invalid(problem))
}

/// The certificate under the second law, still without votes, where the plan has one.
pub(crate) fn under_second_law(
    estimates: &[Estimate],
    laws: Option<Laws>,
    alpha: Alpha,
) -> Result<Option<Estimate>, Error> {
    let (Some(laws), Some(first)) = (laws, estimates.first()) else { return Ok(None) };
    let law = laws.second_law(first.votes.of(first.class), first.votes.total(), alpha)?;
    Ok(law.map(|law| Estimate {
        sigma: law.sigma(),
        law: Some(law),
        votes: Votes::default(),
        ..first.clone()
    }))
}

/// All votes that were seen at `sigma` before the certificate.
fn votes_at<'a>(sigma: Sigma, looks: impl Iterator<Item = &'a Look>) -> Votes {
    let here = looks.filter(|look| look.sigma == sigma);
    here.fold(Votes::default(), |votes, look| votes.merge(look.votes.clone()))
}

/// The first votes that decide whether `radius` holds, or all there are.
fn until_decided(
    estimate: &Estimate,
    radius: f64,
    alpha: Alpha,
    mut left: Range<u32>,
    sample: impl Fn(Range<u32>) -> Result<Votes, Error>,
) -> Result<Votes, Error> {
    let mut so_far = estimate.clone();
    while !left.is_empty() && !is_decided(&so_far, radius, alpha)? {
        // a tenth more each time: at most a tenth is drawn in vain, and looks stay rare
        let step = (so_far.votes.total() as u32 / 10).next_multiple_of(16).max(64);
        let end = left.start.saturating_add(step).min(left.end);
        so_far.votes = so_far.votes.merge(sample(left.start..end)?);
        left.start = end;
    }
    Ok(so_far.votes)
}
