//! What may a search see of an input, and what has it spent?

use super::Posterior;
use crate::noise::{Draws, Fresh, Phase};
use crate::radius;
use crate::sample::{
    Input, SampleUnderNoise, Smoothed, SoftVotes, Votes, WrittenSmoothed, ask, ask_each, is_first,
};
use crate::types::{Alpha, Error, Sigma};
use serde::{Deserialize, Serialize};

/// Everything that a method may know about one input before its certificate.
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
    belief: Option<Posterior>,
}

/// One look at one smoothed classifier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenLook", into = "WrittenLook")]
pub struct Look {
    /// What was looked at.
    pub smoothed: Smoothed,
    /// What it said.
    pub votes: Votes,
    /// How sure it was, where the search asked.
    pub soft: Option<SoftVotes>,
}

/// A look as files have it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)] // what is not understood may say that it is another law
struct WrittenLook {
    #[serde(skip_serializing_if = "is_first", default)]
    model: u32,
    sigma: Sigma,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    law: Option<crate::noise::WrittenLaw>,
    votes: Votes,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    soft: Option<SoftVotes>,
}

impl From<Look> for WrittenLook {
    fn from(Look { smoothed, votes, soft }: Look) -> Self {
        let WrittenSmoothed { model, sigma, law } = smoothed.into();
        Self { model, sigma, law, votes, soft }
    }
}

impl TryFrom<WrittenLook> for Look {
    type Error = Error;

    fn try_from(WrittenLook { model, sigma, law, votes, soft }: WrittenLook) -> Result<Self, Error> {
        Ok(Self { smoothed: WrittenSmoothed { model, sigma, law }.try_into()?, votes, soft })
    }
}

impl Look {
    /// Votes alone.
    pub fn new(smoothed: Smoothed, votes: Votes) -> Self {
        Self { smoothed, votes, soft: None }
    }

    /// The noise level.
    pub fn sigma(&self) -> Sigma {
        self.smoothed.sigma()
    }
}

impl<'a> Scout<'a> {
    /// A scout of `input`, for a certificate at `alpha` from `n` draws.
    pub fn new(sampler: &'a dyn SampleUnderNoise, input: &Input<'a>, alpha: Alpha, n: u32) -> Self {
        let fresh = Fresh::of(input.stream(Phase::Search));
        Self { sampler, x: input.pixels, fresh, alpha, n, looks: Vec::new(), belief: None }
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

    /// The smoothed classifier that σ stands for in this run: looks ask it, and a plan should name it.
    pub fn at(&self, sigma: Sigma) -> Smoothed {
        self.sampler.at(sigma)
    }

    /// Spends `n` fresh draws at `sigma`.
    pub fn look(&mut self, sigma: Sigma, n: u32) -> Result<Look, Error> {
        self.look_at(self.at(sigma), n)
    }

    /// Spends `n` fresh draws on any smoothed classifier: one with its own law, or one of several models by
    /// its number.
    pub fn look_at(&mut self, g: Smoothed, n: u32) -> Result<Look, Error> {
        let draws = self.fresh.take(n)?;
        self.spend(g, &draws)
    }

    /// Spends fresh draws at every σ, in the numbers given beside them. The looks are the same as one after
    /// the other, but the classifier's batches need not end where a look does.
    pub fn looks(&mut self, at: &[(Sigma, u32)]) -> Result<Vec<Look>, Error> {
        let part = |&(sigma, n): &(Sigma, u32)| Ok((self.sampler.at(sigma), self.fresh.take(n)?));
        let parts = at.iter().map(part).collect::<Result<Vec<_>, Error>>()?;
        let votes = ask_each(self.sampler, self.x, &parts)?;
        let looks: Vec<Look> = parts.iter().zip(votes).map(|((g, _), votes)| Look::new(*g, votes)).collect();
        self.looks.extend_from_slice(&looks);
        Ok(looks)
    }

    /// Spends `n` draws at each of two σ. With common draws both see the same ones, scaled (the noise of the
    /// difference cancels); otherwise each has its own.
    pub fn pair(&mut self, sigmas: [Sigma; 2], n: u32, pairs: Pairs) -> Result<[Look; 2], Error> {
        self.spend_pair(sigmas.map(|sigma| self.at(sigma)), n, pairs)
    }

    /// The same for the two ends of a difference. Both ask the model of the σ between them: otherwise the
    /// difference would compare two networks.
    pub fn difference(&mut self, sigmas: [Sigma; 2], n: u32, pairs: Pairs) -> Result<[Look; 2], Error> {
        self.spend_pair(self.ends(sigmas)?, n, pairs)
    }

    fn spend_pair(&mut self, [left, right]: [Smoothed; 2], n: u32, pairs: Pairs) -> Result<[Look; 2], Error> {
        let draws = self.fresh.take(n)?;
        let other = match pairs {
            Pairs::Common => draws.clone(),
            Pairs::Independent => self.fresh.take(n)?,
        };
        Ok([self.spend(left, &draws)?, self.spend(right, &other)?])
    }

    /// The mean probabilities at the two ends of a difference, with the same `n` fresh draws at both.
    pub fn soft_pair(&mut self, sigmas: [Sigma; 2], n: u32) -> Result<[SoftVotes; 2], Error> {
        let [left, right] = self.ends(sigmas)?;
        let draws = self.fresh.take(n)?;
        let mut soft_look = |g: Smoothed| {
            let (votes, soft) = self.sampler.soft_sample(self.x, g, &draws)?;
            let votes = votes.for_each_of(&draws)?;
            self.looks.push(Look { smoothed: g, votes, soft: Some(soft.clone()) });
            Ok::<_, Error>(soft)
        };
        Ok([soft_look(left)?, soft_look(right)?])
    }

    /// The radius that `look` itself would certify for `class`; 0 when it would abstain.
    pub fn radius(&self, look: &Look, class: usize) -> Result<f64, Error> {
        self.radius_of(look.votes.of(class), look.votes.total(), look)
    }

    /// The radius that the final n draws are expected to certify for `class`, judging by `look`.
    ///
    /// A look of 500 draws cannot certify more than 2.2σ, one of 100,000 up to 3.8σ: their best σ
    /// differ. So the share p̂ = (k + ½)/(m + 1) is carried over to n draws before it is bounded.
    pub fn predicted_radius(&self, look: &Look, class: usize) -> Result<f64, Error> {
        let (k, m, n) = (look.votes.of(class) as f64, look.votes.total() as f64, f64::from(self.n));
        let expected = (n * (k + 0.5) / (m + 1.0)) as u64;
        self.radius_of(expected, u64::from(self.n), look)
    }

    /// Keeps what the search believes about the σ–radius curve, for the record.
    pub fn believe(&mut self, posterior: Posterior) {
        self.belief = Some(posterior);
    }

    /// Every look so far and what is believed, for the record.
    pub fn into_evidence(self) -> (Vec<Look>, Option<Posterior>) {
        (self.looks, self.belief)
    }

    fn radius_of(&self, k: u64, n: u64, look: &Look) -> Result<f64, Error> {
        Ok(radius::of_votes(&look.smoothed.noise, k, n, self.alpha)?.unwrap_or(0.0))
    }

    fn ends(&self, sigmas: [Sigma; 2]) -> Result<[Smoothed; 2], Error> {
        let middle = Sigma::new(0.5 * (sigmas[0].get() + sigmas[1].get()))?;
        let model = self.at(middle).model;
        Ok(sigmas.map(|sigma| Smoothed { model, ..self.at(sigma) }))
    }

    fn spend(&mut self, g: Smoothed, draws: &Draws) -> Result<Look, Error> {
        let look = Look::new(g, ask(self.sampler, self.x, g, draws)?);
        self.looks.push(look.clone());
        Ok(look)
    }
}

/// The noise of the two looks of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairs {
    /// The same ε at both σ: most of the noise of the difference cancels.
    Common,
    /// Fresh draws for each.
    Independent,
}
