//! Where does one integer end and the next begin, in units of 2⁻⁶⁴?
//!
//! T[i] = 2⁶⁴ Φ((i + ½) / s), where s is σ in steps of the lattice. Every entry is within 0.51 of the exact
//! number: the terms are computed with 120 bits after the point, in integers, so that the table has the same
//! bits on every machine. docs/statistics.md has the bound of the error.

use super::fixed::{ONE, exp_minus, mul, reciprocal};

/// The last threshold lies at least this many σ out.
pub(super) const CUT: f64 = 8.5;
/// 1/√2π.
const DENSITY_AT_0: u128 = 0x0066_2114_cf50_d942_343f_2cf1_402e_ae39;
/// The integral over a cell is a series in the square of its width, which must not be larger than 1 over
/// this.
const CELLS_PER_SIGMA: f64 = 64.0;

/// T[0], T[1], … until at least `CUT` σ, where a unit has `steps` steps and σ is at least one of
/// them. T[−1 − i] is 2⁶⁴ − T[i].
pub(super) fn upper_half(sigma: f64, steps: u32) -> Vec<u64> {
    let last = (CUT * sigma * f64::from(steps) - 0.5).ceil() as usize;
    let mut cells = CellMasses::of(sigma, steps);
    // an odd number of cells makes a step, so that the middle one of an integer lies on it
    let (inner, whole) = (cells.per_step / 2, cells.per_step);
    let mut mass = |count: usize| cells.by_ref().take(count).sum::<u128>();
    let mut sum = ONE / 2 + mass(1) / 2 + mass(inner);
    let mut thresholds = vec![round(sum)];
    for _ in 0..last {
        sum += mass(whole);
        thresholds.push(round(sum));
    }
    thresholds
}

/// To the nearest multiple of 2⁻⁶⁴, or the largest below 1.
fn round(x: u128) -> u64 {
    const HALF_A_UNIT: u128 = 1 << 55;
    u64::try_from((x + HALF_A_UNIT) >> 56).unwrap_or(u64::MAX)
}

/// The probabilities under N(0, 1) of [k − ½, k + ½] · width for k = 0, 1, …
struct CellMasses {
    per_step: usize,
    /// The square of the width.
    square: u128,
    /// exp(−width²).
    decay: u128,
    /// The density at k, times the width.
    density: u128,
    /// The density at k + 1 over that at k.
    ratio: u128,
    k: u64,
}

impl CellMasses {
    /// A step is cut into an odd number of cells that are narrow enough.
    fn of(sigma: f64, steps: u32) -> Self {
        let per_step = (CELLS_PER_SIGMA / (sigma * f64::from(steps))).ceil() as usize | 1;
        // σ is m · 2^exponent, and its product with whole numbers stays exact
        let bits = sigma.to_bits();
        let (m, exponent) = ((bits & ((1 << 52) - 1)) | 1 << 52, (bits >> 52) as i32 - 1075);
        let cells_per_sigma = u128::from(m) * u128::from(steps) * per_step as u128;
        let width = reciprocal(cells_per_sigma, exponent);
        let square = mul(width, width);
        Self {
            per_step,
            square,
            decay: exp_minus(square),
            density: mul(DENSITY_AT_0, width),
            ratio: exp_minus(square / 2),
            k: 0,
        }
    }

    /// What the mass of a cell is more than width · density, relative to it:
    /// Σ He₂ⱼ(x) (width/2)²ʲ / (2j+1)! for j from 1 to 5. The terms from the second on need 53 bits only.
    fn curvature(&self) -> i128 {
        let x2 = u128::from(self.k * self.k) * self.square;
        let first = if x2 > ONE {
            (mul(x2 - ONE, self.square) / 24).cast_signed()
        } else {
            -(mul(ONE - x2, self.square) / 24).cast_signed()
        };
        let [x2, y] = [x2, self.square].map(|x| x as f64 / ONE as f64);
        let he4 = (x2 - 6.0) * x2 + 3.0;
        let he6 = ((x2 - 15.0) * x2 + 45.0) * x2 - 15.0;
        let he8 = (((x2 - 28.0) * x2 + 210.0) * x2 - 420.0) * x2 + 105.0;
        let he10 = ((((x2 - 45.0) * x2 + 630.0) * x2 - 3150.0) * x2 + 4725.0) * x2 - 945.0;
        let more = y
            * y
            * (he4 / 1920.0 + y * (he6 / 322_560.0 + y * (he8 / 92_897_280.0 + y * he10 / 40_874_803_200.0)));
        first + (more * ONE as f64) as i128
    }
}

impl Iterator for CellMasses {
    type Item = u128;

    fn next(&mut self) -> Option<u128> {
        let mass = mul(self.density, (ONE.cast_signed() + self.curvature()).cast_unsigned());
        self.density = mul(self.density, self.ratio);
        self.ratio = mul(self.ratio, self.decay);
        self.k += 1;
        Some(mass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_the_nearest_multiple_of_its_unit() {
        const UNIT: u128 = 1 << 56;
        for (x, nearest) in [
            (0, 0),
            (UNIT / 2 - 1, 0),
            (UNIT / 2, 1),
            (3 * UNIT / 2 - 1, 1),
            (ONE - UNIT / 2 - 1, u64::MAX),
            (ONE, u64::MAX),
        ] {
            assert_eq!(round(x), nearest, "{x:#x}");
        }
    }

    /// Cells so wide that every term counts, with Heₙ₊₁(x) = x Heₙ(x) − n Heₙ₋₁(x). Of narrow cells the last
    /// terms change no threshold.
    #[test]
    fn the_mass_of_a_cell_has_all_terms_of_its_series() {
        for (k, square) in [(0, ONE), (1, ONE), (2, ONE), (3, ONE), (5, ONE / 4)] {
            let cell = CellMasses { per_step: 1, square, decay: 0, density: 0, ratio: 0, k };
            let y = square as f64 / ONE as f64;
            let x = k as f64 * y.sqrt();
            let (mut even, mut odd, mut factor, mut sum) = (1.0, x, 1.0, 0.0);
            for n in [2.0, 4.0, 6.0, 8.0, 10.0] {
                even = x * odd - (n - 1.0) * even;
                odd = x * even - n * odd;
                factor *= y / 4.0 / (n * (n + 1.0));
                sum += even * factor;
            }
            let found = cell.curvature() as f64 / ONE as f64;
            assert!((found / sum - 1.0).abs() < 1e-12, "cell {k}: {found} instead of {sum}");
        }
    }

    #[test]
    fn cells_are_counted_upwards() {
        let mut cells = CellMasses::of(0.25, 255);
        assert!(cells.by_ref().take(3).all(|mass| mass > 0));
        assert_eq!(cells.k, 3);
    }
}
