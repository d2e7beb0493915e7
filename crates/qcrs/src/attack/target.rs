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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify::Estimate;
    use crate::method::Sides;
    use crate::sample::Votes;
    use crate::types::Sigma;

    /// The best of several certificates need not be the first one.
    #[test]
    fn the_classifier_is_that_of_the_certificate_with_the_largest_radius() {
        let sigmas = [0.25, 0.5, 1.0].map(|sigma| Sigma::new(sigma).unwrap());
        let estimate = |(model, sigma)| Estimate {
            smoothed: Smoothed { model, ..Smoothed::gaussian(sigma) },
            class: 3,
            sides: Sides::One,
            votes: Votes::from_iter([(3, 100)]),
        };
        let verdict =
            Verdict::Certified { class: 3, radius: 0.4, sigma: sigmas[1], p_lower: 0.8, p_upper: None };
        let estimates: Vec<_> = (0..).zip(sigmas).map(estimate).collect();
        let outcome = Outcome {
            looks: Vec::new(),
            selection: None,
            posterior: None,
            estimates,
            verdict,
            fail_safe: None,
        };
        let finding = Finding::Outcome(outcome);
        let record = Record { index: 7, label: None, file: None, pixels: None, finding, bank: None };
        let target = Target::of(&record).unwrap();
        assert_eq!((target.index, target.class, target.smoothed.model), (7, 3, 1));
        assert_eq!(target.smoothed.sigma(), sigmas[1]);
        let failed = Record { finding: Finding::Failed { error: "NaN".into() }, ..record };
        assert_eq!(Target::of(&failed), None);
    }
}
