//! Which classes does the network answer at each noise level?

use super::default_class::short;
use super::{Row, SigmaLevels, Table};
use crate::certify::Outcome;
use crate::sample::Votes;
use crate::types::Sigma;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the network answers to one input at one noise level: the class with most votes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SigmaAnswer {
    /// The noise level.
    pub sigma: f64,
    /// The class.
    pub class: usize,
    /// The draws behind it; 1 where they are not known.
    pub draws: u64,
}

/// One input: its label where known, and what the network answers to it.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredInput {
    /// The true class, where known.
    pub label: Option<usize>,
    /// One answer for each noise level that was looked at.
    pub answers: Vec<SigmaAnswer>,
}

/// The answers of a network by noise level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answers {
    /// The levels at which there are answers, in rising order of σ.
    pub levels: Vec<AnswersAt>,
    /// The number of classes that the network has.
    pub classes: usize,
}

/// The answers at one noise level; every input counts once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnswersAt {
    /// The smallest σ of the level.
    pub from: f64,
    /// Where the next level starts; the same as `from` for a single σ.
    pub to: f64,
    /// The inputs that were answered here.
    pub inputs: usize,
    /// The classes that were answered, most answers first.
    pub classes: Vec<ClassAnswers>,
}

/// One class among the answers at one noise level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassAnswers {
    /// The class.
    pub class: usize,
    /// Its name.
    pub name: String,
    /// The inputs that were answered with it.
    pub answers: usize,
    /// How many of the inputs of this level are labelled with it; `None` unless all inputs have labels.
    pub labelled: Option<usize>,
}

impl AnsweredInput {
    /// An input with the class of most votes at each σ; none where no draw voted.
    pub fn new(label: Option<usize>, answers: impl IntoIterator<Item = (f64, Option<usize>)>) -> Self {
        let answer =
            |(sigma, class): (f64, Option<usize>)| Some(SigmaAnswer { sigma, class: class?, draws: 1 });
        Self { label, answers: answers.into_iter().filter_map(answer).collect() }
    }
}

impl Answers {
    /// Counts the answers to `inputs` at `levels`, of a network with `classes` classes that `name` names. Where an
    /// input has several answers within a level, the one with most draws counts.
    pub fn new(
        inputs: &[AnsweredInput],
        levels: &SigmaLevels,
        classes: usize,
        name: &dyn Fn(usize) -> String,
    ) -> Self {
        let labelled = inputs.iter().all(|input| input.label.is_some());
        let mut tallies = vec![Tally::default(); levels.ends().len()];
        for input in inputs {
            for (place, class) in one_per_level(input, levels) {
                tallies[place].count(class, input.label);
            }
        }
        let at = |(tally, &(from, to)): (&Tally, &(f64, f64))| {
            let mut counted: Vec<ClassAnswers> = tally
                .answers
                .iter()
                .map(|(&class, &answers)| ClassAnswers {
                    class,
                    name: name(class),
                    answers,
                    labelled: labelled.then(|| tally.labels.get(&class).copied().unwrap_or(0)),
                })
                .collect();
            counted.sort_by_key(|class| std::cmp::Reverse(class.answers));
            AnswersAt { from, to, inputs: tally.answers.values().sum(), classes: counted }
        };
        let all = tallies.iter().zip(levels.ends()).map(at);
        Self { levels: all.filter(|level| level.inputs > 0).collect(), classes }
    }

    /// The answers of a run or a file at `levels`.
    pub fn of(table: &Table, levels: &SigmaLevels) -> Self {
        let input = |row: &Row| AnsweredInput { label: row.label, answers: row.answers.clone() };
        let inputs: Vec<AnsweredInput> = table.rows.iter().map(input).collect();
        Self::new(&inputs, levels, table.classes(), &|class| table.class_name(class))
    }
}

impl AnswersAt {
    /// Its σ: 0.50, or 1.00–1.60.
    pub fn name(&self) -> String {
        if self.to > self.from {
            format!("{}–{}", short(self.from), short(self.to))
        } else {
            short(self.from)
        }
    }

    /// The `count` most frequent answers: "truck 86 %, frog 8 %, …". Shares are rounded down.
    pub fn most(&self, count: usize) -> String {
        let share = |class: &ClassAnswers| format!("{} {} %", class.name, 100 * class.answers / self.inputs);
        let mut shown: Vec<String> = self.classes.iter().take(count).map(share).collect();
        if self.classes.len() > count {
            shown.push("…".into());
        }
        shown.join(", ")
    }
}

/// The place of each level at which the input has an answer, and that with most draws.
fn one_per_level(input: &AnsweredInput, levels: &SigmaLevels) -> impl Iterator<Item = (usize, usize)> {
    let mut most: BTreeMap<usize, SigmaAnswer> = BTreeMap::new();
    for answer in &input.answers {
        let Some(place) = levels.place(answer.sigma) else { continue };
        let kept = most.entry(place).or_insert(*answer);
        if answer.draws > kept.draws {
            *kept = *answer;
        }
    }
    most.into_iter().map(|(place, answer)| (place, answer.class))
}

/// Answers and labels at one level, by class.
#[derive(Clone, Debug, Default)]
struct Tally {
    answers: BTreeMap<usize, usize>,
    labels: BTreeMap<usize, usize>,
}

impl Tally {
    fn count(&mut self, class: usize, label: Option<usize>) {
        *self.answers.entry(class).or_default() += 1;
        if let Some(label) = label {
            *self.labels.entry(label).or_default() += 1;
        }
    }
}

/// What the network answered wherever it was asked: in looks, to name the class, and for the certificate.
pub(super) fn of_outcome(outcome: &Outcome) -> Vec<SigmaAnswer> {
    let looks = outcome.looks.iter().chain(&outcome.selection).map(|look| (look.sigma(), &look.votes));
    let estimates = outcome.estimates.iter().map(|estimate| (estimate.sigma(), &estimate.votes));
    let answer = |(sigma, votes): (Sigma, &Votes)| {
        Some(SigmaAnswer { sigma: sigma.get(), class: votes.winner()?, draws: votes.total() })
    };
    looks.chain(estimates).filter_map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::{from_run, record, spec};
    use crate::method::Look;
    use crate::run::Finding;
    use crate::sample::Smoothed;

    fn input(label: Option<usize>, answers: &[(f64, usize, u64)]) -> AnsweredInput {
        let answers = answers.iter().map(|&(sigma, class, draws)| SigmaAnswer { sigma, class, draws });
        AnsweredInput { label, answers: answers.collect() }
    }

    #[test]
    fn an_input_counts_once_at_a_level_with_its_largest_look() {
        let inputs = [
            input(Some(0), &[(0.5, 1, 10), (0.5, 0, 100), (0.5, 2, 50), (1.0, 2, 10)]),
            input(Some(1), &[(1.0, 2, 10), (7.0, 1, 10)]),
            input(Some(2), &[]),
        ];
        let levels = SigmaLevels::each([0.5, 0.75, 1.0]);
        let answers = Answers::new(&inputs, &levels, 3, &|class| format!("class {class}"));
        let [half, one] = &answers.levels[..] else { panic!("{answers:?}") };
        assert_eq!((half.from.to_bits(), half.inputs, half.classes.len()), (0.5_f64.to_bits(), 1, 1));
        assert_eq!((half.classes[0].class, half.classes[0].labelled), (0, Some(1)));
        let expected = ClassAnswers { class: 2, name: "class 2".into(), answers: 2, labelled: Some(0) };
        assert_eq!((one.inputs, &one.classes[..]), (2, &[expected][..]));
        assert_eq!(
            (half.name(), AnswersAt { to: 0.63, ..half.clone() }.name()),
            ("0.50".into(), "0.50–0.63".into())
        );
        let other = ClassAnswers { class: 1, name: "cat".into(), answers: 1, labelled: None };
        let three = AnswersAt { inputs: 3, classes: vec![one.classes[0].clone(), other], ..one.clone() };
        assert_eq!([three.most(1), three.most(2)], ["class 2 66 %, …", "class 2 66 %, cat 33 %"]);
    }

    /// A search looks at σ = 1, the class is named and certified at 0.5.
    #[test]
    fn a_record_answers_wherever_it_was_looked_at() {
        let mut record = record(0, 0, 1, Some(0.25));
        let look = |sigma: f64, votes: &[(usize, u64)]| {
            let smoothed = Smoothed::gaussian(Sigma::new(sigma).unwrap());
            Look::new(smoothed, votes.iter().copied().collect())
        };
        let Finding::Outcome(outcome) = &mut record.finding else { panic!("it has votes") };
        outcome.looks = vec![look(1.0, &[(0, 3), (1, 4)]), look(2.0, &[])];
        let table = from_run("run".into(), &spec(1), &[record], &[]).unwrap();
        let seen: Vec<(f64, usize, u64)> =
            table.rows[0].answers.iter().map(|answer| (answer.sigma, answer.class, answer.draws)).collect();
        assert_eq!(seen, [(1.0, 1, 7), (0.5, 1, 10), (0.5, 1, 100)]);
        let levels = Answers::of(&table, &SigmaLevels::of([0.5, 1.0])).levels;
        assert_eq!(levels.iter().map(|level| level.classes[0].name.as_str()).collect::<Vec<_>>(), ["dog"; 2]);
    }

    #[test]
    fn one_input_without_a_label_takes_the_labels_from_all() {
        let inputs = [input(Some(0), &[(0.5, 0, 1)]), input(None, &[(0.5, 1, 1)])];
        let answers = Answers::new(&inputs, &SigmaLevels::each([0.5]), 2, &|_| String::new());
        assert!(answers.levels[0].classes.iter().all(|class| class.labelled.is_none()), "{answers:?}");
    }
}
