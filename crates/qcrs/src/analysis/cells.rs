//! Where in its region did the search of each row end?

use super::{Row, Table};
use crate::method::Qcrs;
use crate::types::{Error, Sigma};

/// The rows of a bisection by the σ that they end at.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchCells {
    /// The rows that kept σ₀.
    pub kept: SearchCell,
    /// Every σ at which the search can end, in rising order.
    pub cells: Vec<SearchCell>,
    /// The place among `cells` where a search ends that sees no difference at any step.
    pub blind: usize,
}

/// The rows at one σ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchCell {
    /// σ.
    pub sigma: f64,
    /// How many rows.
    pub rows: usize,
    /// How many of them are certified with their label.
    pub right: usize,
}

/// The published program and ours round σ differently, by much less than this.
const ROUNDING: f64 = 1e-9;

impl SearchCells {
    /// Sorts the rows of `table` into the cells of `search`; `None` if a row has no σ, or one at which this search
    /// cannot end.
    pub fn of(table: &Table, search: &Qcrs) -> Result<Option<Self>, Error> {
        let ends = search.ends();
        let empty = |sigma: f64| SearchCell { sigma, rows: 0, right: 0 };
        let mut kept = empty(search.sigma.get());
        let mut cells: Vec<SearchCell> = ends.iter().copied().map(empty).collect();
        for row in &table.rows {
            let Some(sigma) = row.sigma else { return Ok(None) };
            let found = cells.iter_mut().chain([&mut kept]).find(|cell| near(cell.sigma, sigma));
            let Some(cell) = found else { return Ok(None) };
            cell.count(row);
        }
        let blind = search.bisect(0.0, |_| Ok([0.0; 2])).map(Sigma::get)?;
        let blind = ends.iter().position(|&end| near(end, blind));
        Ok(blind.map(|blind| Self { kept, cells, blind }))
    }

    /// The σ at which the search can end, but no row does.
    pub fn unused(&self) -> impl Iterator<Item = f64> {
        self.cells.iter().filter(|cell| cell.rows == 0).map(|cell| cell.sigma)
    }
}

impl SearchCell {
    fn count(&mut self, row: &Row) {
        self.rows += 1;
        self.right += usize::from(row.correct() == Some(true));
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(sigmas: &[f64]) -> Table {
        let row = |(index, sigma): (usize, &f64)| format!("{index}\t1\t{}\t0.5\t{sigma}\n", index % 2);
        let rows: String = sigmas.iter().enumerate().map(row).collect();
        Table::from_tsv("a".into(), &format!("idx\tlabel\tpredict\tradius\tbest_sigma\n{rows}")).unwrap()
    }

    #[test]
    fn rows_are_counted_where_the_published_search_ends() {
        let search = Qcrs::preset("cifar10-0.50").unwrap();
        // 0.12 + 1.58 (i + ½)/64 for i = 0, 21 and 63, the second twice
        let found = table(&[0.13234375, 0.65078125, 0.6507812499999999, 0.5, 1.68765625]);
        let cells = SearchCells::of(&found, &search).unwrap().unwrap();
        assert_eq!((cells.cells.len(), cells.kept.rows, cells.kept.right), (64, 1, 1));
        assert_eq!((cells.cells[21].rows, cells.cells[21].right, cells.cells[0].rows), (2, 1, 1));
        assert_eq!((cells.blind, cells.unused().count()), (21, 61));
    }

    #[test]
    fn a_sigma_between_the_cells_belongs_to_another_search() {
        let search = Qcrs::preset("macer-0.50").unwrap();
        assert_eq!(SearchCells::of(&table(&[0.65078125]), &search).unwrap(), None);
        let file = "idx\tlabel\tpredict\tradius\n0\t1\t1\t0.5\n";
        assert_eq!(SearchCells::of(&Table::from_tsv("a".into(), file).unwrap(), &search).unwrap(), None);
    }
}
