//! Does scaling an image leave the batch axis alone?

use super::call::{Call, TWICE};
use super::value::Number::Known;
use super::value::{Axis, Followed, Number, Stop};

/// Ways to find the place of an entry that keep it where it is along an axis of unchanged length.
const STEADY: [&str; 6] =
    ["", "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"];

/// Resize and Upsample: the batch axis keeps its length.
pub(super) fn resize(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    let (Some(dims), Some(batch)) = (&tensor.dims, tensor.axis) else { return Ok(tensor.with_dims(None)) };
    let steady = STEADY.contains(&call.text("coordinate_transformation_mode"));
    let stretches = ["", "stretch"].contains(&call.text("keep_aspect_ratio_policy"));
    if !steady || !stretches || call.attribute("axes").is_some() {
        return Err(Stop::lost("scales in a way that is not followed here"));
    }
    let resized = match (scales(call)?, sizes(call)) {
        (Some(_), Some(_)) => return Err(Stop::lost(TWICE)),
        (Some(scales), None) => by_scales(dims, &scales, batch),
        (None, Some(sizes)) => to_sizes(dims, &sizes, batch),
        (None, None) => None,
    };
    let resized = resized.filter(|_| batch.at == 0);
    let unknown = || Stop::lost("scales to a size that is not known, or along the batch axis");
    resized.map(|dims| tensor.with_dims(Some(dims))).ok_or_else(unknown)
}

/// The values of a list that is an input; `None` if it is left out or a number is not known.
fn list(call: &Call<'_, '_>, at: usize) -> Option<Vec<Number>> {
    let given = call.optional(at).filter(|tensor| tensor.rank() == Some(1));
    given.and_then(|tensor| tensor.numbers.clone()).filter(|numbers| !numbers.is_empty())
}

fn scales(call: &Call<'_, '_>) -> Result<Option<Vec<Number>>, Stop> {
    let listed = list(call, if call.opset < 11 { 1 } else { 2 });
    match (call.attribute("scales"), listed) {
        (Some(_), Some(_)) => Err(Stop::lost(TWICE)),
        (Some(scales), None) => {
            Ok(Some(scales.floats.iter().map(|scale| Known(f64::from(*scale))).collect()))
        }
        (None, listed) => Ok(listed),
    }
}

fn sizes(call: &Call<'_, '_>) -> Option<Vec<Number>> {
    if call.opset < 11 { None } else { list(call, 3) }
}

/// The lengths times the scales, as engines round them; a scale of almost 1 may move images.
fn by_scales(dims: &[Number], scales: &[Number], batch: Axis) -> Option<Vec<Number>> {
    let larger = |(length, scale): (&Number, &Number)| match (length, scale) {
        (_, &Number::ONE) => *length,
        (Known(length), Known(scale)) => Known(f64::from((*length as f32 * *scale as f32).floor())),
        _ => Number::Unknown,
    };
    let fits = scales.len() == dims.len()
        && scales.iter().all(|scale| scale.known().is_some())
        && scales[batch.at] == Number::ONE;
    fits.then(|| dims.iter().zip(scales).map(larger).collect())
}

/// Sizes that are the same for any number of images, except for that of the batch axis.
fn to_sizes(dims: &[Number], sizes: &[Number], batch: Axis) -> Option<Vec<Number>> {
    let fixed = |(at, size): (usize, &Number)| at == batch.at || size.known().is_some();
    let fits =
        sizes.len() == dims.len() && sizes[batch.at] == dims[batch.at] && sizes.iter().enumerate().all(fixed);
    fits.then(|| sizes.to_vec())
}
