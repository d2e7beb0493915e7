//! Where does the batch axis go when a shape changes?

use super::call::{Call, axis};
use super::value::Number::{Batch, Known, Unknown};
use super::value::{Axis, Followed, Number, Stop, Tensor};

const BY_COUNT: &str =
    "repeats values as often as a number says that may depend on how many images there are";

/// Reshape and Flatten keep the order of all entries: entry (p·batch + n)·s + … stays where it is. So two
/// things matter: how many entries lie between one image and the next, and how often the images repeat.
pub(super) fn reshape(call: &Call<'_, '_>, tensor: &Tensor, target: &[Number]) -> Followed {
    let Some(axis) = tensor.axis else { return reshape_still(tensor, target) };
    let dims = tensor.dims.as_deref().unwrap_or_default();
    let before = Number::product(&dims[..axis.at]).times(Known(axis.outer));
    let after = Number::product(&dims[axis.at + 1..]).times(Known(axis.inner));
    let total = match before.times(after) {
        Known(entries) => call.times_batch(entries),
        _ => Unknown,
    };
    let target = inferred(target, total);
    let place = (0..target.len()).find_map(|at| {
        let outer = before.over(Number::product(&target[..at])).known()?;
        // as long as the images themselves: everything after it belongs to one image
        if target[at] == call.times_batch(outer) {
            return Some(Axis { at, outer, inner: 1.0 });
        }
        let inner = after.over(Number::product(&target[at + 1..])).known()?;
        (target[at] == call.times_batch(outer * inner)).then_some(Axis { at, outer, inner })
    });
    match place {
        Some(axis) => Ok(Tensor::rows(target, axis)),
        None if target.contains(&Unknown) => Err(Stop::lost("changes the shape to one that is not known")),
        None => {
            Err(Stop::mixed("breaks up the batch axis, so that parts of several images stand in one row"))
        }
    }
}

/// Makes sure that the lengths within an image do not depend on how many images there are.
pub(super) fn not_by_count(reshaped: &Tensor, asked: &[Number]) -> Result<(), Stop> {
    let Some(batch) = reshaped.axis else { return Ok(()) };
    let counted = |(at, length): (usize, &Number)| at != batch.at && length.known().is_none();
    if asked.iter().enumerate().any(counted) {
        return Err(Stop::lost("changes the shape to one that may depend on how many images there are"));
    }
    Ok(())
}

fn reshape_still(tensor: &Tensor, target: &[Number]) -> Followed {
    if target.iter().any(|length| matches!(length, Batch(_))) {
        return Err(Stop::lost("gives a constant the length of the batch"));
    }
    let total = tensor.dims.as_deref().map_or(Unknown, Number::product);
    let dims = Some(inferred(target, total));
    Ok(Tensor { dims, ..tensor.clone() })
}

/// The lengths with the one that is left open (−1) filled in.
fn inferred(target: &[Number], total: Number) -> Vec<Number> {
    let open = Known(-1.0);
    let others: Vec<Number> = target.iter().copied().filter(|length| *length != open).collect();
    let rest = total.over(Number::product(&others));
    target.iter().map(|length| if *length == open { rest } else { *length }).collect()
}

/// The target of a Reshape: a 0 keeps the existing length, unless it means 0.
pub(super) fn reshape_target(call: &Call<'_, '_>) -> Result<Vec<Number>, Stop> {
    let (tensor, asked) = (call.input(0)?, call.sizes(1)?);
    let keeps = call.int("allowzero", 0) == 0;
    let kept = |at: usize| tensor.dims.as_ref().map_or(Some(Unknown), |dims| dims.get(at).copied());
    let length = |(at, length): (usize, &Number)| {
        if *length == Known(0.0) && keeps { kept(at) } else { Some(*length) }
    };
    let target = asked.iter().enumerate().map(length).collect::<Option<_>>();
    target.ok_or_else(|| Stop::lost("keeps an axis that is not there"))
}

/// The two lengths that Flatten makes.
pub(super) fn flatten_target(call: &Call<'_, '_>) -> Result<Vec<Number>, Stop> {
    let tensor = call.input(0)?;
    let Some(dims) = &tensor.dims else { return Ok(vec![Unknown, Unknown]) };
    let rank = dims.len();
    let at = call.int("axis", 1);
    let at = if usize::try_from(at) == Ok(rank) { rank } else { axis(at, rank)? };
    Ok(vec![Number::product(&dims[..at]), Number::product(&dims[at..])])
}

pub(super) fn transpose(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let Some(dims) = &tensor.dims else { return Ok(tensor.with_dims(None)) };
    let rank = dims.len();
    let order = match call.ints("perm") {
        Some(order) => order.iter().map(|at| axis(*at, rank)).collect::<Result<Vec<_>, _>>()?,
        None => (0..rank).rev().collect(),
    };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..rank) {
        return Err(Stop::lost("has an order of axes that is none"));
    }
    let moved = |axis: Axis| axis.moved_to(order.iter().position(|at| *at == axis.at).unwrap_or(0));
    let dims = order.iter().map(|at| dims[*at]).collect();
    Ok(Tensor { axis: tensor.axis.map(moved), ..tensor.with_dims(Some(dims)) })
}

pub(super) fn unsqueeze(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let axes = call.listed(1, "axes")?.unwrap_or_default();
    let Some(dims) = &tensor.dims else { return Ok(tensor.with_dims(None)) };
    let rank = dims.len() + axes.len();
    let new = axes.iter().map(|at| axis(*at, rank)).collect::<Result<Vec<_>, _>>()?;
    let old: Vec<usize> = (0..rank).filter(|at| !new.contains(at)).collect();
    if old.len() != dims.len() {
        return Err(Stop::lost("adds an axis twice"));
    }
    let mut wider = vec![Number::ONE; rank];
    old.iter().zip(dims).for_each(|(at, length)| wider[*at] = *length);
    let moved = |axis: Axis| axis.moved_to(old[axis.at]);
    Ok(Tensor { dims: Some(wider), axis: tensor.axis.map(moved), ..tensor.clone() })
}

pub(super) fn squeeze(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let Some(dims) = &tensor.dims else { return Ok(tensor.with_dims(None)) };
    let gone = match call.listed(1, "axes")? {
        Some(axes) => axes.iter().map(|at| axis(*at, dims.len())).collect::<Result<Vec<_>, _>>()?,
        None if dims.iter().any(|length| length.known().is_none()) => {
            return Err(Stop::lost("leaves out all axes of length 1, also that of a single image"));
        }
        None => (0..dims.len()).filter(|at| dims[*at] == Number::ONE).collect(),
    };
    without(tensor, &gone)
}

/// The tensor without some axes, each of length 1 or reduced.
pub(super) fn without(tensor: &Tensor, gone: &[usize]) -> Followed {
    let Some(dims) = &tensor.dims else { return Ok(tensor.with_dims(None)) };
    if tensor.axis.is_some_and(|axis| gone.contains(&axis.at)) {
        return Err(Stop::lost("leaves out the batch axis"));
    }
    let kept: Vec<usize> = (0..dims.len()).filter(|at| !gone.contains(at)).collect();
    let moved = |axis: Axis| axis.moved_to(kept.iter().position(|at| *at == axis.at).unwrap_or(0));
    let axis = tensor.axis.map(moved);
    Ok(Tensor { dims: Some(kept.iter().map(|at| dims[*at]).collect()), axis, ..tensor.clone() })
}

/// Expand, and ConstantOfShape as an expanded single number.
pub(super) fn expand(call: &Call<'_, '_>, tensor: &Tensor, shape: Option<&[Number]>) -> Followed {
    let Some(shape) = shape else {
        return if tensor.axis.is_none() {
            Ok(tensor.with_dims(None))
        } else {
            Err(Stop::lost("grows to a shape that is not known"))
        };
    };
    let Some(own) = &tensor.dims else { return Ok(tensor.with_dims(None)) };
    let wide = |at: usize| shape.get(at).copied().unwrap_or(Number::ONE);
    let rank = own.len().max(shape.len());
    let (missing, absent) = (rank - own.len(), rank - shape.len());
    let mine = |at: usize| at.checked_sub(missing).map_or(Number::ONE, |at| own[at]);
    let asked = |at: usize| at.checked_sub(absent).map_or(Number::ONE, wide);
    let dims: Vec<Number> =
        (0..rank).map(|at| if asked(at) == Number::ONE { mine(at) } else { asked(at) }).collect();
    if let Some(axis) = tensor.axis {
        let at = axis.at + missing;
        if dims[at] != own[axis.at] {
            return Err(Stop::lost("repeats images"));
        }
        if (0..rank).any(|place| place != at && asked(place).known().is_none()) {
            return Err(Stop::lost(BY_COUNT));
        }
        return Ok(Tensor::rows(dims, axis.moved_to(at)));
    }
    // the same for every image, so it counts as a value of each
    let one = call.times_batch(1.0);
    let long: Vec<usize> = (0..rank).filter(|at| dims[*at] == one).collect();
    let spread = |at: usize| mine(at) == Number::ONE;
    match long[..] {
        [at] if (0..rank).any(|place| place != at && dims[place].known().is_none()) => {
            Err(Stop::lost(BY_COUNT))
        }
        [at] if spread(at) && (call.batch.is_none() || at == 0) => {
            tensor.refuse_sized()?;
            Ok(Tensor::rows(dims, Axis::new(at)))
        }
        [] if dims.iter().any(|length| matches!(length, Batch(_))) => {
            Err(Stop::lost("gives a constant a multiple of the batch's length"))
        }
        _ if call.batch.is_none() && !long.is_empty() => {
            Err(Stop::lost("gives a constant the batch's length twice"))
        }
        _ => Ok(tensor.with_dims(Some(dims))),
    }
}

/// Tile repeats the whole value along each axis.
pub(super) fn tile(call: &Call<'_, '_>) -> Followed {
    let (tensor, repeats) = (call.input(0)?, call.sizes(1)?);
    let Some(dims) = &tensor.dims else { return Ok(tensor.with_dims(None)) };
    if repeats.len() != dims.len() {
        return Err(Stop::lost("repeats axes that are not there"));
    }
    if tensor.axis.is_some_and(|axis| repeats[axis.at] != Number::ONE) {
        return Err(Stop::lost("repeats images"));
    }
    if tensor.axis.is_some() && repeats.iter().any(|times| times.known().is_none()) {
        return Err(Stop::lost(BY_COUNT));
    }
    let dims = dims.iter().zip(repeats).map(|(length, times)| length.times(*times)).collect();
    Ok(tensor.with_dims(Some(dims)))
}
