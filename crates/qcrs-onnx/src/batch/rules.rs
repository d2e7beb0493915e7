//! Which rule does an operator follow?

use super::call::Call;
use super::value::Number::Unknown;
use super::value::{Followed, Number, Stop, Tensor};
use super::{axes, elements, products, resize, shapes, sizes};

/// The outputs of a node of one of ONNX's own operators; those that are missing are lost.
pub(super) fn apply(call: &Call<'_, '_>) -> Result<Vec<Tensor>, Stop> {
    let outputs = match call.node.operator {
        "Split" => axes::split(call)?,
        "TopK" => axes::top(call).map(|top| vec![top.clone(), top])?,
        "Constant" | "Shape" | "Size" => return one(call).map(|tensor| vec![tensor]),
        _ => vec![one(call)?],
    };
    outputs.into_iter().map(|tensor| checked(call, tensor)).collect()
}

/// Operators whose inputs may all come from images; of other operators, only the first input may.
const COMBINE: [&str; 5] = ["Concat", "Einsum", "GatherElements", "Gemm", "MatMul"];
/// Operators whose other inputs are sizes; their rules make sure that these count images along the batch axis
/// only.
const TAKE_SIZES: [&str; 8] =
    ["ConstantOfShape", "Expand", "Pad", "Reshape", "Resize", "Slice", "Tile", "Upsample"];

/// What holds for every rule: images do not vanish, and neither does their number.
fn checked(call: &Call<'_, '_>, tensor: Tensor) -> Followed {
    let operator = call.node.operator;
    // CastLike uses only the type of its second input
    let count = if operator == "CastLike" { 1 } else { call.inputs.len() };
    let inputs = || call.inputs[..count].iter().flatten();
    let combines = ELEMENTWISE.contains(&operator) || COMBINE.contains(&operator) || operator == "Gather";
    let setting = call.inputs[..count].iter().skip(1).flatten().any(|input| input.axis.is_some());
    let vanished = tensor.axis.is_none() && inputs().any(|input| input.axis.is_some());
    if vanished || setting && !combines {
        return Err(Stop::lost("takes settings, weights or sizes that come from the images"));
    }
    if tensor.axis.is_none() {
        let sized = tensor.sized || inputs().any(|input| input.sized);
        return Ok(with_numbers(call, Tensor { sized, ..tensor }));
    }
    if !TAKE_SIZES.contains(&operator) {
        inputs().try_for_each(Tensor::refuse_sized)?;
    }
    Ok(tensor)
}

/// Adds the values of a constant, where they can be computed.
fn with_numbers(call: &Call<'_, '_>, tensor: Tensor) -> Tensor {
    if call.node.operator == "ConstantOfShape" {
        return tensor;
    }
    let tensor = Tensor { integer: sizes::integers(call), ..tensor };
    let count = tensor.dims.as_deref().map_or(Unknown, Number::product);
    let fits = |numbers: &Vec<Number>| count.equals(Number::Known(numbers.len() as f64)) != Some(false);
    let numbers = tensor.numbers.clone().or_else(|| sizes::compute(call)).filter(fits);
    let known = |numbers: &[Number]| numbers.iter().all(|number| number.known().is_some());
    let fixed = numbers.as_deref().is_some_and(known) && tensor.dims.as_deref().is_some_and(known);
    let sized = tensor.sized && !fixed;
    Tensor { numbers, sized, ..tensor }
}

fn one(call: &Call<'_, '_>) -> Followed {
    match call.node.operator {
        "Constant" => Ok(sizes::constant_node(call)),
        "Shape" => Ok(sizes::shape(call, call.input(0)?)),
        "Size" => {
            let dims = call.input(0)?.dims.as_deref();
            Ok(Tensor::sizes(vec![dims.map_or(Unknown, Number::product)], false))
        }
        "ConstantOfShape" => {
            let value = call.attribute("value").and_then(|value| value.tensors.first()).map(sizes::constant);
            constant_of_shape(call, value)
        }
        "Range" => {
            let sized = call.inputs.iter().flatten().any(|tensor| tensor.sized);
            let images = call.inputs.iter().flatten().any(|tensor| tensor.axis.is_some());
            if images {
                return Err(Stop::lost("counts up to a number that comes from the images"));
            }
            Ok(Tensor { sized, ..Tensor::still(Some(vec![Unknown])) })
        }
        "Reshape" => {
            let tensor = call.input(0)?;
            if tensor.axis.is_none() && call.input(1)?.numbers.is_none() {
                return Ok(tensor.with_dims(None));
            }
            let reshaped = shapes::reshape(call, tensor, &shapes::reshape_target(call)?)?;
            shapes::not_by_count(&reshaped, call.sizes(1)?)?;
            Ok(reshaped)
        }
        "Flatten" => shapes::reshape(call, call.input(0)?, &shapes::flatten_target(call)?),
        "Transpose" => shapes::transpose(call),
        "Unsqueeze" => shapes::unsqueeze(call),
        "Squeeze" => shapes::squeeze(call),
        "Expand" => shapes::expand(call, call.input(0)?, call.input(1)?.numbers.as_deref()),
        "Tile" => shapes::tile(call),
        "Softmax" | "LogSoftmax" | "Hardmax" => axes::softmax(call),
        "LpNormalization" => axes::along(call, -1),
        "LayerNormalization" | "RMSNormalization" => axes::from_axis_on(call),
        "MeanVarianceNormalization" => axes::mean_variance(call),
        "ReduceMean" | "ReduceSum" | "ReduceMax" | "ReduceMin" | "ReduceProd" | "ReduceL1" | "ReduceL2"
        | "ReduceLogSum" | "ReduceLogSumExp" | "ReduceSumSquare" => axes::reduce(call),
        "ArgMax" | "ArgMin" => axes::arg(call),
        "CumSum" => axes::cumulate(call),
        "Trilu" => axes::triangle(call),
        "Concat" => axes::concat(call),
        "Slice" => axes::slice(call),
        "Gather" => axes::gather(call),
        "GatherElements" => axes::gather_elements(call),
        "Pad" => axes::pad(call),
        "Resize" | "Upsample" => resize::resize(call),
        "MatMul" => products::matmul(call.input(0)?, call.input(1)?),
        "Gemm" => products::gemm(call),
        "Einsum" => products::einsum(call),
        "Conv" => products::conv(call, false),
        "ConvTranspose" => products::conv(call, true),
        "MaxPool" | "AveragePool" | "LpPool" => products::pool(call),
        "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" => products::global(call),
        "DepthToSpace" => products::blocks(call, true),
        "SpaceToDepth" => products::blocks(call, false),
        "BatchNormalization" | "InstanceNormalization" | "GroupNormalization" | "LRN" => within_images(call),
        "QuantizeLinear" | "DequantizeLinear" => axes::quantise(call),
        "DynamicQuantizeLinear" if call.input(0)?.axis.is_some() => {
            Err(Stop::mixed("scales by the smallest and the largest value of the whole batch"))
        }
        "Dropout" | "Clip" | "CastLike" => first(call),
        operator if ELEMENTWISE.contains(&operator) => {
            let tensors: Vec<&Tensor> = call.inputs.iter().flatten().collect();
            elements::broadcast(&tensors)
        }
        _ => unknown(call),
    }
}

/// Operators that compute each entry from the entries at the same place, however many values they take.
const ELEMENTWISE: [&str; 67] = [
    "Abs",
    "Acos",
    "Acosh",
    "Add",
    "And",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "BitShift",
    "BitwiseAnd",
    "BitwiseNot",
    "BitwiseOr",
    "BitwiseXor",
    "Cast",
    "Ceil",
    "Celu",
    "Cos",
    "Cosh",
    "Div",
    "Elu",
    "Equal",
    "Erf",
    "Exp",
    "Floor",
    "Gelu",
    "Greater",
    "GreaterOrEqual",
    "HardSigmoid",
    "HardSwish",
    "Identity",
    "IsInf",
    "IsNaN",
    "LeakyRelu",
    "Less",
    "LessOrEqual",
    "Log",
    "Max",
    "Mean",
    "Min",
    "Mish",
    "Mod",
    "Mul",
    "Neg",
    "Not",
    "Or",
    "PRelu",
    "Pow",
    "Reciprocal",
    "Relu",
    "Round",
    "Selu",
    "Shrink",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Sub",
    "Sum",
    "Swish",
    "Tan",
    "Tanh",
    "ThresholdedRelu",
    "Where",
];

/// Any other operator: followed only where no image reaches it.
fn unknown(call: &Call<'_, '_>) -> Followed {
    let images = call.inputs.iter().flatten().any(|tensor| tensor.axis.is_some());
    let given = |attribute: &qcrs_cnn::proto::AttributeProto<'_>| call.attribute(attribute.name);
    let graphs = call.node.attributes.iter().filter_map(given).any(|given| !given.graphs.is_empty());
    if images || graphs {
        return Err(Stop::lost("is not followed here"));
    }
    let sized = call.inputs.iter().flatten().any(|tensor| tensor.sized);
    Ok(Tensor { sized, ..Tensor::still(None) })
}

fn constant_of_shape(call: &Call<'_, '_>, value: Option<Tensor>) -> Followed {
    let integer = value.as_ref().is_some_and(|value| value.integer);
    let value = value.map_or(Some(vec![Number::Known(0.0)]), |value| value.numbers);
    let numbers = value.filter(|value| value.len() == 1);
    let single = Tensor { numbers: None, ..Tensor::still(Some(Vec::new())) };
    let grown = shapes::expand(call, &single, call.input(0)?.numbers.as_deref())?;
    let count = grown.dims.as_deref().and_then(|dims| Number::product(dims).known());
    let count = count.filter(|count| grown.axis.is_none() && *count <= 256.0);
    let numbers = count.zip(numbers).map(|(count, value)| vec![value[0]; count as usize]);
    Ok(Tensor { numbers, integer, ..grown })
}

/// Normalisation within an image, with constant weights.
fn within_images(call: &Call<'_, '_>) -> Followed {
    let (tensor, axis) = axes::images(call)?;
    if axis.is_some() {
        call.constants_after_first()?;
    }
    Ok(tensor.with_dims(tensor.dims.clone()))
}

/// The first input, changed by settings.
fn first(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    Ok(tensor.with_dims(tensor.dims.clone()))
}
