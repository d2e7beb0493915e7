//! What do exporters compute about shapes?
//!
//! `x.view(x.size(0), -1)` becomes a little graph: the shape of x, one of its numbers, a list of numbers, and
//! a Reshape to it. The batch is the only size that is not known here.

use super::attributes::{Attributes, signed};
use super::{NamedValue, Reader};
use crate::Refusal;
use crate::proto::NodeProto;

/// Stands for the number of images in a list of sizes.
pub(super) const BATCH: i64 = i64::MIN;
/// The longest list of sizes; without a limit, a list joined with itself would double with every node.
const LONGEST: usize = 16;

impl Reader<'_> {
    /// The list of sizes that a node computes; `None` if it computes something else.
    pub(super) fn sizes(
        &self,
        operator: &str,
        node: &NodeProto<'_>,
        attributes: Attributes<'_>,
    ) -> Result<Option<Vec<i64>>, Refusal> {
        if operator == "Shape" {
            let value = self.value(node, 0)?;
            let partly = attributes.has("start") || attributes.has("end");
            return if partly { Err(unknown()) } else { Ok(Some(self.shape_of(value))) };
        }
        if !node.inputs.iter().any(|name| self.lists.contains_key(name)) {
            return Ok(None);
        }
        let list = match operator {
            "Identity" | "Cast" | "Unsqueeze" | "Squeeze" => self.list(node, 0)?,
            "Gather" => {
                attributes.plain("axis", 0)?;
                let (list, places) = (self.list(node, 0)?, self.list(node, 1)?);
                let length = signed(list.len());
                let at = |place: i64| if place < 0 { place + length } else { place };
                let pick = |place: &i64| list.get(usize::try_from(at(*place)).ok()?).copied();
                places.iter().map(pick).collect::<Option<_>>().ok_or_else(unknown)?
            }
            "Concat" => {
                let lists = (0..node.inputs.len()).map(|at| self.list(node, at));
                lists.collect::<Result<Vec<_>, _>>()?.concat()
            }
            _ => return Ok(None),
        };
        if list.len() > LONGEST { Err(unknown()) } else { Ok(Some(list)) }
    }

    fn shape_of(&self, value: NamedValue) -> Vec<i64> {
        let shape = self.nodes[value.node].shape.map(signed);
        if value.flat { vec![BATCH, shape.iter().product()] } else { [&[BATCH], &shape[..]].concat() }
    }

    /// The list of sizes that is input `at` of a node, computed or constant.
    pub(super) fn list(&self, node: &NodeProto<'_>, at: usize) -> Result<Vec<i64>, Refusal> {
        let name = node.inputs.get(at).ok_or_else(unknown)?;
        match self.lists.get(name) {
            Some(list) => Ok(list.clone()),
            None => Ok(self.needed(node, at)?.ints()?.to_vec()),
        }
    }
}

pub(super) fn unknown() -> Refusal {
    Refusal::Unsupported("this arithmetic of shapes".into())
}
