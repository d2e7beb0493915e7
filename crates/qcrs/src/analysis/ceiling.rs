//! Which radii are the largest that n draws can show?

use super::{Row, Table};
use serde::Serialize;
use std::collections::BTreeMap;

/// Answers whose draws all voted for their class: more draws would show a larger radius.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ceiling {
    /// How many answers reach it.
    pub answers: usize,
    /// n: the draws of each of them.
    pub n: u64,
    /// σ and the radius that n draws can show there, where most of these answers have the same.
    pub at: Option<[f64; 2]>,
}

/// A few unanimous votes among many answers are not worth a word.
const SHARE: usize = 20;

impl Ceiling {
    /// The ceiling that several answers of `table` sit on. There is none where only one radius was asked about.
    pub fn of(table: &Table) -> Option<Self> {
        let unanimous = |row: &&Row| row.predicted.is_some() && row.votes.is_some_and(|[of, n]| of == n);
        let rows: Vec<&Row> = table.rows.iter().filter(unanimous).collect();
        // a search that takes fewer draws than it may knows why
        let n = rows.iter().filter_map(|row| row.votes).map(|[_, n]| n).max()?;
        let rows: Vec<&Row> = rows.into_iter().filter(|row| row.votes == Some([n, n])).collect();
        if table.asked.is_some() || rows.len() < 2 || SHARE * rows.len() < table.rows.len() {
            return None;
        }
        let mut levels: BTreeMap<[u64; 2], usize> = BTreeMap::new();
        for row in &rows {
            if let Some(sigma) = row.sigma {
                *levels.entry([sigma, row.radius].map(f64::to_bits)).or_default() += 1;
            }
        }
        let (level, count) = levels.into_iter().max_by_key(|(_, count)| *count)?;
        if 2 * count > rows.len() && count > 1 {
            return Some(Self { answers: count, n, at: Some(level.map(f64::from_bits)) });
        }
        Some(Self { answers: rows.len(), n, at: None })
    }
}
