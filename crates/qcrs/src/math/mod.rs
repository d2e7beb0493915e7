//! What is Φ⁻¹(p)? What is a binomial tail?
//!
//! None of this is on the noise path, so `ln` and `exp` of the standard library may be used.
//! Every routine says how far off it is, and `tests/golden_statistics.rs` asserts that number.

mod binomial;
mod exponential;
mod gamma;
mod lambert;
mod legendre;
mod normal;
mod sphere;

pub use binomial::{binomial_lower_tail, binomial_upper_tail};
pub(crate) use binomial::{ln_lower_tail, ln_pmf, ln_tail_error, ln_upper_tail};
pub(crate) use exponential::exp;
pub use gamma::{gamma_density, gamma_quantile, gamma_shares};
pub use lambert::lambert_tilt;
pub use legendre::gauss_legendre;
pub use normal::{normal_cdf, normal_quantile, normal_quantile_lower};
pub use sphere::Sphere;
