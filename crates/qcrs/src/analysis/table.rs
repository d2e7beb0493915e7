//! Which rows does every analysis start from?

use super::answers::of_outcome;
use super::{BelievedCurve, SigmaAnswer};
use crate::certify::{Estimate, FailSafe, Outcome, Reason, Verdict};
use crate::noise::Noise;
use crate::run::{Ball, BankReason, Checked, Finding, Guarantee, Record, Spec, Stored};
use crate::types::Error;
use std::collections::{HashMap, HashSet};

/// Inputs whose belief is kept for a picture.
const BELIEFS: usize = 4;

/// One run or one published file.
#[derive(Clone, Debug)]
pub struct Table {
    /// What to call it.
    pub name: String,
    /// The promise its radii carry; `None` when the source does not say.
    pub guarantee: Option<Guarantee>,
    /// The only radius that was asked about, if there was only one.
    pub asked: Option<f64>,
    /// The whole question, when the source is a run.
    pub spec: Option<Spec>,
    /// What a search believed of the first few inputs, where it had a belief.
    pub beliefs: Vec<BelievedCurve>,
    /// One row per input, in index order, no index twice.
    pub rows: Vec<Row>,
    /// How many inputs a complete run has; `None` for a file, which does not say.
    pub owed: Option<usize>,
    /// How much of it was verified from its votes.
    pub checked: Checked,
}

/// What was found out about one input.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The index of the input in its dataset.
    pub index: u32,
    /// Its file, where it has one of its own.
    pub file: Option<String>,
    /// Its true class, where known.
    pub label: Option<usize>,
    /// The certified class; `None` when the method abstained or failed.
    pub predicted: Option<usize>,
    /// The certified radius; 0 when nothing is certified.
    pub radius: f64,
    /// Within which radius the majority predictor answers a class or abstains, where known.
    pub fail_safe: Option<FailSafe>,
    /// The noise level the answer was given at, where known.
    pub sigma: Option<f64>,
    /// The votes for the class and all votes of the certificate, where the answer rests on them alone.
    pub votes: Option<[u64; 2]>,
    /// What the network answered at each noise level that was looked at; of a file, the certified class.
    pub answers: Vec<SigmaAnswer>,
    /// Of the votes against the class, the share of the strongest rival, where there were such votes.
    pub runner_up_share: Option<f64>,
    /// Forward passes spent, where known.
    pub passes: Option<u64>,
    /// Wall time, where known.
    pub seconds: Option<f64>,
    /// Whether the classifier gave scores that could not vote. Counts as not certified.
    pub failed: bool,
}

impl Row {
    /// What to call the input: its file, or else its index.
    pub fn name(&self) -> String {
        self.file.clone().unwrap_or_else(|| self.index.to_string())
    }

    /// Whether the certified class is the true one; `None` without a label.
    pub fn correct(&self) -> Option<bool> {
        self.label.map(|label| self.predicted == Some(label))
    }

    /// The radius within which the answer is certified *and right*, 0 if there is none: the
    /// quantity whose mean is the ACR. `None` without a label.
    pub fn score(&self) -> Option<f64> {
        self.correct().map(|correct| if correct { self.radius } else { 0.0 })
    }

    /// The fail-safe radius if the majority predictor answers the input, and rightly; otherwise 0. `None`
    /// without a label.
    pub fn fail_safe_score(&self) -> Option<f64> {
        let label = self.label?;
        let right = self.fail_safe.filter(|safe| safe.answers && safe.class == label);
        Some(right.map_or(0.0, |safe| safe.radius))
    }
}

impl Table {
    /// The table of a run read back from its directory. A record that the spec does not ask for, or two
    /// records of one input, are an error.
    pub fn of(name: String, stored: &Stored) -> Result<Self, Error> {
        let Stored { spec, records, timings, checked } = stored;
        if let Some(stray) = records.iter().find(|record| !spec.selection.contains(record.index)) {
            let index = stray.index;
            return Err(Error::Invalid(format!(
                "{name}: there is a record of input {index}, which the spec does not select; the records belong to another run"
            )));
        }
        let seconds: HashMap<u32, f64> = timings.iter().map(|t| (t.index, t.seconds)).collect();
        let rows = records.iter().map(|record| row(record, seconds.get(&record.index).copied())).collect();
        let rows = in_order(&name, rows)?;
        Ok(Self {
            name,
            guarantee: Some(spec.guarantee),
            asked: spec.budget.at_radius(),
            beliefs: records.iter().filter_map(BelievedCurve::of).take(BELIEFS).collect(),
            spec: Some(spec.clone()),
            rows,
            owed: Some(spec.selection.len()),
            checked: checked.clone(),
        })
    }

    /// The part of the table whose index passes `keep`, for instance every 20th.
    #[must_use]
    pub fn only(&self, name: &str, keep: impl Fn(u32) -> bool) -> Self {
        let owed = self.spec.as_ref().map(|spec| spec.selection.ids().filter(|&index| keep(index)).count());
        let rows = self.rows.iter().filter(|row| keep(row.index)).cloned().collect();
        Self { name: name.into(), rows, owed, ..self.clone() }
    }

    /// Whether every input of the run is here; `None` for a file, which does not say how many it should have.
    pub fn complete(&self) -> Option<bool> {
        self.owed.map(|owed| self.rows.len() == owed)
    }

    /// Whether every row has a true class, so that accuracy can be computed.
    pub fn labelled(&self) -> bool {
        self.rows.iter().all(|row| row.label.is_some())
    }

    /// Whether σ was chosen per input, so that its distribution says something.
    pub fn sigma_varies(&self) -> bool {
        let mut sigmas = self.rows.iter().filter_map(|row| row.sigma);
        sigmas.next().is_some_and(|first| sigmas.any(|sigma| sigma.total_cmp(&first).is_ne()))
    }

    /// How many classes there are: those of the network where it is known, else those that occur.
    pub fn classes(&self) -> usize {
        let asked = |spec: &Spec| spec.one_class.map_or(spec.models.first().classes, |_| 2);
        let occurring = || self.rows.iter().flat_map(|row| [row.label, row.predicted]).flatten();
        self.spec.as_ref().map_or_else(|| occurring().collect::<HashSet<_>>().len(), asked)
    }

    /// The name of `class`: from the data where it has names, else its number.
    pub fn class_name(&self, class: usize) -> String {
        self.spec.as_ref().map_or_else(|| format!("class {class}"), |spec| spec.class_name(class))
    }
}

/// Sorts by index. An index that occurs twice would be counted twice, so it is an error.
fn in_order(name: &str, mut rows: Vec<Row>) -> Result<Vec<Row>, Error> {
    rows.sort_by_key(|row| row.index);
    match rows.windows(2).find(|pair| pair[0].index == pair[1].index) {
        Some(pair) => Err(Error::Invalid(format!(
            "{name}: input {} appears twice; keep one, but not because it is better",
            pair[0].index
        ))),
        None => Ok(rows),
    }
}

fn row(record: &Record, seconds: Option<f64>) -> Row {
    let &Record { index, label, ref finding, .. } = record;
    let blank = Row {
        index,
        file: record.file.clone(),
        label,
        predicted: None,
        radius: 0.0,
        fail_safe: record.fail_safe(),
        sigma: None,
        votes: None,
        answers: Vec::new(),
        passes: None,
        runner_up_share: None,
        seconds,
        failed: false,
    };
    let outcome = match finding {
        Finding::Failed { .. } => return Row { failed: true, ..blank },
        Finding::Outcome(outcome) => outcome,
    };
    let mut blank = Row { passes: Some(outcome.passes()), answers: of_outcome(outcome), ..blank };
    if record.rests_on_own_votes() {
        (blank.sigma, blank.runner_up_share) = (sigma(outcome), runner_up_share(outcome));
    }
    if record.bank.as_ref().is_none_or(|bank| bank.why == BankReason::AsCertified) {
        blank.votes = votes(outcome);
    }
    match record.certified() {
        Some(Ball { class, radius }) => Row { predicted: Some(class), radius, ..blank },
        None => blank,
    }
}

/// The votes at the σ of the verdict.
fn decisive(outcome: &Outcome) -> Option<&Estimate> {
    let certified = sigma(outcome)?;
    outcome.estimates.iter().find(|estimate| estimate.sigma().get().total_cmp(&certified).is_eq())
}

/// The votes for the class and all of them, unless the verdict also rests on those under a second law.
fn votes(outcome: &Outcome) -> Option<[u64; 2]> {
    let estimate = decisive(outcome)?;
    let alone = !matches!(estimate.smoothed.noise, Noise::GeneralizedGaussian(_));
    alone.then(|| [estimate.votes.of(estimate.class), estimate.votes.total()])
}

/// Of the votes against the class, the share of the strongest rival, at the σ of the verdict.
fn runner_up_share(outcome: &Outcome) -> Option<f64> {
    let estimate = decisive(outcome)?;
    let against = estimate.votes.total() - estimate.votes.of(estimate.class);
    (against > 0).then(|| estimate.votes.most_besides(estimate.class) as f64 / against as f64)
}

fn sigma(outcome: &Outcome) -> Option<f64> {
    match outcome.verdict {
        Verdict::Certified { sigma, .. }
        | Verdict::Abstain(Reason::BelowHalf { sigma, .. } | Reason::NotShown { sigma, .. }) => {
            Some(sigma.get())
        }
        Verdict::Abstain(_) => match outcome.estimates.as_slice() {
            [only] => Some(only.sigma().get()),
            _ => None,
        },
    }
}
