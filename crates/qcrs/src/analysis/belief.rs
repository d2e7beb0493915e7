//! What did a search believe about an input's σ–radius curve?

use crate::certify::Verdict;
use crate::math::normal_quantile;
use crate::method::Posterior;
use crate::run::{Finding, Record};
use std::collections::BTreeMap;

/// The curve that a search believed in, what it had seen, and what it chose. It is for pictures and proves
/// nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct BelievedCurve {
    /// The index of the input in its dataset.
    pub index: u32,
    /// The curve with its uncertainty.
    pub posterior: Posterior,
    /// (σ, σ Φ⁻¹(share of the class)) of all looks at each σ, where the share is neither 0 nor 1.
    pub seen: Vec<(f64, f64)>,
    /// The σ of the certificate and its radius, if there is one.
    pub certified: Option<(f64, f64)>,
}

impl BelievedCurve {
    /// The belief that a record holds, if its search had one and named a class.
    pub fn of(record: &Record) -> Option<Self> {
        let Finding::Outcome(outcome) = &record.finding else { return None };
        let posterior = outcome.posterior.clone()?;
        let class = outcome.estimates.first()?.class;
        // a map needs ordered keys: the bits of positive floats have the same order as the floats
        let mut votes: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for look in &outcome.looks {
            let tally = votes.entry(look.sigma().get().to_bits()).or_default();
            *tally = (tally.0 + look.votes.of(class), tally.1 + look.votes.total());
        }
        let seen = votes.into_iter().filter(|(_, (k, n))| 0 < *k && k < n).filter_map(|(sigma, (k, n))| {
            let sigma = f64::from_bits(sigma);
            Some((sigma, sigma * normal_quantile(k as f64 / n as f64).ok()?))
        });
        let certified = match outcome.verdict {
            Verdict::Certified { sigma, radius, .. } => Some((sigma.get(), radius)),
            Verdict::Abstain(_) => None,
        };
        Some(Self { index: record.index, posterior, seen: seen.collect(), certified })
    }
}
