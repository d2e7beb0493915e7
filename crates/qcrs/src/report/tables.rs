//! Which tables, with which columns?

use super::Terminal;
use super::by_sigma;
use super::format::down;
use super::gains;
use super::grid::{Cell, TextGrid};
use super::metrics::{METRICS, Metric, MetricPlace, claim};
use super::setup;
use super::words::{ceilings, guarantee_in_short, guarantee_in_words, rounding_in_words, title};
use crate::analysis::{Analysis, ClassRow, Row, Spread, Summary, Table};
use crate::certify::FailSafe;
use crate::run::Guarantee;
use crate::text;

/// More classes than this are a table for a program, not for paper.
pub const CLASSES: usize = 20;

/// What a run reached, in the tables that its user looks at first.
pub fn first(analysis: &Analysis) -> Vec<TextGrid> {
    let mut grids = vec![results(analysis)];
    grids.extend(accuracy(analysis));
    grids
}

/// Certified accuracy at every radius; `None` without labels.
fn accuracy(analysis: &Analysis) -> Option<TextGrid> {
    let shares = |s: &Summary| s.certified_accuracy.iter().map(|&(r, share)| (r, claim(share))).collect();
    by_radius(analysis, "Certified accuracy at each ℓ₂ radius".into(), shares)
}

/// All but the classes, in tables that a terminal and a page have room for.
pub fn short(analysis: &Analysis) -> Vec<TextGrid> {
    let mut grids: Vec<TextGrid> = setup::table(analysis).into_iter().collect();
    grids.extend([results(analysis), cost(analysis)]);
    grids.extend(accuracy(analysis));
    if let Some(rho) = analysis.rho {
        let bounds = |s: &Summary| {
            s.certified_accuracy_bound.iter().map(|&(r, bound)| (r, Cell::new(down(bound, 4)))).collect()
        };
        let caption = format!(
            "Lower bound on certified accuracy on these inputs, with probability {}",
            1.0 - rho.get()
        );
        grids.extend(by_radius(analysis, caption, bounds));
    }
    grids.extend(gains::pairs(analysis));
    grids.extend(gains::without_default(analysis));
    grids.extend(by_sigma::table(analysis));
    grids
}

/// The same, and the classes of every run that has few enough.
pub fn all(analysis: &Analysis) -> Vec<TextGrid> {
    let few = |(_, rows): &(&Summary, &Vec<ClassRow>)| (1..=CLASSES).contains(&rows.len());
    let classed = analysis.summaries.iter().zip(&analysis.classes).filter(few);
    let classed = classed.map(|(summary, rows)| classes(summary, rows));
    short(analysis).into_iter().chain(classed).chain(gains::by_label(analysis)).collect()
}

/// A column of a table with a row per run: its head, and what it says of a run.
type Column = (&'static str, Box<dyn Fn(&Summary) -> Cell>);

/// What each run reached.
fn results(analysis: &Analysis) -> TextGrid {
    let mut columns = vec![column("run", |s| Cell::new(title(s)))];
    columns.extend(metrics(MetricPlace::Results, analysis));
    let common = setup::common(analysis);
    let caption = if common.is_empty() { "Results".into() } else { format!("Results: {common}") };
    per_run(&caption, analysis, &columns)
}

/// What each run cost, and what else is known of it.
fn cost(analysis: &Analysis) -> TextGrid {
    let mut columns = vec![column("run", |s| Cell::new(title(s)))];
    columns.extend(metrics(MetricPlace::Cost, analysis));
    columns.extend(metrics(MetricPlace::IfKnown, analysis));
    if analysis.summaries.iter().any(|summary| summary.failed > 0) {
        columns.push(column("failed", |s| Cell::new(s.failed.to_string())));
    }
    per_run("Cost", analysis, &columns)
}

fn column(head: &'static str, cell: impl Fn(&Summary) -> Cell + 'static) -> Column {
    (head, Box::new(cell))
}

fn metrics(place: MetricPlace, analysis: &Analysis) -> impl Iterator<Item = Column> {
    Metric::shown(place, &analysis.summaries).map(|metric| column(metric.head, |s| metric.show(s)))
}

fn per_run(caption: &str, analysis: &Analysis, columns: &[Column]) -> TextGrid {
    let row = |summary: &Summary| columns.iter().map(|(_, cell)| cell(summary)).collect();
    let rows = analysis.summaries.iter().map(row).collect();
    let head = columns.iter().map(|(head, _)| (*head).to_owned()).collect();
    TextGrid { caption: caption.into(), head, rows, crowded: false }
}

/// What runs reach at the chosen radii; `None` when none of them has labels.
fn by_radius(
    analysis: &Analysis,
    caption: String,
    reached: impl Fn(&Summary) -> Vec<(f64, Cell)>,
) -> Option<TextGrid> {
    let rows = analysis.summaries.iter().map(|summary| (title(summary), reached(summary)));
    let labelled: Vec<_> = rows.filter(|(_, reached)| !reached.is_empty()).collect();
    let (_, longest) = labelled.iter().max_by_key(|(_, reached)| reached.len())?;
    let mut head = vec!["run".to_owned()];
    head.extend(longest.iter().map(|(radius, _)| radius.to_string()));
    let row = |(title, reached): (String, Vec<(f64, Cell)>)| {
        // a run that asks about one radius knows of none beyond
        let known = reached.into_iter().map(|(_, cell)| cell);
        let unknown = std::iter::repeat_with(|| Cell::new("–"));
        std::iter::once(Cell::new(title)).chain(known).chain(unknown).take(head.len()).collect()
    };
    let rows = labelled.into_iter().map(row).collect();
    Some(TextGrid { caption, head, rows, crowded: true })
}

/// The answers to the first `most` inputs.
pub fn answers(table: &Table, most: usize) -> TextGrid {
    let mut head = ["input", "label", "answer", "radius", "σ", "passes"].map(String::from).to_vec();
    let has_fail_safe = table.rows.iter().any(|row| row.fail_safe.is_some());
    head.extend(has_fail_safe.then(|| "answers or abstains within".into()));
    let row = |row: &Row| {
        let name = |class: Option<usize>| class.map(|class| table.class_name(class));
        let answer =
            name(row.predicted).unwrap_or_else(|| if row.failed { "failed" } else { "abstained" }.into());
        let mut cells = vec![
            Cell::new(row.name()),
            Cell::new(name(row.label).unwrap_or_else(|| "–".into())),
            Cell::new(answer),
            Cell::new(if row.predicted.is_some() { down(row.radius, 4) } else { "–".into() }),
            Cell::new(row.sigma.map_or_else(|| "–".into(), |sigma| format!("{sigma:.3}"))),
            Cell::new(row.passes.map_or_else(|| "–".into(), |passes| passes.to_string())),
        ];
        cells.extend(has_fail_safe.then(|| fail_safe(table, row)));
        cells
    };
    let (all, shown) = (table.rows.len(), table.rows.len().min(most));
    let rest = format!(": the first {shown} of {all}; all are in results.tsv");
    let caption = format!("Answers{}", if shown < all { &rest } else { "" });
    let mut rows: Vec<Vec<Cell>> = table.rows.iter().take(most).map(row).collect();
    shorten_names(&head, &mut rows);
    TextGrid { caption, head, rows, crowded: false }
}

/// Characters of a line of a terminal.
const LINE: usize = 80;
/// Characters that a name keeps in any case, to be told from others.
const SHORT_NAME: usize = 16;
/// Characters that a name has at most.
const LONG_NAME: usize = 36;

/// Shortens the first cell of each row until the table fits a terminal.
fn shorten_names(head: &[String], rows: &mut [Vec<Cell>]) {
    let width = |at: usize| {
        let cells = rows.iter().map(|row| row[at].value.chars().count());
        cells.chain([head[at].chars().count()]).max().unwrap_or(0)
    };
    let others: usize = (1..head.len()).map(|at| width(at) + 2).sum();
    let most = LINE.saturating_sub(others).clamp(SHORT_NAME, LONG_NAME);
    for row in rows {
        row[0] = Cell::new(text::shortened(&row[0].value, most));
    }
}

/// The fail-safe radius of a row, with its class where the row has no answer, and whether the predictor may
/// abstain at the input itself.
fn fail_safe(table: &Table, row: &Row) -> Cell {
    let Some(FailSafe { class, radius, answers }) = row.fail_safe else { return Cell::new("–") };
    let class = if row.predicted == Some(class) { String::new() } else { table.class_name(class) + " " };
    let interval = if answers { "" } else { "may abstain here" }.into();
    Cell { interval, ..Cell::new(format!("{class}{}", down(radius, 4))) }
}

/// The true classes of one run.
pub fn classes(summary: &Summary, rows: &[ClassRow]) -> TextGrid {
    let head = ["class", "inputs", "right, certified", "ACR", "σ, mean ± sd", "σ known for"]
        .map(String::from)
        .to_vec();
    let spread = |s: &Spread| match s.sd {
        Some(sd) => format!("{:.3} ± {sd:.3}", s.mean),
        None => format!("{:.3}", s.mean),
    };
    let row = |c: &ClassRow| {
        vec![
            Cell::new(&c.name),
            Cell::new(c.inputs.to_string()),
            claim(c.accuracy),
            claim(c.acr),
            Cell::new(c.sigma.as_ref().map_or_else(|| "–".into(), spread)),
            Cell::new(c.sigma.map_or(0, |s| s.count).to_string()),
        ]
    };
    let caption = format!("Classes of {} (σ over the correctly certified inputs)", title(summary));
    TextGrid { caption, head, rows: rows.iter().map(row).collect(), crowded: false }
}

/// What readers of the tables must know.
pub fn notes(analysis: &Analysis) -> Vec<String> {
    let mut notes: Vec<String> = legend(analysis).into_iter().map(str::to_owned).collect();
    notes.extend(promises(analysis).map(|promise| guarantee_in_words(promise).into()));
    notes.extend(shared_notes(analysis, &Terminal::default()));
    notes
}

/// The same in fewer words, for a terminal.
pub fn short_notes(analysis: &Analysis, terminal: &Terminal) -> Vec<String> {
    let legend = legend(analysis).into_iter().map(str::to_owned);
    legend.chain(first_notes(analysis, terminal).into_iter().skip(1)).collect()
}

/// What is certified, what that promises, and what is odd about it, without a word on how numbers are made.
pub fn first_notes(analysis: &Analysis, terminal: &Terminal) -> Vec<String> {
    let mut notes = vec![CERTIFIED.to_owned()];
    notes.extend(promises(analysis).map(|promise| guarantee_in_short(promise, terminal)));
    let shared = shared_notes(analysis, terminal);
    match analysis.summaries.as_slice() {
        // there is no other run that a note could be about
        [only] => notes.extend(shared.iter().map(|note| without_name(note, &only.name))),
        _ => notes.extend(shared),
    }
    notes
}

/// A note that begins with what it says, not with whom it says it of.
fn without_name(note: &str, name: &str) -> String {
    note.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(note).to_owned()
}

/// Every promise that some run makes.
fn promises(analysis: &Analysis) -> impl Iterator<Item = Option<Guarantee>> {
    let all = Guarantee::ALL.map(Some).into_iter().chain([None]);
    all.filter(|promise| analysis.tables.iter().any(|table| table.guarantee == *promise))
}

fn shared_notes(analysis: &Analysis, terminal: &Terminal) -> Vec<String> {
    let about = |(words, runs): (&str, Vec<&str>)| match runs.len() {
        all if all == analysis.tables.len() => words.to_owned(),
        _ => format!("{words} ({})", runs.join(", ")),
    };
    let mut notes: Vec<String> = rounding_in_words(analysis).into_iter().map(about).collect();
    notes.extend(ceilings(analysis, terminal));
    notes.extend(analysis.warnings.iter().chain(&analysis.notes).cloned());
    notes
}

const CERTIFIED: &str = "Certified is the majority vote of the network under noise, not the network itself: deploy that \
                         vote. An answer that is wrong and certified is stable, not right.";

/// How the numbers are to be read.
pub fn legend(analysis: &Analysis) -> Vec<&'static str> {
    let mut legend = vec![
        CERTIFIED,
        "Radii and accuracies are rounded down, shares of abstentions and wrong certificates up; CSV and JSON hold \
         every digit.",
        "Brackets: 95 % intervals over the choice of inputs (Clopper-Pearson for shares, BCa bootstrap for means), \
         rounded outward; no brackets where all values are the same.",
    ];
    let shown = METRICS.iter().filter(|metric| metric.is_shown(&analysis.summaries));
    legend.extend(shown.filter_map(|metric| metric.legend));
    if analysis.answers.iter().any(|answers| !answers.levels.is_empty()) {
        legend.push(
            "Answers at a σ: the class with most votes for each input that was looked at there, whether or not it is \
             certified; a result file gives only certified ones.",
        );
    }
    if analysis.rho.is_some() {
        legend.push(
            "The lower bound allows for certificates that may be wrong, each with probability α; the shares themselves \
             do not.",
        );
    }
    legend
}
