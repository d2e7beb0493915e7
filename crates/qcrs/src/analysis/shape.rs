//! Does the certified radius rise and then fall with σ? (The paper's Table 1.)

use serde::{Deserialize, Serialize};

/// The radius of one input at one σ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShapePoint {
    /// The noise level.
    pub sigma: f64,
    /// The certified radius, 0 where nothing is certified for the class followed.
    pub radius: f64,
    /// A lower bound on the radius of infinitely many draws.
    pub low: f64,
    /// An upper bound on it; infinite where all votes agreed.
    pub high: f64,
}

/// What a curve shows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// All second divided differences are at most 0 but for rounding, as the paper asks; noise is not allowed for.
    pub concave: bool,
    /// Some radius lies below radii on both sides of it by more than the errors explain.
    pub not_quasiconcave_beyond_error: bool,
    /// Some radius lies below the chord of its neighbours by more than the errors explain.
    pub not_concave_beyond_error: bool,
    /// How many of the steps left of the largest radius rise.
    pub rising: Signs,
    /// How many of the steps right of it fall.
    pub falling: Signs,
}

/// How many of the signs are as quasiconcavity requires: υ⁻ or υ⁺ of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signs {
    /// The signs that are as required.
    pub right: usize,
    /// All signs.
    pub of: usize,
}

impl Shape {
    /// The shape of a curve with σ in rising order. Where no radius is positive, it is flat and has every
    /// property.
    pub fn of(points: &[ShapePoint]) -> Self {
        let best = (1..points.len())
            .fold(0, |best, at| if points[at].radius > points[best].radius { at } else { best });
        let (mut rising, mut falling) = (Signs { right: 0, of: 0 }, Signs { right: 0, of: 0 });
        for (at, pair) in points.windows(2).enumerate() {
            let [left, right] = [pair[0].radius, pair[1].radius];
            // there is no curve where both certify nothing
            if left > 0.0 || right > 0.0 {
                let (side, as_it_should) =
                    if at < best { (&mut rising, right > left) } else { (&mut falling, right < left) };
                side.of += 1;
                side.right += usize::from(as_it_should);
            }
        }
        let bends: Vec<bool> = points.windows(3).map(|three| bends_up(three, |p| [p.radius; 2])).collect();
        Self {
            concave: !bends.contains(&true),
            not_quasiconcave_beyond_error: has_valley(points),
            not_concave_beyond_error: points.windows(3).any(|three| bends_up(three, |p| [p.low, p.high])),
            rising,
            falling,
        }
    }

    /// Whether radii rise strictly up to the largest and fall strictly after it, as the paper asks; noise is
    /// not allowed for.
    pub fn quasiconcave(&self) -> bool {
        [self.rising, self.falling].iter().all(|signs| signs.right == signs.of)
    }
}

/// A bend by less than this share of the radius is rounding. Where all votes agree, radii are proportional to σ but
/// for the last bits, and for the correction of lattice noise (10⁻¹⁰). One vote of a million moves a radius by
/// 10⁻⁶ or more.
const ROUNDING: f64 = 1e-9;

/// Whether the middle of three points lies below the chord, whatever the values within their intervals.
fn bends_up(three: &[ShapePoint], interval: impl Fn(&ShapePoint) -> [f64; 2]) -> bool {
    let [a, b, c] = [&three[0], &three[1], &three[2]];
    if three.iter().all(|point| point.radius <= 0.0) {
        return false;
    }
    let [low, high] = [interval(a)[0], interval(c)[0]];
    let chord = low + (high - low) * (b.sigma - a.sigma) / (c.sigma - a.sigma);
    chord - interval(b)[1] > ROUNDING * low.max(high)
}

/// Whether some point is surely lower than one before it and one after it.
fn has_valley(points: &[ShapePoint]) -> bool {
    (1..points.len().max(1)).any(|at| {
        let highest = |side: &[ShapePoint]| side.iter().map(|point| point.low).fold(0.0, f64::max);
        let (before, after) = (highest(&points[..at]), highest(&points[at + 1..]));
        points[at].high < before.min(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseKind;
    use crate::radius::of_votes;
    use crate::types::{Alpha, Sigma};

    fn curve(radii: &[f64], error: f64) -> Vec<ShapePoint> {
        let point = |(at, radius): (usize, &f64)| ShapePoint {
            sigma: 0.1 + 0.1 * at as f64,
            radius: *radius,
            low: (radius - error).max(0.0),
            high: radius + error,
        };
        radii.iter().enumerate().map(point).collect()
    }

    #[test]
    fn a_hill_is_quasiconcave_and_a_bell_is_not_concave() {
        let dome = Shape::of(&curve(&[0.0, 0.3, 0.5, 0.6, 0.5, 0.2], 0.01));
        assert!(dome.quasiconcave() && dome.concave && !dome.not_concave_beyond_error);
        let bell = Shape::of(&curve(&[0.1, 0.15, 0.5, 0.6, 0.3, 0.2, 0.15], 0.01));
        assert!(bell.quasiconcave() && !bell.concave && bell.not_concave_beyond_error);
        assert!(!bell.not_quasiconcave_beyond_error);
        assert_eq!((bell.rising, bell.falling), (Signs { right: 3, of: 3 }, Signs { right: 3, of: 3 }));
    }

    #[test]
    fn a_dent_counts_beyond_error_only_where_it_is_deeper_than_the_errors() {
        let dent = [0.2, 0.4, 0.35, 0.6, 0.3];
        let shallow = Shape::of(&curve(&dent, 0.04));
        assert!(!shallow.quasiconcave() && !shallow.not_quasiconcave_beyond_error);
        assert_eq!(shallow.rising, Signs { right: 2, of: 3 });
        assert!(Shape::of(&curve(&dent, 0.01)).not_quasiconcave_beyond_error);
    }

    /// All votes agree, so R = σ Φ⁻¹(p), rounded down: that many second differences have either sign.
    #[test]
    fn a_line_is_concave_although_its_points_are_rounded() {
        let level = |at: u32| Sigma::new(0.1 + 0.03 * f64::from(at)).unwrap();
        for kind in NoiseKind::ALL {
            let radius = |at| of_votes(&kind.at(level(at), 3072), 1000, 1000, Alpha::new(0.001).unwrap());
            let points: Vec<_> = (0..40)
                .map(|at| (level(at).get(), radius(at).unwrap().unwrap()))
                .map(|(sigma, radius)| ShapePoint { sigma, radius, low: radius, high: f64::INFINITY })
                .collect();
            let slope =
                |pair: &[ShapePoint]| (pair[1].radius - pair[0].radius) / (pair[1].sigma - pair[0].sigma);
            let rises = points.windows(3).filter(|three| slope(&three[1..]) > slope(&three[..2])).count();
            assert!(
                rises > 5 || kind != NoiseKind::Float,
                "{rises}: this test wants points that are rounded"
            );
            assert!(Shape::of(&points).concave, "{kind:?}");
            let mut bent = points;
            bent[20].radius *= 1.0 - 1e-6;
            assert!(!Shape::of(&bent).concave, "{kind:?}");
        }
    }

    #[test]
    fn where_nothing_is_certified_there_is_no_curve() {
        let flat = Shape::of(&curve(&[0.0, 0.0, 0.3, 0.0, 0.0], 0.0));
        assert!(flat.quasiconcave());
        assert_eq!((flat.rising, flat.falling), (Signs { right: 1, of: 1 }, Signs { right: 1, of: 1 }));
        assert!(Shape::of(&[]).quasiconcave());
    }
}
