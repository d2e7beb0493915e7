//! What does a node get: values, attributes, a version?

use super::value::{Number, Stop, Tensor};
use qcrs_cnn::proto::{AttributeProto, NodeProto};

/// Engines do not agree on which of the two counts.
pub(super) const TWICE: &str = "has a setting as an attribute and as an input";

/// A node with its inputs.
pub(super) struct Call<'n, 'a> {
    pub(super) node: &'n NodeProto<'a>,
    /// Its inputs; `None` where an optional one is left out.
    pub(super) inputs: Vec<Option<Tensor>>,
    /// The attributes of the call of the function that it stands in.
    pub(super) given: &'n [AttributeProto<'a>],
    /// The version of ONNX's operators.
    pub(super) opset: i64,
    /// The number of images, where the model takes no other.
    pub(super) batch: Option<usize>,
}

impl<'n, 'a> Call<'n, 'a> {
    /// The attribute called `name`, or the one of the function's call that stands for it.
    pub(super) fn attribute(&self, name: &str) -> Option<&'n AttributeProto<'a>> {
        let own = self.node.attribute(name)?;
        if own.refers_to.is_empty() {
            return Some(own);
        }
        self.given.iter().find(|given| given.name == own.refers_to)
    }

    pub(super) fn int(&self, name: &str, default: i64) -> i64 {
        self.attribute(name).map_or(default, |attribute| attribute.int.unwrap_or(0))
    }

    pub(super) fn ints(&self, name: &str) -> Option<&'n [i64]> {
        self.attribute(name).map(|attribute| attribute.ints.as_slice())
    }

    pub(super) fn text(&self, name: &str) -> &'n str {
        let text = self.attribute(name).and_then(|attribute| attribute.text);
        text.and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default()
    }

    pub(super) fn optional(&self, at: usize) -> Option<&Tensor> {
        self.inputs.get(at).and_then(Option::as_ref)
    }

    pub(super) fn input(&self, at: usize) -> Result<&Tensor, Stop> {
        self.optional(at).ok_or_else(|| Stop::lost("lacks an input"))
    }

    /// Input `at` as something that is the same in every batch: weights, indices, settings.
    pub(super) fn constant(&self, at: usize) -> Result<&Tensor, Stop> {
        let tensor = self.input(at)?;
        match (tensor.axis, tensor.sized) {
            (Some(_), _) => Err(Stop::lost("computes with weights or positions that come from the images")),
            (None, true) => Err(Stop::lost("depends on the number of images")),
            (None, false) => Ok(tensor),
        }
    }

    /// Makes sure that all inputs but the first are the same in every batch.
    pub(super) fn constants_after_first(&self) -> Result<(), Stop> {
        let given = (1..self.inputs.len()).filter(|at| self.inputs[*at].is_some());
        given.into_iter().try_for_each(|at| self.constant(at).map(drop))
    }

    /// The values of input `at`, which are sizes and may count the images.
    pub(super) fn sizes(&self, at: usize) -> Result<&[Number], Stop> {
        let numbers = self.input(at)?.numbers.as_deref();
        numbers.ok_or_else(|| Stop::lost("takes sizes that are not known beforehand"))
    }

    /// The whole numbers in an attribute, or since some version in input `at`; `None` if neither is given.
    pub(super) fn listed(&self, at: usize, name: &str) -> Result<Option<Vec<i64>>, Stop> {
        match (self.ints(name), self.optional(at)) {
            (Some(_), Some(_)) => return Err(Stop::lost(TWICE)),
            (Some(ints), None) => return Ok(Some(ints.to_vec())),
            (None, None) => return Ok(None),
            (None, Some(_)) => {}
        }
        let unknown = || Stop::lost("takes axes or positions that are not known beforehand");
        let whole = |number: &Number| number.known().map(|number| number as i64);
        self.sizes(at)?.iter().map(whole).collect::<Option<Vec<_>>>().map(Some).ok_or_else(unknown)
    }

    /// The number of images times `factor`.
    pub(super) fn times_batch(&self, factor: f64) -> Number {
        self.batch.map_or(Number::Batch(factor), |batch| Number::Known(factor * batch as f64))
    }
}

/// An axis counted from the front.
pub(super) fn axis(axis: i64, rank: usize) -> Result<usize, Stop> {
    let rank = i64::try_from(rank).unwrap_or(i64::MAX);
    let from_front = if axis < 0 { axis + rank } else { axis };
    let inside = (0..rank).contains(&from_front);
    inside.then_some(from_front as usize).ok_or_else(|| Stop::lost("names an axis that is not there"))
}
