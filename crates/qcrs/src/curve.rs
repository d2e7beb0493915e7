//! How does the certified radius of one input depend on σ?

use crate::bounds::{clopper_pearson_lower, clopper_pearson_upper};
use crate::noise::{Fresh, Phase};
use crate::radius;
use crate::sample::{Input, SampleUnderNoise, Votes, fresh_votes};
use crate::types::{Alpha, Error, Sigma};
use serde::{Deserialize, Serialize};

/// Which curves are drawn, and how exactly. Settings that cannot work cannot be constructed.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    start: Sigma,
    sigmas: Vec<Sigma>,
    n: u32,
    alpha: Alpha,
}

/// What was drawn for one input.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// The class whose radius is drawn: the one that won at the start.
    pub class: usize,
    /// One point for each σ, in the order of the σ.
    pub points: Vec<CurvePoint>,
}

/// What a number of draws at one σ say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The noise level.
    pub sigma: f64,
    /// The lower bound of the class's probability.
    pub p_lower: f64,
    /// The upper bound of the class's probability.
    pub p_upper: f64,
    /// The radius certified at this σ; `None` where CERTIFY would abstain.
    pub radius: Option<f64>,
    /// The radius that infinitely many draws could at most certify; `None` when they could certify none, or,
    /// where `p_upper` is 1, when there is no such limit.
    pub radius_upper: Option<f64>,
    /// The class with most votes, whichever class is drawn; not in files of version 0.2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer: Option<usize>,
}

impl Curves {
    /// Curves over these `sigmas` with `n` draws for each, of the class that wins at `start`; each end of
    /// each point may be wrong with probability `alpha`.
    pub fn new(start: Sigma, sigmas: Vec<Sigma>, n: u32, alpha: Alpha) -> Result<Self, Error> {
        if n == 0 {
            return Err(Error::setting("n", "a point of a curve needs at least 1 draw, got 0"));
        }
        let curves = Self { start, sigmas, n, alpha };
        let draws = curves.draws();
        if draws > u64::from(u32::MAX) {
            let problem = format!("{draws} draws of one input are too many; take fewer, or fewer points");
            return Err(Error::setting("n", problem));
        }
        Ok(curves)
    }

    /// The forward passes of one input.
    pub fn draws(&self) -> u64 {
        (self.sigmas.len() as u64 + 1) * u64::from(self.n)
    }

    /// The curve of `input`: its class at the start, and that class's radius at every σ.
    pub fn of(&self, sampler: &dyn SampleUnderNoise, input: &Input) -> Result<Drawn, Error> {
        let mut fresh = Fresh::of(input.stream(Phase::Curve));
        // every point has its own draws, so that neighbours do not share their luck
        let mut votes = |sigma| fresh_votes(sampler, input.pixels, sampler.at(sigma), self.n, &mut fresh);
        let class = votes(self.start)?.elected()?;
        let point = |&sigma: &Sigma| self.point(sigma, &votes(sigma)?, class);
        Ok(Drawn { class, points: self.sigmas.iter().map(point).collect::<Result<_, _>>()? })
    }

    fn point(&self, sigma: Sigma, votes: &Votes, class: usize) -> Result<CurvePoint, Error> {
        let (k, n) = (votes.of(class), votes.total());
        let p_lower = clopper_pearson_lower(k, n, self.alpha)?;
        let p_upper = clopper_pearson_upper(k, n, self.alpha)?;
        let radius = radius::gaussian(p_lower, sigma)?;
        let radius_upper = if p_upper < 1.0 { radius::gaussian(p_upper, sigma)? } else { None };
        let answer = votes.winner();
        Ok(CurvePoint { sigma: sigma.get(), p_lower, p_upper, radius, radius_upper, answer })
    }
}

/// `points` values of σ from `left` to `right`, evenly spaced and rounded to nine decimals: 0.85, not
/// 0.8500000000000001.
pub fn sigmas_between(left: f64, right: f64, points: u32) -> Result<Vec<Sigma>, Error> {
    Sigma::new(left).map_err(|error| Error::setting("left", error.to_string()))?;
    if left >= right {
        return Err(Error::setting("left", format!("must be below the right end {right}, got {left}")));
    }
    if points < 2 {
        return Err(Error::setting("points", format!("a curve has at least 2, got {points}")));
    }
    let rounded = |sigma: f64| (sigma * 1e9).round() / 1e9;
    let last = f64::from(points - 1);
    let at = |i: u32| Sigma::new(rounded(left + (right - left) * f64::from(i) / last));
    (0..points).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Draws, NoiseKind};
    use crate::sample::MonteCarlo;
    use crate::sample::Smoothed;
    use crate::testing::HalfSpace;

    fn sigma(value: f64) -> Sigma {
        Sigma::new(value).unwrap()
    }

    fn alpha() -> Alpha {
        Alpha::new(0.001).unwrap()
    }

    /// The radius of a half-space is its distance at every σ, so it lies between the two ends.
    #[test]
    fn the_truth_lies_between_the_ends_of_every_point() {
        let sampler = MonteCarlo::new(&HalfSpace { dim: 1 }, 100).under(NoiseKind::Float);
        let sigmas = sigmas_between(0.2, 2.0, 7).unwrap();
        let curves = Curves::new(sigma(0.5), sigmas.clone(), 4000, alpha()).unwrap();
        assert_eq!(curves.draws(), 8 * 4000);
        let input = Input { pixels: &[1.0], seed: 3, index: 9 };
        let drawn = curves.of(&sampler, &input).unwrap();
        assert_eq!((drawn.class, drawn.points.len(), sampler.passes()), (1, 7, curves.draws()));
        for (point, &sigma) in drawn.points.iter().zip(&sigmas) {
            let p = HalfSpace { dim: 1 }.p(1.0, sigma);
            assert!(point.p_lower < p && p <= point.p_upper, "{point:?}: {p}");
            assert!(point.radius.unwrap() < 1.0, "{point:?}");
            assert!(point.radius_upper.is_none_or(|upper| upper > 1.0), "{point:?}");
            assert_eq!(point.radius_upper.is_none(), point.p_upper >= 1.0, "{point:?}");
        }
        assert!(drawn.points.last().unwrap().radius_upper.is_some(), "at σ = 2 votes differ");
    }

    /// Class 1 wins at the start; far out, it has less than half of the votes.
    #[test]
    fn the_class_of_the_start_keeps_its_curve_where_it_loses() {
        let slab = crate::testing::Slab { dim: 1, half: 0.5 };
        let curves = Curves::new(sigma(0.1), vec![sigma(3.0)], 1000, alpha()).unwrap();
        let input = Input { pixels: &[0.0], seed: 3, index: 0 };
        let drawn = curves.of(&MonteCarlo::new(&slab, 100).under(NoiseKind::Float), &input).unwrap();
        let CurvePoint { p_upper, radius, radius_upper, answer, .. } = drawn.points[0];
        assert_eq!((drawn.class, radius, radius_upper, answer), (1, None, None, Some(0)));
        assert!(p_upper < 0.5, "{p_upper}");
    }

    #[test]
    fn sigmas_are_even_and_short() {
        let values = |left, right, points| {
            sigmas_between(left, right, points).unwrap().into_iter().map(Sigma::get).collect::<Vec<_>>()
        };
        assert_eq!(values(0.06, 0.85, 3), [0.06, 0.455, 0.85]);
        assert_eq!(values(0.24 * 0.25, 3.4 * 0.25, 24)[23].to_string(), "0.85");
        for (left, right, points, name) in [
            (0.5, 0.5, 3, "left"),
            (0.0, 1.0, 3, "left"),
            (f64::NAN, 1.0, 3, "left"),
            (0.1, 1.0, 1, "points"),
        ] {
            let error = sigmas_between(left, right, points).unwrap_err();
            assert!(matches!(error, Error::Setting { name: named, .. } if named == name), "{error}");
        }
    }

    #[test]
    fn draws_beyond_a_stream_and_none_at_all_are_refused_before_any_is_spent() {
        for n in [0, u32::MAX / 2] {
            let error = Curves::new(sigma(0.5), vec![sigma(0.5); 2], n, alpha()).unwrap_err();
            assert!(matches!(error, Error::Setting { name: "n", .. }), "{error}");
        }
    }

    struct Losing;

    impl SampleUnderNoise for Losing {
        fn sample_under_noise(&self, _: &[f32], _: Smoothed, draws: &Draws) -> Result<Votes, Error> {
            Ok(Votes::from_iter([(1, draws.range.len() as u64 - 1)]))
        }
    }

    #[test]
    fn a_sampler_that_loses_votes_is_an_error() {
        let curves = Curves::new(sigma(0.5), vec![sigma(0.5)], 50, alpha()).unwrap();
        let error = curves.of(&Losing, &Input { pixels: &[1.0], seed: 0, index: 0 }).unwrap_err();
        assert!(error.to_string().contains("49 votes were cast for 50 draws"), "{error}");
    }
}
