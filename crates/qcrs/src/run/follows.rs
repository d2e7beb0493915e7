//! Does one record follow from its votes?

use super::recorded::Recorded;
use super::{BankReason, Finding, FromBank, Models, Record, Spec};
use crate::certify::{Agenda, Estimate, Outcome, decide, fail_safe, is_decided, is_looked_at, select};
use crate::method::{Look, PlanCertificate, Scout};
use crate::noise::Noise;
use crate::sample::{Input, Smoothed, Votes};
use crate::types::{Error, Sigma};
use std::borrow::Cow;

/// How one record is to be checked.
pub(super) struct Check<'a> {
    pub spec: &'a Spec,
    /// An image of the right length; nothing else about it matters.
    pub blank: &'a [f32],
    /// The region of a search that is only checked for plausibility, not replayed.
    pub unplayed: Option<[Sigma; 2]>,
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
        let classes = spec.one_class.map_or(spec.models.first().classes, |_| 2);
        if let Finding::Outcome(outcome) = &record.finding {
            let outcome = &*with_its_law(outcome);
            ensure(!votes_beyond(outcome, classes), || {
                "there are votes for a class that the model does not have".into()
            })?;
            check_models(outcome, &spec.models)?;
            match self.unplayed {
                Some(region) => plausible(outcome, region, spec)?,
                None => self.replay(outcome, record.index)?,
            }
            if self.verdict {
                same_verdict(outcome, spec)?;
            }
            same_fail_safe(outcome, spec)?;
        }
        check_bank(record, spec.bank.is_some())
    }

    /// Whether the certificates are those that the spec's method makes of the votes before them.
    fn replay(&self, outcome: &Outcome, index: u32) -> Result<(), Error> {
        let Spec { method, budget, seed, .. } = self.spec;
        let recorded = Recorded::new(outcome, self.spec);
        let input = Input { pixels: self.blank, seed: *seed, index };
        let mut scout = Scout::new(&recorded, &input, budget.alpha(), budget.n());
        let plan = method.plan(&mut scout)?;
        let (looks, posterior) = scout.into_evidence();
        let selection = select(&plan, budget, &recorded, &input)?;
        let same = (&looks, &selection) == (&outcome.looks, &outcome.selection);
        ensure(same, || "there are votes that the spec does not ask for".into())?;
        ensure(posterior == outcome.posterior, || "the curve is not the one that its looks lead to".into())?;

        let agenda = Agenda::new(plan, budget, &looks, selection.as_ref())?;
        for (number, estimate) in outcome.estimates.iter().enumerate() {
            let draft = agenda.next(&outcome.estimates[..number])?;
            let (n, most) =
                (estimate.votes.total(), draft.as_ref().map_or(0, |draft| draft.range.len() as u64));
            let alpha = draft.as_ref().map(|draft| draft.alpha);
            let told = Estimate { votes: Votes::default(), ..estimate.clone() };
            ensure(draft.map(Estimate::from) == Some(told), || NOT_THOSE.into())?;
            let decided = match (budget.at_radius(), alpha) {
                (Some(radius), Some(alpha)) => {
                    n < most && is_looked_at(n) && is_decided(estimate, radius, alpha)?
                }
                _ => false,
            };
            ensure(decided || n == most, || {
                format!("a certificate has {n} votes where the spec asks for {most}")
            })?;
        }
        ensure(agenda.next(&outcome.estimates)?.is_none(), || NOT_THOSE.into())
    }
}

const NOT_THOSE: &str = "the certificates are not those that its looks lead to";

/// The region of a search that is not replayed.
type Region = [Sigma; 2];

fn votes_beyond(outcome: &Outcome, classes: usize) -> bool {
    let looks = outcome.looks.iter().chain(&outcome.selection).map(|look| &look.votes);
    let all = looks.chain(outcome.estimates.iter().map(|estimate| &estimate.votes));
    outcome.estimates.iter().any(|estimate| estimate.class >= classes)
        || all.into_iter().any(|votes| votes.ranked().iter().any(|(class, _)| *class >= classes))
}

/// Version 0.2 did not write the law under which the class was named, which is that of the certificate.
fn with_its_law(outcome: &Outcome) -> Cow<'_, Outcome> {
    let law = outcome.estimates.first().map(|estimate| estimate.smoothed);
    match (&outcome.selection, law) {
        (Some(named), Some(law @ Smoothed { noise: Noise::GeneralizedGaussian(_), .. }))
            if named.smoothed == Smoothed::gaussian(law.sigma()) =>
        {
            let selection = Some(Look { smoothed: law, ..named.clone() });
            Cow::Owned(Outcome { selection, ..outcome.clone() })
        }
        _ => Cow::Borrowed(outcome),
    }
}

/// Whether every model that voted is one of the spec's, and only models that may reject copies did.
fn check_models(outcome: &Outcome, models: &Models) -> Result<(), Error> {
    let looks = outcome.looks.iter().chain(&outcome.selection).map(|look| (look.smoothed, &look.votes));
    let all = looks.chain(outcome.estimates.iter().map(|estimate| (estimate.smoothed, &estimate.votes)));
    for (g, votes) in all {
        let model = models.get(g.model);
        ensure(model.is_some(), || format!("model {} voted, which the spec does not have", g.model))?;
        let may_reject = model.is_some_and(|model| model.confidence.is_some());
        ensure(may_reject || votes.rejected() == 0, || {
            "a model rejected copies without being asked to".into()
        })?;
    }
    Ok(())
}

/// Whether a search within `region` may have led to the certificate: it took no more draws than it may, and
/// the class is one that it saw.
fn plausible(outcome: &Outcome, [low, high]: Region, spec: &Spec) -> Result<(), Error> {
    // the ends of the grid are computed, and may be off in the last digits
    let within = |sigma: Sigma| {
        let sigma = sigma.get();
        low.get() * (1.0 - 1e-9) <= sigma && sigma <= high.get() * (1.0 + 1e-9)
    };
    let looked = outcome.looks.iter().fold(0, |sum: u64, look| sum.saturating_add(look.votes.total()));
    let inside = outcome.looks.iter().all(|look| within(look.sigma())) && outcome.selection.is_none();
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
    let asked = estimate.smoothed == spec.at(estimate.sigma());
    ensure(seen && within(estimate.sigma()) && asked, || NOT_THOSE.into())
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

/// A record without a fail-safe radius, as earlier versions wrote them, claims nothing about it.
fn same_fail_safe(outcome: &Outcome, spec: &Spec) -> Result<(), Error> {
    let Some(said) = outcome.fail_safe else { return Ok(()) };
    let found = fail_safe(&outcome.estimates, &spec.budget)?;
    ensure(found == Some(said), || {
        let found = found.map_or_else(|| "none".into(), |found| format!("{found:?}"));
        format!(
            "the votes show the fail-safe radius {found}, the record says {said:?}; the record was changed or damaged, \
             or comes from a system whose ln or exp differ"
        )
    })
}

/// Whether what a bank made of a record can come from its verdict.
pub(super) fn check_bank(record: &Record, asked: bool) -> Result<(), Error> {
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
