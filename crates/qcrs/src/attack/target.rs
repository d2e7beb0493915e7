//! What does a certificate claim?

use crate::certify::{Outcome, Verdict};
use crate::run::{Finding, Record};
use crate::sample::Smoothed;

/// The claim of a certificate: `smoothed` answers `class` everywhere closer than `radius` to an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The index of the input in its dataset.
    pub index: u32,
    /// The certified class.
    pub class: usize,
    /// The certified radius.
    pub radius: f64,
    /// The classifier that the claim is about; with a σ per input, the one smoothed with that σ.
    pub smoothed: Smoothed,
}

impl Target {
    /// What the votes of a record certify, whatever a memory bank made of it; `None` if they certify nothing.
    pub fn of(record: &Record) -> Option<Self> {
        let Finding::Outcome(Outcome { verdict, estimates, .. }) = &record.finding else { return None };
        let &Verdict::Certified { class, radius, sigma, .. } = verdict else { return None };
        // each σ of a run stands for one smoothed classifier; under two laws, the first is certified
        let estimate = estimates.iter().find(|estimate| (estimate.class, estimate.sigma()) == (class, sigma));
        estimate.map(|estimate| Self { index: record.index, class, radius, smoothed: estimate.smoothed })
    }
}
