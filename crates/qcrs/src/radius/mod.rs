//! How far does a vote share protect?

pub mod dsrs;
mod gaussian;

pub use gaussian::{gaussian, gaussian_of_votes, gaussian_share, gaussian_two_sided};
