//! Li et al. 2022 (DSRS): no search, but two laws of noise and one radius.

use super::{Descriptor, Facts, Given, Plan, PlanCertificate, Scout, Setting, Sides, Slow, TwoLaws};
use crate::noise::GeneralizedGaussian;
use crate::radius::dsrs::{DoubleSampling, Second, generalized_gaussian};
use crate::types::{Alpha, Error, Sigma};
use serde::{Deserialize, Serialize};

/// Generalized Gaussian noise P of one σ for every input, asked by itself or together with a second law Q.
///
/// The published program certifies the true class of each input. Here the class is guessed by draws of its
/// own, as in CERTIFY, so that it can be deployed. With a second law each of the two gets half of the n
/// draws.
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

const K: Setting = Setting {
    name: "k",
    value: "K",
    about: "the exponent of the noise's density ‖ε‖⁻²ᵏ exp(−‖ε‖²/2s²)",
    default: "the published, by the size of the input",
};

const SECOND: Setting = Setting {
    name: "second",
    value: "SHARE|threshold|none",
    about: "the second law: that of a share of sigma, a truncated one, or none",
    default: "0.8",
};

/// The bound comes with the method.
const REFUSES: &[(&str, &str)] = &[
    ("bound", "dsrs has a bound of its own; leave this out"),
    ("at_radius", "dsrs has a bound of its own; leave this out"),
];

/// The values of a CIFAR image: settings are checked before the data are opened, and any size is good enough
/// for that.
const TYPICAL_DIM: usize = 3 * 32 * 32;

impl Dsrs {
    pub(super) const DESCRIPTOR: Descriptor = Descriptor {
        name: "dsrs",
        about: "one sigma of generalized Gaussian noise, asked under two laws (Li et al. 2022)",
        settings: &[K, SECOND],
        read: |given| Ok(Self::read(given)?.into()),
    };

    fn read(given: &Given<'_>) -> Result<Self, Error> {
        let sigma = given.published()?.sigma;
        let k = match given.count("k")? {
            Some(k) => k,
            None => Self::published(sigma, given.dim.unwrap_or(TYPICAL_DIM))?.k,
        };
        let method = Self { sigma, k, second: read_second(given)?.unwrap_or(Second::Variance(0.8)) };
        if let Some(dim) = given.dim {
            method.laws(dim)?;
        }
        Ok(method)
    }

    pub(super) fn facts(&self) -> Facts {
        Facts {
            least_n: 2,
            has_one_sigma: true,
            other_law: Some("generalized Gaussian"),
            refuses: REFUSES,
            slow: Slow::Radii,
            ..Facts::about(self.sigma)
        }
    }

    /// The published settings for inputs of `dim` values: a gamma shape d/2 − k of 12, 6 or 4 (MNIST,
    /// CIFAR-10, ImageNet) and a second law with 0.8 σ. Other sizes get the shape of the nearest.
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
                let problem = format!("the share of σ must be at least 0.1 and below 1, got {share}");
                Err(Error::setting("second", problem))
            }
            _ => Ok(()),
        }
    }
}

impl Dsrs {
    /// The laws for inputs of `dim` values; it is an error if no radius can be computed for them.
    pub fn laws(&self, dim: usize) -> Result<TwoLaws, Error> {
        self.check()?;
        let (first, second) = (GeneralizedGaussian::new(self.sigma, self.k, dim)?, self.second);
        // any votes will do: a setting that works for some works for all
        match second.law(&first, (1, 1), Alpha::new(0.5)?)? {
            None => drop(generalized_gaussian(0.0, &first)?),
            Some(second) => drop(DoubleSampling::new(&first, &second)?),
        }
        Ok(TwoLaws { model: 0, first, second })
    }
}

fn read_second(given: &Given<'_>) -> Result<Option<Second>, Error> {
    match given.text("second") {
        Ok(Some("none")) => Ok(Some(Second::None)),
        Ok(Some("threshold")) => Ok(Some(Second::Threshold)),
        Ok(Some(text)) if text.trim().parse::<f64>().is_err() => {
            let problem = format!("must be a number, threshold or none, got {text}");
            Err(Error::setting("second", problem))
        }
        _ => Ok(given.number("second")?.map(Second::Variance)),
    }
}

impl PlanCertificate for Dsrs {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        let laws = TwoLaws { model: scout.at(self.sigma).model, ..self.laws(scout.dim())? };
        Ok(match self.second {
            Second::None => Plan::certify(laws.smoothed(laws.first)).by(Sides::One).into(),
            _ => laws.into(),
        })
    }
}
