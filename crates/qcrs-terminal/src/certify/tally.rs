//! How does a run stand, and what will the rest of it cost?

use qcrs::report::format::down;
use qcrs::run::{Finding, Record, Spec};
use qcrs::text::counted;

/// What the progress bar says.
#[derive(Default)]
pub struct RunTally {
    /// Inputs for which something could not be computed.
    pub failed: u32,
    inputs: u32,
    passes: u64,
    labelled: bool,
    radii: f64,
    abstained: u32,
}

impl RunTally {
    /// Counts one more record.
    pub fn add(&mut self, record: &Record) {
        self.inputs += 1;
        self.labelled |= record.label.is_some();
        if let Finding::Outcome(outcome) = &record.finding {
            self.passes += outcome.passes();
        }
        match (&record.finding, record.certified()) {
            (Finding::Failed { .. }, None) => self.failed += 1,
            (_, None) => self.abstained += 1,
            (_, Some(ball)) if record.label == Some(ball.class) => self.radii += ball.radius,
            (_, Some(_)) => {}
        }
    }

    /// The passes that one more input will take, judging by the others: PROBE may take many more than it
    /// does.
    pub fn expects(&self, most: u64) -> u64 {
        self.passes.checked_div(self.inputs.into()).unwrap_or(most)
    }

    /// The state of the run in words.
    pub fn words(&self, spec: &Spec) -> String {
        let Self { inputs, abstained, .. } = self;
        let acr = self.radii / f64::from(*inputs);
        let has_acr = self.labelled && spec.budget.at_radius().is_none();
        let acr = if has_acr { format!(", ACR {}", down(acr, 3)) } else { String::new() };
        format!("{}{acr}, {abstained} abstained", counted(*inputs as usize, "input"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qcrs::certify::{Outcome, Reason, Verdict};
    use qcrs::method::Look;
    use qcrs::sample::Smoothed;
    use qcrs::types::Sigma;

    #[test]
    fn the_next_input_is_expected_to_cost_what_the_others_did() {
        let record = |votes| Record {
            index: 0,
            label: None,
            file: None,
            pixels: None,
            finding: Finding::Outcome(Outcome {
                looks: vec![Look::new(Smoothed::gaussian(Sigma::new(0.5).unwrap()), votes)],
                selection: None,
                posterior: None,
                estimates: Vec::new(),
                verdict: Verdict::Abstain(Reason::NotTried),
                fail_safe: None,
            }),
            bank: None,
        };
        let mut tally = RunTally::default();
        assert_eq!(tally.expects(1000), 1000);
        tally.add(&record([(0, 30)].into_iter().collect()));
        tally.add(&record([(0, 5), (1, 15)].into_iter().collect()));
        assert_eq!(tally.expects(1000), 25);
    }
}
