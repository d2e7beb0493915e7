//! Which shares are too small, or too large, to have given these votes?

use crate::math::{ln_lower_tail, ln_pmf, ln_tail_error, ln_upper_tail, normal_quantile};
use crate::types::{Alpha, Error};

/// The Clopper-Pearson lower bound (1934): the largest p with P(Bin(n, p) ≥ k) ≤ α.
///
/// Rounded down: the tail probability at the returned p is at most α even if the computed one has its largest
/// possible error. At most 1.2e-14 (relative) below the truth for α in [1e-6, 0.1] and n ≤ 10⁷; at most 1e-15
/// where n ≥ 500 and k ≥ n/10.
///
/// ```
/// # use qcrs::{bounds::clopper_pearson_lower, types::Alpha};
/// let p_lower = clopper_pearson_lower(99_000, 100_000, Alpha::new(0.001)?)?;
/// assert!((p_lower - 0.9889893403774748).abs() < 1e-15);
/// # Ok::<(), qcrs::types::Error>(())
/// ```
pub fn clopper_pearson_lower(k: u64, n: u64, alpha: Alpha) -> Result<f64, Error> {
    check(k, n)?;
    match k {
        0 => Ok(0.0),
        _ if k == n => Ok(root(n, alpha)),
        1 => Ok(down(-((-alpha.get()).ln_1p() / n as f64).exp_m1(), 0.0)),
        _ => Search {
            votes: (k, n),
            tail: ln_upper_tail,
            growing: k,
            scale: |p, factor| p * factor.exp(),
            outward: f64::next_down,
            name: "clopper_pearson_lower",
        }
        .run(wilson(k, n, alpha, -1.0)?, alpha),
    }
}

/// The Clopper-Pearson upper bound: the smallest p with P(Bin(n, p) ≤ k) ≤ α.
///
/// Rounded up, and as near to the truth as [`clopper_pearson_lower`]. It is not computed as
/// 1 − lower(n − k, n, α): that would lose the digits of a small share, and round the wrong way.
pub fn clopper_pearson_upper(k: u64, n: u64, alpha: Alpha) -> Result<f64, Error> {
    check(k, n)?;
    match n - k {
        0 => Ok(1.0),
        _ if k == 0 => Ok(up(-(alpha.get().ln() / n as f64).exp_m1(), 0.0)),
        1 => {
            let ln_p = (-alpha.get()).ln_1p() / n as f64;
            Ok(up(ln_p.exp(), ln_p))
        }
        _ => Search {
            votes: (k, n),
            tail: ln_lower_tail,
            growing: n - k,
            scale: |p, factor| p - (1.0 - p) * factor.exp_m1(),
            outward: f64::next_up,
            name: "clopper_pearson_upper",
        }
        .run(wilson(k, n, alpha, 1.0)?, alpha),
    }
}

/// The smallest n whose unanimous vote certifies anything at `alpha`: the first whose lower bound α^(1/n)
/// reaches ½. It is at most 1074.
pub fn smallest_n(alpha: Alpha) -> u64 {
    (1..1074).find(|&n| unanimous_is_enough(n, alpha)).unwrap_or(1074)
}

fn check(k: u64, n: u64) -> Result<(), Error> {
    if n == 0 {
        return Err(Error::Invalid("a bound needs at least one vote, got none".into()));
    }
    if k > n {
        return Err(Error::Invalid(format!(
            "{k} votes of {n} are impossible: a class cannot have more votes than there are"
        )));
    }
    Ok(())
}

/// Is ½ⁿ ≤ α? Powers of ½ are exact, and 0 where n is beyond their range.
fn unanimous_is_enough(n: u64, alpha: Alpha) -> bool {
    0.5_f64.powi(i32::try_from(n).unwrap_or(i32::MAX)) <= alpha.get()
}

/// α^(1/n) rounded down; but ½ where the exact comparison allows it, because ½ decides whether we abstain.
fn root(n: u64, alpha: Alpha) -> f64 {
    if n == 1 {
        return alpha.get();
    }
    let ln_p = alpha.get().ln() / n as f64;
    let p = down(ln_p.exp(), ln_p);
    if unanimous_is_enough(n, alpha) { p.max(0.5) } else { p }
}

/// `value` minus the most that `ln`, `exp` (an ulp each) and a division can have added to it, when it is an
/// exponential of `exponent`.
fn down(value: f64, exponent: f64) -> f64 {
    (value * (1.0 - (3.0 + 2.0 * exponent.abs()) * f64::EPSILON)).max(0.0)
}

/// The opposite of [`down`].
fn up(value: f64, exponent: f64) -> f64 {
    (value * (1.0 + (3.0 + 2.0 * exponent.abs()) * f64::EPSILON)).min(1.0)
}

/// Wilson's score bound on one side (−1 or 1): near enough to start from.
fn wilson(k: u64, n: u64, alpha: Alpha, side: f64) -> Result<f64, Error> {
    let (k, n, z) = (k as f64, n as f64, -normal_quantile(alpha.get())?);
    let spread = side * z * (k * (1.0 - k / n) + 0.25 * z * z).sqrt();
    let centre = k + 0.5 * z * z;
    // the bounds are the roots of a parabola; the smaller one is a quotient, because it may cancel to 0
    Ok(if spread > 0.0 { (centre + spread) / (n + z * z) } else { k * (k / n) / (centre - spread) })
}

/// How to find the p at which a tail probability is α, on either side.
struct Search {
    /// k and n.
    votes: (u64, u64),
    /// The logarithm of the tail probability of (k, n, p).
    tail: fn(u64, u64, f64) -> Result<f64, Error>,
    /// The votes whose share, p or 1 − p, makes the tail grow.
    growing: u64,
    /// The p at which that share is e^factor times the one at a given p.
    scale: fn(f64, f64) -> f64,
    /// The next f64 on the safe side.
    outward: fn(f64) -> f64,
    name: &'static str,
}

impl Search {
    /// Newton on the logarithms. The tail is log-concave in the logarithm of the share, so after the first
    /// step Newton approaches the root from the safe side.
    fn run(&self, start: f64, alpha: Alpha) -> Result<f64, Error> {
        let (k, n) = self.votes;
        let ln_alpha = alpha.get().ln();
        let target = ln_alpha - ln_tail_error(ln_alpha);
        let mut p = start;
        for _ in 0..100 {
            p = p.clamp(f64::MIN_POSITIVE, 1.0_f64.next_down());
            let ln_tail = self.ln_tail(p)?;
            let excess = ln_tail - target;
            // d ln P / d ln p = k P(X = k) / P(X ≥ k), and likewise on the other side
            let slope = self.growing as f64 * (ln_pmf(k, n, p)? - ln_tail).exp();
            let next = (self.scale)(p, -excess / slope);
            // convergence is quadratic: what is left is below the error of the tail, or of p
            if excess.abs() <= 1e-8 || (next - p).abs() <= 2.0 * f64::EPSILON * p {
                return self.settle(next, target);
            }
            p = next;
        }
        Err(Error::NotConverged(self.name))
    }

    /// Moves p outward until its tail passes, in steps of 1, 2, 4, … ulps.
    fn settle(&self, mut p: f64, target: f64) -> Result<f64, Error> {
        for doubling in 0..12 {
            if !(0.0..=1.0).contains(&p) {
                break;
            }
            if self.ln_tail(p)? <= target {
                return Ok(p);
            }
            p = (0..1 << doubling).fold(p, |p, _| (self.outward)(p));
        }
        Err(Error::NotConverged(self.name))
    }

    fn ln_tail(&self, p: f64) -> Result<f64, Error> {
        (self.tail)(self.votes.0, self.votes.1, p)
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact values are promised
mod tests {
    use super::*;

    fn alpha(value: f64) -> Alpha {
        Alpha::new(value).unwrap()
    }

    /// The search refuses that many draws; values of mpmath.
    #[test]
    fn bounds_with_a_closed_form_need_no_search() {
        let (n, alpha) = (1 << 60, alpha(0.001));
        assert_eq!(clopper_pearson_lower(0, n, alpha).unwrap(), 0.0);
        assert_eq!(clopper_pearson_upper(n - 1, n, alpha).unwrap(), 1.0);
        let none = clopper_pearson_upper(0, n, alpha).unwrap();
        assert!((5.991522624376516e-18..5.991522624376525e-18).contains(&none), "{none:e}");
        assert!(clopper_pearson_upper(2, n, alpha).is_err());
    }

    /// 8 of 10 have the share p with a probability of about 45 (1 − p)².
    #[test]
    fn an_upper_bound_is_one_only_where_no_number_below_is_large_enough() {
        let last = 1.0_f64.next_down();
        for (level, bound) in [(1e-40, 1.0), (5e-31, 1.0), (6e-31, last), (1e-30, last)] {
            assert_eq!(clopper_pearson_upper(8, 10, alpha(level)).unwrap(), bound, "{level:e}");
        }
    }

    #[test]
    fn the_margin_of_an_exponential_grows_with_its_exponent() {
        for (exponent, units) in [(0.0, 3.0), (4.0, 11.0), (-4.0, 11.0)] {
            assert_eq!(up(0.5, exponent), 0.5 + 0.5 * units * f64::EPSILON, "{exponent}");
            assert_eq!(down(0.5, exponent), 0.5 - 0.5 * units * f64::EPSILON, "{exponent}");
        }
    }

    /// mpmath. A search from elsewhere finds the same bound, but takes longer.
    #[test]
    fn the_search_starts_at_the_score_bound() {
        for (k, n, level, low, high) in [
            (90, 100, 0.001, 0.769941352873896194, 0.960321897302139294),
            (3, 1000, 0.001, 0.000602351918969563885, 0.0148000975459869345),
            (50, 80, 0.2, 0.578535942182762546, 0.669269964799619748),
            (7, 9, 0.8, 0.871621552638676989, 0.64340027966083828),
            // the other form of each root would lose half of the digits
            (2, 1_000_000_000_000, 1e-300, 2.9059536663233097718e-15, 1.3764844363712644831e-9),
        ] {
            for (side, expected) in [(-1.0, low), (1.0, high)] {
                let found = wilson(k, n, alpha(level), side).unwrap();
                assert!((found / expected - 1.0).abs() < 1e-12, "{k} of {n}: {found}, not {expected}");
            }
        }
    }
}
