//! Is one run better than another, on the same inputs?

use super::by_label::{Gain, GainWithout, LabelGain, by_label, named};
use super::{Table, WithInterval};
use crate::bounds::binomial_test_half;
use crate::types::Error;
use serde::Serialize;
use std::collections::HashMap;

/// Run `b` against run `a`, on the inputs that both have; the score of an input is correct · radius.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Paired {
    /// The name of run `a`.
    pub a: String,
    /// The name of run `b`.
    pub b: String,
    /// Inputs in both.
    pub common: usize,
    /// Inputs of `a` that `b` does not have.
    pub only_a: usize,
    /// Inputs of `b` that `a` does not have.
    pub only_b: usize,
    /// The ACR of `a` on the common inputs.
    pub acr_a: f64,
    /// The ACR of `b` on the common inputs.
    pub acr_b: f64,
    /// The mean of score(b) − score(a).
    pub difference: WithInterval,
    /// ACR(b)/ACR(a) − 1; `None` when ACR(a) is 0.
    pub gain: Option<WithInterval>,
    /// Inputs with a larger score in `b`.
    pub better: usize,
    /// Inputs with the same score.
    pub equal: usize,
    /// Inputs with a smaller score in `b`.
    pub worse: usize,
    /// The two-sided exact sign test: how likely so uneven a split of better and worse is by chance.
    pub sign_test: f64,
    /// The same for the inputs of each label.
    pub by_label: Vec<LabelGain>,
    /// The same without the inputs of the default class, where one of the runs has such a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_default: Option<GainWithout>,
}

/// The scores that two runs give an input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub label: usize,
    pub a: f64,
    pub b: f64,
}

/// Compares `b` with `a`. It is an error if they are about different data or different questions, have no
/// input in common, lack a label, or disagree about the label of an input.
pub fn paired(a: &Table, b: &Table) -> Result<Paired, Error> {
    let scores = scored(a, b)?;
    let count = |holds: fn(&Scored) -> bool| scores.iter().filter(|score| holds(score)).count();
    let (better, worse) = (count(|score| score.b > score.a), count(|score| score.b < score.a));
    let Gain { acr_a, acr_b, difference, gain, .. } = Gain::of(&scores)?;
    Ok(Paired {
        a: a.name.clone(),
        b: b.name.clone(),
        common: scores.len(),
        only_a: a.rows.len() - scores.len(),
        only_b: b.rows.len() - scores.len(),
        acr_a,
        acr_b,
        difference,
        gain,
        better,
        equal: scores.len() - better - worse,
        worse,
        sign_test: binomial_test_half(better as u64, worse as u64)?,
        by_label: by_label(&scores, &|class| named(a, b).class_name(class))?,
        without_default: None,
    })
}

/// The scores of the inputs that both runs have, at least one.
pub(super) fn scored(a: &Table, b: &Table) -> Result<Vec<Scored>, Error> {
    let wrong = |why: String| Error::Invalid(format!("{} and {} cannot be compared: {why}", a.name, b.name));
    if let Some(why) = apart(a, b) {
        return Err(wrong(why.into()));
    }
    let of_a: HashMap<u32, _> = a.rows.iter().map(|row| (row.index, row)).collect();
    let mut scores = Vec::new();
    for row in &b.rows {
        let Some(other) = of_a.get(&row.index) else { continue };
        let index = row.index;
        if let Some((la, lb)) = other.label.zip(row.label).filter(|(la, lb)| la != lb) {
            return Err(wrong(format!(
                "input {index} has label {la} in one and {lb} in the other; use runs on the same data"
            )));
        }
        let pair = other.score().zip(row.score()).zip(row.label);
        let ((a, b), label) =
            pair.ok_or_else(|| wrong(format!("input {index} has no label, so the right answer is unknown")))?;
        scores.push(Scored { label, a, b });
    }
    if scores.is_empty() {
        return Err(wrong("they have no input in common".into()));
    }
    Ok(scores)
}

/// Why the radii of two runs cannot be compared. Files without a spec do not say what they are about and are
/// compared.
fn apart(a: &Table, b: &Table) -> Option<&'static str> {
    if a.asked.or(b.asked).is_some() {
        return Some("a run that asks about a single radius has no ACR");
    }
    let (a, b) = (a.spec.as_ref()?, b.spec.as_ref()?);
    if a.data.blake3 != b.data.blake3 {
        Some("they are about different data")
    } else if (a.data.shape, &a.data.preprocess) != (b.data.shape, &b.data.preprocess) {
        Some("their images were prepared in different ways (`preprocess` in spec.json)")
    } else if a.one_class != b.one_class {
        Some("they answer different questions (`one_class` in spec.json)")
    } else {
        None
    }
}
