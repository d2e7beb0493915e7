//! Which rule does an operator follow?

use super::call::Call;
use super::value::Number::Unknown;
use super::value::{Followed, Number, Stop, Tensor};
use super::{axes, elements, products, shapes, sizes};

/// What comes out of a node of one of ONNX's own operators, output by output; those that are missing are lost.
pub(super) fn apply(call: &Call<'_, '_>) -> Result<Vec<Tensor>, Stop> {
    match call.node.operator {
        "Split" => axes::split(call),
        "TopK" => axes::top(call).map(|top| vec![top.clone(), top]),
        _ => one(call).map(|tensor| vec![with_numbers(call, tensor)]),
    }
}

/// Adds the values of a constant, where they can be computed.
fn with_numbers(call: &Call<'_, '_>, tensor: Tensor) -> Tensor {
    if tensor.axis.is_some() {
        return tensor;
    }
    if ["Constant", "ConstantOfShape", "Shape", "Size"].contains(&call.node.operator) {
        return tensor;
    }
    let tensor = Tensor { integer: sizes::integers(call), ..tensor };
    let numbers = tensor.numbers.clone().or_else(|| sizes::compute(call));
    match numbers {
        Some(numbers) => {
            let sized = tensor.sized && numbers.iter().any(|number| number.known().is_none());
            Tensor { numbers: Some(numbers), sized, ..tensor }
        }
        None => tensor,
    }
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
            shapes::reshape(call, tensor, &shapes::reshape_target(call)?)
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
        "Resize" | "Upsample" => axes::resize(call),
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
        "QuantizeLinear" | "DequantizeLinear" => {
            let (tensor, _) = axes::images(call)?;
            call.constant(1)?;
            Ok(tensor.with_dims(tensor.dims.clone()))
        }
        "DynamicQuantizeLinear" if call.input(0)?.axis.is_some() => {
            Err(Stop::mixed("scales by the smallest and the largest value of the whole batch"))
        }
        "Dropout" | "Clip" => first_by_settings(call),
        operator if ELEMENTWISE.contains(&operator) => {
            let tensors: Vec<&Tensor> = call.inputs.iter().flatten().collect();
            elements::broadcast(&tensors)
        }
        _ => unknown(call),
    }
}

/// Operators that compute each entry from the entries at the same place, however many values they take.
const ELEMENTWISE: [&str; 68] = [
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
    "CastLike",
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
    let graphs = call.node.attributes.iter().any(|attribute| !attribute.graphs.is_empty());
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

/// The first input, changed by settings that are the same for all.
fn first_by_settings(call: &Call<'_, '_>) -> Followed {
    let tensor = call.input(0)?;
    call.constants_after_first()?;
    Ok(tensor.with_dims(tensor.dims.clone()))
}
