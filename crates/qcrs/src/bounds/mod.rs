//! How sure are we of a vote share?

mod clopper_pearson;

pub use clopper_pearson::{clopper_pearson_lower, clopper_pearson_upper, smallest_n};
