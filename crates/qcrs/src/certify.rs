//! CERTIFY (Cohen et al. 2019, section 3.2) with σ chosen per input.

use crate::bounds::{clopper_pearson_lower, smallest_n};
use crate::noise::{Draws, Noise, Phase, Stream};
use crate::radius;
use crate::sample::{SampleUnderNoise, Votes};
use crate::search::{Look, Probe, SigmaSearch};
use crate::types::{Alpha, Error, Sigma};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How many draws certify, and how sure the certificate is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Draws to guess the top class.
    pub n0: u32,
    /// Draws to bound its probability.
    pub n: u32,
    /// The probability with which a certificate may be wrong.
    pub alpha: Alpha,
}

impl Budget {
    /// Refuses settings that cannot work, before any draw is spent.
    pub fn check(&self) -> Result<(), Error> {
        if self.n0 == 0 || self.n == 0 {
            let Self { n0, n, .. } = self;
            return Err(Error::Invalid(format!("n0 and n must be at least 1, got n0 = {n0} and n = {n}")));
        }
        Ok(())
    }

    /// The estimation draws of certificate `number` of a plan: no two share any.
    fn range(&self, number: usize) -> Result<Range<u32>, Error> {
        let at = |number: usize| u32::try_from(number as u64 * u64::from(self.n));
        match (at(number), at(number + 1)) {
            (Ok(start), Ok(end)) => Ok(start..end),
            _ => Err(Error::Invalid(format!("{} certificates of {} draws are too many", number + 1, self.n))),
        }
    }
}

/// What certification says about one input.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The classifier smoothed with `sigma` answers `class` everywhere within `radius` of the input.
    Certified {
        /// The class.
        class: usize,
        /// The l2 radius, rounded down.
        radius: f64,
        /// The noise level it holds for.
        sigma: Sigma,
        /// The lower bound of the class's probability at this σ.
        p_lower: f64,
    },
    /// Nothing is claimed.
    Abstain(Reason),
}

/// Why nothing is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The guessed class may have less than half of the votes.
    BelowHalf {
        /// The class.
        class: usize,
        /// The lower bound of its probability.
        p_lower: f64,
        /// The noise level.
        sigma: Sigma,
    },
    /// Even a unanimous vote of this many draws proves nothing at this α.
    TooFewDraws {
        /// The smallest number of draws that could.
        smallest: u64,
    },
}

/// The votes of one certificate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The noise level.
    pub sigma: Sigma,
    /// The class guessed from the selection draws.
    pub class: usize,
    /// The n fresh votes.
    pub votes: Votes,
}

/// A verdict and all the evidence for it: enough to compute it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// What the search looked at; these draws carry no guarantee.
    pub looks: Vec<Look>,
    /// The n0 votes that guessed the class.
    pub selection: Look,
    /// The certificates, one per σ of the plan.
    pub estimates: Vec<Estimate>,
    /// What they prove.
    pub verdict: Verdict,
}

impl Outcome {
    /// Forward passes spent on this input.
    pub fn passes(&self) -> u64 {
        let searched: u64 = self.looks.iter().map(|look| look.votes.total()).sum();
        let estimated: u64 = self.estimates.iter().map(|estimate| estimate.votes.total()).sum();
        searched + self.selection.votes.total() + estimated
    }
}

/// Certifies input `x`, number `input` of the run with this `seed`.
pub fn certify(
    search: &dyn SigmaSearch,
    budget: &Budget,
    sampler: &dyn SampleUnderNoise,
    x: &[f32],
    (seed, input): (u64, u32),
) -> Result<Outcome, Error> {
    let stream = |phase| Stream { seed, input, phase };

    // choose σ; these samples are never used again
    let mut probe = Probe::new(sampler, x, (seed, input), budget.alpha, budget.n);
    let plan = search.search(&mut probe)?;
    let looks = probe.into_looks();

    // use n0 samples to take a guess at the top class, the same for every σ of the plan
    let draws = Draws::first(budget.n0, stream(Phase::Select));
    let votes = sampler.sample_under_noise(x, Noise::Gaussian(plan.select_at), &draws)?;
    let class = votes.winner().ok_or_else(|| Error::Invalid("n0 must be at least 1".into()))?;
    let selection = Look { sigma: plan.select_at, votes };

    // use n fresh samples to bound its probability from below
    let mut estimates = Vec::with_capacity(plan.sigmas.len());
    for (number, &sigma) in plan.sigmas.iter().enumerate() {
        let draws = Draws { stream: stream(Phase::Estimate), range: budget.range(number)? };
        let votes = sampler.sample_under_noise(x, Noise::Gaussian(sigma), &draws)?;
        estimates.push(Estimate { sigma, class, votes });
    }
    let verdict = decide(&estimates, budget.alpha)?;
    Ok(Outcome { looks, selection, estimates, verdict })
}

/// What K certificates prove together: each is made at α/K, the largest radius is kept.
pub fn decide(estimates: &[Estimate], alpha: Alpha) -> Result<Verdict, Error> {
    let alpha = alpha.share(estimates.len());
    let mut best: Option<(f64, Verdict)> = None;
    for estimate in estimates {
        let &Estimate { sigma, class, ref votes } = estimate;
        let p_lower = clopper_pearson_lower(votes.of(class), votes.total(), alpha)?;
        let (value, verdict) = match radius::gaussian(p_lower, sigma)? {
            Some(radius) => (radius, Verdict::Certified { class, radius, sigma, p_lower }),
            None if votes.total() < smallest_n(alpha) => {
                (f64::NEG_INFINITY, Verdict::Abstain(Reason::TooFewDraws { smallest: smallest_n(alpha) }))
            }
            None => (p_lower - 1.0, Verdict::Abstain(Reason::BelowHalf { class, p_lower, sigma })),
        };
        if best.is_none_or(|(least, _)| value > least) {
            best = Some((value, verdict));
        }
    }
    best.map(|(_, verdict)| verdict)
        .ok_or_else(|| Error::Invalid("there is no certificate to decide on".into()))
}
