//! Does one record follow from its votes?

use super::recorded::Recorded;
use super::{BankReason, Finding, FromBank, Record, Spec};
use crate::certify::{Estimate, Outcome, decide, is_decided, prepare, under_second_law};
use crate::method::Probe;
use crate::sample::{Input, Votes};
use crate::types::{Error, Sigma};

/// How one record is to be checked.
pub(super) struct Check<'a> {
    pub spec: &'a Spec,
    /// An image of the right length; only that counts.
    pub blank: &'a [f32],
    /// PROBE's search, where it is only seen to be plausible and not replayed.
    pub unplayed: Option<&'a Probe>,
    /// Whether the verdict is computed again.
    pub verdict: bool,
}

pub(super) fn ensure(holds: bool, problem: impl FnOnce() -> String) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::Invalid(problem())) }
}

impl Check<'_> {
    /// Fails where the spec does not lead to the record.
    pub(super) fn record(&self, record: &Record) -> Result<(), Error> {
        let spec = self.spec;
        ensure(spec.selection.contains(record.index), || "the spec does not ask for it".into())?;
        let classes = spec.one_class.map_or(spec.model.classes, |_| 2);
        if let Finding::Outcome(outcome) = &record.finding {
            ensure(!votes_beyond(outcome, classes), || {
                "there are votes for a class that the model does not have".into()
            })?;
            match self.unplayed {
                Some(search) => plausible(outcome, search, spec)?,
                None => self.replay(outcome, record.index)?,
            }
            if self.verdict {
                same_verdict(outcome, spec)?;
            }
        }
        check_bank(record, spec.bank.is_some())
    }

    /// Whether the certificates are those that the spec's method makes of the votes before them.
    fn replay(&self, outcome: &Outcome, index: u32) -> Result<(), Error> {
        let spec = self.spec;
        let recorded = Recorded::new(outcome);
        let input = Input { pixels: self.blank, seed: spec.seed, index };
        let again = prepare(&spec.method, &spec.budget, &recorded, &input)?;
        let told = outcome.estimates.iter().map(|told| Estimate { votes: Votes::default(), ..told.clone() });
        let second = under_second_law(&outcome.estimates, again.laws, spec.budget.alpha())?;
        let same = again.estimates.iter().cloned().chain(second).eq(told);
        ensure(same, || "the certificates are not those that its looks lead to".into())?;
        let same = (&again.looks, &again.selection) == (&outcome.looks, &outcome.selection);
        ensure(same, || "there are votes that the spec does not ask for".into())?;
        let same = again.posterior == outcome.posterior;
        ensure(same, || "the curve is not the one that its looks lead to".into())?;
        let (rest, alpha) =
            (spec.budget.n() - again.n, spec.budget.alpha().share(outcome.estimates.len().max(1)));
        for (number, estimate) in outcome.estimates.iter().enumerate() {
            let most = if again.laws.is_some() && number == 1 { rest } else { again.n };
            let (n, most) = (estimate.votes.total(), u64::from(most));
            let decided = match spec.budget.at_radius() {
                Some(radius) => n < most && is_decided(estimate, radius, alpha)?,
                None => false,
            };
            ensure(decided || n == most, || {
                format!("a certificate has {n} votes where the spec asks for {most}")
            })?;
        }
        Ok(())
    }
}

fn votes_beyond(outcome: &Outcome, classes: usize) -> bool {
    let looks = outcome.looks.iter().chain(&outcome.selection).map(|look| &look.votes);
    let all = looks.chain(outcome.estimates.iter().map(|estimate| &estimate.votes));
    outcome.estimates.iter().any(|estimate| estimate.class >= classes)
        || all.into_iter().any(|votes| votes.ranked().iter().any(|(class, _)| *class >= classes))
}

/// Whether PROBE's search may have led to the certificate: no more draws than it may take, within its region, for a
/// class that it saw.
fn plausible(outcome: &Outcome, search: &Probe, spec: &Spec) -> Result<(), Error> {
    // the ends of the grid are computed, and may be off in the last digits
    let within = |sigma: Sigma| {
        let sigma = sigma.get();
        search.low.get() * (1.0 - 1e-9) <= sigma && sigma <= search.high.get() * (1.0 + 1e-9)
    };
    let looked: u64 = outcome.looks.iter().map(|look| look.votes.total()).sum();
    let inside = outcome.looks.iter().all(|look| within(look.sigma)) && outcome.selection.is_none();
    ensure(inside && looked <= spec.method.passes(0, 0), || {
        "there are votes that the spec does not ask for".into()
    })?;
    let [estimate] = outcome.estimates.as_slice() else {
        return ensure(outcome.estimates.is_empty(), || {
            format!("there are {} certificates where the spec asks for one", outcome.estimates.len())
        });
    };
    let (n, most) = (estimate.votes.total(), u64::from(spec.budget.n()));
    ensure((1..=most).contains(&n), || {
        format!("a certificate has {n} votes where the spec asks for {most} at most")
    })?;
    let seen = outcome.looks.iter().any(|look| look.votes.of(estimate.class) > 0);
    ensure(seen && within(estimate.sigma) && estimate.law.is_none(), || {
        "the certificates are not those that its looks lead to".into()
    })
}

fn same_verdict(outcome: &Outcome, spec: &Spec) -> Result<(), Error> {
    let (said, verdict) = (outcome.verdict, decide(&outcome.estimates, &spec.budget)?);
    let json = |verdict| serde_json::to_string(&verdict).unwrap_or_else(|_| format!("{verdict:?}"));
    ensure(verdict == said, || {
        format!(
            "the votes say {}, the record says {}; the record was changed or damaged, or comes from a system whose \
             ln or exp differ",
            json(verdict),
            json(said)
        )
    })
}

/// Whether what a bank made of a record can come from its verdict.
fn check_bank(record: &Record, asked: bool) -> Result<(), Error> {
    let own = record.own().filter(|own| own.radius > 0.0);
    let possible = match (&record.bank, asked) {
        (None, false) => true,
        (Some(FromBank { ball, why }), true) => match (why, ball, own) {
            (BankReason::AsCertified, Some(ball), Some(own)) => *ball == own,
            (BankReason::CutBy(_), Some(ball), Some(own)) => {
                ball.class == own.class && ball.radius < own.radius
            }
            (BankReason::Inside(_), Some(_), _)
            | (BankReason::Touches(_), None, Some(_))
            | (BankReason::NoCertificate, None, None) => true,
            _ => false,
        },
        _ => false,
    };
    ensure(possible, || "the answer of the bank is not one that its votes allow".into())
}
