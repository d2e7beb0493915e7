//! Which tables, with which columns?

use super::format::{down, interval, p_value, plain, up};
use super::grid::{Cell, TextGrid};
use super::words::{guarantee_in_words, title, title_of};
use crate::analysis::{Analysis, ClassRow, Paired, Row, Spread, Summary, Table, WithInterval};
use crate::run::Guarantee;

/// More classes than this are a table for a program, not for paper.
const CLASSES: usize = 20;

/// All but the classes, in tables that a terminal and a page have room for.
pub fn short(analysis: &Analysis) -> Vec<TextGrid> {
    let headline = headline(analysis);
    let cost: Vec<usize> = std::iter::once(0).chain(6..headline.head.len()).collect();
    let mut grids =
        vec![headline.pick("Results", &[0, 1, 2, 3, 4, 5]), headline.pick("Cost and promise", &cost)];
    let shares = |s: &Summary| s.certified_accuracy.iter().map(|&(r, share)| (r, claim(share))).collect();
    grids.extend(by_radius(analysis, "Certified accuracy at each l2 radius".into(), shares));
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
    grids.extend(pairs(analysis));
    grids
}

/// The same, and the classes of every run that has few enough.
pub fn all(analysis: &Analysis) -> Vec<TextGrid> {
    let few = |(_, rows): &(&Summary, &Vec<ClassRow>)| (1..=CLASSES).contains(&rows.len());
    let classed = analysis.summaries.iter().zip(&analysis.classes).filter(few);
    short(analysis).into_iter().chain(classed.map(|(summary, rows)| classes(summary, rows))).collect()
}

/// One row per run: what it reached, and what it cost.
fn headline(analysis: &Analysis) -> TextGrid {
    let failures = analysis.summaries.iter().any(|summary| summary.failed > 0);
    let mut head = vec!["run", "ACR", "right, certified", "abstained", "wrong, certified", "inputs"];
    head.extend(["α", "n", "passes/input", "seconds/input", "guarantee"]);
    let rivals = analysis.summaries.iter().any(|summary| summary.runner_up_share.is_some());
    head.extend(rivals.then_some("runner-up's share"));
    head.extend(failures.then_some("failed"));
    let row = |s: &Summary| {
        let mut row = vec![
            Cell::new(title(s)),
            optional(s.acr, claim),
            optional(s.right_certified, claim),
            doubt(s.abstained),
            optional(s.wrong_certified, doubt),
            Cell::new(s.inputs.to_string()),
            Cell::new(s.alpha.map_or_else(|| "–".into(), |alpha| alpha.to_string())),
            Cell::new(s.n.map_or_else(|| "–".into(), |n| n.to_string())),
            optional(s.passes_per_input, cost),
            optional(s.seconds_per_input, cost),
            Cell::new(s.guarantee),
        ];
        row.extend(rivals.then(|| optional(s.runner_up_share, plain_share)));
        row.extend(failures.then(|| Cell::new(s.failed.to_string())));
        row
    };
    let rows = analysis.summaries.iter().map(row).collect();
    TextGrid {
        caption: "Runs".into(),
        head: head.into_iter().map(String::from).collect(),
        rows,
        crowded: false,
    }
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

/// What was answered to each of the first `most` inputs.
pub fn answers(table: &Table, most: usize) -> TextGrid {
    let head = ["input", "label", "answer", "radius", "σ", "passes"].map(String::from).to_vec();
    let row = |row: &Row| {
        let name = |class: Option<usize>| class.map(|class| table.class_name(class));
        let answer =
            name(row.predicted).unwrap_or_else(|| if row.failed { "failed" } else { "abstained" }.into());
        vec![
            Cell::new(row.index.to_string()),
            Cell::new(name(row.label).unwrap_or_else(|| "–".into())),
            Cell::new(answer),
            Cell::new(if row.predicted.is_some() { down(row.radius, 4) } else { "–".into() }),
            Cell::new(row.sigma.map_or_else(|| "–".into(), |sigma| format!("{sigma:.3}"))),
            Cell::new(row.passes.map_or_else(|| "–".into(), |passes| passes.to_string())),
        ]
    };
    TextGrid {
        caption: "Answers".into(),
        head,
        rows: table.rows.iter().take(most).map(row).collect(),
        crowded: false,
    }
}

/// Every run against the reference; `None` when there is nothing to compare.
fn pairs(analysis: &Analysis) -> Option<TextGrid> {
    let reference = &analysis.paired.first()?.a;
    let head = ["run", "difference", "gain, %", "ACR", "reference", "common inputs"];
    let head =
        head.into_iter().chain(["better", "equal", "worse", "sign test p"]).map(String::from).collect();
    let row = |p: &Paired| {
        let percent = |gain: WithInterval| {
            let gain = gain.in_percent();
            Cell { value: down(gain.value, 1), interval: interval(&gain, 1) }
        };
        vec![
            Cell::new(title_of(analysis, &p.b)),
            claim(p.difference),
            optional(p.gain, percent),
            Cell::new(down(p.acr_b, 4)),
            Cell::new(down(p.acr_a, 4)),
            Cell::new(p.common.to_string()),
            Cell::new(p.better.to_string()),
            Cell::new(p.equal.to_string()),
            Cell::new(p.worse.to_string()),
            Cell::new(p_value(p.sign_test)),
        ]
    };
    let caption = format!("ACR against {}, on the inputs that both runs have", title_of(analysis, reference));
    Some(TextGrid { caption, head, rows: analysis.paired.iter().map(row).collect(), crowded: false })
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

/// What must be read with the tables.
pub fn notes(analysis: &Analysis) -> Vec<String> {
    let mut notes: Vec<String> = legend(analysis).into_iter().map(str::to_owned).collect();
    for promise in Guarantee::ALL.map(Some).into_iter().chain([None]) {
        if analysis.tables.iter().any(|table| table.guarantee == promise) {
            notes.push(guarantee_in_words(promise).into());
        }
    }
    notes.extend(analysis.notes.iter().cloned());
    notes
}

/// How the numbers are to be read.
pub fn legend(analysis: &Analysis) -> Vec<&'static str> {
    let mut legend = vec![
        "Radii and accuracies are rounded down, shares of abstentions and wrong certificates up; CSV and JSON hold \
         every digit.",
        "Brackets: 95 % intervals over the choice of inputs (Clopper-Pearson for shares, BCa bootstrap for means), \
         rounded outward; none where the values do not vary.",
    ];
    if analysis.summaries.iter().any(|summary| summary.runner_up_share.is_some()) {
        legend.push(
            "Runner-up's share: of the votes against the class, the part that went to its strongest rival.",
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

fn claim(e: WithInterval) -> Cell {
    Cell { value: down(e.value, 4), interval: interval(&e, 3) }
}

fn plain_share(e: WithInterval) -> Cell {
    Cell { value: format!("{:.2}", e.value), interval: interval(&e, 2) }
}

fn doubt(e: WithInterval) -> Cell {
    Cell { value: up(e.value, 4), interval: interval(&e, 3) }
}

fn cost(e: WithInterval) -> Cell {
    let interval = e.low.zip(e.high).map(|(low, high)| format!("[{}, {}]", plain(low), plain(high)));
    Cell { value: plain(e.value), interval: interval.unwrap_or_default() }
}

fn optional(estimate: Option<WithInterval>, cell: impl Fn(WithInterval) -> Cell) -> Cell {
    estimate.map_or_else(|| Cell::new("–"), cell)
}
