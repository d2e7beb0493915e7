//! What is a run in a few numbers?

use super::{Ceiling, Row, Table, WithInterval};
use crate::run::{Checked, Guarantee};
use crate::types::{Error, Sigma};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// One run in a few numbers. Numbers that need the true class are absent when an input has no label; numbers
/// that need the largest radius are absent when only one radius was asked about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The run.
    pub name: String,
    /// The label of its promise (docs/guarantees.md), or `unknown` for a file that does not say.
    pub guarantee: &'static str,
    /// The method by its name, where known.
    pub method: Option<&'static str>,
    /// The model by the name of its file or folder, where known.
    pub model: Option<String>,
    /// The data by its name, where known.
    pub data: Option<String>,
    /// The smallest and the largest σ that an input may have; of a file, those that occur.
    pub sigma: Option<[f64; 2]>,
    /// The inputs found.
    pub inputs: usize,
    /// The inputs that a complete run has, where known.
    pub owed: Option<usize>,
    /// False when inputs are missing; not known for a file.
    pub complete: Option<bool>,
    /// How much of it was verified from its votes: `whole`, `verdicts`, or `not verified` and why.
    pub verified: Checked,
    /// Average certified radius: the mean of correct · radius.
    pub acr: Option<WithInterval>,
    /// The share certified with the right class at radius 0 or more; abstentions are wrong.
    pub right_certified: Option<WithInterval>,
    /// The share without an answer, failed inputs included.
    pub abstained: WithInterval,
    /// α: the probability with which each certificate may be wrong, where known.
    pub alpha: Option<f64>,
    /// n: the draws that a certificate may take; of a file, the most that one took.
    pub n: Option<u64>,
    /// The radius that n draws can show at most, where several answers reach it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<Ceiling>,
    /// The share certified with the wrong class.
    pub wrong_certified: Option<WithInterval>,
    /// How many inputs made the classifier fail; they count as abstained.
    pub failed: usize,
    /// The share certified with the right class at each radius or more. If only one radius was asked about,
    /// the list ends there.
    #[serde(serialize_with = "as_map")]
    pub certified_accuracy: Vec<(f64, WithInterval)>,
    /// A lower bound on the same shares for these inputs, which holds with probability 1 − ρ although
    /// certificates may be wrong. Empty where no ρ was given.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    pub certified_accuracy_bound: Vec<(f64, f64)>,
    /// Forward passes per input, over the inputs where they are known.
    pub passes_per_input: Option<WithInterval>,
    /// Of the votes against the class, the mean share of the strongest rival.
    pub runner_up_share: Option<WithInterval>,
    /// Seconds per input, over the inputs where they are known.
    pub seconds_per_input: Option<WithInterval>,
    /// The mean fail-safe radius, where inputs count 0 unless the majority predictor answers them with the
    /// right class; absent where no input has such a radius.
    pub fail_safe_acr: Option<WithInterval>,
}

impl Summary {
    /// Summarises `table`, with certified accuracy at `radii`. A table without rows is an error.
    pub fn new(table: &Table, radii: &[f64]) -> Result<Self, Error> {
        let Table { name, rows, owed, .. } = table;
        if rows.is_empty() {
            return Err(Error::Invalid(format!(
                "{name}: there are no inputs to report on; has the run started?"
            )));
        }
        let share = |holds: &dyn Fn(&Row) -> bool| {
            WithInterval::proportion(rows.iter().filter(|r| holds(r)).count(), rows.len())
        };
        let mean = |of: &dyn Fn(&Row) -> Option<f64>| {
            WithInterval::mean(&rows.iter().filter_map(of).collect::<Vec<_>>())
        };
        let spec = table.spec.as_ref();
        let most = rows.iter().filter_map(|row| row.votes).map(|[_, n]| n).max();
        let mut summary = Self {
            name: name.clone(),
            guarantee: table.guarantee.map_or("unknown", Guarantee::name),
            method: spec.map(|spec| spec.method.name()),
            model: spec.map(|spec| spec.models.first().shown_name().to_owned()),
            data: spec.map(|spec| spec.data.name.clone()),
            sigma: sigmas(table),
            inputs: rows.len(),
            owed: *owed,
            complete: table.complete(),
            verified: table.checked.clone(),
            acr: None,
            right_certified: None,
            abstained: share(&|row| row.predicted.is_none())?,
            alpha: spec.map(|spec| spec.budget.alpha().get()),
            n: spec.map_or(most, |spec| Some(spec.budget.n().into())),
            ceiling: Ceiling::of(table),
            wrong_certified: None,
            failed: rows.iter().filter(|row| row.failed).count(),
            certified_accuracy: Vec::new(),
            certified_accuracy_bound: Vec::new(),
            passes_per_input: mean(&|row| row.passes.map(|passes| passes as f64))?,
            runner_up_share: mean(&|row| row.runner_up_share)?,
            seconds_per_input: mean(&|row| row.seconds)?,
            fail_safe_acr: None,
        };
        if table.labelled() {
            let asked = table.asked;
            if asked.is_none() {
                summary.acr = mean(&Row::score)?;
                summary.right_certified = Some(share(&|row| certified_at(row, 0.0))?);
                if rows.iter().any(|row| row.fail_safe.is_some()) {
                    summary.fail_safe_acr = mean(&Row::fail_safe_score)?;
                }
            }
            summary.wrong_certified =
                Some(share(&|row| row.predicted.is_some() && row.correct() == Some(false))?);
            for &radius in radii.iter().filter(|radius| asked.is_none_or(|asked| **radius <= asked)) {
                summary.certified_accuracy.push((radius, share(&|row| certified_at(row, radius))?));
            }
        }
        Ok(summary)
    }

    /// Bounds certified accuracy from below, when at most `wrong` certificates are wrong.
    pub(super) fn bound_accuracy(&mut self, table: &Table, wrong: u64) {
        let bound = |&(radius, _): &(f64, WithInterval)| {
            let certified = table.rows.iter().filter(|row| certified_at(row, radius)).count() as u64;
            (radius, certified.saturating_sub(wrong) as f64 / table.rows.len() as f64)
        };
        self.certified_accuracy_bound = self.certified_accuracy.iter().map(bound).collect();
    }
}

/// The ends of the region that σ is looked for in, or the σ of a file.
fn sigmas(table: &Table) -> Option<[f64; 2]> {
    if let Some(spec) = &table.spec {
        let facts = spec.method.facts();
        return Some(facts.region.unwrap_or([facts.sigma; 2]).map(Sigma::get));
    }
    let known: Vec<f64> = table.rows.iter().filter_map(|row| row.sigma).collect();
    let end = |choose: fn(f64, f64) -> f64| known.iter().copied().reduce(choose);
    Some([end(f64::min)?, end(f64::max)?])
}

fn certified_at(row: &Row, radius: f64) -> bool {
    row.correct() == Some(true) && row.radius >= radius
}

/// Even steps up to the largest radius at which some run is still right: of .25, or of the first of .5, 1, 2,
/// 4, … that needs at most twelve; if all radii are smaller, of the first of .1, .05, .025, .01, … that makes at
/// least three; and the radii that runs ask about. There is always at least one.
pub(super) fn default_radii(tables: &[Table]) -> Vec<f64> {
    let asked: Vec<f64> = tables.iter().filter_map(|table| table.asked).collect();
    let open: Vec<&Table> = tables.iter().filter(|table| table.asked.is_none()).collect();
    let mut radii = if open.is_empty() { Vec::new() } else { steps(&open) };
    radii.extend(asked);
    radii.sort_by(f64::total_cmp);
    radii.dedup();
    radii
}

/// Radii below this are not worth a column.
const SMALLEST: f64 = 0.001;

fn steps(tables: &[&Table]) -> Vec<f64> {
    let largest = tables.iter().flat_map(|t| &t.rows).filter_map(Row::score).fold(0.0, f64::max);
    let mut step = 0.25;
    while largest / step >= 13.0 {
        step *= 2.0;
    }
    if (SMALLEST..step).contains(&largest) {
        let powers = [0.1, 0.01, 0.001].into_iter().flat_map(|tenth| [tenth, tenth / 2.0, tenth / 4.0]);
        step = powers.into_iter().find(|step| largest / step >= 3.0).unwrap_or(step);
    }
    let count = ((largest / step) as u32).max(1);
    // 0.075, not 0.07500000000000001
    (1..=count).map(|number| (f64::from(number) * step * 1e6).round() / 1e6).collect()
}

/// A map from each radius to what holds there, in order of radius.
fn as_map<S: Serializer, T: Serialize>(pairs: &[(f64, T)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (radius, value) in pairs {
        map.serialize_entry(&radius.to_string(), value)?;
    }
    map.end()
}
