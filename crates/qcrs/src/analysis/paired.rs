//! Is one run better than another, on the same inputs?

use super::bootstrap::bootstrap;
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
}

/// Compares `b` with `a`. It is an error if they are about different data or different questions, have no
/// input in common, lack a label, or disagree about the label of an input.
pub fn paired(a: &Table, b: &Table) -> Result<Paired, Error> {
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
        let pair = other.score().zip(row.score());
        scores.push(
            pair.ok_or_else(|| wrong(format!("input {index} has no label, so the right answer is unknown")))?,
        );
    }
    if scores.is_empty() {
        return Err(wrong("they have no input in common".into()));
    }
    let count = |holds: fn(f64, f64) -> bool| scores.iter().filter(|&&(sa, sb)| holds(sa, sb)).count();
    let (better, worse) = (count(|sa, sb| sb > sa), count(|sa, sb| sb < sa));
    let mean = |of: fn(&(f64, f64)) -> f64| scores.iter().map(of).sum::<f64>() / scores.len() as f64;
    let (acr_a, acr_b) = (mean(|s| s.0), mean(|s| s.1));
    Ok(Paired {
        a: a.name.clone(),
        b: b.name.clone(),
        common: scores.len(),
        only_a: a.rows.len() - scores.len(),
        only_b: b.rows.len() - scores.len(),
        acr_a,
        acr_b,
        difference: difference(&scores)?,
        gain: if acr_a > 0.0 { Some(bootstrap(&scores, |a, b| b / a - 1.0)?) } else { None },
        better,
        equal: scores.len() - better - worse,
        worse,
        sign_test: binomial_test_half(better as u64, worse as u64)?,
    })
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

fn difference(scores: &[(f64, f64)]) -> Result<WithInterval, Error> {
    let differences: Vec<(f64, f64)> = scores.iter().map(|(a, b)| (b - a, 0.0)).collect();
    bootstrap(&differences, |mean, _| mean)
}
