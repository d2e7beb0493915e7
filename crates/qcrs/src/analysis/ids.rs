//! Which inputs does a file have, and which are missing?

use super::Table;

/// The ids of a file: every `step`-th from `first` on, except those that are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdRange {
    /// The smallest.
    pub first: u32,
    /// The largest.
    pub last: u32,
    /// The largest number that divides all differences; `None` for a single id.
    pub step: Option<u32>,
    /// How many there are.
    pub count: usize,
    /// How many every `step`-th id would be, up to the end of the dataset where its size is known.
    pub owed: usize,
}

impl IdRange {
    /// The ids of `table`, which are in order; `of` is the number of inputs of its dataset, where known. `None` for a
    /// table without rows.
    pub fn of(table: &Table, of: Option<u32>) -> Option<Self> {
        let ids = || table.rows.iter().map(|row| row.index);
        let (first, last) = (ids().next()?, ids().next_back()?);
        let step = ids().map(|id| id - first).fold(0, greatest_divisor);
        let step = (step > 0).then_some(step);
        let end = of.map_or(last, |of| of.saturating_sub(1).max(last));
        let owed = step.map_or(1, |step| ((end - first) / step + 1) as usize);
        Some(Self { first, last, step, count: table.rows.len(), owed })
    }

    /// How many are missing.
    pub fn missing(&self) -> usize {
        self.owed.saturating_sub(self.count)
    }
}

fn greatest_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(ids: &[u32], of: Option<u32>) -> Option<IdRange> {
        let row = |id: &u32| format!("{id}\t1\t1\t0.5\n");
        let rows: String = ids.iter().map(row).collect();
        let table = Table::from_tsv("a".into(), &format!("idx\tlabel\tpredict\tradius\n{rows}")).unwrap();
        IdRange::of(&table, of)
    }

    #[test]
    fn a_gap_and_an_early_end_are_missing_ids() {
        for (ids, of, step, owed, missing) in [
            (&[0, 20, 40][..], None, Some(20), 3, 0),
            (&[0, 20, 60], None, Some(20), 4, 1),
            (&[0, 20, 40], Some(100), Some(20), 5, 2),
            (&[7, 10], Some(12), Some(3), 2, 0),
            (&[5], Some(100), None, 1, 0),
            (&[0, 20, 40], Some(10), Some(20), 3, 0),
        ] {
            let range = range(ids, of).unwrap();
            assert_eq!((range.step, range.owed, range.missing()), (step, owed, missing), "{ids:?} of {of:?}");
            assert_eq!((range.first, range.last, range.count), (ids[0], ids[ids.len() - 1], ids.len()));
        }
        assert_eq!(range(&[], None), None);
    }
}
