//! What do the records say?
//!
//! This works on records alone, ours or the field's TSV files; it needs no model, no files and no clock.

mod answers;
mod belief;
mod bootstrap;
mod by_label;
mod ceiling;
mod cells;
mod classes;
mod curve;
mod default_class;
mod degenerate;
mod ids;
mod levels;
mod paired;
mod read_alpha;
mod shape;
mod summary;
mod table;
mod tsv;
mod tsv_check;
mod with_interval;

pub use crate::curve::CurvePoint;
pub use answers::{AnsweredInput, Answers, AnswersAt, ClassAnswers, SigmaAnswer};
pub use belief::BelievedCurve;
pub use by_label::{Gain, GainWithout, LabelGain, gain_without};
pub use ceiling::Ceiling;
pub use cells::{SearchCell, SearchCells};
pub use classes::{ClassRow, Spread, classes};
pub use curve::Curve;
pub use default_class::DefaultClass;
pub use ids::IdRange;
pub use levels::SigmaLevels;
pub use paired::{Paired, paired};
pub use read_alpha::{LatticeCandidates, LatticeReading, RadiusLattice, read_lattice};
pub use shape::{Shape, ShapePoint, SignPair, Signs, peak, steps};
pub use summary::Summary;
pub use table::{Row, Table};
pub use tsv_check::{TsvCheck, TsvColumn, TsvSettings, WrongRow, check_tsv};
pub use with_interval::WithInterval;
pub(crate) use with_interval::most_wrong;

use crate::method::AnyMethod;
use crate::run::Guarantee;
use crate::types::{Alpha, Error};
use std::collections::HashSet;

/// What to compute.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The radii at which certified accuracy is given. By default they are steps of a quarter (or coarser, so
    /// that at most twelve are needed) up to the largest radius at which some run certifies anything.
    pub radii: Option<Vec<f64>>,
    /// The run that the others are compared with, by its place in the list. By default it is the first run of
    /// COHEN, and the first of all if there is none.
    pub reference: Option<usize>,
    /// ρ: also give a lower bound on certified accuracy, which holds with probability 1 − ρ although
    /// certificates may be wrong.
    pub rho: Option<Alpha>,
}

/// Everything a report shows, computed once.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The runs, in the order given.
    pub tables: Vec<Table>,
    /// One summary per run.
    pub summaries: Vec<Summary>,
    /// The per-class rows of each run; empty for a run without labels.
    pub classes: Vec<Vec<ClassRow>>,
    /// The answers of each run by noise level, at levels that all runs share; without levels for files that do not
    /// give σ.
    pub answers: Vec<Answers>,
    /// Every other run against the reference; runs that cannot be compared are in `notes`.
    pub paired: Vec<Paired>,
    /// Which certificates say less than they seem to: those of a network that answers one class to nearly
    /// everything, of a σ at the end of the search region, of a radius beyond all images; and runs without any.
    pub warnings: Vec<String>,
    /// What else a reader must know, such as why two runs were not compared.
    pub notes: Vec<String>,
    /// ρ of the lower bounds on certified accuracy, if they were asked for.
    pub rho: Option<Alpha>,
}

impl Analysis {
    /// Analyses `tables`. An empty list, a run without inputs, or two runs of one name are an error.
    pub fn new(tables: Vec<Table>, options: &Options) -> Result<Self, Error> {
        let at = options.reference.unwrap_or_else(|| usual_reference(&tables));
        let Some(reference) = tables.get(at) else {
            let (asked, have) = (at, tables.len());
            return Err(Error::Invalid(format!(
                "run {asked} was chosen as the reference, but there are only {have} runs"
            )));
        };
        // a reader could not tell them apart, nor see which of them is incomplete
        let mut names = HashSet::new();
        if let Some(twin) = tables.iter().find(|table| !names.insert(table.name.as_str())) {
            let name = &twin.name;
            return Err(Error::Invalid(format!("two runs are called {name}; give each its own name")));
        }
        let radii = match &options.radii {
            Some(radii) => checked(radii)?,
            None => summary::default_radii(&tables),
        };
        let mut summaries = tables.iter().map(|t| Summary::new(t, &radii)).collect::<Result<Vec<_>, _>>()?;
        let per_class = tables.iter().map(classes).collect::<Result<_, _>>()?;
        let answers = answers_of(&tables);
        let (mut pairs, mut notes) = (Vec::new(), Vec::new());
        for (place, other) in tables.iter().enumerate().filter(|&(place, _)| place != at) {
            match paired(reference, other) {
                Ok(pair) => {
                    let default = [place, at].iter().find_map(|&run| answers[run].default_class());
                    let without = default.map(|default| gain_without(reference, other, default.class));
                    pairs.push(Paired { without_default: without.transpose()?.flatten(), ..pair });
                    notes.extend(other_alpha(reference, other));
                }
                Err(Error::Invalid(why)) => notes.push(why),
                Err(error) => return Err(error),
            }
        }
        if let Some(rho) = options.rho {
            for (summary, table) in summaries.iter_mut().zip(&tables) {
                match alpha_of_each(table) {
                    Ok(alpha) => {
                        let wrong = most_wrong(table.rows.len() as u64, alpha, rho)?;
                        summary.bound_accuracy(table, wrong);
                    }
                    Err(why) => notes.push(format!("{}: no bound on its accuracy, {why}.", table.name)),
                }
            }
        }
        notes.extend(not_verified(&tables).into_iter().chain(tables.iter().filter_map(unlabelled)));
        notes.extend(tables.iter().filter_map(other_precision).chain(tables.iter().filter_map(other_noise)));
        let warnings = tables.iter().zip(&answers).flat_map(warnings_of).collect();
        Ok(Self {
            summaries,
            classes: per_class,
            answers,
            paired: pairs,
            warnings,
            notes,
            rho: options.rho,
            tables,
        })
    }
}

/// The first run of COHEN, else the first of all. A file does not name its method, but COHEN is the usual one
/// with a single σ.
fn usual_reference(tables: &[Table]) -> usize {
    let is_cohen = |table: &Table| match &table.spec {
        Some(spec) => matches!(*spec.method, AnyMethod::Cohen(_)),
        None => table.guarantee == Some(Guarantee::FixedSigma),
    };
    tables.iter().position(is_cohen).unwrap_or(0)
}

/// The answers of every run, at levels of σ that suit all of them.
fn answers_of(tables: &[Table]) -> Vec<Answers> {
    let rows = tables.iter().flat_map(|table| &table.rows);
    let levels = SigmaLevels::of(rows.flat_map(|row| &row.answers).map(|answer| answer.sigma));
    tables.iter().map(|table| Answers::of(table, &levels)).collect()
}

fn warnings_of((table, answers): (&Table, &Answers)) -> Vec<String> {
    let all = degenerate::warnings(table).into_iter().chain(answers.warnings());
    all.map(|warning| format!("{}: {warning}.", table.name)).collect()
}

/// A larger α gives larger radii, which is no merit of the method.
fn other_alpha(reference: &Table, other: &Table) -> Option<String> {
    let (a, b) = (reference.spec.as_ref()?.budget.alpha(), other.spec.as_ref()?.budget.alpha());
    let (reference, other) = (&reference.name, &other.name);
    (a != b).then(|| {
        format!(
            "{other} may be wrong with probability {}, {reference} with {}: part of the gain comes from that.",
            b.get(),
            a.get()
        )
    })
}

/// The probability with which each certificate may be wrong, independently of the others.
fn alpha_of_each(table: &Table) -> Result<Alpha, &'static str> {
    if table.guarantee == Some(Guarantee::MemoryBank) {
        return Err("since answers of a bank are not wrong independently of each other");
    }
    let spec = table.spec.as_ref().ok_or("since the file does not say its α")?;
    Ok(spec.budget.alpha())
}

/// Numbers that were not checked must not look like those that were: every reason once, with its runs.
pub(crate) fn not_verified(tables: &[Table]) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for table in tables {
        let Some(why) = table.checked.why_not() else { continue };
        match reasons.iter_mut().find(|(said, _)| *said == why) {
            Some((_, runs)) => runs.push(&table.name),
            None => reasons.push((why, vec![&table.name])),
        }
    }
    let verb = |runs: &[&str]| if runs.len() == 1 { "is" } else { "are" };
    let note =
        |(why, runs): &(&str, Vec<&str>)| format!("{} {} not verified: {why}.", runs.join(", "), verb(runs));
    reasons.iter().map(note).collect()
}

/// What can be said about a run on images without labels.
fn unlabelled(table: &Table) -> Option<String> {
    let certified: Vec<f64> =
        table.rows.iter().filter(|row| row.predicted.is_some()).map(|row| row.radius).collect();
    let (name, all, count) = (&table.name, table.rows.len(), certified.len());
    let mean = (1e4 * certified.iter().sum::<f64>() / count.max(1) as f64).floor() / 1e4;
    (!table.labelled()).then(|| {
        format!("{name} has no labels, so there is no ACR; {count} of {all} inputs are certified, with a mean radius of {mean}.")
    })
}

/// Fewer bits make a different classifier; a reader must know which one was certified.
fn other_precision(table: &Table) -> Option<String> {
    let mut precisions = table.spec.as_ref()?.models.iter().map(|model| &model.precision);
    let (name, precision) = (&table.name, precisions.find(|precision| *precision != "f32")?);
    Some(format!(
        "{name} computed in {precision}: its certificates concern that classifier, not the one in f32."
    ))
}

/// Noise of another law makes a smoothed classifier that is not the deployed one.
fn other_noise(table: &Table) -> Option<String> {
    let (name, law) = (&table.name, table.spec.as_ref()?.method.facts().other_law?);
    Some(format!("{name}: the classifier is smoothed with {law} noise, which qcrs predict does not run."))
}

fn checked(radii: &[f64]) -> Result<Vec<f64>, Error> {
    if let Some(bad) = radii.iter().find(|r| !(r.is_finite() && **r >= 0.0)) {
        return Err(Error::Invalid(format!(
            "certified accuracy has no meaning at radius {bad}; give a radius of 0 or more"
        )));
    }
    let mut radii = radii.to_vec();
    radii.sort_by(f64::total_cmp);
    radii.dedup();
    Ok(radii)
}

#[cfg(test)]
pub(crate) mod tests;
