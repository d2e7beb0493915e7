//! Does the network answer one class to nearly everything?

use super::{Answers, AnswersAt, ClassAnswers};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Fewer answers than this are no pattern. Of four or more classes of equal size, one that is answered as often as
/// it is labelled reaches ten answers and the limit by chance with probability 0.002 at the most, whatever the
/// number of inputs (the largest binomial tail over 10 to 300 inputs); of three classes 0.009, of two 0.047.
const FEWEST: usize = 10;
/// A class with less than this part of the answers is not the answer to everything, however rare its label is.
const SMALLEST_PART: u128 = 10;

/// A class that takes too many of the answers at one noise level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DefaultClass {
    /// The smallest σ of the level.
    pub from: f64,
    /// Where the next level starts; the same as `from` for a single σ.
    pub to: f64,
    /// The inputs that were answered at this level.
    pub inputs: usize,
    /// The class, its answers and its labels among these inputs.
    #[serde(flatten)]
    pub class: ClassAnswers,
    /// The number of classes that the network has.
    pub classes: usize,
}

impl Answers {
    /// Every class that takes too many of the answers at a level, level by level.
    ///
    /// Let s be the share of the inputs at this level that are labelled with the class (1 / classes without labels).
    /// The class is a default class if it has at least ten answers, at least a tenth of all, more than its labels,
    /// and at least min(3 s, ½ + s/2) of all.
    pub fn default_classes(&self) -> Vec<DefaultClass> {
        let of = |level: &AnswersAt| {
            let (from, to, inputs, classes) = (level.from, level.to, level.inputs, self.classes);
            let found = level.classes.iter().filter(move |class| is_default(class, inputs, classes)).cloned();
            found.map(|class| DefaultClass { from, to, inputs, class, classes }).collect::<Vec<_>>()
        };
        self.levels.iter().flat_map(of).collect()
    }

    /// The default class with most answers, over the levels where it is one.
    pub fn default_class(&self) -> Option<ClassAnswers> {
        let by_class = self.by_class();
        let most =
            by_class.values().max_by_key(|levels| levels.iter().map(|l| l.class.answers).sum::<usize>());
        most.map(|levels| levels[0].class.clone())
    }

    /// One sentence for each default class, about the level where its share is largest; the largest share first.
    pub fn warnings(&self) -> Vec<String> {
        let mut found: Vec<(f64, String)> =
            self.by_class().values().filter_map(|levels| warning(levels)).collect();
        found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        found.into_iter().map(|(_, sentence)| sentence).collect()
    }

    fn by_class(&self) -> BTreeMap<usize, Vec<DefaultClass>> {
        let mut by_class: BTreeMap<usize, Vec<DefaultClass>> = BTreeMap::new();
        for found in self.default_classes() {
            by_class.entry(found.class.class).or_default().push(found);
        }
        by_class
    }
}

/// The rule, in whole numbers: k of n answers against l of m labels.
fn is_default(class: &ClassAnswers, inputs: usize, classes: usize) -> bool {
    let (l, m) = class.labelled.map_or((1, classes.max(1)), |labelled| (labelled, inputs));
    let [k, n, l, m] = [class.answers, inputs, l, m].map(|count| count as u128);
    let too_many = k * m >= 3 * l * n || 2 * k * m >= n * (m + l);
    class.answers >= FEWEST && SMALLEST_PART * k >= n && k * m > l * n && too_many
}

/// The largest share of a default class, and the sentence about it.
fn warning(levels: &[DefaultClass]) -> Option<(f64, String)> {
    let share = |level: &DefaultClass| level.class.answers as f64 / level.inputs as f64;
    let worst = levels.iter().max_by(|a, b| share(a).total_cmp(&share(b)))?;
    let elsewhere = match levels.len() - 1 {
        0 => String::new(),
        1 => " (another noise level is like it)".into(),
        others => format!(" ({others} other noise levels are like it)"),
    };
    Some((share(worst), format!("{worst}: radii found there say little{elsewhere}")))
}

impl fmt::Display for DefaultClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ClassAnswers { name, answers, labelled, .. }, inputs) = (&self.class, self.inputs);
        if self.to > self.from {
            write!(f, "at σ from {} to {}", short(self.from), short(self.to))?;
        } else {
            write!(f, "at σ = {}", short(self.from))?;
        }
        let percent = |count: usize| 100 * count / inputs;
        let share = percent(*answers);
        if let Some(labelled) = labelled {
            let right = percent(*labelled);
            write!(f, " the network answers {name} to {answers} of {inputs} images ({share} %; ")?;
            write!(f, "{right} % are labelled {name})")
        } else {
            let classes = self.classes;
            write!(
                f,
                " the network answers {name}, one of {classes} classes, to {answers} of {inputs} images"
            )?;
            write!(f, " ({share} %)")
        }
    }
}

/// σ with two to four decimals.
pub(super) fn short(sigma: f64) -> String {
    let text = if sigma < 0.1 { format!("{sigma:.4}") } else { format!("{sigma:.3}") };
    let text = text.strip_suffix('0').unwrap_or(&text);
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(inputs: usize, answers: usize, labelled: Option<usize>) -> AnswersAt {
        let class = ClassAnswers { class: 9, name: "truck".into(), answers, labelled };
        let rest = ClassAnswers {
            class: 0,
            name: "airplane".into(),
            answers: inputs - answers,
            labelled: labelled.map(|labelled| inputs - labelled),
        };
        AnswersAt { from: 1.0, to: 1.0, inputs, classes: vec![class, rest] }
    }

    fn answers(levels: Vec<AnswersAt>) -> Answers {
        Answers { levels, classes: 10 }
    }

    /// Whether `answers` of `inputs` are too many for a class with `labelled` labels.
    fn warns(inputs: usize, answers: usize, labelled: Option<usize>) -> bool {
        let found = super::tests::answers(vec![level(inputs, answers, labelled)]).default_classes();
        found.iter().any(|found| found.class.class == 9)
    }

    #[test]
    fn the_limit_is_three_times_the_labels_or_half_of_what_is_missing() {
        for (inputs, labelled, limit) in [
            (200, 20, 60),   // 3 s = 0.3
            (200, 30, 90),   // 3 s = 0.45
            (200, 40, 120),  // 3 s = ½ + s/2 = 0.6
            (200, 50, 125),  // ½ + s/2 = 0.625
            (200, 160, 180), // ½ + s/2 = 0.9
            (7, 3, 99),      // 7 answers are too few, whatever they are
            (200, 199, 200), // 199.5 answers do not exist
        ] {
            assert!(limit > inputs || warns(inputs, limit, Some(labelled)), "{inputs} {labelled}");
            assert!(!warns(inputs, (limit - 1).min(inputs), Some(labelled)), "{inputs} {labelled}");
        }
    }

    #[test]
    fn without_labels_every_class_counts_as_equally_frequent() {
        assert!(warns(200, 60, None) && !warns(200, 59, None));
        let two = |inputs, answers| Answers { levels: vec![level(inputs, answers, None)], classes: 2 };
        assert!(!two(200, 149).default_classes().iter().any(|found| found.class.class == 9));
        assert!(two(200, 150).default_classes().iter().any(|found| found.class.class == 9));
    }

    #[test]
    fn few_answers_small_parts_and_right_answers_do_not_warn() {
        assert!(!warns(2, 1, Some(0)) && !warns(2, 2, Some(0)) && !warns(9, 9, Some(0)));
        assert!(warns(10, 10, Some(0)) && warns(10, 10, Some(9)));
        // of a thousand classes one is answered thirty times as often as it should be: it is still no default
        assert!(!warns(1000, 99, Some(1)) && warns(1000, 100, Some(1)));
        // data of one class, which is all the network says
        assert!(!warns(200, 200, Some(200)));
    }

    #[test]
    fn one_sentence_names_the_class_the_noise_and_both_shares() {
        let one = answers(vec![level(200, 173, Some(26))]);
        let expected = "at σ = 1.00 the network answers truck to 173 of 200 images (86 %; 13 % are labelled truck): \
                        radii found there say little";
        assert_eq!(one.warnings(), [expected]);
        let range = |from, to, number| AnswersAt { from, to, ..level(200, number, None) };
        let many = answers(vec![range(0.4, 0.63, 110), range(0.63, 1.0, 190), range(1.0, 1.6, 180)]);
        let expected = "at σ from 0.63 to 1.00 the network answers truck, one of 10 classes, to 190 of 200 images (95 %): \
             radii found there say little (2 other noise levels are like it)";
        assert_eq!(many.warnings()[0], expected);
        assert_eq!(many.default_class().unwrap().name, "truck");
        assert_eq!(answers(Vec::new()).default_class(), None);
    }
}
