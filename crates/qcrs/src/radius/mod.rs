//! How far does a vote share protect? Every law of noise has its own answer.

pub mod dsrs;
mod gaussian;

pub use gaussian::{gaussian, gaussian_of_votes, gaussian_share, gaussian_two_sided};

use crate::bounds::clopper_pearson_lower;
use crate::noise::Noise;
use crate::types::{Alpha, Error};

/// The certified l2 radius under `noise` when the class has a probability of at least `p_lower`; `None` where
/// that certifies nothing. Rounded down.
pub fn one_sided(noise: &Noise, p_lower: f64) -> Result<Option<f64>, Error> {
    match noise {
        Noise::Lattice(law) => gaussian(law.lower(p_lower), law.sigma),
        Noise::Gaussian(sigma) => gaussian(p_lower, *sigma),
        Noise::GeneralizedGaussian(law) => dsrs::generalized_gaussian(p_lower, law),
    }
}

/// The same when every other class also fails to win with a probability of at least `not_other`. An error for
/// a law that has no such radius.
pub fn two_sided(noise: &Noise, p_lower: f64, not_other: f64) -> Result<Option<f64>, Error> {
    match noise {
        Noise::Lattice(law) => gaussian_two_sided(law.lower(p_lower), law.lower(not_other), law.sigma),
        Noise::Gaussian(sigma) => gaussian_two_sided(p_lower, not_other, *sigma),
        Noise::GeneralizedGaussian(_) => Err(only_one_sided(noise, "the two-sided bound")),
    }
}

/// The probability of the class that certifies `radius` under `noise`, rounded up. An error for a law whose
/// radius cannot be asked about this way.
pub fn share(noise: &Noise, radius: f64) -> Result<f64, Error> {
    match noise {
        Noise::Lattice(law) => Ok((gaussian_share(radius, law.sigma) + law.correction()).next_up()),
        Noise::Gaussian(sigma) => Ok(gaussian_share(radius, *sigma)),
        Noise::GeneralizedGaussian(_) => Err(only_one_sided(noise, "a question about one radius")),
    }
}

/// The fail-safe radius under `noise`, when every class but one fails to win with a probability of at least
/// `not_other`: at that distance or less, no other class wins more than half of the noisy copies, although
/// the one class may no longer do so either. `None` where a class may have more than half already, and for a
/// law that has no such radius. Rounded down.
///
/// For Gaussian noise it is −σ Φ⁻¹(p_B) = σ Φ⁻¹(1 − p_B), because σ Φ⁻¹(P(x + σε ∈ E)) changes by at most ‖δ‖
/// when x moves by δ, whatever the event E (Salman et al. 2019).
pub fn fail_safe(noise: &Noise, not_other: f64) -> Result<Option<f64>, Error> {
    match noise {
        Noise::Lattice(law) => gaussian(law.lower(not_other), law.sigma),
        Noise::Gaussian(sigma) => gaussian(not_other, *sigma),
        Noise::GeneralizedGaussian(_) => Ok(None),
    }
}

/// Whether a class whose probability under `noise` is at least `p_lower` has more than half of the noisy
/// copies.
pub fn has_majority(noise: &Noise, p_lower: f64) -> bool {
    match noise {
        Noise::Lattice(law) => law.lower(p_lower) > 0.5,
        Noise::Gaussian(_) | Noise::GeneralizedGaussian(_) => p_lower > 0.5,
    }
}

/// The radius that `k` of `n` votes for the class certify at `alpha`: [`one_sided`] of their Clopper-Pearson
/// lower bound.
pub fn of_votes(noise: &Noise, k: u64, n: u64, alpha: Alpha) -> Result<Option<f64>, Error> {
    one_sided(noise, clopper_pearson_lower(k, n, alpha)?)
}

fn only_one_sided(noise: &Noise, what: &str) -> Error {
    Error::Invalid(format!("{} noise has no radius for {what}; use Gaussian noise", noise.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseKind;
    use crate::types::Sigma;

    /// On the lattice every bound is that of a probability which is smaller by d τ, and nothing else.
    #[test]
    fn lattice_noise_costs_its_correction_on_the_safe_side() {
        let sigma = Sigma::new(0.5).unwrap();
        let [lattice, _, float] = NoiseKind::ALL.map(|kind| kind.at(sigma, 3072));
        let Noise::Lattice(law) = lattice else { unreachable!() };
        let by = law.correction();
        for p in [0.5 + 1e-9, 0.7, 0.99, 0.9999] {
            let moved = (p - by).next_down();
            assert_eq!(one_sided(&lattice, p).unwrap(), one_sided(&float, moved).unwrap());
            assert_eq!(fail_safe(&lattice, p).unwrap(), one_sided(&float, moved).unwrap());
            assert_eq!(
                two_sided(&lattice, p, 0.8).unwrap(),
                two_sided(&float, moved, (0.8 - by).next_down()).unwrap()
            );
            assert!(one_sided(&lattice, p).unwrap() < one_sided(&float, p).unwrap(), "{p}");
        }
        assert_eq!(one_sided(&lattice, 0.5).unwrap(), None);
        let half = 0.5_f64.next_up();
        assert!(
            has_majority(&float, half)
                && !has_majority(&float, 0.5)
                && !has_majority(&lattice, half)
                && has_majority(&lattice, 0.5 + 2.0 * by)
        );
        let mut exactly = 0.5 + by;
        while law.lower(exactly) < 0.5 {
            exactly = exactly.next_up();
        }
        assert!(law.lower(exactly) <= 0.5 && !has_majority(&lattice, exactly), "{exactly}");
        for radius in [0.01, 0.5, 1.5] {
            let more = share(&lattice, radius).unwrap() - share(&float, radius).unwrap();
            assert!(more >= by && more < 2.0 * by, "{more}");
        }
    }

    /// The numbers are mpmath's; the votes are the README's.
    #[test]
    fn float_noise_gives_the_radii_of_the_theorem() {
        let noise = Noise::Gaussian(Sigma::new(0.5).unwrap());
        let near = |found: Result<Option<f64>, Error>, expected: f64| {
            let found = found.unwrap().unwrap();
            assert!(found <= expected && expected - found < 1e-12, "{found} instead of {expected}");
        };
        near(one_sided(&noise, 0.99), 1.163_173_937_020_420_6);
        near(two_sided(&noise, 0.99, 0.8), 0.791_992_276_903_438_8);
        near(fail_safe(&noise, 0.8), 0.420_810_616_786_457_1);
        near(of_votes(&noise, 99_000, 100_000, Alpha::new(0.001).unwrap()), 1.144_999_977_606_883);
        assert_eq!(fail_safe(&noise, 0.5 - 1e-9).unwrap(), None);
        let share = share(&noise, 1.163_173_937_020_420_6).unwrap();
        assert!((0.99..0.99 + 1e-12).contains(&share), "{share}");
    }
}
