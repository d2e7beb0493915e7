//! What does each operator of the file mean?

use super::attributes::{Attributes, signed, small};
use super::constants::Constant;
use super::sizes::BATCH;
use super::{NamedValue, Reader};
use crate::Refusal;
use crate::graph::{Activation, Conv, ImageShape, Op, Pool, Window};
use crate::proto::NodeProto;

impl Reader<'_> {
    pub(super) fn operator(
        &mut self,
        operator: &str,
        node: &NodeProto<'_>,
        attributes: Attributes<'_>,
    ) -> Result<NamedValue, Refusal> {
        match operator {
            "Dropout" if node.inputs.get(2).is_some_and(|name| !name.is_empty()) => {
                Err(Refusal::Unsupported("Dropout with a training mode".into()))
            }
            "Identity" | "Dropout" => self.value(node, 0),
            "Conv" => self.conv(node, attributes),
            "Gemm" => self.gemm(node, attributes),
            "MatMul" => {
                let weights = self.needed(node, 1)?;
                self.linear(node, &weights, false, None)
            }
            "BatchNormalization" => self.batch_norm(node, attributes),
            "Add" | "Sub" | "Mul" | "Div" => self.arithmetic(operator, node),
            "Relu" => self.activate(node, Activation::Relu),
            "LeakyRelu" => self.activate(node, Activation::Leaky(attributes.float("alpha", 0.01))),
            "Clip" => {
                let limit = |at: usize, name: &str, default: f32| {
                    let given = self.constant(node, at)?;
                    given.map_or(Ok(attributes.float(name, default)), |given| given.one())
                };
                let (low, high) = (limit(1, "min", f32::MIN)?, limit(2, "max", f32::MAX)?);
                self.activate(node, Activation::Clip(low, high))
            }
            "MaxPool" => {
                attributes.plain("storage_order", 0)?;
                self.pool(node, Pool::Max, attributes)
            }
            "AveragePool" => {
                let padded = attributes.int("count_include_pad", 0) != 0;
                self.pool(node, if padded { Pool::PaddedMean } else { Pool::Mean }, attributes)
            }
            "GlobalAveragePool" => self.mean(node, true),
            "ReduceMean" => self.reduce_mean(node, attributes),
            "Flatten" => {
                attributes.plain("axis", 1)?;
                Ok(NamedValue { flat: true, ..self.value(node, 0)? })
            }
            "Squeeze" => self.squeeze(node, attributes),
            "Reshape" => {
                let target = self.list(node, 1)?;
                match attributes.int("allowzero", 0) {
                    0 => {}
                    // the attribute only says what a 0 means
                    1 if !target.contains(&0) => {}
                    other => {
                        let what = format!("allowzero = {other} with a target of {target:?}");
                        return Err(Refusal::Unsupported(what));
                    }
                }
                self.reshape(self.value(node, 0)?, &target)
            }
            other => Err(Refusal::Unsupported(format!("the operator {other}"))),
        }
    }

    fn shape(&self, value: NamedValue) -> ImageShape {
        self.nodes[value.node].shape
    }

    /// A value with rows and columns.
    fn image(&self, node: &NodeProto<'_>) -> Result<NamedValue, Refusal> {
        let value = self.value(node, 0)?;
        if value.flat {
            Err(Refusal::Broken("a row of numbers instead of an image".into()))
        } else {
            Ok(value)
        }
    }

    fn conv(&mut self, node: &NodeProto<'_>, attributes: Attributes<'_>) -> Result<NamedValue, Refusal> {
        let input = self.image(node)?;
        let weights = self.needed(node, 1)?;
        let &[outputs, _, height, width] = weights.dims.as_slice() else {
            return Err(Refusal::Unsupported(format!("convolutions with weights of {:?}", weights.dims)));
        };
        let window = attributes.window(Some([height, width]), self.shape(input))?;
        let groups = small(attributes.int("group", 1))?;
        let bias = match self.constant(node, 2)? {
            Some(bias) => bias.floats()?.to_vec(),
            None => vec![0.0; outputs],
        };
        let op = Op::Conv(Conv { weights: weights.floats()?.to_vec(), bias, outputs, groups, window });
        self.push(node, op, &[input.node], false)
    }

    fn gemm(&mut self, node: &NodeProto<'_>, attributes: Attributes<'_>) -> Result<NamedValue, Refusal> {
        attributes.plain("transA", 0)?;
        let is_one = |name| attributes.float(name, 1.0).to_bits() == 1.0_f32.to_bits();
        if !is_one("alpha") || !is_one("beta") {
            return Err(Refusal::Unsupported("Gemm with alpha or beta".into()));
        }
        let (weights, bias) = (self.needed(node, 1)?, self.constant(node, 2)?);
        self.linear(node, &weights, attributes.int("transB", 0) != 0, bias.as_ref())
    }

    /// A matrix times a flattened image: a convolution with a kernel as large as the image.
    fn linear(
        &mut self,
        node: &NodeProto<'_>,
        weights: &Constant,
        rows_are_outputs: bool,
        bias: Option<&Constant>,
    ) -> Result<NamedValue, Refusal> {
        let input = self.value(node, 0)?;
        let shape = self.shape(input);
        if !input.flat {
            return Err(Refusal::Unsupported("a matrix product along the width of an image".into()));
        }
        let (&[rows, columns], values) = (weights.dims.as_slice(), weights.floats()?) else {
            return Err(Refusal::Unsupported(format!("a matrix of {:?}", weights.dims)));
        };
        let (outputs, values) = if rows_are_outputs {
            (rows, values.to_vec())
        } else {
            (columns, (0..rows * columns).map(|at| values[at % rows * columns + at / rows]).collect())
        };
        let bias = match bias {
            None => vec![0.0; outputs],
            Some(bias) => match (bias.floats()?, bias.dims.as_slice()) {
                ([one], _) => vec![*one; outputs],
                (many, [_] | [1, _]) if many.len() == outputs => many.to_vec(),
                (_, dims) => {
                    return Err(Refusal::Broken(format!("offsets of {dims:?} for {outputs} outputs")));
                }
            },
        };
        let conv = Conv { weights: values, bias, outputs, groups: 1, window: Window::whole(shape) };
        self.push(node, Op::Conv(conv), &[input.node], true)
    }

    fn batch_norm(
        &mut self,
        node: &NodeProto<'_>,
        attributes: Attributes<'_>,
    ) -> Result<NamedValue, Refusal> {
        attributes.plain("training_mode", 0)?;
        // until opset 13, further outputs with the statistics of the batch show the mode
        if node.outputs.iter().skip(1).any(|name| !name.is_empty()) {
            return Err(Refusal::Unsupported("batch normalisation in training mode".into()));
        }
        attributes.plain("spatial", 1)?;
        let input = self.value(node, 0)?;
        if input.flat && self.shape(input)[1..] != [1, 1] {
            return Err(Refusal::Unsupported("batch normalisation of a flattened image".into()));
        }
        let part = |at| self.needed(node, at)?.floats().map(<[f32]>::to_vec);
        let (gain, offset, mean, variance) = (part(1)?, part(2)?, part(3)?, part(4)?);
        let channels = self.shape(input)[0];
        if [&gain, &offset, &mean, &variance].iter().any(|part| part.len() != channels) {
            return Err(Refusal::Broken(format!("statistics of another length than {channels}")));
        }
        let epsilon = f64::from(attributes.float("epsilon", 1e-5));
        let deviations = variance.iter().map(|variance| (f64::from(*variance) + epsilon).sqrt());
        let scale: Vec<f64> = gain.iter().zip(deviations).map(|(gain, sd)| f64::from(*gain) / sd).collect();
        if scale.iter().any(|scale| !scale.is_finite()) {
            return Err(Refusal::Broken("a variance that is not above 0".into()));
        }
        let centred = offset.iter().zip(&mean).zip(&scale);
        let shift = centred.map(|((offset, mean), scale)| f64::from(*offset) - f64::from(*mean) * scale);
        let op = Op::Affine { shift: shift.collect(), scale };
        self.push(node, op, &[input.node], input.flat)
    }

    /// A sum of two values, or an affine map by a constant per channel.
    fn arithmetic(&mut self, operator: &str, node: &NodeProto<'_>) -> Result<NamedValue, Refusal> {
        let is_constant = |at: usize| node.inputs.get(at).is_some_and(|name| self.constants.holds(name));
        let (input, constant, constant_first) = match (is_constant(0), is_constant(1)) {
            (false, true) => (self.value(node, 0)?, self.needed(node, 1)?, false),
            (true, false) => (self.value(node, 1)?, self.needed(node, 0)?, true),
            (false, false) if operator == "Add" => {
                let (a, b) = (self.value(node, 0)?, self.value(node, 1)?);
                // broadcasting combines a row and an image in another way
                if a.flat != b.flat {
                    return Err(Refusal::Unsupported("the sum of a row and an image".into()));
                }
                return self.push(node, Op::Add, &[a.node, b.node], a.flat);
            }
            _ => return Err(Refusal::Unsupported(format!("{operator} of these two"))),
        };
        let constant = per_channel(&constant, self.shape(input), input.flat)?;
        let (mut scale, mut shift) = (vec![1.0; constant.len()], vec![0.0; constant.len()]);
        match (operator, constant_first) {
            ("Add", _) => shift = constant,
            ("Mul", _) => scale = constant,
            ("Sub", false) => shift = constant.iter().map(|c| -c).collect(),
            ("Sub", true) => (scale, shift) = (vec![-1.0; constant.len()], constant),
            ("Div", false) if constant.iter().all(|c| *c != 0.0) => {
                scale = constant.iter().map(|c| 1.0 / c).collect();
            }
            _ => return Err(Refusal::Unsupported("division by a value or by 0".into())),
        }
        self.push(node, Op::Affine { scale, shift }, &[input.node], input.flat)
    }

    fn activate(&mut self, node: &NodeProto<'_>, activation: Activation) -> Result<NamedValue, Refusal> {
        let sound = match activation {
            Activation::Leaky(slope) => slope.is_finite(),
            Activation::Clip(low, high) => low <= high && low < f32::INFINITY && high > f32::NEG_INFINITY,
            Activation::None | Activation::Relu => true,
        };
        let input = self.value(node, 0)?;
        if !sound {
            return Err(Refusal::Broken(format!("an activation {activation:?}")));
        }
        self.push(node, Op::Activate(activation), &[input.node], input.flat)
    }

    fn pool(
        &mut self,
        node: &NodeProto<'_>,
        pool: Pool,
        attributes: Attributes<'_>,
    ) -> Result<NamedValue, Refusal> {
        let input = self.image(node)?;
        let window = attributes.window(None, self.shape(input))?;
        self.push(node, Op::Pool(pool, window), &[input.node], false)
    }

    fn mean(&mut self, node: &NodeProto<'_>, keep: bool) -> Result<NamedValue, Refusal> {
        let input = self.image(node)?;
        let window = Window::whole(self.shape(input));
        self.push(node, Op::Pool(Pool::Mean, window), &[input.node], !keep)
    }

    fn reduce_mean(
        &mut self,
        node: &NodeProto<'_>,
        attributes: Attributes<'_>,
    ) -> Result<NamedValue, Refusal> {
        let axes = match self.constant(node, 1)? {
            Some(axes) => axes.ints()?.to_vec(),
            None => attributes.ints("axes").unwrap_or_default().to_vec(),
        };
        if !is_height_and_width(&axes) {
            return Err(Refusal::Unsupported(format!("a mean over the axes {axes:?}")));
        }
        self.mean(node, attributes.int("keepdims", 1) != 0)
    }

    fn squeeze(&mut self, node: &NodeProto<'_>, attributes: Attributes<'_>) -> Result<NamedValue, Refusal> {
        let axes = match self.constant(node, 1)? {
            Some(axes) => axes.ints()?.to_vec(),
            None => attributes.ints("axes").unwrap_or_default().to_vec(),
        };
        let value = self.image(node)?;
        if !is_height_and_width(&axes) || self.shape(value)[1..] != [1, 1] {
            return Err(Refusal::Unsupported(format!("leaving out the axes {axes:?}")));
        }
        Ok(NamedValue { flat: true, ..value })
    }

    /// Only what changes nothing or flattens an image.
    fn reshape(&self, value: NamedValue, target: &[i64]) -> Result<NamedValue, Refusal> {
        let shape = self.shape(value).map(signed);
        let [c, h, w] = shape;
        let row: i64 = shape.iter().product();
        // a number at the start is the batch only if there are always that many images
        let first = target.first().map(|first| if Some(*first) == self.batch { BATCH } else { *first });
        let known: Vec<i64> = first.into_iter().chain(target.iter().skip(1).copied()).collect();
        // at most one of the sizes is left open, and the batch is kept
        let flat = match known[..] {
            [0 | -1 | BATCH, size] if size == row => true,
            [0 | BATCH, -1] => true,
            [0, 0] if value.flat => true,
            [0 | -1 | BATCH, a, b, d] if [a, b, d] == [c, h, w] => false,
            [0, -1, 1, 1] if [h, w] == [1, 1] => false,
            _ => return Err(Refusal::Unsupported(format!("a change of shape to {target:?}"))),
        };
        Ok(NamedValue { flat, ..value })
    }
}

fn is_height_and_width(axes: &[i64]) -> bool {
    let mut axes: Vec<i64> = axes.iter().map(|axis| if *axis < 0 { axis + 4 } else { *axis }).collect();
    axes.sort_unstable();
    axes == [2, 3]
}

/// A constant as one number per channel, as broadcasting would spread it.
fn per_channel(constant: &Constant, shape: ImageShape, flat: bool) -> Result<Vec<f64>, Refusal> {
    let values: Vec<f64> = constant.floats()?.iter().map(|value| f64::from(*value)).collect();
    let wanted: &[usize] = if flat { &[1, shape[0]] } else { &[1, shape[0], 1, 1] };
    let missing = wanted.len().checked_sub(constant.dims.len());
    let aligned = missing.is_some_and(|missing| wanted[missing..] == constant.dims[..]);
    match values[..] {
        [one] if missing.is_some() => Ok(vec![one; shape[0]]),
        _ if aligned && (!flat || shape[1..] == [1, 1]) => Ok(values),
        _ => Err(Refusal::Unsupported(format!("a constant of {:?} beside {shape:?}", constant.dims))),
    }
}
