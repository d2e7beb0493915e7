//! How far are two points apart, at least and at most?

/// Measures points of one dimension, with an error that is known.
///
/// With u = 2⁻⁵³: a difference of two f32 in f64, its square and n − 1 additions in any order leave the
/// sum of squares within a relative (n + 2)u of the truth to first order (no term is negative, and
/// squares of f32 differences neither overflow nor underflow in f64); the root halves that and adds u.
/// ε = (n + 64)u is larger than all of it, also after the factors below are rounded themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ruler {
    epsilon: f64,
}

/// A distance d: `low` ≤ d ≤ `high`, and `low` ≥ d(1 − 2ε).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Distance {
    low: f64,
    high: f64,
    epsilon: f64,
}

impl Ruler {
    pub(crate) fn new(dim: usize) -> Self {
        Self { epsilon: (dim as f64 + 64.0) * (f64::EPSILON / 2.0) }
    }

    pub(crate) fn measure(self, x: &[f32], y: &[f32]) -> Distance {
        let (d, epsilon) = (sum_of_squares(x, y).sqrt(), self.epsilon);
        Distance { low: d * (1.0 - epsilon), high: d * (1.0 + epsilon), epsilon }
    }

    /// Whether points whose shadows are `shadow` apart, each shadow wrong by at most its share of
    /// `slack`, are so far apart that [`Distance::may_be_within`] `radius` is false and
    /// [`Distance::room_beside`] leaves `own` whole, for sure.
    pub(crate) fn surely_apart(self, shadow: f64, slack: f64, radius: f64, own: f64) -> bool {
        shadow * (1.0 - 16.0 * self.epsilon) - slack >= (radius + own) * (1.0 + self.epsilon)
    }
}

impl Distance {
    /// Whether the point may lie in an open ball of this radius. Where this is false it does not.
    pub(crate) fn may_be_within(self, radius: f64) -> bool {
        self.low < radius
    }

    /// The radius of a ball around the point that lies in a ball of `radius`; 0 where none surely does.
    pub(crate) fn room_within(self, radius: f64) -> f64 {
        if self.high == 0.0 { radius } else { (radius - self.high).next_down().max(0.0) }
    }

    /// The largest radius of a ball around the point for which no third point can seem to lie
    /// ([`Self::may_be_within`]) both in it and in a ball of `radius`; `None` where there is none.
    ///
    /// A point that seems to lie in both is nearer than r/(1 − 2ε) and radius/(1 − 2ε), so
    /// r ≤ d(1 − 2ε) − radius excludes it. One more ε covers the rounding here.
    pub(crate) fn room_beside(self, radius: f64) -> Option<f64> {
        let room = (self.low * (1.0 - 3.0 * self.epsilon) - radius).next_down();
        (room > 0.0).then_some(room)
    }
}

/// Eight sums side by side, which the compiler turns into vectors.
fn sum_of_squares(x: &[f32], y: &[f32]) -> f64 {
    let mut sums = [0.0; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest = xs.remainder().iter().zip(ys.remainder());
    for (x, y) in xs.zip(ys) {
        for lane in 0..8 {
            sums[lane] += square(x[lane], y[lane]);
        }
    }
    rest.map(|(&x, &y)| square(x, y)).sum::<f64>() + sums.iter().sum::<f64>()
}

fn square(x: f32, y: f32) -> f64 {
    let difference = f64::from(x) - f64::from(y);
    difference * difference
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Points on a grid of 2⁻¹², whose squared distance is an integer times 2⁻²⁴ that i128 holds.
    fn exact(x: &[i32], y: &[i32]) -> i128 {
        x.iter().zip(y).map(|(x, y)| i128::from(x - y).pow(2)).sum()
    }

    fn pixels(grid: &[i32]) -> Vec<f32> {
        grid.iter().map(|&value| value as f32 / 4096.0).collect()
    }

    /// Whether `bound`² compares with the exact square as asked, in integers: `bound` times 2⁴⁰ is
    /// rounded in the direction that makes the test harder to pass.
    fn below(bound: f64, square: i128) -> bool {
        let scaled = (bound * 2f64.powi(40)).ceil() as i128;
        scaled * scaled <= square << 56
    }

    fn above(bound: f64, square: i128) -> bool {
        let scaled = (bound * 2f64.powi(40)).floor() as i128;
        scaled * scaled >= square << 56
    }

    proptest! {
        #[test]
        fn the_truth_lies_between(pairs in prop::collection::vec((-9000..9000i32, -9000..9000i32), 1..3000)) {
            let (x, y): (Vec<i32>, Vec<i32>) = pairs.into_iter().unzip();
            let square = exact(&x, &y);
            let d = Ruler::new(x.len()).measure(&pixels(&x), &pixels(&y));
            prop_assume!(square > 0);
            prop_assert!(below(d.low - 2f64.powi(-40), square), "{d:?}");
            prop_assert!(above(d.high + 2f64.powi(-40), square), "{d:?}");
            prop_assert!(d.high - d.low <= 2.1 * d.epsilon * d.high);
        }
    }

    #[test]
    #[allow(clippy::float_cmp)] // exact values are promised
    fn room_is_rounded_to_the_safe_side() {
        let ruler = Ruler::new(1);
        // 0.1f32 is 0.100000001490116119384765625, so 0.7 − that in f64 may round either way
        let d = ruler.measure(&[0.1], &[0.0]);
        assert!(d.room_within(0.7) < 0.7 - 0.100000001490116119384765625);
        assert!(d.room_beside(0.05).unwrap() < 0.100000001490116119384765625 - 0.05);
        assert!(d.room_within(0.7) > 0.7 - 0.100000001490116119384765625 - 1e-14);
        assert!(d.room_beside(0.05).unwrap() > 0.100000001490116119384765625 - 0.05 - 1e-14);
        // nothing is left beside a ball that touches the point, and nothing is certain within it
        assert_eq!(d.room_beside(f64::from(0.1f32)), None);
        assert_eq!(d.room_within(f64::from(0.1f32)), 0.0);
        assert!(d.may_be_within(f64::from(0.1f32)));
        // at the centre there is nothing to round
        assert_eq!(ruler.measure(&[0.1], &[0.1]).room_within(0.7), 0.7);
    }
}
