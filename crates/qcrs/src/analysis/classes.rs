//! What does each class get? (The paper's Table 5, and more.)

use super::{Row, Table, WithInterval};
use crate::types::Error;
use serde::Serialize;
use std::collections::BTreeMap;

/// One true class of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassRow {
    /// The class.
    pub class: usize,
    /// Its name.
    pub name: String,
    /// The inputs of this class.
    pub inputs: usize,
    /// The share of them certified with this class.
    pub accuracy: WithInterval,
    /// The average certified radius over them.
    pub acr: WithInterval,
    /// σ over those that are certified with this class, where σ is known.
    pub sigma: Option<Spread>,
}

/// Mean and standard deviation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// How many values.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation (divisor count − 1); `None` for a single value.
    pub sd: Option<f64>,
}

impl Spread {
    /// The spread of `values`; `None` when there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self { count, mean, sd: (count > 1).then(|| (squares / (count - 1) as f64).sqrt()) })
    }
}

/// The true classes of `table` in order; none when an input has no label or only one radius was asked about.
pub fn classes(table: &Table) -> Result<Vec<ClassRow>, Error> {
    if table.asked.is_some() {
        return Ok(Vec::new());
    }
    let mut by_class: BTreeMap<usize, Vec<&Row>> = BTreeMap::new();
    for row in &table.rows {
        let Some(label) = row.label else { return Ok(Vec::new()) };
        by_class.entry(label).or_default().push(row);
    }
    by_class.into_iter().map(|(class, rows)| class_row(table.class_name(class), class, &rows)).collect()
}

fn class_row(name: String, class: usize, rows: &[&Row]) -> Result<ClassRow, Error> {
    let right: Vec<&&Row> = rows.iter().filter(|row| row.correct() == Some(true)).collect();
    let sigmas: Vec<f64> = right.iter().filter_map(|row| row.sigma).collect();
    let scores: Vec<f64> = rows.iter().filter_map(|row| row.score()).collect();
    let acr = WithInterval::mean(&scores)?.ok_or_else(|| Error::Invalid(format!("{name} has no inputs")))?;
    let accuracy = WithInterval::proportion(right.len(), rows.len())?;
    Ok(ClassRow { class, name, inputs: rows.len(), accuracy, acr, sigma: Spread::of(&sigmas) })
}
