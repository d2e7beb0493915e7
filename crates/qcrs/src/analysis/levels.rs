//! Into which noise levels are answers sorted?

use std::ops::RangeInclusive;

/// More levels than this have no room in a table.
const MOST: usize = 8;
/// Preferred numbers (ISO 3) of a decade: about 26 %, 58 %, threefold and tenfold apart.
const SERIES: [&[f64]; 4] =
    [&[1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0], &[1.0, 1.6, 2.5, 4.0, 6.3], &[1.0, 3.15], &[1.0]];
/// The decades of σ.
const DECADES: RangeInclusive<i32> = -4..=5;

/// Noise levels in rising order: single σ, or ranges of σ that touch.
#[derive(Clone, Debug, PartialEq)]
pub struct SigmaLevels(Vec<(f64, f64)>);

impl SigmaLevels {
    /// Each σ by itself.
    pub fn each(sigmas: impl IntoIterator<Item = f64>) -> Self {
        let mut sigmas: Vec<f64> = sigmas.into_iter().collect();
        sigmas.sort_by(f64::total_cmp);
        sigmas.dedup();
        Self(sigmas.into_iter().map(|sigma| (sigma, sigma)).collect())
    }

    /// Each σ by itself where there are at most eight. Otherwise ranges between preferred numbers, such as 0.25 to
    /// 0.4: the finest that take no more than eight.
    pub fn of(sigmas: impl IntoIterator<Item = f64>) -> Self {
        let each = Self::each(sigmas);
        let (Some(&(low, _)), Some(&(high, _))) = (each.0.first(), each.0.last()) else { return each };
        if each.0.len() <= MOST {
            return each;
        }
        let ranges = |series| -> Vec<(f64, f64)> {
            let edges: Vec<f64> = DECADES.flat_map(|decade| scaled(series, decade)).collect();
            let ranges = edges.windows(2).map(|edge| (edge[0], edge[1]));
            ranges.filter(|&(from, to)| to > low && from <= high).collect()
        };
        let all = SERIES.map(ranges);
        let fits = all.iter().position(|ranges| ranges.len() <= MOST).unwrap_or(all.len() - 1);
        Self(all[fits].clone())
    }

    /// The smallest and the largest σ of each level. The larger end of a range belongs to the next one.
    pub fn ends(&self) -> &[(f64, f64)] {
        &self.0
    }

    /// The place of the level that holds `sigma`.
    pub(super) fn place(&self, sigma: f64) -> Option<usize> {
        let place = self.0.partition_point(|&(from, _)| from <= sigma).checked_sub(1)?;
        let (from, to) = self.0[place];
        (sigma < to || sigma.total_cmp(&from).is_eq()).then_some(place)
    }
}

/// The numbers of a series in one decade. A quotient of short decimals is the nearest to a short decimal: 0.16,
/// not 0.16000000000000003.
fn scaled(series: &[f64], decade: i32) -> Vec<f64> {
    let power = 10_f64.powi(decade.abs());
    series.iter().map(|number| if decade < 0 { number / power } else { number * power }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_sigmas_stay_apart_and_many_share_ranges() {
        let three = SigmaLevels::of([0.5, 0.25, 0.5, 1.0]);
        assert_eq!(three.ends(), [(0.25, 0.25), (0.5, 0.5), (1.0, 1.0)]);
        assert_eq!((three.place(0.5), three.place(0.6), three.place(0.1)), (Some(1), None, None));
        let region = (0..100).map(|at| 0.12 + 0.0158 * f64::from(at));
        let many = SigmaLevels::of(region.clone());
        let expected =
            [(0.1, 0.16), (0.16, 0.25), (0.25, 0.4), (0.4, 0.63), (0.63, 1.0), (1.0, 1.6), (1.6, 2.5)];
        assert_eq!(many.ends(), expected);
        assert_eq!((many.place(0.25), many.place(1.0), many.place(2.5)), (Some(2), Some(5), None));
        assert!(region.clone().all(|sigma| many.place(sigma).is_some()));
        assert_eq!(SigmaLevels::each(region).ends().len(), 100);
        assert_eq!(SigmaLevels::of([]).ends(), []);
    }

    #[test]
    fn any_region_gets_at_most_eight_ranges_that_cover_it() {
        for (low, high) in [(0.3, 0.5), (0.12, 0.9), (0.001, 0.99), (0.001, 1e4), (2.0, 3.0)] {
            let sigmas = (0..50).map(|at| low + (high - low) * f64::from(at) / 49.0);
            let levels = SigmaLevels::of(sigmas.clone());
            assert!((2..=8).contains(&levels.ends().len()), "{low} to {high}: {levels:?}");
            assert!(sigmas.into_iter().all(|sigma| levels.place(sigma).is_some()), "{low} to {high}");
        }
    }
}
