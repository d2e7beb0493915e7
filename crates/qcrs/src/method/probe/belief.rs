//! What do the votes so far say about the class, and about the class that comes closest?

use super::super::Posterior;
use super::laplace::{Count, Fit, Prior, laplace};
use super::linear::Square;
use super::tails::tail;
use crate::sample::Votes;
use crate::types::Error;

/// Grid points closer than this in ln σ are taken to have the same leading classes.
const NEAR: f64 = 0.45;

/// What is believed about an input after some looks.
#[derive(Clone, Debug)]
pub(super) struct Belief {
    /// The grid.
    pub sigmas: Vec<f64>,
    /// The class.
    pub class: usize,
    /// R(σ) = σ Φ⁻¹(p(σ)) of the class.
    pub radius: Fit,
    /// ln of the share that the strongest other class has of all others.
    pub ln_share: Vec<f64>,
}

/// What is believed before the first look.
#[derive(Clone, Debug)]
pub(super) struct Priors {
    radius: Prior,
    share: Prior,
}

impl Priors {
    /// For a classifier trained with noise `start`.
    pub fn new(sigmas: &[f64], start: f64) -> Self {
        // radii grow with σ, but not in proportion: far from the start most answers are wrong
        let sizes: Vec<f64> = sigmas.iter().map(|sigma| (sigma * start).sqrt()).collect();
        // mean, deviation and length in ln σ; docs/decisions.md says how they were found
        let radius = process(sigmas, &sizes, (0.4, 2.0), 0.4);
        let share = process(sigmas, &vec![1.0; sigmas.len()], (0.5, 1.2), 0.7);
        Self { radius, share }
    }
}

/// A Gaussian process over ln σ, its mean and deviation in units of `sizes`.
fn process(sigmas: &[f64], sizes: &[f64], (mean, deviation): (f64, f64), length: f64) -> Prior {
    let covariance = Square::from_fn(sigmas.len(), |i, j| {
        let distance = (sigmas[i] / sigmas[j]).ln() / length;
        // the little on the diagonal keeps the matrix regular in f64
        let nugget = if i == j { 1e-8 } else { 0.0 };
        deviation * deviation * sizes[i] * sizes[j] * ((-0.5 * distance * distance).exp() + nugget)
    });
    Prior { mean: sizes.iter().map(|size| mean * size).collect(), covariance }
}

/// All votes of grid points near `sigma`.
fn near(sigmas: &[f64], tally: &[Votes], sigma: f64) -> Votes {
    let here = sigmas.iter().zip(tally).filter(|(s, _)| (*s / sigma).ln().abs() < NEAR);
    here.fold(Votes::default(), |all, (_, votes)| all.merge(votes.clone()))
}

impl Belief {
    /// What `tally`, the votes at each σ, say about the class that wins around `start`.
    pub fn new(priors: &Priors, sigmas: &[f64], tally: &[Votes], start: f64) -> Result<Self, Error> {
        let class = near(sigmas, tally, start).elected()?;
        let against = |votes: &Votes| votes.total() - votes.of(class);
        let counts = tally.iter().zip(sigmas).map(|(votes, &scale)| Count {
            yes: votes.of(class),
            no: against(votes),
            scale,
        });
        let radius = laplace(&priors.radius, &counts.collect::<Vec<_>>())?;

        let second = |sigma: &f64| {
            let mut ranked = near(sigmas, tally, *sigma).ranked().into_iter().map(|(other, _)| other);
            ranked.find(|other| *other != class)
        };
        let counts = tally.iter().zip(sigmas).map(|(votes, sigma)| {
            let theirs = second(sigma).map_or(0, |other| votes.of(other));
            Count { yes: theirs, no: against(votes) - theirs, scale: 1.0 }
        });
        let share = laplace(&priors.share, &counts.collect::<Vec<_>>())?;
        // the mean of Φ over what is believed of the share
        let ln_share = (0..sigmas.len())
            .map(|at| tail(-share.mean[at] / (1.0 + share.covariance.at(at, at)).sqrt()).ln)
            .collect();
        Ok(Self { sigmas: sigmas.to_vec(), class, radius, ln_share })
    }

    /// The curve, for the record.
    pub fn posterior(&self) -> Posterior {
        let deviations = (0..self.sigmas.len()).map(|at| self.radius.deviation(at));
        Posterior::new(&self.sigmas, &self.radius.mean, deviations)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::math::normal_cdf;

    /// Votes at every third σ on a curve that rises and falls; `seed` shifts it.
    pub fn tally(sigmas: &[f64], seed: u64) -> Vec<Votes> {
        let votes = |(at, sigma): (usize, &f64)| {
            let n = if (at as u64 + seed).is_multiple_of(3) { 64_u32 } else { 0 };
            let radius = 0.2 + 0.15 * seed as f64 - 0.5 * (sigma / 0.5).ln().powi(2);
            let yes = (normal_cdf(radius / sigma) * f64::from(n)) as u64;
            let others = u64::from(n) - yes;
            Votes::from_iter([(4, yes), (7, others * 3 / 4), (1, others - others * 3 / 4)])
        };
        sigmas.iter().enumerate().map(votes).collect()
    }

    /// What is believed after these votes.
    pub fn belief(seed: u64) -> Belief {
        belief_after(1, seed)
    }

    /// What is believed after `times` times these votes.
    pub fn belief_after(times: usize, seed: u64) -> Belief {
        let sigmas: Vec<f64> = (0..24).map(|i| 0.12 * (1.7_f64 / 0.12).powf(f64::from(i) / 23.0)).collect();
        let more = |votes: Votes| vec![votes; times].into_iter().fold(Votes::default(), Votes::merge);
        let votes: Vec<Votes> = tally(&sigmas, seed).into_iter().map(more).collect();
        Belief::new(&Priors::new(&sigmas, 0.5), &sigmas, &votes, 0.5).unwrap()
    }

    #[test]
    fn the_class_wins_around_the_start_and_another_follows() {
        let belief = belief(3);
        assert_eq!(belief.class, 4);
        // three quarters of the others, as the votes say
        let share = belief.ln_share[12].exp();
        assert!((0.6..0.9).contains(&share), "{share}");
    }
}
