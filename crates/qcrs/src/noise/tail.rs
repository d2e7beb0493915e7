//! How far out can a normal lie?
//!
//! A 32-bit uniform ends at 6.76σ and is coarse long before. One radius in 2¹⁶ falls below
//! [`TAIL`](super::normal::TAIL); its uniform gets 32 more bits, which reach 9.49σ (a chance of 2⁻⁶⁴).

use super::normal::{halve, root};

/// √(−2 ln u) for u = (word·2³² + more + ½) / 2⁶⁴ with a `word` below [`TAIL`](super::normal::TAIL);
/// relative error at most 2e-7 and absolute error of its normals at most 2e-6, on a sample of all words.
pub(super) fn tail_radius(word: u32, more: u32) -> f32 {
    let y = (u64::from(word) << 32 | u64::from(more)) as f32 + 0.5;
    let (halvings, w) = halve(y, 64);
    root(halvings, w)
}

#[cfg(test)]
mod tests {
    use super::super::normal::{TAIL, circle, radius, scaled};
    use super::super::tests::worse;
    use super::*;

    #[test]
    fn the_last_word_lies_beyond_nine_sigma() {
        let last = tail_radius(0, 0);
        assert!(last > 9.0 && last < 10.0, "{last}");
    }

    #[test]
    fn tails_are_as_exact_as_they_claim() {
        let (mut worst_radius, mut worst_normal) = (0f64, 0f64);
        for shift in 0..48 {
            for i in 0..4096u32 {
                let bits = (u64::from(1 << 12 | i) << shift >> 12) & 0xFFFF_FFFF_FFFF;
                let truth = (-2.0 * ((bits as f64 + 0.5) / 2f64.powi(64)).ln()).sqrt();
                let ours = tail_radius((bits >> 32) as u32, bits as u32);
                worst_radius = worse(worst_radius, (f64::from(ours) / truth - 1.0).abs());
                // 30 bits of angle around 0: the first normal is the cosine
                let word = i.wrapping_mul(0x9E37_79B9) & 0x3FFF_FFFF;
                let angle =
                    f64::from(((word << 2) | 2).cast_signed()) / 2f64.powi(31) * std::f64::consts::FRAC_PI_4;
                let normal = f64::from(scaled(ours, circle(word))[0]);
                worst_normal = worse(worst_normal, (normal - truth * angle.cos()).abs());
            }
        }
        println!("tail radius {worst_radius:e}, normal {worst_normal:e}");
        assert!(worst_radius <= 2e-7, "relative error of the radius {worst_radius:e}");
        assert!(worst_normal <= 2e-6, "absolute error of a normal {worst_normal:e}");
    }

    #[test]
    fn the_tail_begins_where_the_body_ends() {
        let (outside, inside) = (tail_radius(TAIL - 1, u32::MAX), radius(TAIL));
        assert!(outside >= inside && outside - inside < 1e-5, "{outside} {inside}");
        // and it refines the words it replaces: each of its ends lies on the right side of the middle
        for word in [0, 1, 77, TAIL - 1] {
            assert!(tail_radius(word, 0) >= radius(word) && radius(word) >= tail_radius(word, u32::MAX));
        }
    }
}
