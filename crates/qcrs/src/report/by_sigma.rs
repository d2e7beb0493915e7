//! How are the answers at each noise level shown?

use super::Terminal;
use super::grid::{Cell, TextGrid};
use super::stack::{COLOURS, Stack, stack};
use super::words::{file_name, title};
use crate::analysis::{Analysis, Answers, AnswersAt, Curve, SigmaLevels, Summary};
use crate::text::{counted, paragraph};
use std::collections::BTreeMap;

/// Curves of fewer inputs say little about classes.
const CURVES: usize = 10;
/// Classes that a line of a terminal has room for.
const SHOWN: usize = 3;

/// The most frequent answer at each level, one row per run; `None` where no run has levels.
pub fn table(analysis: &Analysis) -> Option<TextGrid> {
    let mut levels: BTreeMap<u64, String> = BTreeMap::new();
    for level in analysis.answers.iter().flat_map(|answers| &answers.levels) {
        levels.insert(level.from.to_bits(), level.name());
    }
    let head = std::iter::once("run".to_owned()).chain(levels.values().cloned()).collect();
    let row = |(summary, answers): (&Summary, &Answers)| {
        let at = |from: &u64| answers.levels.iter().find(|level| level.from.to_bits() == *from).map(most);
        let cells = levels.keys().map(|from| at(from).unwrap_or_else(|| Cell::new("–")));
        std::iter::once(Cell::new(title(summary))).chain(cells).collect()
    };
    let known = analysis.summaries.iter().zip(&analysis.answers).filter(|(_, a)| !a.levels.is_empty());
    let rows: Vec<Vec<Cell>> = known.map(row).collect();
    let caption = "The most frequent answer at each σ, and its share of the inputs looked at there";
    (!rows.is_empty()).then(|| TextGrid { caption: caption.into(), head, rows, crowded: false })
}

fn most(level: &AnswersAt) -> Cell {
    let first = &level.classes[0];
    let share = 100 * first.answers / level.inputs;
    Cell { interval: format!("{share} % of {}", level.inputs), ..Cell::new(first.name.clone()) }
}

/// The most frequent answers at each σ of one network, and what is wrong with them, for a terminal.
pub fn text(answers: &Answers, terminal: &Terminal) -> String {
    let row = |level: &AnswersAt| {
        vec![Cell::new(level.name()), Cell::new(level.inputs.to_string()), Cell::new(level.most(SHOWN))]
    };
    let grid = TextGrid {
        caption: "Most frequent answers at each σ".into(),
        head: ["σ", "inputs", "answers"].map(String::from).to_vec(),
        rows: answers.levels.iter().map(row).collect(),
        crowded: false,
    };
    let warnings = answers.warnings();
    let warning =
        |warning: &String| format!("\n{}", paragraph(&format!("warning: {warning}"), terminal.width));
    grid.text(terminal.width) + &warnings.iter().map(warning).collect::<String>()
}

/// The answers to the inputs of at least ten curves, named as the runs beside them name classes.
pub fn of_curves(analysis: &Analysis, curves: &[Curve]) -> Option<Answers> {
    let inputs: Vec<_> =
        curves.iter().map(Curve::answered).filter(|input| !input.answers.is_empty()).collect();
    let table = curves.first().and_then(|curve| analysis.tables.iter().find(|table| curve.fits(table)))?;
    let levels = SigmaLevels::of(inputs.iter().flat_map(|input| &input.answers).map(|answer| answer.sigma));
    let answers = Answers::new(&inputs, &levels, table.classes(), &|class| table.class_name(class));
    (inputs.len() >= CURVES).then_some(answers)
}

/// A figure of the answers of each run, and of the curves: (name, SVG).
pub fn figures(analysis: &Analysis, curves: &[Curve], style: Option<&str>) -> Vec<(String, String)> {
    let drawn = of_curves(analysis, curves);
    let colours = ClassColours::of(analysis.answers.iter().chain(&drawn));
    let runs = analysis.summaries.iter().zip(&analysis.answers);
    let run = |(summary, answers): (&Summary, &Answers)| {
        (format!("answers-{}", file_name(&summary.name)), colours.figure(&title(summary), answers, style))
    };
    let figures = runs.filter(|(_, answers)| !answers.levels.is_empty()).map(run);
    let curves = drawn.map(|answers| ("answers-of-curves".into(), colours.figure("curves", &answers, style)));
    figures.chain(curves).collect()
}

/// The classes that have a colour, in the order of the legend, and how many others there are.
struct ClassColours {
    shown: Vec<(usize, String)>,
    others: bool,
}

impl ClassColours {
    /// All classes where there are colours for them, else those with most answers.
    fn of<'a>(all: impl Iterator<Item = &'a Answers>) -> Self {
        let mut counts: BTreeMap<usize, (String, usize)> = BTreeMap::new();
        for class in all.flat_map(|answers| &answers.levels).flat_map(|level| &level.classes) {
            counts.entry(class.class).or_insert_with(|| (class.name.clone(), 0)).1 += class.answers;
        }
        let mut ranked: Vec<(usize, (String, usize))> = counts.into_iter().collect();
        let others = ranked.len() > COLOURS;
        ranked.sort_by_key(|(_, (_, count))| std::cmp::Reverse(*count));
        ranked.truncate(COLOURS);
        ranked.sort_by_key(|(class, _)| *class);
        Self { shown: ranked.into_iter().map(|(class, (name, _))| (class, name)).collect(), others }
    }

    fn figure(&self, run: &str, answers: &Answers, style: Option<&str>) -> String {
        let rows: Vec<Stack> = answers.levels.iter().map(|level| self.bar(level)).collect();
        let mut legend: Vec<String> = self.shown.iter().map(|(_, name)| name.clone()).collect();
        if self.others {
            legend.push("others".into());
        }
        let desc = "One bar per noise level: the share of inputs that the network answers with each class.";
        stack(("Answers by class", run, desc), "σ", &rows, &legend, style)
    }

    fn bar(&self, level: &AnswersAt) -> Stack {
        let mut shares = vec![0; self.shown.len() + 1];
        for class in &level.classes {
            let place = self.shown.iter().position(|(shown, _)| *shown == class.class);
            shares[place.unwrap_or(self.shown.len())] += class.answers;
        }
        let parts = shares.into_iter().enumerate().filter(|(_, answers)| *answers > 0);
        Stack {
            name: level.name(),
            count: counted(level.inputs, "input"),
            parts: parts.map(|(part, answers)| (part, answers as f64 / level.inputs as f64)).collect(),
        }
    }
}
