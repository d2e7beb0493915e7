//! What is P(Bin(n, p) ≥ k)?

use super::normal::LN_SQRT_TAU;
use crate::types::Error;

/// Larger counts are refused, because nothing beyond was measured.
const LARGEST_N: u64 = 1 << 32;

/// The continued fraction needs about √n terms at the worst k, and a hundred at the usual ones.
const MOST_TERMS: u64 = 1 << 20;

/// P(Bin(n, p) ≥ k).
///
/// Relative error at most 3e-15 + 1e-15 · |ln P| against mpmath for n up to 10⁹ and P ≥ 1e-300
/// (seen: 0.6 of that for P ≥ 1e-130, 0.72 of it below). Beyond 2³² draws it is an error.
pub fn binomial_upper_tail(k: u64, n: u64, p: f64) -> Result<f64, Error> {
    Ok(ln_upper_tail(k, n, p)?.exp())
}

/// P(Bin(n, p) ≤ k), as precise as [`binomial_upper_tail`].
pub fn binomial_lower_tail(k: u64, n: u64, p: f64) -> Result<f64, Error> {
    Ok(ln_lower_tail(k, n, p)?.exp())
}

/// How far the logarithm of a tail may be off: what [`binomial_upper_tail`] states.
pub(crate) fn ln_tail_error(ln_tail: f64) -> f64 {
    3e-15 + 1e-15 * ln_tail.abs()
}

/// ln P(Bin(n, p) ≥ k).
pub(crate) fn ln_upper_tail(k: u64, n: u64, p: f64) -> Result<f64, Error> {
    let coin = Coin::new(n, p)?;
    if k == 0 || (p >= 1.0 && k <= n) {
        return Ok(0.0);
    }
    if k > n || p <= 0.0 {
        return Ok(f64::NEG_INFINITY);
    }
    // the tail away from the mean is the small one; the other is what it leaves
    if coin.excess(k, n) >= 0.0 {
        coin.ln_outer_tail(k, n)
    } else {
        Ok(complement(coin.flip().ln_outer_tail(n - k + 1, n)?))
    }
}

/// ln P(Bin(n, p) ≤ k).
pub(crate) fn ln_lower_tail(k: u64, n: u64, p: f64) -> Result<f64, Error> {
    let coin = Coin::new(n, p)?;
    if k >= n || p <= 0.0 {
        return Ok(0.0);
    }
    if p >= 1.0 {
        return Ok(f64::NEG_INFINITY);
    }
    if coin.excess(k, n) <= 0.0 {
        coin.flip().ln_outer_tail(n - k, n)
    } else {
        Ok(complement(coin.ln_outer_tail(k + 1, n)?))
    }
}

/// ln P(Bin(n, p) = k) for k ≤ n and 0 < p < 1.
pub(crate) fn ln_pmf(k: u64, n: u64, p: f64) -> Result<f64, Error> {
    Ok(Coin::new(n, p)?.ln_pmf(k, n))
}

/// ln(1 − exp(x)) for the probability of a tail away from the mean.
fn complement(x: f64) -> f64 {
    (-x.exp()).ln_1p()
}

/// A coin that falls on its first side with probability p, and what we need to know about both sides without
/// the rounding error of 1 − p.
#[derive(Clone, Copy)]
struct Coin {
    p: f64,
    q: f64,
    ln_p: f64,
    ln_q: f64,
    flipped: bool,
}

impl Coin {
    fn new(n: u64, p: f64) -> Result<Self, Error> {
        if n > LARGEST_N {
            return Err(Error::Invalid(format!(
                "{n} draws are more than the {LARGEST_N} we have bounds for"
            )));
        }
        if !(0.0..=1.0).contains(&p) {
            return Err(Error::Invalid(format!("a probability must lie between 0 and 1, got {p}")));
        }
        Ok(Self { p, q: 1.0 - p, ln_p: p.ln(), ln_q: (-p).ln_1p(), flipped: false })
    }

    fn flip(self) -> Self {
        Self { p: self.q, q: self.p, ln_p: self.ln_q, ln_q: self.ln_p, flipped: !self.flipped }
    }

    /// k − np, rounded once: the deviance is its square, so an error here is the error of the tail. For a
    /// flipped coin it is nq − (n − k), computed from the p that is exact.
    fn excess(&self, k: u64, n: u64) -> f64 {
        if self.flipped {
            (n as f64).mul_add(self.q, -((n - k) as f64))
        } else {
            (-(n as f64)).mul_add(self.p, k as f64)
        }
    }

    /// ln P(X = k) by C. Loader's saddle point (Fast and accurate computation of binomial
    /// probabilities, 2000): no difference of large logarithms, so the error does not grow with n.
    fn ln_pmf(&self, k: u64, n: u64) -> f64 {
        let (heads, tails, all) = (k as f64, (n - k) as f64, n as f64);
        if k == 0 {
            return all * self.ln_q;
        }
        if k == n {
            return all * self.ln_p;
        }
        let excess = self.excess(k, n);
        let deviance = deviance(all * self.p, excess) + deviance(all * self.q, -excess);
        let stirling = stirling_error(all) - stirling_error(heads) - stirling_error(tails);
        stirling - deviance - LN_SQRT_TAU - 0.5 * (heads * (tails / all)).ln()
    }

    /// ln P(X ≥ k) for 1 ≤ k ≤ n at or above the mean.
    ///
    /// P(X ≥ k) = I_p(a, b) with a = k, b = n − k + 1, and I_p(a, b) = P(X = k) · k q · h with the
    /// continued fraction h = 1/(β₀+ α₁/(β₁+ α₂/(β₂+ … of DiDonato & Morris (ACM TOMS 18, 1992, §2).
    fn ln_outer_tail(&self, k: u64, n: u64) -> Result<f64, Error> {
        let (a, b) = (k as f64, (n - k) as f64 + 1.0);
        let gap = self.excess(k, n) + self.q;
        let alpha = |m: f64| {
            let root = self.p / (a + 2.0 * m - 1.0);
            (a + m - 1.0) * (a + b + m - 1.0) * root * (m * (b - m) * root)
        };
        let first = a / (a + 1.0) * gap;
        let beta = |m: f64| {
            let last = (a + m) / (a + 2.0 * m + 1.0) * (gap + m * (1.0 + self.q));
            m + m * (b - m) * self.p / (a + 2.0 * m - 1.0) + last
        };
        let depth = enough_terms(first, alpha, beta, n - k)?;
        // all terms are positive: going backwards, no error grows
        let rest = (1..=depth).rev().fold(0.0, |rest, m| alpha(m as f64) / (beta(m as f64) + rest));
        Ok(self.ln_pmf(k, n) + (a * self.q / (first + rest)).ln())
    }
}

/// How many terms α of a continued fraction with positive terms bring it within 2⁻⁵⁶ of its value.
///
/// Such a fraction lies between any two successive convergents, so their difference bounds the
/// remainder. The α after `last` are 0: there the fraction ends, and nothing remains.
fn enough_terms(
    first: f64,
    alpha: impl Fn(f64) -> f64,
    beta: impl Fn(f64) -> f64,
    last: u64,
) -> Result<u64, Error> {
    let mut slope = 1.0 / first;
    let (mut difference, mut value) = (slope, slope);
    for m in 1..=last.min(MOST_TERMS) {
        let x = alpha(m as f64);
        let next = 1.0 / (beta(m as f64) + x * slope);
        difference *= -x * slope * next;
        slope = next;
        value += difference;
        if difference.abs() <= f64::EPSILON / 16.0 * value {
            return Ok(m);
        }
    }
    if last <= MOST_TERMS {
        Ok(last)
    } else {
        Err(Error::NotConverged("the tail of a binomial distribution"))
    }
}

/// The deviance k ln(k/m) − (k − m) of a count k = m + excess from its mean m.
pub(super) fn deviance(mean: f64, excess: f64) -> f64 {
    let u = excess / mean;
    let v = u / (2.0 + u);
    if v.abs() > 0.4 {
        return mean * ((1.0 + u) * u.ln_1p() - u);
    }
    // (1+u) ln(1+u) − u = v (u + 2 (1+u) (v²/3 + v⁴/5 + …)): this is where the difference cancels
    let square = v * v;
    let series = (1..22).rev().fold(0.0, |sum, i| square * (1.0 / f64::from(2 * i + 1) + sum));
    v * (excess + 2.0 * (mean + excess) * series)
}

/// ln k! − ln(√(2πk) (k/e)^k): Stirling's series, and a table where it is too short.
pub(super) fn stirling_error(k: f64) -> f64 {
    if k < 16.0 {
        return STIRLING_ERRORS[k as usize - 1];
    }
    let z = 1.0 / (k * k);
    let series = 1.0 / 1188.0 - z * (691.0 / 360360.0 - z / 156.0);
    (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z * (1.0 / 1680.0 - z * series)))) / k
}

/// The errors of Stirling's formula for 1 … 15 (mpmath).
const STIRLING_ERRORS: [f64; 15] = [
    0.08106146679532725822,
    0.041340695955409294094,
    0.027677925684998339149,
    0.020790672103765093112,
    0.016644691189821192163,
    0.013876128823070747999,
    0.011896709945891770095,
    0.010411265261972096497,
    0.0092554621827127329177,
    0.0083305634333628712565,
    0.007573675487951840795,
    0.0069428401072095298657,
    0.0064089941880042070684,
    0.0059513701127588477356,
    0.005554733551962801371,
];
