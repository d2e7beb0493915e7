//! How many?

use qcrs::settings::parse_count;
use std::ops::{Bound, RangeBounds};

/// Reads a count within `range`, as people write large ones: 100000, 1e5, 100,000 or `100_000`.
pub fn count(
    range: impl RangeBounds<u32> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync + 'static {
    move |typed| {
        let count = parse_count(typed)?;
        let found = u32::try_from(count).ok().filter(|count| range.contains(count));
        found.ok_or_else(|| format!("must be {}, got {count}", ends(&range)))
    }
}

/// "at least 1", or "from 2 to 65536".
fn ends(range: &impl RangeBounds<u32>) -> String {
    let least = match range.start_bound() {
        Bound::Included(least) => *least,
        Bound::Excluded(below) => below + 1,
        Bound::Unbounded => 0,
    };
    match range.end_bound() {
        Bound::Included(most) => format!("from {least} to {most}"),
        Bound::Excluded(above) => format!("from {least} to {}", above - 1),
        Bound::Unbounded => format!("from {least} to {}", u32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_people_write_them() {
        for typed in ["10000", "1e4", "10,000", "10_000", " 10000 ", "1.0e4"] {
            assert_eq!(count(1..)(typed), Ok(10_000), "{typed}");
        }
        for (typed, problem) in [
            ("1.5", "must be a whole number such as 100000, 1e5 or 100,000, got 1.5"),
            ("1e-3", "must be a whole number such as 100000, 1e5 or 100,000, got 1e-3"),
            ("1,5", "must be a whole number such as 100000, 1e5 or 100,000, got 1,5"),
            ("ten", "must be a whole number such as 100000, 1e5 or 100,000, got ten"),
            ("-1", "must be a whole number such as 100000, 1e5 or 100,000, got -1"),
            ("1e30", "is too large: 1e30"),
            ("5e9", "must be from 1 to 4294967295, got 5000000000"),
            ("0", "must be from 1 to 4294967295, got 0"),
        ] {
            assert_eq!(count(1..)(typed), Err(problem.into()), "{typed}");
        }
        assert_eq!(count(2..=9)("1e1"), Err("must be from 2 to 9, got 10".into()));
    }
}
