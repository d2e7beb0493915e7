//! Which sentences stand beside the numbers?

use crate::analysis::{Analysis, Summary};
use crate::run::Guarantee;

/// What the radii of a run promise, and what they do not.
pub fn guarantee_in_words(guarantee: Option<Guarantee>) -> &'static str {
    match guarantee {
        Some(Guarantee::FixedSigma) => {
            "fixed-sigma: one noise level for all inputs, chosen beforehand. Each radius holds, with the stated \
             probability per input, for the smoothed classifier as it is deployed: no l2 perturbation smaller than \
             the radius changes its answer."
        }
        Some(Guarantee::FrozenSigma) => {
            "frozen-sigma: a noise level per input. Each radius holds, with the stated probability per input, for \
             the classifier smoothed with that input's noise level, frozen. It says nothing about a system that \
             re-runs the search on a perturbed input: there the noise level, and with it the answer, may change. \
             Certified accuracy over many inputs is that of a different classifier for each input."
        }
        Some(Guarantee::ClassWise) => {
            "class-wise: the answer is whether the input is of one class, with one noise level for that question, \
             chosen beforehand on other inputs. Each radius holds, with the stated probability per input, for that \
             yes-or-no classifier as it is deployed."
        }
        Some(Guarantee::MemoryBank) => {
            "memory-bank: a bank remembers every answer as a ball, and balls of different classes never overlap. Each \
             radius holds for the answers that this bank gives from then on, as long as it is kept; it depends on the \
             order of the inputs, and the failure probabilities of all balls add up."
        }
        None => {
            "unknown: the file does not say how its noise level was chosen, nor its number of draws or failure \
             probability; what its radii promise depends on all three."
        }
    }
}

/// Every statement about rounding once, with the runs that it is about.
pub fn rounding_in_words(analysis: &Analysis) -> Vec<(&'static str, String)> {
    let mut all: Vec<(&'static str, String)> = Vec::new();
    for table in &analysis.tables {
        let Some(spec) = &table.spec else { continue };
        let words = spec.rounding().words();
        match all.iter_mut().find(|(said, _)| *said == words) {
            Some((_, runs)) => {
                runs.push_str(", ");
                runs.push_str(&table.name);
            }
            None => all.push((words, table.name.clone())),
        }
    }
    all
}

/// "incomplete: 137 of 200 inputs"; `None` for a whole run.
pub fn incomplete(summary: &Summary) -> Option<String> {
    let owed = summary.owed.filter(|_| summary.complete == Some(false))?;
    Some(format!("incomplete: {} of {owed} inputs", summary.inputs))
}

/// The run's name, with a warning when inputs are missing or the run is not verified.
pub fn title(summary: &Summary) -> String {
    let unverified = summary.verified.why_not().map(|_| "not verified".to_owned());
    let warnings: Vec<String> = incomplete(summary).into_iter().chain(unverified).collect();
    if warnings.is_empty() {
        return summary.name.clone();
    }
    format!("{} ({})", summary.name, warnings.join("; "))
}

/// The same for a run known by name only, as in a pair.
pub fn title_of(analysis: &Analysis, name: &str) -> String {
    analysis.summaries.iter().find(|summary| summary.name == name).map_or_else(|| name.into(), title)
}

/// The name of a run as part of the name of a file: a run may be called by its path, a file may not.
pub fn file_name(run: &str) -> String {
    run.replace(['/', '\\'], "-")
}
