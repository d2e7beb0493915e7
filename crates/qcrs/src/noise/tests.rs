//! Is it white Gaussian noise? Fixed seeds, limits of four standard deviations.

use super::{Noise, Phase, Stream};
use crate::types::Sigma;
use proptest::prelude::*;
use statrs::function::erf::erfc;
use std::collections::HashSet;

const LEN: usize = 3072;
const STREAM: Stream = Stream { seed: 2024, input: 7, phase: Phase::Estimate };

/// The larger of two errors; NaN is the worst, and `f64::max` would ignore it.
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// Every instruction set that this processor has.
pub(super) fn archs() -> Vec<(&'static str, pulp::Arch)> {
    #[cfg(target_arch = "x86_64")]
    let more = [
        pulp::x86::V3::try_new().map(|v3| ("AVX2", pulp::Arch::V3(v3))),
        pulp::x86::V4::try_new().map(|v4| ("AVX-512", pulp::Arch::V4(v4))),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let more = [Some(("best", pulp::Arch::new()))];
    [("plain", pulp::Arch::Scalar)].into_iter().chain(more.into_iter().flatten()).collect()
}

fn vector(stream: &Stream, draw: u32, len: usize) -> Vec<f32> {
    let mut out = vec![f32::NAN; len];
    let zeros = vec![0.0; len];
    Noise::Gaussian(Sigma::new(1.0).unwrap()).copies_of(&zeros).unwrap().write(stream, draw, &mut out);
    out
}

/// The first `draws` vectors of a stream, one after the other.
fn sample(stream: &Stream, draws: u32) -> Vec<f64> {
    (0..draws).flat_map(|draw| vector(stream, draw, LEN)).map(f64::from).collect()
}

fn phi(x: f64) -> f64 {
    erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

/// Correlation times √n: about standard normal when the two are independent.
fn correlation(a: impl IntoIterator<Item = f64>, b: impl IntoIterator<Item = f64>) -> f64 {
    let (mut n, mut sums) = (0.0, [0.0; 5]);
    for (a, b) in a.into_iter().zip(b) {
        n += 1.0;
        for (sum, term) in sums.iter_mut().zip([a, b, a * a, b * b, a * b]) {
            *sum += term;
        }
    }
    let [a, b, aa, bb, ab] = sums.map(|sum| sum / n);
    n.sqrt() * (ab - a * b) / ((aa - a * a) * (bb - b * b)).sqrt()
}

/// Neither the values nor their squares may be correlated.
fn assert_uncorrelated(what: &str, a: &[f64], b: &[f64]) {
    let plain = correlation(a.iter().copied(), b.iter().copied());
    let squares = correlation(a.iter().map(|a| a * a), b.iter().map(|b| b * b));
    assert!(plain.abs() < 4.0 && squares.abs() < 4.0, "{what}: {plain}, squares {squares}");
}

#[test]
fn the_first_four_moments_are_those_of_a_gaussian() {
    let sample = sample(&STREAM, 1000);
    let n = sample.len() as f64;
    // mean and variance of x^k: E x^2k is 1, 3, 15, 105
    for (k, mean, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0f64)] {
        let moment = sample.iter().map(|x| x.powi(k)).sum::<f64>() / n;
        let z = (moment - mean) / (variance / n).sqrt();
        assert!(z.abs() < 4.0, "moment {k} is {moment}, {z} standard deviations off");
    }
}

#[test]
fn kolmogorov_and_smirnov_see_no_difference() {
    let mut sample = sample(&STREAM, 500);
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let distance = |(i, &x): (usize, &f64)| (phi(x) - i as f64 / n).max((i + 1) as f64 / n - phi(x));
    let worst = sample.iter().enumerate().map(distance).fold(0.0, f64::max);
    // 1.95 is exceeded once in a thousand samples
    assert!(worst * n.sqrt() < 1.95, "distance {worst} at n = {n}");
}

fn assert_tails(draws: u32, limits: &[f64]) {
    let mut counts = vec![0u64; limits.len()];
    for draw in 0..draws {
        for x in vector(&STREAM, draw, LEN) {
            for (count, limit) in counts.iter_mut().zip(limits) {
                *count += u64::from(f64::from(x.abs()) > *limit);
            }
        }
    }
    for (count, limit) in counts.into_iter().zip(limits) {
        let expected = 2.0 * phi(-limit) * f64::from(draws) * LEN as f64;
        let z = (count as f64 - expected) / expected.sqrt();
        println!("beyond {limit}: {count}, expected {expected:.1}");
        assert!(z.abs() < 4.0, "{count} values beyond {limit}, expected {expected}");
    }
}

#[test]
fn the_tails_have_the_right_weight() {
    assert_tails(32_552, &[2.0, 3.0, 4.0, 4.7, 5.0]); // 1e8 values
}

mod slow {
    #[test]
    #[ignore = "slow: 2e9 values"]
    fn the_far_tails_have_the_right_weight() {
        super::assert_tails(651_042, &[3.0, 4.0, 5.0, 5.5, 6.0]);
    }
}

#[test]
fn elements_of_a_draw_are_uncorrelated() {
    let sample = sample(&STREAM, 400);
    // 16 apart: the halves of a pair; 32: two pairs of a block; 64: the next sixteen blocks
    for lag in [1, 2, 3, 4, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 128, LEN] {
        assert_uncorrelated(&format!("lag {lag}"), &sample, &sample[lag..]);
    }
}

#[test]
fn the_halves_of_a_pair_are_uncorrelated() {
    let sample = sample(&STREAM, 400);
    let half = |first: usize| -> Vec<f64> {
        sample.chunks(32).flat_map(|runs| &runs[first..first + 16]).copied().collect()
    };
    assert_uncorrelated("cosine and sine", &half(0), &half(16));
}

#[test]
fn neighbouring_streams_are_uncorrelated() {
    let here = sample(&STREAM, 400);
    let phases = [
        Phase::Search,
        Phase::Select,
        Phase::Predict,
        Phase::Curve,
        Phase::Tune,
        Phase::Measure,
        Phase::Attack,
    ];
    let others = [
        Stream { seed: STREAM.seed + 1, ..STREAM },
        Stream { seed: STREAM.seed ^ 1 << 32, ..STREAM },
        Stream { input: STREAM.input + 1, ..STREAM },
    ];
    for other in others.into_iter().chain(phases.map(|phase| Stream { phase, ..STREAM })) {
        assert_uncorrelated(&format!("{other:?}"), &here, &sample(&other, 400));
    }
}

proptest! {
    #[test]
    fn distinct_addresses_give_distinct_vectors(
        addresses in proptest::collection::hash_set((0u64..3, 0u32..3, 0usize..8, 0u32..4), 2..40),
    ) {
        use Phase::{Attack, Curve, Estimate, Measure, Predict, Search, Select, Tune};
        let phases = [Search, Select, Estimate, Predict, Curve, Tune, Measure, Attack];
        let mut seen = HashSet::new();
        for &(seed, input, phase, draw) in &addresses {
            // the low and the high half of the seed, and both ends of the other words
            let seed = [0, 1, 1 << 32][seed as usize];
            let stream = Stream { seed, input: [0, 1, u32::MAX][input as usize], phase: phases[phase] };
            let vector = vector(&stream, [0, 1, 2, u32::MAX][draw as usize], 64);
            prop_assert!(seen.insert(vector.iter().map(|value| value.to_bits()).collect::<Vec<_>>()));
        }
    }
}
