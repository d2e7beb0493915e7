//! How are numbers shortened, and to which side?
//!
//! A radius or an accuracy is a claim, so it is cut, never rounded up; an interval grows; a share
//! of failures is rounded up. Cutting works on the shortest decimal that reads back as the same
//! number, so that 0.29 stays 0.29 although its binary value lies below.

use crate::analysis::{Table, WithInterval};

/// `value` cut towards −∞ after `digits` decimals.
pub fn down(value: f64, digits: usize) -> String {
    if value < 0.0 { minus(&magnitude(-value, digits, true)) } else { magnitude(value, digits, false) }
}

/// `value` raised towards +∞ after `digits` decimals.
pub fn up(value: f64, digits: usize) -> String {
    if value < 0.0 { minus(&magnitude(-value, digits, false)) } else { magnitude(value, digits, true) }
}

/// The interval, grown to `digits` decimals; empty when there is none.
pub fn interval(estimate: &WithInterval, digits: usize) -> String {
    match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => format!("[{}, {}]", down(low, digits), up(high, digits)),
        _ => String::new(),
    }
}

/// A number that promises nothing, to about four digits: 0.01234, 4.900, 100600.
pub fn plain(value: f64) -> String {
    let digits = if value.fract() == 0.0 { 0 } else { (3 - value.abs().log10().floor() as i32).clamp(0, 6) };
    format!("{value:.*}", digits as usize)
}

/// The same without zeros at its end: 0.25, 4.9.
pub fn brief(value: f64) -> String {
    let shown = plain(value);
    if shown.contains('.') { shown.trim_end_matches('0').trim_end_matches('.').into() } else { shown }
}

/// The mean seconds per input ± one standard deviation; a dash where fewer than two inputs have a time.
pub fn spread_of_seconds(table: &Table) -> String {
    let all: Vec<f64> = table.rows.iter().filter_map(|row| row.seconds).collect();
    if all.len() < 2 {
        return "–".into();
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let squares: f64 = all.iter().map(|seconds| (seconds - mean).powi(2)).sum();
    format!("{mean:.2} ± {:.2}", (squares / (all.len() - 1) as f64).sqrt())
}

/// A p-value: three digits, or as a power of ten when small. Smaller ones than 1e-15 say no more than that.
pub fn p_value(p: f64) -> String {
    if p < 1e-15 {
        "< 1e-15".into()
    } else if p >= 0.001 {
        format!("{p:.3}")
    } else {
        format!("{p:.1e}")
    }
}

fn minus(digits: &str) -> String {
    if digits.bytes().all(|b| b == b'0' || b == b'.') { digits.into() } else { format!("−{digits}") }
}

fn magnitude(value: f64, digits: usize, away_from_zero: bool) -> String {
    let shortest = value.to_string();
    let (whole, part) = shortest.split_once('.').unwrap_or((&shortest, ""));
    let Ok(kept) = format!("{whole}{part:0<digits$.digits$}").parse::<u128>() else {
        return shortest; // too large to shorten, or not a number: shown as it is
    };
    let cut = part.get(digits..).is_some_and(|rest| rest.bytes().any(|b| b != b'0'));
    let kept = format!("{:0>width$}", kept + u128::from(cut && away_from_zero), width = digits + 1);
    let (whole, part) = kept.split_at(kept.len() - digits);
    if digits == 0 { whole.into() } else { format!("{whole}.{part}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_cut_and_doubts_are_raised() {
        for (value, digits, lower, upper) in [
            (0.65646, 3, "0.656", "0.657"),
            (0.29, 2, "0.29", "0.29"),
            (0.29, 4, "0.2900", "0.2900"),
            (1.9999, 2, "1.99", "2.00"),
            (9.995, 2, "9.99", "10.00"),
            (0.0, 3, "0.000", "0.000"),
            (-0.1234, 2, "−0.13", "−0.12"),
            (-0.0001, 2, "−0.01", "0.00"),
            (3.0, 0, "3", "3"),
            (3.2, 0, "3", "4"),
            (1e-9, 3, "0.000", "0.001"),
        ] {
            assert_eq!((down(value, digits).as_str(), up(value, digits).as_str()), (lower, upper), "{value}");
        }
        assert_eq!(down(f64::NAN, 3), "NaN");
        let shown = [100_600.0, 4.9, 0.012344, 0.0, 12345.6].map(plain);
        assert_eq!(shown, ["100600", "4.900", "0.01234", "0", "12346"]);
    }
}
