//! What is Φ⁻¹(p)? What is a binomial tail?
mod sketch;
pub use sketch::*;
