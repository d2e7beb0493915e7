//! Which numbers of these logs say less than they seem to?

use super::by_class::answers;
use super::contents::ALPHA;
use super::log::{LogMethod, PublishedLog};
use crate::paper::published::PaperData;
use qcrs::analysis::{LatticeReading, SearchCell, SearchCells};
use qcrs::report::SheetTable;
use qcrs::report::plot::{Mark, Plot, Series};

/// One sentence for each trap that the rows show.
pub fn traps(logs: &[PublishedLog]) -> Vec<String> {
    let mut all: Vec<String> = logs.iter().flat_map(of_one).collect();
    all.extend(
        [PaperData::Cifar10, PaperData::ImageNet].into_iter().filter_map(|data| unequal_ids(logs, data)),
    );
    all.extend(other_network(logs));
    all.extend(same_settings(logs));
    all
}

fn of_one(log: &PublishedLog) -> Vec<String> {
    let name = log.name();
    let mut traps = Vec::new();
    if let Some(alpha) = log.lattice().map(|lattice| lattice.alpha.get()).filter(|alpha| *alpha > ALPHA) {
        traps.push(format!(
            "{name}: its radii are those of α = {alpha}; beside radii at {ALPHA} they are too large."
        ));
    }
    if let LatticeReading::Ambiguous(several) = &log.reading {
        traps.push(format!(
            "{name}: its radii do not tell σ, n and α; {} combinations have radii with these digits.",
            several.len()
        ));
    }
    if log.ids.missing() > 0 {
        let (count, owed, last) = (log.ids.count, log.ids.owed, log.ids.last);
        traps.push(format!("{name}: it has {count} of {owed} images; the last is {last}."));
    }
    if let Some(cells) = log.cells() {
        traps.extend(blind(name, cells));
        traps.extend(answers(log).warnings().into_iter().map(|warning| format!("{name}: {warning}.")));
    }
    traps
}

/// A search that sees no difference ends in one cell: it stands out if it has more rows than its neighbours together.
fn blind(name: &str, cells: &SearchCells) -> Option<String> {
    let (blind, beside) = (cells.cells[cells.blind], neighbours(cells));
    let expected: usize = beside.iter().map(|cell| cell.rows).sum();
    (blind.rows > expected).then(|| {
        let beside: Vec<String> = beside.iter().map(|cell| format!("{} ({} % right)", cell.rows, right(*cell))).collect();
        format!(
            "{name}: {} rows have σ = {}, where the search ends if no step sees a difference; {} % of them are right. The \
             cells beside it have {} rows.",
            blind.rows,
            short(blind.sigma),
            right(blind),
            beside.join(" and ")
        )
    })
}

fn neighbours(cells: &SearchCells) -> Vec<SearchCell> {
    let at = |place: Option<usize>| place.and_then(|place| cells.cells.get(place)).copied();
    [at(cells.blind.checked_sub(1)), at(Some(cells.blind + 1))].into_iter().flatten().collect()
}

/// σ without the digits that come from rounding.
fn short(sigma: f64) -> String {
    let text = format!("{sigma:.10}");
    text.trim_end_matches('0').to_owned()
}

/// Whole percent that are right, rounded down.
fn right(cell: SearchCell) -> String {
    (100 * cell.right).checked_div(cell.rows).map_or_else(|| "–".into(), |percent| percent.to_string())
}

/// Rows of the paper's tables that are about different images.
fn unequal_ids(logs: &[PublishedLog], data: PaperData) -> Option<String> {
    let mut counts: Vec<usize> =
        logs.iter().filter(|log| log.data == Some(data)).map(|log| log.ids.count).collect();
    counts.sort_unstable();
    counts.dedup();
    let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
    (counts.len() > 1).then(|| {
        format!(
            "The logs about {} have {} images: compare them only on the ids that both have.",
            data.name(),
            counts.join(" or ")
        )
    })
}

/// The paper's log with one σ is about a network that was trained with Gaussian noise.
fn other_network(logs: &[PublishedLog]) -> Option<String> {
    let macer = logs
        .iter()
        .find(|log| matches!(log.made, LogMethod::Search { preset, .. } if preset.starts_with("macer")))?;
    Some(format!(
        "{}: its network was trained with MACER. Logs with one σ are about networks trained with Gaussian noise, so its gain \
         over them is not the search's alone.",
        macer.name()
    ))
}

/// A file does not say which network it is about.
fn same_settings(logs: &[PublishedLog]) -> Option<String> {
    let several = logs.iter().any(|log| log.name().contains(", ") && log.name().ends_with(&log.file));
    let is_one = |log: &PublishedLog| matches!(log.made, LogMethod::OneSigma(_));
    (several && logs.iter().any(is_one)).then(|| {
        "Several logs have the same σ. A file does not say with which noise its network was trained: see its path.".into()
    })
}

/// The cells that the sentences are about.
pub fn cells(logs: &[PublishedLog]) -> Option<SheetTable> {
    let head = &["log", "σ", "rows", "right, %", "what"];
    let mut table = SheetTable::new("Where the searches end".into(), head);
    for log in logs {
        let Some(cells) = log.cells() else { continue };
        let mut push = |sigma: String, cell: SearchCell, what: &str| {
            let shown = [log.name().to_owned(), sigma, cell.rows.to_string(), right(cell), what.to_owned()];
            table.rows.push(shown.to_vec());
        };
        push(cells.kept.sigma.to_string(), cells.kept, "kept σ₀");
        let blind = cells.cells[cells.blind];
        push(short(blind.sigma), blind, "no difference at any step");
        for cell in neighbours(cells) {
            push(short(cell.sigma), cell, "a cell beside it");
        }
        let unused: Vec<String> = cells.unused().map(short).collect();
        let (first, more) = (unused.iter().take(3).cloned().collect::<Vec<_>>().join(", "), unused.len() > 3);
        let shown = if unused.is_empty() { "–".into() } else { first + if more { ", …" } else { "" } };
        let what = format!("{} of {} cells never occur", unused.len(), cells.cells.len());
        push(shown, SearchCell { sigma: 0.0, rows: 0, right: 0 }, &what);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Rows by the σ at which their search ended.
pub fn histogram(log: &PublishedLog) -> Option<Plot> {
    let cells = &log.cells()?.cells;
    let width = cells.get(1)?.sigma - cells[0].sigma;
    let bars = |count: fn(&SearchCell) -> usize| {
        let ends = cells.iter().map(|cell| (cell.sigma - width / 2.0, count(cell) as f64));
        let last = cells[cells.len() - 1].sigma + width / 2.0;
        vec![Mark::Bars(ends.chain([(last, 0.0)]).collect())]
    };
    let most = cells.iter().map(|cell| cell.rows).max()? as f64;
    let series = |name: &str, style: usize, marks: Vec<Mark>| Series { name: name.into(), style, marks };
    let kept = log.cells()?.kept;
    Some(Plot {
        title: format!("Where the search ends: {}", log.name()),
        desc:
            "The number of rows, and of rows that are certified right, at each σ at which the search can end."
                .into(),
        x_label: "σ",
        y_label: "rows",
        whole_x: false,
        x: (cells[0].sigma - width / 2.0, cells[cells.len() - 1].sigma + width / 2.0),
        y: (0.0, 1.06 * most),
        series: vec![
            series("all rows", 0, bars(|cell| cell.rows)),
            series("rows that are certified right", 1, bars(|cell| cell.right)),
        ],
        notes: vec![format!("Not drawn: {} rows that kept σ₀ = {}.", kept.rows, kept.sigma)],
    })
}
