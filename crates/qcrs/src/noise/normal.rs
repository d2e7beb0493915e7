//! Which normals do two random words make?
//!
//! The method of Box and Muller (1958): a radius √(−2 ln u) times a point on the unit circle.
//! This uses only `+ − ×`, `sqrt`, integer steps and casts, never fused. IEEE 754 rounds each of them in
//! exactly one way, so every processor gives the same bits. There are no branches, so loops of it vectorise.

/// Radius words below this leave a visible gap to the next radius: the [tail](super::tail) refines them.
pub(super) const TAIL: u32 = 1 << 16;

/// The coefficients of −2 ln(1 − w) / w on [0, ½], lowest first; relative error 2.5e-8.
const LOG: [f32; 9] =
    [2.0, 0.99999046, 0.6672631, 0.4873821, 0.52725863, -0.36140987, 2.4163156, -3.2778654, 2.8284607];
/// The coefficients of sin(πt/4) / t in t² on [0, 1]; relative error 2.8e-8.
const SIN: [f32; 4] = [std::f32::consts::FRAC_PI_4, -0.08074582, 0.0024909873, -3.6585836e-05];
/// The coefficients of cos(πt/4) in t² on [0, 1]; relative error 5e-10.
const COS: [f32; 5] = [1.0, -0.30842513, 0.015854284, -0.00032586866, 3.494037e-06];

/// Two independent standard normals from two random words, exact in law but for the rounding.
/// For radius words from [`TAIL`] up the absolute error is below 1.5e-6, which follows from the errors
/// of the radius and the circle over all words; the largest that a sample of all words shows is 7.5e-7.
#[inline(always)]
pub(super) fn normal_pair(radius_word: u32, angle_word: u32) -> [f32; 2] {
    scaled(radius(radius_word), circle(angle_word))
}

/// `point`, moved from the unit circle to the circle of this `radius`.
#[inline(always)]
pub(super) fn scaled(radius: f32, point: [f32; 2]) -> [f32; 2] {
    [radius * point[0], radius * point[1]]
}

/// √(−2 ln u) for u = (word + ½) / 2³²; relative error at most 1.7e-7.
///
/// Near u = 1 the logarithm is taken of 1 − v with v = (2³² − word − ½) / 2³², which keeps all
/// its digits, so that small radii are as fine-grained as large ones.
#[inline(always)]
pub(super) fn radius(word: u32) -> f32 {
    let upper = word.cast_signed() < 0; // u ≥ ½
    let near = if upper { !word } else { word }; // the distance to the nearer end, < 2³¹
    let y = near.cast_signed() as f32 + 0.5;
    let (halvings, w) = halve(y, 32);
    let (halvings, w) = if upper { (0.0, y * (1.0 / 4294967296.0)) } else { (halvings, w) };
    root(halvings, w)
}

/// Splits y / 2^bits into (1 − w) / 2^halvings with 0 < w ≤ ½.
#[inline(always)]
pub(super) fn halve(y: f32, bits: i32) -> (f32, f32) {
    let exponent = (y.to_bits() >> 23).cast_signed() - 126;
    let half_to_one = f32::from_bits((y.to_bits() & 0x007F_FFFF) | 0x3F00_0000);
    ((bits - exponent) as f32, 1.0 - half_to_one)
}

/// √(−2 ln u) for u = (1 − w) / 2^halvings, 0 ≤ w ≤ ½. Both terms are positive: nothing cancels.
#[inline(always)]
pub(super) fn root(halvings: f32, w: f32) -> f32 {
    (halvings * (2.0 * std::f32::consts::LN_2) + w * polynomial(&LOG, w)).sqrt()
}

/// A uniform point on the unit circle; absolute error at most 1.1e-7.
///
/// 30 bits choose an angle between −π/4 and π/4, one reflects it to the opposite quarter
/// and one exchanges the axes, so the law has the symmetries of the square exactly.
#[inline(always)]
pub(super) fn circle(word: u32) -> [f32; 2] {
    let t = ((word << 2) | 2).cast_signed() as f32 * (1.0 / 2147483648.0);
    let sin = t * polynomial(&SIN, t * t);
    let cos = f32::from_bits(polynomial(&COS, t * t).to_bits() ^ (word & 0x8000_0000));
    if word & 0x4000_0000 == 0 { [cos, sin] } else { [sin, cos] }
}

/// Horner's rule, never fused.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f32; N], x: f32) -> f32 {
    let mut sum = coefficients[N - 1];
    for i in (0..N - 1).rev() {
        sum = sum * x + coefficients[i];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::tests::worse;
    use super::*;

    /// √(−2 ln u) in f64, from the end of the unit interval that keeps its digits.
    fn true_radius(word: u32) -> f64 {
        let scaled = |word: u32| (f64::from(word) + 0.5) / 2f64.powi(32);
        let ln = if word >> 31 == 0 { scaled(word).ln() } else { (-scaled(!word)).ln_1p() };
        (-2.0 * ln).sqrt()
    }

    fn true_circle(word: u32) -> [f64; 2] {
        let angle = f64::from(((word << 2) | 2).cast_signed()) / 2f64.powi(31) * std::f64::consts::FRAC_PI_4;
        let cos = if word >> 31 == 0 { angle.cos() } else { -angle.cos() };
        if word >> 30 & 1 == 0 { [cos, angle.sin()] } else { [angle.sin(), cos] }
    }

    fn radius_error(word: u32) -> f64 {
        (f64::from(radius(word)) / true_radius(word) - 1.0).abs()
    }

    fn circle_error(word: u32) -> f64 {
        let ([a, b], [x, y]) = (circle(word), true_circle(word));
        worse((f64::from(a) - x).abs(), (f64::from(b) - y).abs())
    }

    /// Words from end to end, dense where the functions change fastest.
    fn words() -> impl Iterator<Item = u32> {
        let ends =
            (0..1 << 16).flat_map(|i: u32| [i, !i, i | 1 << 31, (1 << 31) - 1 - i, i | 1 << 30, i | 3 << 30]);
        ends.chain((0..=u32::MAX).step_by(4099))
    }

    #[test]
    fn radius_and_circle_are_as_exact_as_they_claim() {
        let worst_radius = words().map(radius_error).fold(0.0, worse);
        let worst_circle = words().map(circle_error).fold(0.0, worse);
        println!("radius {worst_radius:e}, circle {worst_circle:e}");
        assert!(worst_radius <= 1.7e-7, "relative error of the radius {worst_radius:e}");
        assert!(worst_circle <= 1.1e-7, "absolute error on the circle {worst_circle:e}");
    }

    mod slow {
        use super::{circle_error, radius_error, worse};
        use rayon::prelude::*;

        #[test]
        #[ignore = "slow: all 2^32 words"]
        fn every_word_is_as_exact_as_claimed() {
            let worst =
                |error: fn(u32) -> f64| (0..=u32::MAX).into_par_iter().map(error).reduce(|| 0.0, worse);
            let (worst_radius, worst_circle) = (worst(radius_error), worst(circle_error));
            println!("radius {worst_radius:e}, circle {worst_circle:e}");
            assert!(worst_radius <= 1.7e-7 && worst_circle <= 1.1e-7);
        }
    }

    #[test]
    fn normals_are_as_exact_as_they_claim() {
        let mut worst = 0f64;
        for (r, v) in words().zip(words().map(|word| word.wrapping_mul(0x9E37_79B9))) {
            let (normals, [x, y], radius) = (normal_pair(r, v), true_circle(v), true_radius(r));
            worst = worse(worst, (f64::from(normals[0]) - radius * x).abs());
            worst = worse(worst, (f64::from(normals[1]) - radius * y).abs());
        }
        println!("normal {worst:e}");
        assert!(worst <= 7.5e-7, "absolute error of a normal {worst:e}");
    }

    #[test]
    fn extreme_words_give_ordinary_numbers() {
        assert!((6.7..6.8).contains(&radius(0)));
        // half of the last of 2^32 cells: -2 ln(1 - 2^-33) is 2^-32
        assert_eq!(radius(u32::MAX).to_bits(), 2f32.powi(-16).to_bits());
        // the smallest radii keep their digits: the next one is sqrt(3) larger, not as large
        assert!((radius(u32::MAX - 1) / radius(u32::MAX) - 3f32.sqrt()).abs() < 1e-6);
        for word in [0, 1, (1 << 31) - 1, 1 << 31, u32::MAX] {
            assert!(circle(word).iter().all(|c| c.abs() <= 1.0), "{word:x}");
        }
    }

    #[test]
    fn larger_words_never_give_larger_radii() {
        let mut near: Vec<u32> = words().collect();
        near.sort_unstable();
        for pair in near.windows(2) {
            let (a, b) = (radius(pair[0]), radius(pair[1]));
            // two roundings may exchange neighbours that are closer than they are
            assert!(b <= a * (1.0 + 3e-7), "{:x}: {a}, {:x}: {b}", pair[0], pair[1]);
        }
    }
}
