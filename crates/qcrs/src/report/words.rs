//! Which sentences stand beside the numbers?

use super::Terminal;
use super::format::{brief, down};
use crate::analysis::{Analysis, Ceiling, Summary};
use crate::run::Guarantee;

/// What the radii of a run promise, and what they do not.
pub fn guarantee_in_words(guarantee: Option<Guarantee>) -> &'static str {
    match guarantee {
        Some(Guarantee::FixedSigma) => {
            "fixed-sigma: one noise level for all inputs, chosen beforehand. Each radius holds, with the stated \
             probability per input, for the smoothed classifier as it is deployed: no ℓ₂ perturbation smaller than \
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

/// The same in one sentence or two, with what to do about it.
pub fn guarantee_in_short(guarantee: Option<Guarantee>, terminal: &Terminal) -> String {
    match guarantee {
        Some(Guarantee::FixedSigma) => {
            "fixed-sigma: each radius holds for the smoothed classifier as it is deployed, with probability 1 − α per \
             input."
                .into()
        }
        Some(Guarantee::FrozenSigma) => format!(
            "frozen-sigma: each radius holds for the classifier smoothed with the σ of its input, with probability \
             1 − α per input, and not for a system that searches σ again on a changed input; for a deployed system use \
             {} cohen.",
            (terminal.setting)("method")
        ),
        Some(Guarantee::ClassWise) => {
            "class-wise: each radius holds for the answer whether an input is of this class, as it is deployed, with \
             probability 1 − α per input."
                .into()
        }
        Some(Guarantee::MemoryBank) => {
            "memory-bank: each radius holds for the answers that this bank gives from then on, as long as it is kept."
                .into()
        }
        None => "unknown: the file does not say how σ was chosen, nor its α; what its radii promise depends on both."
            .into(),
    }
}

/// What the radii are that several answers share because n draws can show no more, in one sentence.
pub fn ceilings(analysis: &Analysis, terminal: &Terminal) -> Option<String> {
    let reached = |run: &'_ Summary| run.ceiling.map(|ceiling| (run.name.clone(), run.inputs, ceiling));
    let reached: Vec<(String, usize, Ceiling)> = analysis.summaries.iter().filter_map(reached).collect();
    let what = match reached.as_slice() {
        [] => return None,
        [(name, inputs, ceiling)] if analysis.summaries.len() > 1 => {
            format!("{name}: {}", ceiling_in_words(*ceiling, *inputs))
        }
        [(_, inputs, ceiling)] => ceiling_in_words(*ceiling, *inputs),
        several => {
            let run = |(name, inputs, Ceiling { answers, n, .. }): &(String, usize, Ceiling)| {
                format!("{name} ({answers} of {inputs} images, n = {n})")
            };
            let runs: Vec<String> = several.iter().map(run).collect();
            format!("radii that are the most that n can show: {}", runs.join(", "))
        }
    };
    Some(format!("{what}; a larger {} shows more.", (terminal.setting)("n")))
}

fn ceiling_in_words(Ceiling { answers, n, at }: Ceiling, inputs: usize) -> String {
    match at {
        Some([sigma, radius]) => format!(
            "{} is the most that n = {n} can show at σ = {} ({answers} of {inputs} images)",
            down(radius, 4),
            brief(sigma)
        ),
        None => format!(
            "{answers} of {inputs} images have all n = {n} votes, so their radii are the most that n can show"
        ),
    }
}

/// Every statement about rounding once, with the runs that it is about.
pub fn rounding_in_words(analysis: &Analysis) -> Vec<(&'static str, Vec<&str>)> {
    let mut all: Vec<(&'static str, Vec<&str>)> = Vec::new();
    for table in &analysis.tables {
        let Some(spec) = &table.spec else { continue };
        let words = spec.rounding().words();
        match all.iter_mut().find(|(said, _)| *said == words) {
            Some((_, runs)) => runs.push(&table.name),
            None => all.push((words, vec![&table.name])),
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
