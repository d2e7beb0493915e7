//! Which numbers does the file hold?

use super::attributes::{Attributes, small};
use crate::Refusal;
use crate::graph::LARGEST;
use crate::proto::{GraphProto, TensorProto};
use std::collections::BTreeMap;

/// Files with weights that a model keeps beside itself: the name in the model, and the content.
pub type External<'a> = &'a [(String, Vec<u8>)];

/// The codes that ONNX gives to the element types that are read here.
const FLOAT: i64 = 1;
const INT64: i64 = 7;
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
    Ints(Vec<i64>),
}

impl Constant {
    /// Its values, all finite.
    pub(super) fn floats(&self) -> Result<&[f32], Refusal> {
        match &self.numbers {
            Numbers::Floats(values) if values.iter().all(|value| value.is_finite()) => Ok(values),
            Numbers::Floats(_) => Err(Refusal::Broken("a weight is infinite or not a number".into())),
            Numbers::Ints(_) => Err(Refusal::Unsupported("arithmetic with integers".into())),
        }
    }

    pub(super) fn ints(&self) -> Result<&[i64], Refusal> {
        match &self.numbers {
            Numbers::Ints(values) => Ok(values),
            Numbers::Floats(_) => Err(Refusal::Broken("floats instead of integers".into())),
        }
    }

    /// The only value it has, which may be infinite.
    pub(super) fn one(&self) -> Result<f32, Refusal> {
        match &self.numbers {
            Numbers::Floats(values) => match values[..] {
                [value] => Ok(value),
                _ => Err(Refusal::Broken(format!("{} values instead of one", values.len()))),
            },
            Numbers::Ints(_) => Err(Refusal::Unsupported("arithmetic with integers".into())),
        }
    }
}

/// The constants of a graph by name.
pub(super) struct Constants<'a> {
    /// Those that are copied where they are used: initializers, and the tensors of Constant nodes.
    tensors: BTreeMap<&'a str, &'a TensorProto<'a>>,
    /// What Constant nodes hold besides tensors.
    small: BTreeMap<&'a str, Constant>,
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
        Ok(Self { tensors, small: BTreeMap::new(), also: BTreeMap::new(), external })
    }

    pub(super) fn holds(&self, name: &str) -> bool {
        self.tensors.contains_key(name) || self.small.contains_key(name) || self.also.contains_key(name)
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
        self.small.insert(name, constant);
        Ok(())
    }

    /// Gives the constant `input` another name.
    pub(super) fn rename(&mut self, name: &'a str, input: &'a str) {
        let first = self.also.get(input).copied().unwrap_or(input);
        self.also.insert(name, first);
    }

    pub(super) fn get(&self, name: &str) -> Result<Constant, Refusal> {
        let name = self.also.get(name).copied().unwrap_or(name);
        match (self.small.get(name), self.tensors.get(name)) {
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
        (0, _) => return Err(Refusal::Broken("a constant has no type".into())),
        (code, _) => return Err(Refusal::Unsupported(format!("constants of type {}", type_name(code)))),
    };
    let (found, whole) = match &numbers {
        Numbers::Floats(values) => (values.len(), raw.is_none_or(|raw| raw.len() % 4 == 0)),
        Numbers::Ints(values) => (values.len(), raw.is_none_or(|raw| raw.len() % 8 == 0)),
    };
    if found != size || !whole {
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
