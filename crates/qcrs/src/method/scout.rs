//! What may a search see of an input, and what has it spent?

use crate::noise::{Draws, Fresh, Noise, Phase};
use crate::radius;
use crate::sample::{Input, SampleUnderNoise, SoftVotes, Votes};
use crate::types::{Alpha, Error, Sigma};
use serde::{Deserialize, Serialize};

/// Everything a search may know about one input.
///
/// All draws come from the search phase and no draw is used by two looks, except that the two
/// looks of a pair may share theirs: so no search can spoil a certificate, nor a later look.
pub struct Scout<'a> {
    sampler: &'a dyn SampleUnderNoise,
    x: &'a [f32],
    fresh: Fresh,
    alpha: Alpha,
    n: u32,
    looks: Vec<Look>,
}

/// One look at one σ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Where we looked.
    pub sigma: Sigma,
    /// What the classifier said there.
    pub votes: Votes,
    /// How sure it was, where the search asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub soft: Option<SoftVotes>,
}

impl Look {
    /// Votes alone.
    pub fn new(sigma: Sigma, votes: Votes) -> Self {
        Self { sigma, votes, soft: None }
    }
}

impl<'a> Scout<'a> {
    /// A probe of `input`, for a certificate at `alpha` from `n` draws.
    pub fn new(sampler: &'a dyn SampleUnderNoise, input: &Input<'a>, alpha: Alpha, n: u32) -> Self {
        let fresh = Fresh::of(input.stream(Phase::Search));
        Self { sampler, x: input.pixels, fresh, alpha, n, looks: Vec::new() }
    }

    /// The number of values of the input.
    pub fn dim(&self) -> usize {
        self.x.len()
    }

    /// The failure probability the certificate will be made at.
    pub fn alpha(&self) -> Alpha {
        self.alpha
    }

    /// The number of draws the certificate will be made from.
    pub fn n(&self) -> u32 {
        self.n
    }

    /// Spends `n` fresh draws at `sigma`.
    pub fn look(&mut self, sigma: Sigma, n: u32) -> Result<Look, Error> {
        let draws = self.fresh.take(n)?;
        self.look_at(sigma, &draws)
    }

    /// Spends fresh draws at every σ, as many as stand beside it: the same looks as one after the other, but
    /// the classifier's batches need not end where a look does.
    pub fn looks(&mut self, at: &[(Sigma, u32)]) -> Result<Vec<Look>, Error> {
        let part = |&(sigma, n): &(Sigma, u32)| Ok((Noise::Gaussian(sigma), self.fresh.take(n)?));
        let parts = at.iter().map(part).collect::<Result<Vec<_>, Error>>()?;
        let mut votes = self.sampler.sample_each(self.x, &parts)?.into_iter();
        let look = |(&(sigma, _), (_, draws)): (&(Sigma, u32), &(Noise, Draws))| {
            Ok(Look::new(sigma, votes.next().unwrap_or_default().for_each_of(draws)?))
        };
        let looks = at.iter().zip(&parts).map(look).collect::<Result<Vec<Look>, Error>>()?;
        self.looks.extend_from_slice(&looks);
        Ok(looks)
    }

    /// Spends `n` draws at each of two σ. With `common` both see the same fresh draws, scaled
    /// (common random numbers: the noise of the difference cancels); else each has its own.
    pub fn pair(&mut self, sigmas: [Sigma; 2], n: u32, common: bool) -> Result<[Look; 2], Error> {
        let draws = self.fresh.take(n)?;
        let other = if common { draws.clone() } else { self.fresh.take(n)? };
        Ok([self.look_at(sigmas[0], &draws)?, self.look_at(sigmas[1], &other)?])
    }

    /// The mean probabilities at two σ, with the same `n` fresh draws at both.
    pub fn soft_pair(&mut self, sigmas: [Sigma; 2], n: u32) -> Result<[SoftVotes; 2], Error> {
        let draws = self.fresh.take(n)?;
        let mut soft_look = |sigma| {
            let (votes, soft) = self.sampler.soft_sample(self.x, Noise::Gaussian(sigma), &draws)?;
            let votes = votes.for_each_of(&draws)?;
            self.looks.push(Look { sigma, votes, soft: Some(soft.clone()) });
            Ok::<_, Error>(soft)
        };
        Ok([soft_look(sigmas[0])?, soft_look(sigmas[1])?])
    }

    /// The radius that `look` itself would certify for `class`; 0 when it would abstain.
    pub fn radius(&self, look: &Look, class: usize) -> Result<f64, Error> {
        self.radius_of(look.votes.of(class), look.votes.total(), look.sigma)
    }

    /// The radius that the final n draws are expected to certify for `class`, judging by `look`.
    ///
    /// A look of 500 draws cannot certify more than 2.2σ, one of 100,000 up to 3.8σ: their best σ
    /// differ. So the share p̂ = (k + ½)/(m + 1) is carried over to n draws before it is bounded.
    pub fn predicted_radius(&self, look: &Look, class: usize) -> Result<f64, Error> {
        let (k, m, n) = (look.votes.of(class) as f64, look.votes.total() as f64, f64::from(self.n));
        let expected = (n * (k + 0.5) / (m + 1.0)) as u64;
        self.radius_of(expected, u64::from(self.n), look.sigma)
    }

    /// Every look so far, for the record.
    pub fn into_looks(self) -> Vec<Look> {
        self.looks
    }

    fn radius_of(&self, k: u64, n: u64, sigma: Sigma) -> Result<f64, Error> {
        Ok(radius::gaussian_of_votes(k, n, self.alpha, sigma)?.unwrap_or(0.0))
    }

    fn look_at(&mut self, sigma: Sigma, draws: &Draws) -> Result<Look, Error> {
        let votes = self.sampler.sample_under_noise(self.x, Noise::Gaussian(sigma), draws)?;
        let look = Look::new(sigma, votes.for_each_of(draws)?);
        self.looks.push(look.clone());
        Ok(look)
    }
}
