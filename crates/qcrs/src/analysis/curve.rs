//! Which σ–radius curve belongs to which run?

use super::{AnsweredInput, Table};
use crate::curve::CurvePoint;
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
    /// Its file, where it has one of its own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
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
    /// What the network answers to the input at each σ, as far as the file says.
    pub fn answered(&self) -> AnsweredInput {
        AnsweredInput::new(self.label, self.points.iter().map(|point| (point.sigma, point.answer)))
    }

    /// Whether it may be shown beside `table`: both use the same model and data, as far as the table says.
    pub fn fits(&self, table: &Table) -> bool {
        table
            .spec
            .as_ref()
            .is_none_or(|spec| spec.models.first().blake3 == self.model && spec.data.blake3 == self.data)
    }
}
