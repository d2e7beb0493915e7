//! What comes out of shape arithmetic?
//!
//! Exporters compute the targets of Reshape, Expand and Slice from the shapes of values, with the operators
//! of the network itself. The number of images is the only size that is not known beforehand.

use super::call::Call;
use super::value::Number::{Known, Unknown};
use super::value::{Number, Tensor};
use qcrs_cnn::proto;

/// Lists of sizes are short; longer ones are weights.
const LONGEST: usize = 256;

/// The codes of element types in onnx.proto3.
const FLOAT: i64 = 1;
const INT: i64 = 6;
const LONG: i64 = 7;
const INTEGERS: [i64; 2] = [INT, LONG];

/// A constant of the file, with its values where they are few.
pub(super) fn constant(tensor: &proto::TensorProto<'_>) -> Tensor {
    let dims: Vec<Number> = tensor.dims.iter().map(|dim| Known(*dim as f64)).collect();
    let count = Number::product(&dims).known().filter(|count| *count <= LONGEST as f64);
    let numbers =
        count.filter(|_| tensor.external.is_empty()).and_then(|count| values(tensor, count as usize));
    let integer = INTEGERS.contains(&tensor.element);
    Tensor { numbers: numbers.map(known), integer, ..Tensor::still(Some(dims)) }
}

fn known(numbers: Vec<f64>) -> Vec<Number> {
    numbers.into_iter().map(Known).collect()
}

/// The values of a small constant; element types are numbered as in onnx.proto3.
fn values(tensor: &proto::TensorProto<'_>, count: usize) -> Option<Vec<f64>> {
    fn words<const N: usize>(raw: &[u8], word: impl Fn([u8; N]) -> f64) -> Vec<f64> {
        raw.as_chunks().0.iter().map(|bytes| word(*bytes)).collect()
    }
    let ints = |ints: &[i64]| ints.iter().map(|int| *int as f64).collect();
    let numbers: Vec<f64> = match (tensor.element, tensor.raw) {
        (1, Some(raw)) => words(raw, |bytes| f32::from_le_bytes(bytes).into()),
        (1, None) => tensor.floats.iter().map(|float| f64::from(*float)).collect(),
        (6, Some(raw)) => words(raw, |bytes| i32::from_le_bytes(bytes).into()),
        (7, Some(raw)) => words(raw, |bytes| i64::from_le_bytes(bytes) as f64),
        (7, None) => ints(&tensor.ints),
        (9, Some(raw)) => raw.iter().map(|byte| f64::from(*byte)).collect(),
        (6 | 9, None) => ints(&tensor.small_ints),
        _ => return None,
    };
    (numbers.len() == count).then_some(numbers)
}

/// The value of a Constant node.
pub(super) fn constant_node(call: &Call<'_, '_>) -> Tensor {
    let list = |numbers: Vec<f64>, is_list| Tensor::list(known(numbers), is_list);
    let ints = |ints: &[i64]| ints.iter().map(|int| *int as f64).collect();
    let short = |length: usize| length <= LONGEST;
    if call.node.attributes.len() != 1 {
        return Tensor::still(None); // engines do not agree on which counts
    }
    if let Some(tensor) = call.attribute("value").and_then(|value| value.tensors.first()) {
        constant(tensor)
    } else if let Some(int) = call.attribute("value_int").and_then(|value| value.int) {
        Tensor::sizes(vec![Known(int as f64)], false)
    } else if let Some(float) = call.attribute("value_float").and_then(|value| value.float) {
        list(vec![f64::from(float)], false)
    } else if let Some(value) = call.attribute("value_ints").filter(|value| short(value.ints.len())) {
        Tensor::sizes(known(ints(&value.ints)), true)
    } else if let Some(value) = call.attribute("value_floats").filter(|value| short(value.floats.len())) {
        list(value.floats.iter().map(|float| f64::from(*float)).collect(), true)
    } else {
        Tensor::still(None)
    }
}

/// Shape, with the part of it that is asked for.
pub(super) fn shape(call: &Call<'_, '_>, tensor: &Tensor) -> Tensor {
    let Some(dims) = &tensor.dims else {
        return Tensor { sized: true, ..Tensor::still(Some(vec![Unknown])) };
    };
    let start = position(call.int("start", 0), dims.len());
    let end = position(call.int("end", i64::MAX), dims.len());
    Tensor::sizes(dims[start..end.max(start)].to_vec(), true)
}

/// The values of a node's output, if those of its inputs are known.
pub(super) fn compute(call: &Call<'_, '_>) -> Option<Vec<Number>> {
    let numbers = |at: usize| call.optional(at)?.numbers.as_deref();
    let first = numbers(0)?;
    if ["Identity", "Unsqueeze", "Squeeze", "Reshape", "Flatten"].contains(&call.node.operator) {
        return Some(first.to_vec()); // the order stays
    }
    // only in lists is the place of a number that of its axis
    let is_list = |tensor: &Tensor| tensor.rank().is_some_and(|rank| rank <= 1);
    if !call.inputs.iter().flatten().all(is_list) {
        return None;
    }
    let each = |rule: &dyn Fn(Number, Number) -> Number| zip(first, numbers(1)?, rule);
    let all = |rule: fn(f64) -> f64| {
        first
            .iter()
            .map(|number| number.exact().known().map_or(Unknown, |known| Known(rule(known))))
            .collect()
    };
    let computed: Vec<Number> = match call.node.operator {
        "Concat" => (0..call.inputs.len()).map(numbers).collect::<Option<Vec<_>>>()?.concat(),
        "Gather" => numbers(1)?.iter().map(|place| pick(first, *place)).collect::<Option<_>>()?,
        "Slice" => sliced(call, first)?,
        "Add" => each(&|a, b| a.plus(b, 1.0))?,
        "Sub" => each(&|a, b| a.plus(b, -1.0))?,
        "Mul" => each(&Number::times)?,
        "Div" => each(&|a, b| quotient(a, b, integers(call)))?,
        "Mod" => each(&|a, b| match (a.exact(), b.exact()) {
            (Known(a), Known(b)) if a >= 0.0 && b > 0.0 => Known(a % b),
            _ => Unknown,
        })?,
        "Equal" => each(&|a, b| a.equals(b).map_or(Unknown, |same| Known(f64::from(u8::from(same)))))?,
        "Where" => choose(first, numbers(1)?, numbers(2)?)?,
        "Cast" | "CastLike" => cast(call, first)?,
        "Neg" => all(|number| -number),
        "Floor" => all(f64::floor),
        "Ceil" => all(f64::ceil),
        "Sqrt" => all(f64::sqrt),
        "Not" => all(|number| f64::from(u8::from(number == 0.0))),
        "ReduceProd" => vec![Number::product(first)],
        "Range" if integers(call) => range(first, numbers(1)?, numbers(2)?)?,
        _ => return None,
    };
    // what is not an integer is a 32-bit float, or a boolean
    let computed =
        if integers(call) { computed } else { computed.into_iter().map(Number::as_float).collect() };
    (computed.len() <= LONGEST).then_some(computed)
}

/// The values after a cast, if no engine can keep bits that another one loses.
fn cast(call: &Call<'_, '_>, numbers: &[Number]) -> Option<Vec<Number>> {
    let was_integer = call.optional(0)?.integer;
    match (call.node.operator, call.int("to", 0)) {
        ("CastLike", _) if was_integer && integers(call) => Some(numbers.to_vec()),
        ("Cast", LONG) if was_integer => Some(numbers.to_vec()),
        ("Cast", INT | LONG) => Some(numbers.iter().map(|number| number.truncated()).collect()),
        ("Cast", FLOAT) => Some(numbers.to_vec()),
        _ => None,
    }
}

/// Numbers pair by pair; a single one is paired with each of the others.
fn zip(a: &[Number], b: &[Number], rule: &dyn Fn(Number, Number) -> Number) -> Option<Vec<Number>> {
    let length = if a.len() == 1 { b.len() } else { a.len() };
    let fits = |list: &[Number]| list.len() == length || list.len() == 1;
    let at = |list: &[Number], at: usize| if list.len() == 1 { list[0] } else { list[at] };
    (fits(a) && fits(b)).then(|| (0..length).map(|place| rule(at(a, place), at(b, place))).collect())
}

/// The quotient; that of integers is truncated.
fn quotient(a: Number, b: Number, integers: bool) -> Number {
    match (a.exact(), b.exact()) {
        (Known(_), Known(0.0)) => Unknown,
        (Known(a), Known(b)) if integers => Known(a / b).truncated(),
        (Known(a), Known(b)) => Known(a / b),
        _ => a.over(b),
    }
}

/// Whether the values of a node's output are integers.
pub(super) fn integers(call: &Call<'_, '_>) -> bool {
    match call.node.operator {
        "Cast" => INTEGERS.contains(&call.int("to", 0)),
        "CastLike" => call.optional(1).is_some_and(|like| like.integer),
        "Where" => [1, 2].iter().all(|at| call.optional(*at).is_some_and(|tensor| tensor.integer)),
        "Gather" | "Slice" | "Unsqueeze" | "Squeeze" | "Reshape" | "Flatten" | "Expand" => {
            call.optional(0).is_some_and(|tensor| tensor.integer)
        }
        _ => !call.inputs.is_empty() && call.inputs.iter().flatten().all(|tensor| tensor.integer),
    }
}

/// A position in a list of this length: from its end if negative, and never beyond it.
fn position(place: i64, length: usize) -> usize {
    let far = usize::try_from(place.unsigned_abs()).unwrap_or(usize::MAX).min(length);
    if place < 0 { length - far } else { far }
}

fn pick(list: &[Number], place: Number) -> Option<Number> {
    let place = place.known()?;
    let place = if place < 0.0 { place + list.len() as f64 } else { place };
    list.get(place as usize).copied().filter(|_| place >= 0.0)
}

fn sliced(call: &Call<'_, '_>, list: &[Number]) -> Option<Vec<Number>> {
    let only = |at: usize, name: &str| {
        let listed = call.listed(at, name).ok()??;
        (listed.len() == 1).then(|| listed[0])
    };
    let (start, end) = (only(1, "starts")?, only(2, "ends")?);
    let step = if call.optional(4).is_some() { only(4, "steps")? } else { 1 };
    let (start, end) = (position(start, list.len()), position(end, list.len()));
    (step == 1 && call.optional(0)?.rank() == Some(1)).then(|| list[start..end.max(start)].to_vec())
}

fn choose(condition: &[Number], yes: &[Number], no: &[Number]) -> Option<Vec<Number>> {
    let either = zip(yes, no, &|a, b| if a == b { a } else { Unknown })?;
    let length = condition.len().max(either.len());
    let at = |list: &[Number], at: usize| if list.len() == 1 { Some(list[0]) } else { list.get(at).copied() };
    let choice = |place: usize| match at(condition, place)? {
        Known(0.0) => at(no, place),
        Known(_) => at(yes, place),
        _ => at(&either, place),
    };
    (0..length).map(choice).collect()
}

fn range(start: &[Number], end: &[Number], step: &[Number]) -> Option<Vec<Number>> {
    let one = |list: &[Number]| if let [number] = list { number.known() } else { None };
    let (start, end, step) = (one(start)?, one(end)?, one(step)?);
    let count = ((end - start) / step).ceil();
    let fits = step != 0.0 && (0.0..=LONGEST as f64).contains(&count);
    fits.then(|| (0..count as usize).map(|number| Known(start + step * number as f64)).collect())
}
