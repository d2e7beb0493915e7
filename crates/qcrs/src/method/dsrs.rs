//! Li et al. 2022 (DSRS): no search, but two laws of noise and one radius.

use super::{Plan, PlanCertificate, Scout};
use crate::bounds::proportion_interval;
use crate::noise::GeneralizedGaussian;
use crate::radius::dsrs::{DoubleSampling, generalized_gaussian};
use crate::types::{Alpha, Error, Sigma};
use serde::{Deserialize, Serialize};

/// Generalized Gaussian noise P of one σ for every input, asked by itself or together with a second law Q.
///
/// The published program certifies the true class of each input. Here the class is guessed by draws of its own,
/// as in CERTIFY, so that it can be deployed. With a second law each of the two gets half of the n draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dsrs {
    /// The noise level of P.
    pub sigma: Sigma,
    /// The exponent of ‖ε‖⁻²ᵏ.
    pub k: u32,
    /// What Q is.
    pub second: Second,
}

/// The second law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Second {
    /// None: the radius by Neyman and Pearson.
    None,
    /// P with this share of its σ; published: 0.8.
    Variance(f64),
    /// P conditioned on a bounded length; how much of it is kept follows from the votes under P.
    Threshold,
}

impl Dsrs {
    /// The published settings for inputs of `dim` values: a gamma shape d/2 − k of 12, 6 or 4 (MNIST, CIFAR-10,
    /// ImageNet) and a second law with 0.8 σ. Other sizes get the shape of the nearest.
    pub fn published(sigma: Sigma, dim: usize) -> Result<Self, Error> {
        let shape = match dim {
            0..=1500 => 12,
            1501..=50_000 => 6,
            _ => 4,
        };
        let half = u32::try_from(dim / 2).unwrap_or(u32::MAX);
        let k = half.checked_sub(shape).filter(|k| *k > 0).ok_or_else(|| {
            Error::setting("k", format!("dsrs has no published value for inputs of {dim} values; choose one"))
        })?;
        Ok(Self { sigma, k, second: Second::Variance(0.8) })
    }

    /// Refuses settings that cannot work, before any draw is spent.
    pub fn check(&self) -> Result<(), Error> {
        match self.second {
            Second::Variance(share) if !(0.1..1.0).contains(&share) => {
                let problem = format!("the second law has a share of σ from 0.1 to below 1, not {share}");
                Err(Error::setting("second", problem))
            }
            _ => Ok(()),
        }
    }
}

impl Dsrs {
    /// The laws for inputs of `dim` values; those that no radius can be computed for are an error.
    pub fn laws(&self, dim: usize) -> Result<Laws, Error> {
        self.check()?;
        let laws = Laws { first: GeneralizedGaussian::new(self.sigma, self.k, dim)?, second: self.second };
        // any votes will do: no setting that works for some fails for others
        match laws.second_law(1, 1, Alpha::new(0.5)?)? {
            None => drop(generalized_gaussian(0.0, &laws.first)?),
            Some(second) => drop(DoubleSampling::new(&laws.first, &second)?),
        }
        Ok(laws)
    }
}

impl PlanCertificate for Dsrs {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        let laws = self.laws(scout.dim())?;
        Ok(Plan::under(laws))
    }
}

/// The laws of a certificate that is not about Gaussian noise, by [`Dsrs::laws`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Laws {
    /// P, which the certificate is about.
    pub(crate) first: GeneralizedGaussian,
    /// What Q is.
    second: Second,
}

impl Laws {
    /// The draws of `n` that P gets; Q gets the rest.
    pub fn first_draws(&self, n: u32) -> u32 {
        if self.second == Second::None { n } else { n.div_ceil(2) }
    }

    /// Q, after `k` of `n` votes for the class under P. It may depend on them: the draws under Q are others, so given these
    /// votes its interval holds as if Q had been fixed beforehand.
    pub fn second_law(&self, k: u64, n: u64, alpha: Alpha) -> Result<Option<GeneralizedGaussian>, Error> {
        match self.second {
            Second::None => Ok(None),
            Second::Variance(share) => {
                let sigma = Sigma::new(share * self.first.sigma().get())?;
                GeneralizedGaussian::new(sigma, self.first.k(), self.first.dim() as usize).map(Some)
            }
            Second::Threshold => {
                let (p_lower, _) = proportion_interval(k, n, alpha.share(2))?;
                // the published rule, rounded so that it does not depend on the last bit of a logarithm
                let kept = if p_lower >= 0.5 { 0.08 * (-(-p_lower).ln_1p() - 5.0) + 0.6 } else { 0.5 };
                self.first.truncated(((kept * 1e4).round() / 1e4).clamp(0.05, 0.95)).map(Some)
            }
        }
    }
}
