//! Which σ do the classes get (Table 5), and which classes are answered under much noise?

use super::log::PublishedLog;
use crate::paper::published::FAIRNESS;
use qcrs::analysis::{AnsweredInput, Answers, Row, SigmaLevels, Spread, classes};
use qcrs::report::SheetTable;
use qcrs::report::format::down;

/// More classes than this have no room in a table.
const MOST: usize = 20;
/// The noise from which rows are counted together: more than twice that of the training.
pub const MUCH: f64 = 1.1;

/// σ of each class over its rightly certified rows, and over all of its rows.
pub fn sigmas(log: &PublishedLog) -> anyhow::Result<Option<SheetTable>> {
    let per_class = classes(&log.table)?;
    if log.cells().is_none() || per_class.len() > MOST {
        return Ok(None);
    }
    let head = &["class", "σ, right rows", "paper", "right rows", "σ, all rows", "rows"];
    let mut table = SheetTable::new(format!("σ by class (Table 5): {}", log.name()), head);
    // the paper has this table for one network only
    let has_paper = log.name() == "QCRS, cifar10-0.50";
    for class in per_class {
        let all: Vec<f64> = log
            .table
            .rows
            .iter()
            .filter(|row| row.label == Some(class.class))
            .filter_map(|row| row.sigma)
            .collect();
        let paper = FAIRNESS.get(class.class).filter(|_| has_paper);
        table.rows.push(vec![
            log.class_name(class.class),
            class.sigma.map_or_else(|| "–".into(), spread),
            paper.map_or_else(|| "–".into(), |(_, mean, sd)| format!("{mean:.2} ± {sd:.2}")),
            class.sigma.map_or(0, |sigma| sigma.count).to_string(),
            Spread::of(&all).map_or_else(|| "–".into(), spread),
            all.len().to_string(),
        ]);
    }
    Ok(Some(table))
}

fn spread(spread: Spread) -> String {
    let sd = spread.sd.map_or_else(String::new, |sd| format!(" ± {sd:.3}"));
    format!("{:.3}{sd}", spread.mean)
}

/// The certified answers of a log by noise level, with the names of its classes.
pub fn answers(log: &PublishedLog) -> Answers {
    let levels =
        SigmaLevels::of(log.table.rows.iter().flat_map(|row| &row.answers).map(|answer| answer.sigma));
    let input = |row: &Row| AnsweredInput { label: row.label, answers: row.answers.clone() };
    let inputs: Vec<AnsweredInput> = log.table.rows.iter().map(input).collect();
    Answers::new(&inputs, &levels, log.table.classes(), &|class| log.class_name(class))
}

/// What is answered at each noise level, and from [`MUCH`] on.
pub fn by_level(log: &PublishedLog) -> Option<SheetTable> {
    log.cells().filter(|_| log.table.classes() <= MOST)?;
    let head = &["σ", "answers", "most frequent answers", "of the first: answered", "labelled"];
    let mut table = SheetTable::new(format!("Certified answers by σ: {}", log.name()), head);
    let much = PublishedRows::from(log, MUCH);
    for level in answers(log).levels {
        let first = &level.classes[0];
        let labelled = first.labelled.map_or_else(|| "–".into(), |labelled| labelled.to_string());
        let (inputs, most, answered) = (level.inputs.to_string(), level.most(3), first.answers.to_string());
        table.rows.push(vec![level.name(), inputs, most, answered, labelled]);
    }
    if let Some(much) = much {
        let share = format!("{} {} %", log.class_name(much.class), down(much.percent(), 1));
        let [rows, answered, labelled] =
            [much.rows, much.answered, much.labelled].map(|count| count.to_string());
        table.rows.push(vec![format!("{MUCH} and more"), rows, share, answered, labelled]);
    }
    Some(table)
}

/// The rows of a log from some σ on, and the class that most of them are answered with.
pub struct PublishedRows {
    pub rows: usize,
    pub class: usize,
    pub answered: usize,
    pub labelled: usize,
}

impl PublishedRows {
    /// `None` where no row has so much noise.
    pub fn from(log: &PublishedLog, sigma: f64) -> Option<Self> {
        let rows: Vec<&Row> =
            log.table.rows.iter().filter(|row| row.sigma.is_some_and(|own| own >= sigma)).collect();
        let count = |class: usize| rows.iter().filter(|row| row.predicted == Some(class)).count();
        let class = rows.iter().filter_map(|row| row.predicted).max_by_key(|&class| count(class))?;
        let labelled = rows.iter().filter(|row| row.label == Some(class)).count();
        Some(Self { rows: rows.len(), class, answered: count(class), labelled })
    }

    fn percent(&self) -> f64 {
        100.0 * self.answered as f64 / self.rows as f64
    }
}
