//! Which numbers does the file hold?

use super::attributes::{Attributes, small};
use crate::Refusal;
use crate::graph::LARGEST;
use crate::proto::{GraphProto, TensorProto};
use std::collections::BTreeMap;

/// Files with weights that a model keeps beside itself: the name in the model, and the content.
pub type External<'a> = &'a [(String, Vec<u8>)];

/// The codes that ONNX gives to the element types that are read here.
pub(super) const FLOAT: i64 = 1;
const INT64: i64 = 7;
const FLOAT16: i64 = 10;
/// The code of a `data_location` in another file.
const EXTERNAL: i64 = 1;

/// A tensor of the file; only floats and integers are asked for.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub(super) dims: Vec<usize>,
    pub(super) numbers: Numbers,
}

#[derive(Clone, Debug)]
pub(super) enum Numbers {
    Floats(Vec<f32>),
    /// Floats of 16 bits, which a Cast has to widen before they may be used.
    Halves(Vec<f32>),
    Ints(Vec<i64>),
}

impl Numbers {
    fn len(&self) -> usize {
        match self {
            Self::Floats(values) | Self::Halves(values) => values.len(),
            Self::Ints(values) => values.len(),
        }
    }

    /// Why these are not computed with.
    fn no_arithmetic(&self) -> Refusal {
        let kind = if let Self::Ints(_) = self { "integers" } else { "floats of 16 bits" };
        Refusal::Unsupported(format!("arithmetic with {kind}"))
    }

    /// The bytes of one number in a file.
    fn width(&self) -> usize {
        match self {
            Self::Halves(_) => 2,
            Self::Floats(_) => 4,
            Self::Ints(_) => 8,
        }
    }
}

impl Constant {
    /// Its values, all finite.
    pub(super) fn floats(&self) -> Result<&[f32], Refusal> {
        match &self.numbers {
            Numbers::Floats(values) if values.iter().all(|value| value.is_finite()) => Ok(values),
            Numbers::Floats(_) => Err(Refusal::Broken("a weight is infinite or not a number".into())),
            other => Err(other.no_arithmetic()),
        }
    }

    pub(super) fn ints(&self) -> Result<&[i64], Refusal> {
        match &self.numbers {
            Numbers::Ints(values) => Ok(values),
            _ => Err(Refusal::Broken("floats instead of integers".into())),
        }
    }

    /// The only value it has, which may be infinite.
    pub(super) fn one(&self) -> Result<f32, Refusal> {
        match &self.numbers {
            Numbers::Floats(values) => match values[..] {
                [value] => Ok(value),
                _ => Err(Refusal::Broken(format!("{} values instead of one", values.len()))),
            },
            other => Err(other.no_arithmetic()),
        }
    }
}

/// The constants of a graph by name.
pub(super) struct Constants<'a> {
    /// Those that are copied where they are used: initializers, and the tensors of Constant nodes.
    tensors: BTreeMap<&'a str, &'a TensorProto<'a>>,
    /// What Constant nodes hold besides tensors, and what Cast nodes made of weights of 16 bits.
    values: BTreeMap<&'a str, Constant>,
    /// Other names of constants.
    also: BTreeMap<&'a str, &'a str>,
    external: External<'a>,
}

impl<'a> Constants<'a> {
    pub(super) fn new(graph: &'a GraphProto<'a>, external: External<'a>) -> Result<Self, Refusal> {
        let tensors: BTreeMap<_, _> = graph.initializers.iter().map(|tensor| (tensor.name, tensor)).collect();
        if tensors.contains_key("") {
            return Err(Refusal::Broken("a constant has no name".into()));
        }
        Ok(Self { tensors, values: BTreeMap::new(), also: BTreeMap::new(), external })
    }

    pub(super) fn holds(&self, name: &str) -> bool {
        self.tensors.contains_key(name) || self.values.contains_key(name) || self.also.contains_key(name)
    }

    /// Takes the value of a Constant node.
    pub(super) fn add(&mut self, name: &'a str, attributes: Attributes<'a>) -> Result<(), Refusal> {
        if let Some(tensor) = attributes.tensor("value") {
            self.tensors.insert(name, tensor);
            return Ok(());
        }
        let constant = if attributes.has("value_float") {
            let value = attributes.float("value_float", 0.0);
            Constant { dims: Vec::new(), numbers: Numbers::Floats(vec![value]) }
        } else if let Some(values) = attributes.ints("value_ints") {
            Constant { dims: vec![values.len()], numbers: Numbers::Ints(values.to_vec()) }
        } else if attributes.has("value_int") {
            let value = attributes.int("value_int", 0);
            Constant { dims: Vec::new(), numbers: Numbers::Ints(vec![value]) }
        } else {
            return Err(Refusal::Unsupported("a constant that is not a tensor".into()));
        };
        self.values.insert(name, constant);
        Ok(())
    }

    /// Takes what a Cast to float makes of the constant `input`. False if that is not a weight of 16 bits.
    pub(super) fn widen(&mut self, name: &'a str, input: &str) -> Result<bool, Refusal> {
        let first = self.also.get(input).copied().unwrap_or(input);
        if self.tensors.get(first).is_none_or(|tensor| tensor.element != FLOAT16) {
            return Ok(false);
        }
        let Constant { dims, numbers } = self.get(input)?;
        if let Numbers::Halves(values) = numbers {
            self.values.insert(name, Constant { dims, numbers: Numbers::Floats(values) });
        }
        Ok(true)
    }

    /// Gives the constant `input` another name.
    pub(super) fn rename(&mut self, name: &'a str, input: &'a str) {
        let first = self.also.get(input).copied().unwrap_or(input);
        self.also.insert(name, first);
    }

    pub(super) fn get(&self, name: &str) -> Result<Constant, Refusal> {
        let name = self.also.get(name).copied().unwrap_or(name);
        match (self.values.get(name), self.tensors.get(name)) {
            (Some(constant), _) => Ok(constant.clone()),
            (None, Some(tensor)) => read(tensor, self.external),
            (None, None) => Err(Refusal::Broken(format!("nothing makes `{name}`"))),
        }
    }
}

fn read(tensor: &TensorProto<'_>, external: External<'_>) -> Result<Constant, Refusal> {
    let dims = tensor.dims.iter().map(|dim| small(*dim)).collect::<Result<Vec<_>, _>>()?;
    let size = dims.iter().try_fold(1usize, |size, dim| size.checked_mul(*dim));
    let size = size.filter(|size| *size <= LARGEST);
    let size = size.ok_or_else(|| Refusal::Unsupported(format!("a constant of shape {dims:?}")))?;
    let raw = match tensor.location {
        Some(EXTERNAL) => Some(beside(tensor, external)?),
        _ => tensor.raw,
    };
    let numbers = match (tensor.element, raw) {
        (FLOAT, Some(raw)) => Numbers::Floats(words(raw, f32::from_le_bytes)),
        (FLOAT, None) => Numbers::Floats(tensor.floats.clone()),
        (INT64, Some(raw)) => Numbers::Ints(words(raw, i64::from_le_bytes)),
        (INT64, None) => Numbers::Ints(tensor.ints.clone()),
        (FLOAT16, Some(raw)) => Numbers::Halves(words(raw, |bytes| widened(u16::from_le_bytes(bytes)))),
        (0, _) => return Err(Refusal::Broken("a constant has no type".into())),
        (code, _) => return Err(Refusal::Unsupported(format!("constants of type {}", type_name(code)))),
    };
    let (found, width) = (numbers.len(), numbers.width());
    if found != size || raw.is_some_and(|raw| raw.len() % width != 0) {
        return Err(Refusal::Broken(format!("a constant of shape {dims:?} holds {found} values")));
    }
    Ok(Constant { dims, numbers })
}

/// What ONNX calls the common element types; others go by their code.
fn type_name(code: i64) -> String {
    let name = match code {
        2 => "uint8",
        3 => "int8",
        4 => "uint16",
        5 => "int16",
        6 => "int32",
        8 => "string",
        9 => "bool",
        10 => "float16",
        11 => "double",
        12 => "uint32",
        13 => "uint64",
        16 => "bfloat16",
        _ => return code.to_string(),
    };
    name.to_owned()
}

fn words<const N: usize, T>(raw: &[u8], word: impl Fn([u8; N]) -> T) -> Vec<T> {
    raw.as_chunks().0.iter().map(|bytes| word(*bytes)).collect()
}

/// The value of a float of 16 bits, exactly.
fn widened(bits: u16) -> f32 {
    let (sign, rest) = (u32::from(bits >> 15) << 31, bits & 0x7fff);
    // the exponents are 112 apart
    let size = match rest {
        0..0x7c00 => f32::from_bits(u32::from(rest) << 13) * 2_f32.powi(112),
        0x7c00 => f32::INFINITY,
        _ => f32::NAN,
    };
    f32::from_bits(size.to_bits() | sign)
}

/// The part of an external file that a tensor names.
fn beside<'a>(tensor: &TensorProto<'_>, external: External<'a>) -> Result<&'a [u8], Refusal> {
    let entry = |wanted: &str| {
        let mut entries = tensor.external.iter();
        entries.find(|(key, _)| *key == wanted).map(|(_, value)| *value)
    };
    let file = entry("location").and_then(|name| external.iter().find(|(file, _)| file == name));
    let part = file.and_then(|(_, bytes)| {
        let start = entry("offset").map_or(Some(0), |offset| offset.parse().ok())?;
        let rest = bytes.get(start..)?;
        match entry("length") {
            None => Some(rest),
            Some(length) => rest.get(..length.parse().ok()?),
        }
    });
    part.ok_or_else(|| Refusal::Broken("the file with a constant's values is missing or too short".into()))
}

#[cfg(test)]
mod tests {
    use super::widened;

    #[test]
    fn every_float_of_16_bits_is_widened_exactly() {
        for bits in 0..=u16::MAX {
            let [sign, exponent, fraction] = [bits >> 15, bits >> 10 & 31, bits & 1023].map(i32::from);
            let expected = match (exponent, fraction) {
                (31, 0) => f64::INFINITY,
                (31, _) => f64::NAN,
                (0, _) => f64::from(fraction) * 2_f64.powi(-24),
                _ => f64::from(1024 + fraction) * 2_f64.powi(exponent - 25),
            };
            let expected = if sign == 1 { -expected } else { expected };
            let found = f64::from(widened(bits));
            assert!(found.is_nan() == expected.is_nan(), "{bits:#x}");
            assert!(found.is_nan() || found.to_bits() == expected.to_bits(), "{bits:#x}: {found} {expected}");
        }
    }
}
