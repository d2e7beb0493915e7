//! Do the records follow from their votes?

use super::recorded::Recorded;
use super::{BankReason, Finding, FromBank, Record, Spec, Stored};
use crate::certify::{Estimate, Outcome, decide, is_decided, prepare, under_second_law};
use crate::sample::{Input, Votes};
use crate::types::Error;

/// More values than any image has.
const MOST_VALUES: usize = 1 << 30;

/// Recomputes every decision of a run from its votes, and fails at the first record that the spec does not lead to.
///
/// What no vote can tell is taken as it stands: labels, inputs said to have failed, the answers of other balls of a
/// bank, and that the votes were cast at all (certify some inputs again with [`super::record`] and compare).
pub fn verify(stored: &Stored) -> Result<(), Error> {
    let spec = &stored.spec;
    let promise = spec.promise();
    let says =
        || format!("the spec promises more or less than its method gives, which is {}", promise.name());
    ensure(spec.guarantee == promise, says)?;
    spec.check()?;
    let values = spec.data.shape.iter().try_fold(1, |values: usize, &side| values.checked_mul(side));
    ensure(values.is_some_and(|values| values <= MOST_VALUES), || {
        format!("images of the shape {:?} are too large", spec.data.shape)
    })?;
    for record in &stored.records {
        let here = |error: Error| Error::Invalid(format!("input {}: {error}", record.index));
        let asked_for =
            ensure(spec.selection.contains(record.index), || "the spec does not ask for it".into());
        asked_for.and_then(|()| check(record, spec)).map_err(here)?;
    }
    Ok(())
}

fn ensure(holds: bool, problem: impl FnOnce() -> String) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::Invalid(problem())) }
}

fn check(record: &Record, spec: &Spec) -> Result<(), Error> {
    if let Finding::Outcome(outcome) = &record.finding {
        let classes = spec.one_class.map_or(spec.model.classes, |_| 2);
        let beyond = outcome.estimates.iter().any(|Estimate { class, votes, .. }| {
            *class >= classes || votes.ranked().iter().any(|(class, _)| *class >= classes)
        });
        ensure(!beyond, || "there are votes for a class that the model does not have".into())?;
        check_outcome(outcome, spec, record.index)?;
    }
    check_bank(record, spec.bank.is_some())
}

/// Whether an outcome is what the spec's method makes of its votes, decision by decision.
fn check_outcome(outcome: &Outcome, spec: &Spec, index: u32) -> Result<(), Error> {
    let recorded = Recorded::new(outcome);
    let nowhere = vec![0.0; spec.data.shape.iter().product()]; // nobody looks at it, but its length counts
    let input = Input { pixels: &nowhere, seed: spec.seed, index };
    let again = prepare(spec.search.search(), &spec.budget, &recorded, &input)?;
    let told = outcome.estimates.iter().map(|told| Estimate { votes: Votes::default(), ..told.clone() });
    let second = under_second_law(&outcome.estimates, again.laws, spec.budget.alpha)?;
    let same = again.estimates.iter().cloned().chain(second).eq(told);
    ensure(same, || "the certificates are not those that its looks lead to".into())?;
    let same = (&again.looks, &again.selection) == (&outcome.looks, &outcome.selection);
    ensure(same, || "there are votes that the spec does not ask for".into())?;
    let same = again.posterior == outcome.posterior;
    ensure(same, || "the curve is not the one that its looks lead to".into())?;
    let (rest, alpha) = (spec.budget.n - again.n, spec.budget.alpha.share(outcome.estimates.len().max(1)));
    for (number, estimate) in outcome.estimates.iter().enumerate() {
        let most = if again.laws.is_some() && number == 1 { rest } else { again.n };
        let (n, most) = (estimate.votes.total(), u64::from(most));
        let decided = match spec.budget.at_radius {
            Some(radius) => n < most && is_decided(estimate, radius, alpha)?,
            None => false,
        };
        ensure(decided || n == most, || {
            format!("a certificate has {n} votes where the spec asks for {most}")
        })?;
    }
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
