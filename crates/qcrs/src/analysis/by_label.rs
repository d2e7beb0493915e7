//! Which labels does the gain of one run over another come from?

use super::bootstrap::bootstrap;
use super::paired::{Scored, scored};
use super::{Table, WithInterval};
use crate::types::Error;
use serde::Serialize;
use std::collections::BTreeMap;

/// Run `b` against run `a` on some of the inputs that both have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gain {
    /// How many inputs.
    pub inputs: usize,
    /// The ACR of `a` on them.
    pub acr_a: f64,
    /// The ACR of `b` on them.
    pub acr_b: f64,
    /// The mean of score(b) − score(a).
    pub difference: WithInterval,
    /// ACR(b)/ACR(a) − 1; `None` when ACR(a) is 0.
    pub gain: Option<WithInterval>,
}

/// Run `b` against run `a` on the inputs of one label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelGain {
    /// The label.
    pub class: usize,
    /// Its name.
    pub name: String,
    /// The part of the whole difference of ACR that comes from these inputs; `None` unless `b` is ahead of `a`.
    pub part: Option<f64>,
    /// On these inputs.
    #[serde(flatten)]
    pub gain: Gain,
}

/// Run `b` against run `a` without the inputs of one label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GainWithout {
    /// The label that is left out.
    pub class: usize,
    /// Its name.
    pub name: String,
    /// On the inputs with other labels.
    #[serde(flatten)]
    pub gain: Gain,
}

impl Gain {
    /// Compares the scores of at least one input.
    pub(super) fn of(scores: &[Scored]) -> Result<Self, Error> {
        let pairs: Vec<(f64, f64)> = scores.iter().map(|score| (score.a, score.b)).collect();
        let differences: Vec<(f64, f64)> = scores.iter().map(|score| (score.b - score.a, 0.0)).collect();
        let mean = |of: fn(&Scored) -> f64| scores.iter().map(of).sum::<f64>() / scores.len() as f64;
        let (acr_a, acr_b) = (mean(|score| score.a), mean(|score| score.b));
        Ok(Self {
            inputs: scores.len(),
            acr_a,
            acr_b,
            difference: bootstrap(&differences, |mean, _| mean)?,
            gain: if acr_a > 0.0 { Some(bootstrap(&pairs, |a, b| b / a - 1.0)?) } else { None },
        })
    }
}

/// The gain on each label, in order of the labels.
pub(super) fn by_label(scores: &[Scored], name: &dyn Fn(usize) -> String) -> Result<Vec<LabelGain>, Error> {
    let mut of: BTreeMap<usize, Vec<Scored>> = BTreeMap::new();
    for score in scores {
        of.entry(score.label).or_default().push(*score);
    }
    let sum = |scores: &[Scored]| scores.iter().map(|score| score.b - score.a).sum::<f64>();
    let whole = sum(scores);
    let one = |(class, scores): (usize, Vec<Scored>)| {
        let part = (whole > 0.0).then(|| sum(&scores) / whole);
        Ok(LabelGain { class, name: name(class), part, gain: Gain::of(&scores)? })
    };
    of.into_iter().map(one).collect()
}

/// Compares `b` with `a` without the inputs that are labelled `class`; `None` where no others are left. It is an
/// error where [`paired`](super::paired()) is.
pub fn gain_without(a: &Table, b: &Table, class: usize) -> Result<Option<GainWithout>, Error> {
    let scores: Vec<Scored> = scored(a, b)?.into_iter().filter(|score| score.label != class).collect();
    if scores.is_empty() {
        return Ok(None);
    }
    Ok(Some(GainWithout { class, name: named(a, b).class_name(class), gain: Gain::of(&scores)? }))
}

/// The table that knows the names of classes, if one does.
pub(super) fn named<'a>(a: &'a Table, b: &'a Table) -> &'a Table {
    if b.spec.is_some() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::paired;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    fn table(name: &str, rows: &str) -> Table {
        Table::from_tsv(name.into(), &format!("idx\tlabel\tpredict\tradius\n{rows}")).unwrap()
    }

    #[test]
    fn labels_by_hand() {
        let a = table("a", "0\t1\t1\t0.5\n1\t1\t1\t1\n2\t1\t0\t2\n3\t0\t0\t0.5\n9\t0\t0\t1\n");
        let b = table("b", "0\t1\t1\t1\n1\t1\t1\t0.5\n2\t1\t1\t1\n3\t0\t0\t0.75\n");
        // label 0 has .5 against .75; label 1 has .5, 1, 0 against 1, .5, 1
        let pair = paired(&a, &b).unwrap();
        let [zero, one] = &pair.by_label[..] else { panic!("{pair:?}") };
        assert_eq!((zero.class, zero.gain.inputs, one.class, one.gain.inputs), (0, 1, 1, 3));
        close(zero.gain.gain.unwrap().value, 0.5);
        close(one.gain.difference.value, 1.0 / 3.0);
        close(one.gain.gain.unwrap().value, 2.5 / 1.5 - 1.0);
        close(zero.part.unwrap(), 0.2);
        close(one.part.unwrap(), 0.8);
        let without = gain_without(&a, &b, 1).unwrap().unwrap();
        assert_eq!((without.name.as_str(), without.gain.inputs), ("class 1", 1));
        close(without.gain.acr_b, 0.75);
        assert_eq!(without.gain, zero.gain);
    }

    #[test]
    fn nothing_is_said_about_no_inputs_and_no_part_of_a_loss() {
        let (a, b) = (table("a", "0\t1\t1\t0.5\n"), table("b", "0\t1\t1\t0.25\n"));
        assert_eq!(gain_without(&a, &b, 1).unwrap(), None);
        assert_eq!(paired(&a, &b).unwrap().by_label[0].part, None);
        let nothing = paired(&table("a", "0\t1\t0\t0.5\n"), &b).unwrap();
        assert_eq!(nothing.by_label[0].gain.gain, None);
    }
}
