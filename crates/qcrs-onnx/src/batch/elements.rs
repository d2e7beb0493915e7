//! Which images meet in an operator that works element by element?

use super::value::{Axis, Followed, Number, Stop, Tensor};

/// The result of combining values that are aligned at their last axes.
pub(super) fn broadcast(tensors: &[&Tensor]) -> Followed {
    let sized = tensors.iter().any(|tensor| tensor.sized);
    let ranks: Option<Vec<usize>> = tensors.iter().map(|tensor| tensor.rank()).collect();
    let batch = batch_position(tensors)?;
    let (Some(ranks), batch) = (ranks, batch) else {
        return if batch.is_none() {
            Ok(Tensor { sized, ..Tensor::still(None) })
        } else {
            Err(Stop::lost("combines images with a constant of unknown shape"))
        };
    };
    let rank = ranks.into_iter().max().unwrap_or(0);
    let dims: Vec<Number> = (0..rank).rev().map(|from_last| widest(tensors, from_last)).collect();
    let Some((from_last, axis)) = batch else {
        return Ok(Tensor { sized, ..Tensor::still(Some(dims)) });
    };
    for tensor in tensors.iter().filter(|tensor| tensor.axis.is_none()) {
        tensor.refuse_sized()?;
        if length(tensor, from_last) != Number::ONE {
            return Err(Stop::lost("combines images with a constant as long as the batch"));
        }
    }
    Ok(Tensor::rows(dims, axis.moved_to(rank - 1 - from_last)))
}

/// The place of the batch axis, counted from the last axis, if all tensors that have one agree.
fn batch_position(tensors: &[&Tensor]) -> Result<Option<(usize, Axis)>, Stop> {
    let mut found: Option<(usize, Axis)> = None;
    for tensor in tensors {
        let (Some(axis), Some(rank)) = (tensor.axis, tensor.rank()) else { continue };
        let from_last = rank - 1 - axis.at;
        match found {
            None => found = Some((from_last, axis)),
            Some((place, _)) if place != from_last => {
                return Err(Stop::mixed("combines every image with every other"));
            }
            Some((_, other)) if (other.outer, other.inner) != (axis.outer, axis.inner) => {
                return Err(Stop::lost("combines images that are laid out in two ways"));
            }
            Some(_) => {}
        }
    }
    Ok(found)
}

/// The length of the axis `from_last` places before the last; 1 where there is none.
fn length(tensor: &Tensor, from_last: usize) -> Number {
    let dims = tensor.dims.as_deref().unwrap_or_default();
    dims.len().checked_sub(from_last + 1).map_or(Number::ONE, |at| dims[at])
}

fn widest(tensors: &[&Tensor], from_last: usize) -> Number {
    let lengths = tensors.iter().map(|tensor| length(tensor, from_last));
    lengths.into_iter().find(|length| *length != Number::ONE).unwrap_or(Number::ONE)
}
