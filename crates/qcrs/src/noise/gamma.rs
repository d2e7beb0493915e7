//! Which gamma variable belongs to this address?
//!
//! The shape is whole, so it is a sum of exponentials −ln U: exact, with a fixed number of random words.
//! Only `+ − × ÷` and integer steps, so every processor gives the same bits.

use super::Stream;
use super::philox::philox4x32;

/// This bit is set in the phase of the counters that make gamma variables, and in no others.
const GAMMA_DOMAIN: u32 = 1 << 30;
/// This many uniforms are multiplied before a logarithm is taken: each is at least 2⁻⁵³.
const FACTORS: u32 = 16;

/// The `attempt`-th variable Gamma(`shape`, 1) of a draw; relative error below 1e-14.
pub(super) fn gamma_draw(shape: u32, stream: &Stream, draw: u32, attempt: u32) -> f64 {
    let key = stream.key();
    let blocks = shape.div_ceil(2);
    let (mut sum, mut product) = (0.0, 1.0);
    for i in 0..shape {
        let block = attempt.wrapping_mul(blocks).wrapping_add(i / 2);
        let words = philox4x32([draw, block, stream.input, stream.phase as u32 | GAMMA_DOMAIN], key);
        let half = 2 * (i % 2) as usize;
        product *= uniform(words[half], words[half + 1]);
        if i % FACTORS == FACTORS - 1 || i == shape - 1 {
            sum -= ln(product);
            product = 1.0;
        }
    }
    sum
}

/// One of the 2⁵² midpoints of (0, 1), exactly.
fn uniform(high: u32, low: u32) -> f64 {
    let bits = (u64::from(high) << 32 | u64::from(low)) >> 12;
    (bits as f64 + 0.5) * (1.0 / 4503599627370496.0)
}

/// ln x for a normal x in (0, 1]; relative error at most 5e-16.
///
/// x = m 2^e with m in [¾, 1½), and ln m = 2 (z + z³/3 + z⁵/5 + …) with z = (m − 1)/(m + 1), |z| ≤ 1/5.
/// Near 1 e is 0, so nothing cancels.
fn ln(x: f64) -> f64 {
    let bits = x.to_bits().cast_signed();
    let exponent = (bits - 0.75_f64.to_bits().cast_signed()) >> 52;
    let m = f64::from_bits((bits - (exponent << 52)).cast_unsigned());
    let z = (m - 1.0) / (m + 1.0);
    let series = (1..12).rev().fold(0.0, |sum, i| z * z * (1.0 / f64::from(2 * i + 1) + sum));
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * (z + z * series)
}

#[cfg(test)]
mod tests {
    use super::super::tests::worse;
    use super::*;

    #[test]
    fn the_logarithm_is_as_exact_as_it_claims() {
        assert_eq!(ln(1.0).to_bits(), 0);
        let mut worst = 0f64;
        for i in 0..100_000 {
            let x = uniform((i * 42949) ^ 0x5bd1_e995, 7);
            for x in [x, 1.0 - x * 2f64.powi(-30), x.powi(15), (x + 1.0) * f64::MIN_POSITIVE] {
                worst = worse(worst, (ln(x) / x.ln() - 1.0).abs());
            }
        }
        println!("ln: {worst:e}");
        assert!(worst <= 5e-16, "relative error {worst:e}");
    }

    #[test]
    fn uniforms_stay_inside() {
        assert_eq!(uniform(0, 0).to_bits(), 2f64.powi(-53).to_bits());
        assert!(uniform(u32::MAX, u32::MAX) < 1.0);
        // sixteen of the smallest do not underflow
        assert!(uniform(0, 0).powi(FACTORS.cast_signed()).is_normal());
    }
}
