//! How far could a mean, or a ratio of means, lie from what we saw?

use super::WithInterval;
use crate::math::{normal_cdf, normal_quantile};
use crate::types::Error;

/// Resamples per interval: the ends of a 95 % interval then vary by about 3 % of its width.
const RESAMPLES: usize = 2000;

/// The 95 % BCa bootstrap interval (Efron 1987, "Better bootstrap confidence intervals") of
/// `statistic(mean x, mean y)` over pairs (x, y).
///
/// Why BCa: certified radii have an atom at 0 and a long tail, so the t interval is off-centre,
/// and the same routine serves the ratio of two ACRs, which has no textbook interval. The
/// resamples are a fixed function of their number, so a report is the same every time.
/// Measured on 60 values, half of them 0 and half exponential, it covers the truth in 92.7 % of 300 trials:
/// with so few inputs it is a little too short.
/// There is no interval when fewer than two values were seen or all are equal.
pub(super) fn bootstrap(
    pairs: &[(f64, f64)],
    statistic: impl Fn(f64, f64) -> f64,
) -> Result<WithInterval, Error> {
    let n = pairs.len();
    let mean = |(x, y): (f64, f64), n: usize| statistic(x / n as f64, y / n as f64);
    let sums = pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    let value = mean(sums, n);
    let varies = pairs.windows(2).any(|two| two[0] != two[1]);
    if !varies || !value.is_finite() {
        return Ok(WithInterval { value, low: None, high: None });
    }

    let mut replicates: Vec<f64> =
        (0..RESAMPLES).map(|number| mean(resample(pairs, number as u64), n)).collect();
    if replicates.iter().any(|r| !r.is_finite()) {
        // a ratio whose denominator can vanish has no interval
        return Ok(WithInterval { value, low: None, high: None });
    }
    replicates.sort_by(f64::total_cmp);

    // the bias: where the value lies among its replicates, ties counted half
    let below = replicates.partition_point(|r| *r < value) as f64;
    let at_most = replicates.partition_point(|r| *r <= value) as f64;
    let half = 0.5 / RESAMPLES as f64;
    let z0 = normal_quantile(((below + at_most) * half).clamp(half, 1.0 - half))?;

    // the acceleration: the skewness of the jackknife
    let left_out: Vec<f64> = pairs.iter().map(|p| mean((sums.0 - p.0, sums.1 - p.1), n - 1)).collect();
    let centre = left_out.iter().sum::<f64>() / n as f64;
    let power = |k| left_out.iter().map(|v| (centre - v).powi(k)).sum::<f64>();
    let a = if power(2) > 0.0 { power(3) / (6.0 * power(2).powf(1.5)) } else { 0.0 };

    let end = |z: f64| replicates[position(normal_cdf(z0 + (z0 + z) / (1.0 - a * (z0 + z))))];
    let z = normal_quantile(0.975)?;
    Ok(WithInterval { value, low: Some(end(-z)), high: Some(end(z)) })
}

/// The replicate at this share, from 0 to 1.
fn position(share: f64) -> usize {
    ((share * RESAMPLES as f64) as usize).min(RESAMPLES - 1)
}

/// The sums over as many pairs, drawn with replacement; `number` is the number of the resample, from 0.
fn resample(pairs: &[(f64, f64)], number: u64) -> (f64, f64) {
    let n = pairs.len() as u64;
    (0..n).fold((0.0, 0.0), |sum, draw| {
        // the high half of a product maps 64 random bits to 0..n with a bias below n/2^64
        let place = (u128::from(mix((number << 32) | draw)) * u128::from(n)) >> 64;
        let (x, y) = pairs[place as usize];
        (sum.0 + x, sum.1 + y)
    })
}

/// 64 well-mixed bits of a counter (the finaliser of SplitMix64, Steele et al. 2014).
pub(super) fn mix(counter: u64) -> u64 {
    let z = counter.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
