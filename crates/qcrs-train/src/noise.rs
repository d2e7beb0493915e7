//! Which noise is added to a batch?
//!
//! Training noise comes from libtorch's generators, seeded anew for every step from its address: it is
//! repeatable on one machine. The noise of certificates is qcrs's own and has nothing to do with it.

use crate::random::Random;
use qcrs::types::Error;
use serde::{Deserialize, Serialize};
use tch::Tensor;

/// The law of the training noise; E‖ε‖² = d σ² for all of them, where d is the number of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// N(0, σ²) for each pixel.
    Gaussian,
    /// Density ∝ ‖ε‖^(−2k) exp(−‖ε‖²/2s²), s² = σ² d/(d − 2k): the noise of DSRS (Li et al. 2022).
    GeneralizedGaussian {
        /// The exponent; 0 is the Gaussian, at most d/2 − 1.
        k: u32,
        /// The exponent grows from 0 to k over this many epochs.
        warm_up_epochs: usize,
    },
}

impl Law {
    /// An exponent that images of `pixels` values do not have is an error.
    pub fn check(self, pixels: usize) -> Result<(), Error> {
        match self {
            Self::GeneralizedGaussian { k, .. } if k as usize * 2 + 2 > pixels => {
                Err(Error::Invalid(format!(
                    "generalized Gaussian noise on {pixels} pixels needs k of at most {}, got {k}",
                    pixels / 2 - 1
                )))
            }
            _ => Ok(()),
        }
    }

    /// A batch plus one fresh noise vector per image: those of `random`.
    pub fn add(self, images: &Tensor, sigma: f64, epoch: usize, random: Random) -> Tensor {
        if sigma == 0.0 {
            return images.shallow_clone();
        }
        images
            + random.in_torch(|| match self {
                Self::Gaussian => images.randn_like() * sigma,
                Self::GeneralizedGaussian { k, warm_up_epochs } => {
                    radial(&images.randn_like(), exponent(k, epoch, warm_up_epochs), sigma)
                }
            })
    }
}

/// k_e = ⌈k − k exp(−e ln k / E)⌉ for e < E, then k (DSRS's training code).
fn exponent(k: u32, epoch: usize, warm_up_epochs: usize) -> u32 {
    if epoch >= warm_up_epochs || k == 0 {
        return k;
    }
    let k = f64::from(k);
    (k - k * (-(epoch as f64) * k.ln() / warm_up_epochs as f64).exp()).ceil() as u32
}

/// ε = s √(2t) u with t ~ Gamma(d/2 − k) and u the direction of the normals.
fn radial(normals: &Tensor, k: u32, sigma: f64) -> Tensor {
    let count = normals.size()[0];
    let d = (normals.numel() as i64 / count) as f64;
    let shape = d / 2.0 - f64::from(k);
    let s = sigma * (d / (2.0 * shape)).sqrt();
    let options = (tch::Kind::Double, normals.device());
    let t = Tensor::full([count], shape, options).internal_standard_gamma();
    let length =
        normals.flatten(1, -1).to_kind(tch::Kind::Double).norm_scalaropt_dim(2.0, [1i64].as_slice(), false);
    let scale = ((t * 2.0).sqrt() * s / length).to_kind(normals.kind());
    normals * scale.view([-1, 1, 1, 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;
    use tch::{Device, Kind};

    fn noise(law: Law, shape: [i64; 4], sigma: f64, epoch: usize) -> Tensor {
        let zeros = Tensor::zeros(shape, (Kind::Float, Device::Cpu));
        law.add(&zeros, sigma, epoch, Random::at(1, Purpose::Noise, [0, 0]))
    }

    #[test]
    fn the_exponent_grows_as_published() {
        let k = |epoch| exponent(380, epoch, 100);
        // ceil(380 - 380 exp(-e ln(380) / 100))
        assert_eq!([k(0), k(1), k(10), k(50), k(99), k(100), k(500)], [0, 22, 171, 361, 379, 380, 380]);
    }

    #[test]
    fn every_law_has_the_same_power_and_its_own_radius() {
        // d = 784; the radius² is 2 s² Gamma(d/2 − k): its relative deviation is 1/√(d/2 − k)
        for (k, deviation) in [(0, 0.0505), (380, 0.2887)] {
            let law = Law::GeneralizedGaussian { k, warm_up_epochs: 0 };
            let squares = noise(law, [4000, 1, 28, 28], 0.5, 0).square().flatten(1, -1).sum_dim_intlist(
                [1i64].as_slice(),
                false,
                Kind::Double,
            );
            let mean = squares.mean(Kind::Double).double_value(&[]) / (784.0 * 0.25);
            let spread = squares.std(true).double_value(&[]) / (784.0 * 0.25);
            assert!((mean - 1.0).abs() < 5.0 * deviation / 4000f64.sqrt(), "k={k}: mean {mean}");
            assert!((spread / deviation - 1.0).abs() < 0.1, "k={k}: spread {spread}");
        }
        let gaussian = noise(Law::Gaussian, [100, 1, 28, 28], 0.5, 0);
        assert!((gaussian.std(true).double_value(&[]) - 0.5).abs() < 0.01);
    }

    #[test]
    fn the_same_address_is_the_same_noise() {
        let one = || noise(Law::Gaussian, [2, 1, 4, 4], 1.0, 0);
        assert!(one().equal(&one()));
    }

    #[test]
    fn an_exponent_too_large_is_refused() {
        let law = |k| Law::GeneralizedGaussian { k, warm_up_epochs: 0 };
        assert!(law(391).check(784).is_ok());
        assert!(law(392).check(784).is_err());
    }
}
