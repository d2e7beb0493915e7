//! How far do votes under generalized Gaussian noise protect? (DSRS: Li et al., "Double sampling
//! randomized smoothing", ICML 2022.)
//!
//! | file         | question it answers                                                     |
//! |--------------|-------------------------------------------------------------------------|
//! | `laws`       | which two laws did we sample from, and how do their densities compare?  |
//! | `quadrature` | what is the expectation of a function of the noise's length?            |
//! | `moved`      | what is the mass of the worst region under the moved noise?             |
//! | `dual`       | how little can the class weigh after a move? Every radius rests on this |
//! | `multipliers` | which multipliers λ make the best bound?                               |
//! | `second`     | which second law is used?                                                 |
//! | `radius`     | how far does the bound stay above one half?                             |

mod dual;
mod laws;
mod moved;
mod multipliers;
mod quadrature;
mod radius;
mod second;
#[cfg(test)]
mod tests;

use crate::bounds::proportion_interval;
use crate::noise::GeneralizedGaussian;
use crate::types::{Alpha, Error};
use dual::{Dual, Known};
use laws::{Densities, Ratio};
pub use second::Second;

/// The certified l2 radius of generalized Gaussian smoothing when the class has a probability of at least
/// `p_lower` (Yang et al. 2020, by Neyman and Pearson); `None` when p < ½ certifies nothing.
///
/// Rounded down: the bound was above ½ at this radius, minus a bound of its own error. At most 1e-7 σ below
/// the optimum. Less than 64 dimensions are an error. Takes some 7 ms.
///
/// ```
/// # use qcrs::{noise::GeneralizedGaussian, radius::dsrs::generalized_gaussian, types::{Error, Sigma}};
/// let noise = GeneralizedGaussian::new(Sigma::new(0.5)?, 1530, 3072)?; // CIFAR
/// let radius = generalized_gaussian(0.99, &noise)?.expect("more than one half");
/// assert!((radius - 1.09594).abs() < 1e-5);
/// # Ok::<(), Error>(())
/// ```
pub fn generalized_gaussian(p_lower: f64, noise: &GeneralizedGaussian) -> Result<Option<f64>, Error> {
    check("first", [p_lower, 1.0])?;
    let laws = Densities::new(noise, Ratio::None)?;
    if p_lower < 0.5 {
        return Ok(None);
    }
    let dual = Dual::new(laws);
    let (radius, _) = radius::one_law(&dual, p_lower)?;
    Ok(Some(in_pixels(radius, noise)))
}

/// Between which values the class's probabilities lie under the first law and under the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Lower and upper bound under the first law.
    pub first: [f64; 2],
    /// Lower and upper bound under the second law.
    pub second: [f64; 2],
}

impl Shares {
    /// What (k, n) votes under each law say. All four ends hold together with probability 1 − α, for each
    /// is wrong with probability at most α/4.
    pub fn of_votes(first: (u64, u64), second: (u64, u64), alpha: Alpha) -> Result<Self, Error> {
        let each = alpha.share(2);
        let [first, second] = [first, second].map(|(k, n)| proportion_interval(k, n, each).map(Into::into));
        Ok(Self { first: first?, second: second? })
    }
}

/// The radius of double sampling: the base classifier was asked under two laws.
///
/// It holds what depends on the laws only, so that many radii share it; each then takes some 30 ms.
#[derive(Clone, Debug)]
pub struct DoubleSampling {
    first: GeneralizedGaussian,
    dual: Dual,
}

impl DoubleSampling {
    /// Votes under `first`, which is the noise that the certificate is about, and under `second`: the same
    /// with a smaller σ, or the same truncated.
    pub fn new(first: &GeneralizedGaussian, second: &GeneralizedGaussian) -> Result<Self, Error> {
        let dual = Dual::new(Densities::new(first, Densities::compare(first, second)?)?);
        Ok(Self { first: *first, dual })
    }

    /// The certified l2 radius; `None` when the lower bound under the first law is below ½.
    ///
    /// Never below [`generalized_gaussian`] of that bound. Rounded down: every radius up to this one is
    /// covered by a bound above ½, less a bound of its error. At most 3e-5 σ below the optimum.
    pub fn radius(&self, shares: &Shares) -> Result<Option<f64>, Error> {
        check("first", shares.first)?;
        check("second", shares.second)?;
        if shares.first[0] < 0.5 {
            return Ok(None);
        }
        let known = Known { p: shares.first, q: shares.second };
        let one = radius::one_law(&self.dual, shares.first[0])?;
        let radius = radius::two_laws(&self.dual, &known, one)?;
        Ok(Some(in_pixels(radius, &self.first)))
    }
}

fn check(which: &str, [low, high]: [f64; 2]) -> Result<(), Error> {
    if (0.0..1.0).contains(&low) && low <= high && high <= 1.0 {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "the share under the {which} law must have bounds 0 ≤ low ≤ high ≤ 1 and low < 1, got {low} and {high}"
    )))
}

/// From units of s to pixels, down: s and the product are off by three roundings at most.
fn in_pixels(radius: f64, noise: &GeneralizedGaussian) -> f64 {
    radius * noise.scale() * (1.0 - 4.0 * f64::EPSILON)
}
