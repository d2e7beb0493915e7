//! How sure are we of a vote share?

mod binomial_test;
mod clopper_pearson;
mod interval;
mod sequential;
mod two_sided;

pub use binomial_test::binomial_test_half;
pub use clopper_pearson::{clopper_pearson_lower, clopper_pearson_upper, smallest_n};
pub use interval::proportion_interval;
pub(crate) use sequential::{Standing, standing};
pub use two_sided::{Lead, two_sided};
