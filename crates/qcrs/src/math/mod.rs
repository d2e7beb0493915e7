//! What is Φ⁻¹(p)? What is a binomial tail?
//!
//! Of all this, only the gamma law reaches the noise path. Its limit is rounded to `f32` there, so `ln` and
//! `exp` of the standard library may be used. Every routine says how far off it is, and a test asserts that
//! number: `tests/golden_statistics.rs`, `tests/golden_dsrs.rs`, or one beside the routine.

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
pub(crate) use legendre::gauss_legendre;
pub use normal::{normal_cdf, normal_quantile, normal_quantile_lower};
pub use sphere::Sphere;
