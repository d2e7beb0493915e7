//! Which images meet in a product, a convolution or a pooling?

use super::axes::images;
use super::call::Call;
use super::elements::broadcast;
use super::value::Number::{Known, Unknown};
use super::value::{Axis, Followed, Number, Stop, Tensor};

const SUMMED: &str = "sums over the batch axis";

pub(super) fn matmul(a: &Tensor, b: &Tensor) -> Followed {
    let (Some(left), Some(right)) = (&a.dims, &b.dims) else {
        return if a.axis.or(b.axis).is_none() {
            Ok(Tensor { sized: a.sized || b.sized, ..Tensor::still(None) })
        } else {
            Err(Stop::lost("multiplies images with a matrix of unknown shape"))
        };
    };
    let &[.., rows, _] = left.as_slice() else { return Err(Stop::lost("multiplies a single row")) };
    let &[.., _, columns] = right.as_slice() else {
        // a vector: one column that leaves its axis behind
        let column = b.with_dims(Some([right.as_slice(), &[Number::ONE]].concat()));
        let product = matmul(a, &column)?;
        return super::shapes::without(&product, &[left.len() - 1]);
    };
    let from_last = |tensor: &Tensor| Some(tensor.rank()? - 1 - tensor.axis?.at);
    match (from_last(a), from_last(b)) {
        (Some(0), _) | (_, Some(1)) => return Err(Stop::mixed(SUMMED)),
        (Some(1), Some(_)) | (Some(_), Some(0)) => {
            return Err(Stop::mixed("multiplies every image with every other"));
        }
        _ => {}
    }
    // what stands before the last two axes is combined element by element
    let stack = |tensor: &Tensor, dims: &[Number]| Tensor {
        axis: tensor.axis.filter(|axis| axis.at + 2 < dims.len()),
        ..tensor.with_dims(Some(dims[..dims.len() - 2].to_vec()))
    };
    let stacked = broadcast(&[&stack(a, left), &stack(b, right)])?;
    let before = stacked.dims.unwrap_or_default();
    let (rank, dims) = (before.len() + 2, [before.as_slice(), &[rows, columns]].concat());
    let axis = match (from_last(a), from_last(b)) {
        (Some(1), _) => a.axis.map(|axis| axis.moved_to(rank - 2)),
        (_, Some(0)) => b.axis.map(|axis| axis.moved_to(rank - 1)),
        _ => stacked.axis,
    };
    if axis.is_some() {
        [a, b].iter().try_for_each(|tensor| tensor.refuse_sized())?;
    }
    Ok(Tensor { axis, sized: a.sized || b.sized, ..Tensor::still(Some(dims)) })
}

pub(super) fn gemm(call: &Call<'_, '_>) -> Followed {
    let turned = |at: usize, name: &str| {
        let tensor = call.input(at)?;
        let Some(dims) = &tensor.dims else { return Ok(tensor.clone()) };
        if dims.len() != 2 {
            return Err(Stop::lost("multiplies what is no matrix"));
        }
        if call.int(name, 0) == 0 {
            return Ok(tensor.clone());
        }
        let axis = tensor.axis.map(|axis| axis.moved_to(1 - axis.at));
        Ok(Tensor { dims: Some(vec![dims[1], dims[0]]), axis, ..tensor.clone() })
    };
    let product = matmul(&turned(0, "transA")?, &turned(1, "transB")?)?;
    call.optional(2).map_or(Ok(product.clone()), |offset| broadcast(&[&product, offset]))
}

pub(super) fn conv(call: &Call<'_, '_>, transposed: bool) -> Followed {
    let (tensor, axis) = images(call)?;
    if axis.is_none() {
        let weights = call.constant(1)?;
        return Ok(Tensor { sized: tensor.sized || weights.sized, ..Tensor::still(None) });
    }
    let weights = call.constant(1)?;
    call.optional(2).map_or(Ok(()), |_| call.constant(2).map(drop))?;
    let (Some(dims), Some(kernel)) = (&tensor.dims, &weights.dims) else {
        return Err(Stop::lost("takes weights of unknown shape"));
    };
    if kernel.len() != dims.len() || dims.len() < 3 {
        return Err(Stop::lost("takes weights of another rank"));
    }
    if transposed {
        let channels = kernel[1].times(Known(call.int("group", 1) as f64));
        let shape = [&[dims[0], channels], &vec![Unknown; dims.len() - 2][..]].concat();
        return Ok(tensor.with_dims(Some(shape)));
    }
    let sizes = windows(call, &dims[2..], &kernel[2..]);
    Ok(tensor.with_dims(Some([&[dims[0], kernel[0]], sizes.as_slice()].concat())))
}

pub(super) fn pool(call: &Call<'_, '_>) -> Followed {
    let (tensor, _) = images(call)?;
    let Some(dims) = tensor.dims.as_ref().filter(|dims| dims.len() >= 3) else {
        return if tensor.axis.is_none() {
            Ok(tensor.with_dims(None))
        } else {
            Err(Stop::lost("pools what is no image"))
        };
    };
    let kernel: Vec<Number> =
        call.ints("kernel_shape").unwrap_or_default().iter().map(|size| Known(*size as f64)).collect();
    let sizes = windows(call, &dims[2..], &kernel);
    Ok(tensor.with_dims(Some([&dims[..2], &sizes].concat())))
}

/// Pooling over the whole image.
pub(super) fn global(call: &Call<'_, '_>) -> Followed {
    let (tensor, _) = images(call)?;
    let ones = |dims: &Vec<Number>| {
        dims.iter().enumerate().map(|(at, dim)| if at < 2 { *dim } else { Number::ONE }).collect()
    };
    Ok(tensor.with_dims(tensor.dims.as_ref().map(ones)))
}

/// DepthToSpace and SpaceToDepth.
pub(super) fn blocks(call: &Call<'_, '_>, to_space: bool) -> Followed {
    let (tensor, _) = images(call)?;
    let block = Known(call.int("blocksize", 1) as f64);
    let area = block.times(block);
    let moved = |dims: &Vec<Number>| match dims[..] {
        [n, c, h, w] if to_space => Some(vec![n, c.over(area), h.times(block), w.times(block)]),
        [n, c, h, w] => Some(vec![n, c.times(area), h.over(block), w.over(block)]),
        _ => None,
    };
    match tensor.dims.as_ref().and_then(moved) {
        Some(dims) => Ok(tensor.with_dims(Some(dims))),
        None if tensor.axis.is_none() => Ok(tensor.with_dims(None)),
        None => Err(Stop::lost("rearranges what is no image")),
    }
}

/// The number of places of a window along each axis.
fn windows(call: &Call<'_, '_>, lengths: &[Number], kernel: &[Number]) -> Vec<Number> {
    let axes = lengths.len();
    let setting = |name: &str, at: usize, default: f64| {
        call.ints(name).map_or(Some(default), |ints| ints.get(at).map(|int| *int as f64))
    };
    let places = |at: usize| {
        let (length, size) = (lengths[at].known()?, kernel.get(at)?.known()?);
        let (step, reach) =
            (setting("strides", at, 1.0)?, setting("dilations", at, 1.0)? * (size - 1.0) + 1.0);
        let pads = match call.text("auto_pad") {
            "SAME_UPPER" | "SAME_LOWER" => return Some((length / step).ceil()),
            "VALID" => 0.0,
            _ => setting("pads", at, 0.0)? + setting("pads", at + axes, 0.0)?,
        };
        let places = (length + pads - reach) / step + 1.0;
        (places.fract() == 0.0 || call.int("ceil_mode", 0) == 0).then(|| places.floor())
    };
    (0..axes).map(|at| places(at).map_or(Unknown, Known)).collect()
}

/// Einsum: every axis has a letter, and that of the batch must be in the output.
pub(super) fn einsum(call: &Call<'_, '_>) -> Followed {
    let equation = call.text("equation").replace(' ', "");
    let (terms, result) = match equation.split_once("->") {
        Some((terms, result)) if !equation.contains("...") => (terms, result),
        _ => return Err(Stop::lost("has an equation that is not followed here")),
    };
    let terms: Vec<&str> = terms.split(',').collect();
    let tensors: Vec<&Tensor> = call.inputs.iter().flatten().collect();
    if terms.len() != tensors.len() {
        return Err(Stop::lost("has an equation for another number of values"));
    }
    let mut batch: Option<(u8, Axis)> = None;
    let mut lengths = std::collections::BTreeMap::new();
    for (term, tensor) in terms.iter().zip(&tensors) {
        let Some(dims) = tensor.dims.as_ref().filter(|dims| dims.len() == term.len()) else {
            return Err(Stop::lost("takes a value of unknown shape"));
        };
        for (letter, length) in term.bytes().zip(dims) {
            // an axis of length 1 is repeated
            let known = lengths.entry(letter).or_insert(*length);
            *known = if *known == Number::ONE { *length } else { *known };
        }
        let Some(axis) = tensor.axis else { continue };
        let letter = term.as_bytes()[axis.at];
        match batch {
            None => batch = Some((letter, axis)),
            Some((other, _)) if other != letter => {
                return Err(Stop::mixed("multiplies every image with every other"));
            }
            Some((_, other)) if (other.outer, other.inner) != (axis.outer, axis.inner) => {
                return Err(Stop::lost("combines images that are laid out in two ways"));
            }
            Some(_) => {}
        }
    }
    let dims: Vec<Number> =
        result.bytes().map(|letter| lengths.get(&letter).copied().unwrap_or(Unknown)).collect();
    let sized = tensors.iter().any(|tensor| tensor.sized);
    let Some((letter, axis)) = batch else { return Ok(Tensor { sized, ..Tensor::still(Some(dims)) }) };
    let constants = terms.iter().zip(&tensors).filter(|(_, tensor)| tensor.axis.is_none());
    if sized || constants.into_iter().any(|(term, _)| term.bytes().any(|other| other == letter)) {
        return Err(Stop::lost("combines images with a constant as long as the batch"));
    }
    let twice = terms.iter().any(|term| term.bytes().filter(|other| *other == letter).count() > 1);
    match result.bytes().position(|other| other == letter) {
        Some(at) if !twice => Ok(Tensor::rows(dims, axis.moved_to(at))),
        Some(_) => Err(Stop::mixed("takes the diagonal of the batch axis")),
        None => Err(Stop::mixed(SUMMED)),
    }
}
