//! Which numbers of a run are shown where, and how are they to be read?
//!
//! A metric is a field of [`Summary`] and an entry of [`METRICS`]: tables, page, CSV and legend walk this list, and JSON has
//! every field.

use super::format::{down, interval, plain, up};
use super::grid::Cell;
use crate::analysis::{Summary, WithInterval};

/// A number of a run.
pub struct Metric {
    /// Its column in CSV files; two more have the ends of its interval.
    pub column: &'static str,
    /// Its column in tables for people.
    pub head: &'static str,
    /// The table that it stands in.
    pub place: MetricPlace,
    /// The number, where a run has it.
    pub of: fn(&Summary) -> Option<WithInterval>,
    /// How a table shows it.
    pub cell: fn(WithInterval) -> Cell,
    /// A sentence that explains it below the tables, where its head does not say enough.
    pub legend: Option<&'static str>,
}

/// Where a metric stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricPlace {
    /// Among the results.
    Results,
    /// Beside what a run costs.
    Cost,
    /// There too, in the last columns, and only where some run has it.
    IfKnown,
}

/// Every metric, in the order in which they are shown.
pub const METRICS: [Metric; 8] = [
    Metric {
        column: "acr",
        head: "ACR",
        place: MetricPlace::Results,
        of: |summary| summary.acr,
        cell: claim,
        legend: None,
    },
    Metric {
        column: "right_certified",
        head: "right, certified",
        place: MetricPlace::Results,
        of: |summary| summary.right_certified,
        cell: claim,
        legend: None,
    },
    Metric {
        column: "abstained",
        head: "abstained",
        place: MetricPlace::Results,
        of: |summary| Some(summary.abstained),
        cell: doubt,
        legend: None,
    },
    Metric {
        column: "wrong_certified",
        head: "wrong, certified",
        place: MetricPlace::Results,
        of: |summary| summary.wrong_certified,
        cell: doubt,
        legend: None,
    },
    Metric {
        column: "passes_per_input",
        head: "passes/input",
        place: MetricPlace::Cost,
        of: |summary| summary.passes_per_input,
        cell: cost,
        legend: None,
    },
    Metric {
        column: "seconds_per_input",
        head: "seconds/input",
        place: MetricPlace::Cost,
        of: |summary| summary.seconds_per_input,
        cell: cost,
        legend: None,
    },
    Metric {
        column: "runner_up_share",
        head: "runner-up's share",
        place: MetricPlace::IfKnown,
        of: |summary| summary.runner_up_share,
        cell: plain_share,
        legend: Some(
            "Runner-up's share: of the votes against the class, the part that went to its strongest rival; near 1, a \
             two-sided bound gains little.",
        ),
    },
    Metric {
        column: "fail_safe_acr",
        head: "fail-safe ACR",
        place: MetricPlace::IfKnown,
        of: |summary| summary.fail_safe_acr,
        cell: claim,
        legend: Some(
            "Fail-safe ACR: the mean radius within which the majority predictor answers the right class or abstains; \
             inputs count 0 unless it answers them. The predictor answers a class with more than half of all noisy \
             copies, and abstains if there is none.",
        ),
    },
];

impl Metric {
    /// The metrics of one place that are shown for these runs.
    pub fn shown(place: MetricPlace, runs: &[Summary]) -> impl Iterator<Item = &'static Self> {
        let shown = move |metric: &&Self| metric.place == place && metric.is_shown(runs);
        METRICS.iter().filter(shown)
    }

    /// Whether there is a column for it beside these runs.
    pub fn is_shown(&self, runs: &[Summary]) -> bool {
        self.place != MetricPlace::IfKnown || runs.iter().any(|run| (self.of)(run).is_some())
    }

    /// What a table shows of it for `run`.
    pub fn show(&self, run: &Summary) -> Cell {
        optional((self.of)(run), self.cell)
    }
}

/// A number that is good when large, rounded down.
pub fn claim(e: WithInterval) -> Cell {
    Cell { value: down(e.value, 4), interval: interval(&e, 3) }
}

/// A number that is good when small, rounded up.
fn doubt(e: WithInterval) -> Cell {
    Cell { value: up(e.value, 4), interval: interval(&e, 3) }
}

fn plain_share(e: WithInterval) -> Cell {
    Cell { value: format!("{:.2}", e.value), interval: interval(&e, 2) }
}

fn cost(e: WithInterval) -> Cell {
    let interval = e.low.zip(e.high).map(|(low, high)| format!("[{}, {}]", plain(low), plain(high)));
    Cell { value: plain(e.value), interval: interval.unwrap_or_default() }
}

/// A dash where there is no number.
pub fn optional(estimate: Option<WithInterval>, cell: impl Fn(WithInterval) -> Cell) -> Cell {
    estimate.map_or_else(|| Cell::new("–"), cell)
}
