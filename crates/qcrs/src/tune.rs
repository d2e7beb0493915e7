//! Which single σ is best for all inputs?
//!
//! Part of what a search per input gains over COHEN is that the noise of the training is not the best
//! noise to certify with. A fair baseline is COHEN at the best single σ, chosen on other inputs than
//! those it is judged on.

use crate::noise::{Fresh, Phase};
use crate::radius;
use crate::sample::{Input, SampleUnderNoise, fresh_votes};
use crate::types::{Alpha, Error, Sigma};
use serde::Serialize;

/// How the best σ is looked for.
#[derive(Clone, Debug)]
pub struct Tune {
    /// The σ to try.
    pub sigmas: Vec<Sigma>,
    /// Draws per input and σ.
    pub draws: u32,
    /// The draws of the certificates to come: radii are predicted for them.
    pub n: u32,
    /// Their failure probability.
    pub alpha: Alpha,
}

/// What one input would get at one σ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predicted {
    /// The radius, 0 where the class is wrong or nothing could be certified.
    pub radius: f64,
    /// The class with most votes among the first half of the draws, which name it.
    pub answer: Option<usize>,
}

/// What one σ promises.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Promise {
    /// The noise level.
    pub sigma: f64,
    /// The mean radius over the inputs, 0 where the class is wrong or nothing could be certified.
    pub acr: f64,
    /// The share of inputs with the right class and a radius.
    pub certified: f64,
}

impl Tune {
    /// What `input` with this label would get at each σ.
    pub fn predict(
        &self,
        sampler: &dyn SampleUnderNoise,
        input: &Input,
        label: usize,
    ) -> Result<Vec<Predicted>, Error> {
        let mut fresh = Fresh::of(input.stream(Phase::Tune));
        let one = |sigma: &Sigma| {
            // each σ has its own draws; the first half names the class, the second is counted
            let mut votes =
                |draws: u32| fresh_votes(sampler, input.pixels, sampler.at(*sigma), draws, &mut fresh);
            let answer = votes(self.draws.div_ceil(2))?.winner();
            let counted = votes((self.draws / 2).max(1))?;
            if answer != Some(label) {
                return Ok(Predicted { radius: 0.0, answer });
            }
            // the share that was seen, in a certificate of n draws
            let share = counted.of(label) as f64 / counted.total() as f64;
            let votes = (share * f64::from(self.n)).floor() as u64;
            let radius = radius::gaussian_of_votes(votes, self.n.into(), self.alpha, *sigma)?;
            Ok(Predicted { radius: radius.unwrap_or(0.0), answer })
        };
        self.sigmas.iter().map(one).collect()
    }

    /// What each σ promises, from what the inputs would get.
    pub fn promises(&self, inputs: &[Vec<Predicted>]) -> Vec<Promise> {
        let count = inputs.len().max(1) as f64;
        let promise = |(at, sigma): (usize, &Sigma)| {
            let radii = inputs.iter().map(|input| input[at].radius);
            let certified = radii.clone().filter(|radius| *radius > 0.0).count() as f64;
            Promise { sigma: sigma.get(), acr: radii.sum::<f64>() / count, certified: certified / count }
        };
        self.sigmas.iter().enumerate().map(promise).collect()
    }
}

/// The σ that promises the largest mean radius, the smaller of two equal ones; `None` where no σ promises
/// any.
pub fn best(promises: &[Promise]) -> Option<Promise> {
    promises
        .iter()
        .copied()
        .filter(|promise| promise.acr > 0.0)
        .reduce(|best, next| if next.acr > best.acr { next } else { best })
}

/// The end of the σ that were tried at which the best one lies, if it lies at one: a better σ may lie beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edge {
    /// The best σ is the smallest.
    Smallest,
    /// The best σ is the largest.
    Largest,
}

impl Edge {
    /// Where the best of these promises lies, which are in rising order of σ.
    pub fn of(promises: &[Promise], best: Promise) -> Option<Self> {
        if promises.last() == Some(&best) {
            Some(Self::Largest)
        } else {
            (promises.first() == Some(&best)).then_some(Self::Smallest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Draws, NoiseKind};
    use crate::sample::{MonteCarlo, Smoothed, Votes};
    use crate::testing::HalfSpace;

    #[test]
    fn the_radius_of_a_half_space_is_its_distance_and_grows_towards_it() {
        let sigmas: Vec<Sigma> = [0.1, 0.5, 1.0].map(|sigma| Sigma::new(sigma).unwrap()).into();
        let tune = Tune { sigmas, draws: 4000, n: 10_000, alpha: Alpha::new(0.001).unwrap() };
        let sampler = MonteCarlo::new(&HalfSpace { dim: 1 }, 100).under(NoiseKind::Float);
        let predicted = tune.predict(&sampler, &Input { pixels: &[1.0], seed: 3, index: 0 }, 1).unwrap();
        let radii: Vec<f64> = predicted.iter().map(|predicted| predicted.radius).collect();
        assert!(predicted.iter().all(|predicted| predicted.answer == Some(1)), "{predicted:?}");
        // at σ = 0.1 all votes agree: Φ⁻¹(0.001^(1/10000)) = 3.1985775 (scipy); wider noise sees the border
        // at 1, and a prediction may err to either side
        assert!((radii[0] - 0.31985775).abs() < 1e-8, "{radii:?}");
        assert!(radii[1..].iter().all(|radius| (0.85..1.1).contains(radius)), "{radii:?}");
        let wrong = tune.predict(&sampler, &Input { pixels: &[-1.0], seed: 3, index: 1 }, 1).unwrap();
        assert_eq!(wrong, [Predicted { radius: 0.0, answer: Some(0) }; 3]);
        let promises = tune.promises(&[predicted, wrong.clone()]);
        assert!((promises[0].acr - 0.159928876).abs() < 1e-8, "{promises:?}");
        assert!((promises[0].certified - 0.5).abs() < 1e-12, "{promises:?}");
        assert!(best(&promises).unwrap().sigma > 0.1);
        assert_eq!(best(&[]), None);
        assert_eq!(best(&tune.promises(&[wrong])), None);
    }

    #[test]
    fn a_best_sigma_at_an_edge_is_told_from_one_inside() {
        let promise = |sigma, acr| Promise { sigma, acr, certified: 0.5 };
        for (acrs, edge) in [
            ([0.3, 0.2, 0.1], Some(Edge::Smallest)),
            ([0.1, 0.3, 0.2], None),
            ([0.1, 0.2, 0.3], Some(Edge::Largest)),
            ([0.2, 0.2, 0.2], Some(Edge::Smallest)),
        ] {
            let promises: Vec<Promise> =
                [0.1, 0.2, 0.4].into_iter().zip(acrs).map(|(sigma, acr)| promise(sigma, acr)).collect();
            assert_eq!(Edge::of(&promises, best(&promises).unwrap()), edge, "{acrs:?}");
        }
    }

    #[test]
    fn more_draws_than_a_stream_has_are_refused() {
        let sigmas = vec![Sigma::new(0.5).unwrap(); 2];
        let tune = Tune { sigmas, draws: u32::MAX - 2, n: 10_000, alpha: Alpha::new(0.001).unwrap() };
        let error = tune
            .predict(&Losing(0), &Input { pixels: &[1.0], seed: 3, index: 0 }, 1)
            .unwrap_err()
            .to_string();
        assert!(error.contains("4294967295 draws"), "{error}");
    }

    /// Votes that are lost would change the shares of the rest.
    #[test]
    fn a_sampler_that_loses_votes_is_an_error() {
        let sigmas = vec![Sigma::new(0.5).unwrap(); 2];
        let tune = Tune { sigmas, draws: 100, n: 10_000, alpha: Alpha::new(0.001).unwrap() };
        let input = Input { pixels: &[1.0], seed: 3, index: 0 };
        assert!(tune.predict(&Losing(0), &input, 1).is_ok());
        let error = tune.predict(&Losing(1), &input, 1).unwrap_err().to_string();
        assert!(error.contains("49 votes were cast for 50 draws"), "{error}");
    }

    /// Loses this many votes of every request; the others are for class 1, at once.
    struct Losing(u64);

    impl SampleUnderNoise for Losing {
        fn sample_under_noise(&self, _: &[f32], _: Smoothed, draws: &Draws) -> Result<Votes, Error> {
            Ok(Votes::from_iter([(1, draws.range.len() as u64 - self.0)]))
        }
    }
}
