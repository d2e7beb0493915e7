//! How does the certified radius of one input depend on σ?

use super::Table;
use serde::{Deserialize, Serialize};

/// The σ–radius curve of one input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The BLAKE3 hash of the model, as in a spec.
    pub model: String,
    /// The BLAKE3 hash of the data, as in a spec.
    pub data: String,
    /// The index of the input in its dataset.
    pub index: u32,
    /// Its true class, where known.
    pub label: Option<usize>,
    /// The class whose radius is drawn.
    pub class: usize,
    /// A name to show, such as the names of the classes; may be empty.
    pub caption: String,
    /// The σ tried, in rising order.
    pub points: Vec<CurvePoint>,
}

impl Curve {
    /// Whether it may stand beside `table`: both are about the same model and data, as far as the table says.
    pub fn fits(&self, table: &Table) -> bool {
        table
            .spec
            .as_ref()
            .is_none_or(|spec| spec.models.first().blake3 == self.model && spec.data.blake3 == self.data)
    }
}

/// What a number of draws at one σ say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The noise level.
    pub sigma: f64,
    /// The lower bound of the class's probability.
    pub p_lower: f64,
    /// The upper bound of the class's probability.
    pub p_upper: f64,
    /// The radius certified at this σ; `None` where CERTIFY would abstain.
    pub radius: Option<f64>,
    /// The radius that an infinite number of draws could at most certify; `None` when none, or, where
    /// `p_upper` is 1, when there is no such limit.
    pub radius_upper: Option<f64>,
}
