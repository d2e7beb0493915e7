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

/// The radius on both sides of a place, which give a sign of dR/dσ there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignPair {
    /// The place: from one σ to another, or twice the same σ.
    pub place: [f64; 2],
    /// The radius left and right of it.
    pub radii: [f64; 2],
}

impl Signs {
    /// The signs left of `peak` that are positive, and those right of it that are negative. Where neither side
    /// certifies anything there is no curve, and a place with `peak` inside has no sign to be expected.
    pub fn around(peak: f64, pairs: &[SignPair]) -> [Self; 2] {
        let (mut rising, mut falling) = (Self { right: 0, of: 0 }, Self { right: 0, of: 0 });
        for SignPair { place: [from, to], radii: [left, right] } in pairs {
            let (side, is_right) = if *to <= peak && *from < peak {
                (&mut rising, right > left)
            } else if *from >= peak && *to > peak {
                (&mut falling, right < left)
            } else {
                continue;
            };
            if *left > 0.0 || *right > 0.0 {
                side.of += 1;
                side.right += usize::from(is_right);
            }
        }
        [rising, falling]
    }
}

/// The σ with the largest radius, the smallest of several; 0 for a curve without points.
pub fn peak(points: &[ShapePoint]) -> f64 {
    let first = points.first().copied();
    let better = |best: Option<ShapePoint>, point: &ShapePoint| {
        best.map(|best| if point.radius > best.radius { *point } else { best })
    };
    points.iter().fold(first, better).map_or(0.0, |best| best.sigma)
}

/// Every step from a σ of the list to the next.
pub fn steps(points: &[ShapePoint]) -> Vec<SignPair> {
    let step = |pair: &[ShapePoint]| SignPair {
        place: [pair[0].sigma, pair[1].sigma],
        radii: [pair[0].radius, pair[1].radius],
    };
    points.windows(2).map(step).collect()
}

impl Shape {
    /// The shape of a curve with σ in rising order: the best σ is that of the list, and signs are those of its
    /// steps. Where no radius is positive, it is flat and has every property.
    pub fn of(points: &[ShapePoint]) -> Self {
        Self::seen(points, peak(points), &steps(points))
    }

    /// The same with the best σ and the signs found otherwise.
    pub fn seen(points: &[ShapePoint], peak: f64, pairs: &[SignPair]) -> Self {
        let [rising, falling] = Signs::around(peak, pairs);
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

    /// Signs at a σ, with a peak that is not on the list.
    #[test]
    fn signs_are_counted_on_both_sides_of_any_peak() {
        let pair = |place, radii| SignPair { place, radii };
        let at = |sigma: f64, radii| pair([sigma; 2], radii);
        let pairs = [
            at(0.1, [0.1, 0.2]),
            at(0.2, [0.3, 0.2]), // wrong
            at(0.3, [0.0, 0.0]), // no curve
            at(0.4, [0.5, 0.5]), // at the peak
            at(0.5, [0.4, 0.3]),
            at(0.6, [0.3, 0.3]), // not falling
        ];
        assert_eq!(Signs::around(0.4, &pairs), [Signs { right: 1, of: 2 }, Signs { right: 1, of: 2 }]);
        // a step with the peak inside may have any sign
        let steps =
            [pair([0.1, 0.2], [0.1, 0.2]), pair([0.2, 0.3], [0.2, 0.1]), pair([0.3, 0.4], [0.1, 0.0])];
        assert_eq!(Signs::around(0.25, &steps), [Signs { right: 1, of: 1 }; 2]);
        assert_eq!(Signs::around(0.2, &steps), [Signs { right: 1, of: 1 }, Signs { right: 2, of: 2 }]);
    }

    #[test]
    fn where_nothing_is_certified_there_is_no_curve() {
        let flat = Shape::of(&curve(&[0.0, 0.0, 0.3, 0.0, 0.0], 0.0));
        assert!(flat.quasiconcave());
        assert_eq!((flat.rising, flat.falling), (Signs { right: 1, of: 1 }, Signs { right: 1, of: 1 }));
        assert!(Shape::of(&[]).quasiconcave());
    }
}
