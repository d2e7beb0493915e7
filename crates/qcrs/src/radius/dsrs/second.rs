//! Which second law does double sampling use?

use crate::bounds::proportion_interval;
use crate::noise::GeneralizedGaussian;
use crate::types::{Alpha, Error, Sigma};
use serde::{Deserialize, Serialize};

/// The rule for the second law Q beside the first one P.
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

impl Second {
    /// Q, after `k` of `n` votes for the class under P. It may depend on them: the draws under Q are
    /// different ones, so given these votes its interval holds as if Q had been fixed beforehand.
    pub fn law(
        self,
        first: &GeneralizedGaussian,
        (k, n): (u64, u64),
        alpha: Alpha,
    ) -> Result<Option<GeneralizedGaussian>, Error> {
        match self {
            Self::None => Ok(None),
            Self::Variance(share) => {
                let sigma = Sigma::new(share * first.sigma().get())?;
                GeneralizedGaussian::new(sigma, first.k(), first.dim() as usize).map(Some)
            }
            Self::Threshold => {
                let (p_lower, _) = proportion_interval(k, n, alpha.share(2))?;
                // the published rule, rounded so that it does not depend on the last bit of a logarithm
                let kept = if p_lower >= 0.5 { 0.08 * (-(-p_lower).ln_1p() - 5.0) + 0.6 } else { 0.5 };
                first.truncated(((kept * 1e4).round() / 1e4).clamp(0.05, 0.95)).map(Some)
            }
        }
    }
}
