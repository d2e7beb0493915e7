//! Does an operator reach along the batch axis?

use super::call::{Call, TWICE, axis};
use super::elements::broadcast;
use super::shapes::without;
use super::value::Number::{Known, Unknown};
use super::value::{Axis, Followed, Number, Stop, Tensor};

/// The largest position that exporters write for "to the end".
const END: f64 = 2147483647.0;

/// Makes sure that an operator over `axes` leaves the images apart.
pub(super) fn apart(tensor: &Tensor, axes: &[usize], does: &str) -> Result<(), Stop> {
    match tensor.axis {
        Some(batch) if axes.contains(&batch.at) => Err(Stop::Mixed(format!("{does} the batch axis"))),
        _ => Ok(()),
    }
}

/// Indexing along an axis that holds images and other things may pick the same part of every image.
fn not_indexed(tensor: &Tensor, at: usize) -> Result<(), Stop> {
    match tensor.axis {
        Some(batch) if batch.at == at && batch.is_plain() => Err(Stop::mixed("indexes along the batch axis")),
        Some(batch) if batch.at == at => Err(Stop::lost("indexes along an axis that holds the images too")),
        _ => Ok(()),
    }
}

/// Softmax and similar operators: every entry becomes a function of those along one axis, or before version
/// 13 along that axis and all after it.
pub(super) fn softmax(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let Some(rank) = tensor.rank() else { return Ok(tensor.with_dims(None)) };
    let first = axis(call.int("axis", if call.opset < 13 { 1 } else { -1 }), rank)?;
    let axes: Vec<usize> = if call.opset < 13 { (first..rank).collect() } else { vec![first] };
    apart(tensor, &axes, "normalises along")?;
    Ok(tensor.with_dims(tensor.dims.clone()))
}

/// Operators along one axis, which an attribute names.
pub(super) fn along(call: &Call<'_, '_>, default: i64) -> Followed {
    let tensor = call.input(0)?;
    let Some(rank) = tensor.rank() else { return Ok(tensor.with_dims(None)) };
    apart(tensor, &[axis(call.int("axis", default), rank)?], "normalises along")?;
    Ok(tensor.with_dims(tensor.dims.clone()))
}

/// Layer normalisation: over one axis and all after it.
pub(super) fn from_axis_on(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let Some(rank) = tensor.rank() else { return Ok(tensor.with_dims(None)) };
    let axes: Vec<usize> = (axis(call.int("axis", -1), rank)?..rank).collect();
    apart(tensor, &axes, "normalises along")?;
    call.constants_after_first()?;
    let parameters = call.inputs.iter().skip(1).flatten();
    parameters.into_iter().try_for_each(|parameter| broadcast(&[tensor, parameter]).map(drop))?;
    Ok(tensor.with_dims(tensor.dims.clone()))
}

/// MeanVarianceNormalization.
pub(super) fn mean_variance(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let Some(rank) = tensor.rank() else { return Ok(tensor.with_dims(None)) };
    let axes = call.ints("axes").unwrap_or(&[0, 2, 3]);
    if axes.is_empty() {
        return Err(Stop::lost("does not say along which axes"));
    }
    let axes = axes.iter().map(|at| axis(*at, rank)).collect::<Result<Vec<_>, _>>()?;
    apart(tensor, &axes, "normalises along")?;
    Ok(tensor.with_dims(tensor.dims.clone()))
}

pub(super) fn reduce(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let Some(dims) = &tensor.dims else { return Ok(tensor.with_dims(None)) };
    let rank = dims.len();
    let axes = call.listed(1, "axes")?.unwrap_or_default();
    if axes.is_empty() && call.int("noop_with_empty_axes", 0) != 0 {
        return Ok(tensor.with_dims(Some(dims.clone())));
    }
    let axes = axes.iter().map(|at| axis(*at, rank)).collect::<Result<Vec<_>, _>>()?;
    let axes = if axes.is_empty() { (0..rank).collect() } else { axes };
    reduced(call, tensor, &axes)
}

/// ArgMax and ArgMin.
pub(super) fn arg(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let Some(rank) = tensor.rank() else { return Ok(tensor.with_dims(None)) };
    reduced(call, tensor, &[axis(call.int("axis", 0), rank)?])
}

fn reduced(call: &Call<'_, '_>, tensor: &Tensor, axes: &[usize]) -> Followed {
    apart(tensor, axes, "adds up or compares along")?;
    let dims = tensor.dims.clone().unwrap_or_default();
    if call.int("keepdims", 1) == 0 {
        return without(&tensor.with_dims(Some(dims)), axes);
    }
    let kept = dims.iter().enumerate().map(|(at, dim)| if axes.contains(&at) { Number::ONE } else { *dim });
    Ok(tensor.with_dims(Some(kept.collect())))
}

/// CumSum, whose axis is an input.
pub(super) fn cumulate(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let Some(rank) = tensor.rank() else { return Ok(tensor.with_dims(None)) };
    let axes = call.listed(1, "axis")?.filter(|axes| axes.len() == 1);
    let axes = axes.ok_or_else(|| Stop::lost("does not say along which axis"))?;
    let axes = axes.iter().map(|at| axis(*at, rank)).collect::<Result<Vec<_>, _>>()?;
    apart(tensor, &axes, "adds up along")?;
    Ok(tensor.with_dims(tensor.dims.clone()))
}

/// TopK: values and positions have the same shape.
pub(super) fn top(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let Some(dims) = &tensor.dims else { return Ok(tensor.with_dims(None)) };
    let at = axis(call.int("axis", -1), dims.len())?;
    apart(tensor, &[at], "compares along")?;
    let count = call.listed(1, "k")?.and_then(|k| k.first().copied());
    let mut dims = dims.clone();
    dims[at] = count.map_or(Unknown, |k| Known(k as f64));
    Ok(tensor.with_dims(Some(dims)))
}

/// Trilu cuts a triangle out of the last two axes.
pub(super) fn triangle(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let Some(rank) = tensor.rank().filter(|rank| *rank >= 2) else { return Ok(tensor.with_dims(None)) };
    apart(tensor, &[rank - 1, rank - 2], "cuts a triangle out of")?;
    Ok(tensor.with_dims(tensor.dims.clone()))
}

pub(super) fn concat(call: &Call<'_, '_>) -> Followed {
    let tensors: Vec<&Tensor> = call.inputs.iter().flatten().collect();
    let sized = tensors.iter().any(|tensor| tensor.sized);
    let lengths: Option<Vec<&Vec<Number>>> = tensors.iter().map(|tensor| tensor.dims.as_ref()).collect();
    let batch = tensors.iter().find_map(|tensor| tensor.axis);
    let Some(lengths) = lengths.filter(|lengths| !lengths.is_empty()) else {
        return match batch {
            None => Ok(Tensor { sized, ..Tensor::still(None) }),
            Some(_) => Err(Stop::lost("joins images with a constant of unknown shape")),
        };
    };
    let at = axis(call.int("axis", 1), lengths[0].len())?;
    let mut dims = lengths[0].clone();
    if lengths.iter().any(|other| other.len() != dims.len()) {
        return Err(Stop::lost("joins values of different rank"));
    }
    dims[at] = lengths.iter().skip(1).fold(dims[at], |sum, other| sum.plus(other[at], 1.0));
    let Some(batch) = batch else { return Ok(Tensor { sized, ..Tensor::still(Some(dims)) }) };
    if at == batch.at {
        return Err(Stop::mixed("joins values along the batch axis"));
    }
    match tensors.iter().find(|tensor| tensor.axis != Some(batch)) {
        None => Ok(Tensor::rows(dims, batch)),
        Some(Tensor { axis: Some(other), .. }) if other.at != batch.at => {
            Err(Stop::mixed("joins values whose images stand along different axes"))
        }
        Some(_) => Err(Stop::lost("joins images with a constant as long as the batch")),
    }
}

/// The parts of a Split.
pub(super) fn split(call: &Call<'_, '_>) -> Result<Vec<Tensor>, Stop> {
    let (tensor, parts) = (call.input(0)?, call.node.outputs.len());
    let Some(dims) = &tensor.dims else { return Ok(vec![tensor.with_dims(None); parts]) };
    let at = axis(call.int("axis", 0), dims.len())?;
    not_indexed(tensor, at)?;
    if call.attribute("num_outputs").is_some_and(|count| usize::try_from(count.int.unwrap_or(0)) != Ok(parts))
    {
        return Err(Stop::lost("makes another number of parts than it names"));
    }
    let lengths = call.listed(1, "split")?;
    let even = dims[at].over(Known(parts as f64));
    let part = |number: usize| {
        let mut dims = dims.clone();
        let length = lengths.as_ref().map(|lengths| lengths.get(number).copied());
        dims[at] = length.map_or(even, |length| length.map_or(Unknown, |length| Known(length as f64)));
        tensor.with_dims(Some(dims))
    };
    Ok((0..parts).map(part).collect())
}

/// Makes sure that no axis is named twice.
fn once(at: usize, seen: &mut Vec<usize>) -> Result<(), Stop> {
    if seen.contains(&at) {
        return Err(Stop::lost("names an axis twice"));
    }
    seen.push(at);
    Ok(())
}

pub(super) fn slice(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let Some(dims) = &tensor.dims else { return Ok(tensor.with_dims(None)) };
    let old = call.opset < 10;
    if old && call.inputs.len() > 1 || !old && call.attribute("starts").is_some() {
        return Err(Stop::lost("says what it cuts out as another version of ONNX does"));
    }
    let numbers = |at: usize, name: &str| -> Result<Option<Vec<Number>>, Stop> {
        if old {
            return Ok(call.ints(name).map(|ints| ints.iter().map(|int| Known(*int as f64)).collect()));
        }
        call.optional(at).map(|_| call.sizes(at).map(<[Number]>::to_vec)).transpose()
    };
    let missing = || Stop::lost("does not say what it cuts out");
    let starts = numbers(1, "starts")?.ok_or_else(missing)?;
    let ends = numbers(2, "ends")?.ok_or_else(missing)?;
    let axes = numbers(3, "axes")?.unwrap_or_else(|| (0..starts.len()).map(|at| Known(at as f64)).collect());
    let steps = numbers(4, "steps")?.unwrap_or_else(|| vec![Number::ONE; starts.len()]);
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
        return Err(Stop::lost("has lists of different lengths"));
    }
    let mut cut = dims.clone();
    let mut seen = Vec::new();
    for (((start, end), at), step) in starts.into_iter().zip(ends).zip(axes).zip(steps) {
        let at = at.known().ok_or_else(missing)?;
        let at = axis(at as i64, dims.len())?;
        once(at, &mut seen)?;
        let whole = start == Known(0.0)
            && step == Number::ONE
            && (end != Unknown && end == dims[at] || end.known().is_some_and(|end| end >= END));
        if !whole {
            not_indexed(tensor, at)?;
            cut[at] = sliced(dims[at], start, end, step);
            if tensor.axis.is_some() && [start, end, step].iter().any(|number| number.known().is_none()) {
                return Err(Stop::lost("cuts out a part that is not known beforehand"));
            }
        }
    }
    Ok(tensor.with_dims(Some(cut)))
}

/// How many entries a slice has.
fn sliced(length: Number, start: Number, end: Number, step: Number) -> Number {
    let numbers = [length, start, end, step].map(Number::known);
    let [Some(length), Some(start), Some(end), Some(step)] = numbers else { return Unknown };
    if step < 1.0 {
        let reversed = (Known(step), Known(start)) == (Known(-1.0), Known(-1.0)) && end <= -length;
        return if reversed { Known(length) } else { Unknown };
    }
    let at = |place: f64| (if place < 0.0 { place + length } else { place }).clamp(0.0, length);
    Known(((at(end) - at(start)) / step).ceil().max(0.0))
}

pub(super) fn gather(call: &Call<'_, '_>) -> Followed {
    let (data, indices) = (call.input(0)?, call.input(1)?);
    let (Some(dims), Some(picked)) = (&data.dims, &indices.dims) else {
        return if data.axis.or(indices.axis).is_none() {
            Ok(Tensor { sized: data.sized || indices.sized, ..Tensor::still(None) })
        } else {
            Err(Stop::lost("picks entries at positions of unknown shape"))
        };
    };
    let at = axis(call.int("axis", 0), dims.len())?;
    let shape = [&dims[..at], picked, &dims[at + 1..]].concat();
    match (data.axis, indices.axis) {
        (None, None) => Ok(Tensor { sized: data.sized || indices.sized, ..Tensor::still(Some(shape)) }),
        (Some(batch), None) => {
            not_indexed(data, at)?;
            call.constant(1)?;
            let moved = if batch.at < at { batch.at } else { batch.at + picked.len() - 1 };
            Ok(Tensor::rows(shape, batch.moved_to(moved)))
        }
        (None, Some(batch)) => {
            call.constant(0)?;
            Ok(Tensor::rows(shape, batch.moved_to(at + batch.at)))
        }
        (Some(_), Some(_)) => Err(Stop::lost("picks entries at positions that come from the images")),
    }
}

/// GatherElements: each picks along one axis, at its own place of all others.
pub(super) fn gather_elements(call: &Call<'_, '_>) -> Followed {
    let (data, indices) = (call.input(0)?, call.input(1)?);
    let Some(rank) = data.rank() else { return broadcast(&[data, indices]) };
    let at = axis(call.int("axis", 0), rank)?;
    not_indexed(data, at)?;
    if data.axis != indices.axis {
        return Err(Stop::lost("picks entries at positions that are laid out in another way"));
    }
    Ok(indices.with_dims(indices.dims.clone()))
}

pub(super) fn pad(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let Some(dims) = &tensor.dims else { return Ok(tensor.with_dims(None)) };
    let pads = match (call.ints("pads"), call.optional(1)) {
        (Some(_), Some(_)) => return Err(Stop::lost(TWICE)),
        (Some(pads), None) => pads.iter().map(|pad| Known(*pad as f64)).collect(),
        (None, _) => call.sizes(1)?.to_vec(),
    };
    call.optional(2).map_or(Ok(()), |_| call.constant(2).map(drop))?;
    let axes = call.listed(3, "axes")?.unwrap_or_else(|| (0..).take(dims.len()).collect());
    if pads.len() != 2 * axes.len() {
        return Err(Stop::lost("pads axes that are not there"));
    }
    let mut padded = dims.clone();
    let mut seen = Vec::new();
    for (number, at) in axes.iter().enumerate() {
        let (at, more) = (axis(*at, dims.len())?, [pads[number], pads[axes.len() + number]]);
        once(at, &mut seen)?;
        if tensor.axis.is_some_and(|batch| batch.at == at) {
            if more != [Known(0.0); 2] {
                return Err(Stop::mixed("adds rows to the batch axis, or cuts some off"));
            }
            continue;
        }
        if tensor.axis.is_some() && more.iter().any(|pad| pad.known().is_none()) {
            return Err(Stop::lost("pads by a number that is not known, or by the number of images"));
        }
        padded[at] = more.iter().fold(dims[at], |length, pad| length.plus(*pad, 1.0));
    }
    Ok(tensor.with_dims(Some(padded)))
}

/// QuantizeLinear and DequantizeLinear: one scale for all, or one for each place along an axis.
pub(super) fn quantise(call: &Call<'_, '_>) -> Followed {
    let (tensor, scale) = (call.input(0)?, call.constant(1)?);
    let (Some(batch), Some(dims)) = (tensor.axis, &tensor.dims) else { return Ok(tensor.with_dims(None)) };
    let scales = scale.dims.as_deref().ok_or_else(|| Stop::lost("has scales of unknown shape"))?;
    let single = Number::product(scales) == Number::ONE;
    if !single && (scales.len() != 1 || axis(call.int("axis", 1), dims.len())? == batch.at) {
        return Err(Stop::lost("may have a scale for each image"));
    }
    Ok(tensor.with_dims(Some(dims.clone())))
}

/// Operators on images with channels: the batch axis is the first, and everything else stays within an image.
pub(super) fn images<'c>(call: &'c Call<'_, '_>) -> Result<(&'c Tensor, Option<Axis>), Stop> {
    let tensor = call.input(0)?;
    match tensor.axis {
        Some(Axis { at, .. }) if at != 0 => Err(Stop::mixed("takes the batch axis for channels or pixels")),
        axis => Ok((tensor, axis)),
    }
}
