//! What can stand in a checkpoint?

use super::tensors::{NumberKind, Storage, View};

/// No weight of a network has more.
const MOST_AXES: usize = 8;

/// The place of a value in [`Values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(u32);

/// A value; parts are named by their places. So a value that holds itself is no endless loop, and
/// a million lists inside each other are freed without a million nested calls.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PickleValue<'a> {
    None,
    Bool(bool),
    /// Wide enough for the number that marks the older format, which has 77 bits.
    Int(i128),
    Float(f64),
    Text(&'a str),
    Tuple(Vec<Id>),
    List(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    Global(Global),
    Storage(Storage<'a>),
    Tensor(View<'a>),
}

/// The only names of Python that a checkpoint may mention. None of them is ever run: they are words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Global {
    OrderedDict,
    RebuildTensor,
    RebuildParameter,
    Storage(NumberKind),
}

/// All values of a pickle.
#[derive(Default)]
pub(super) struct Values<'a>(Vec<PickleValue<'a>>);

impl<'a> Values<'a> {
    pub(super) fn add(&mut self, value: PickleValue<'a>) -> Result<Id, String> {
        let id = u32::try_from(self.0.len()).map_err(|_| "holds too many values".to_owned())?;
        self.0.push(value);
        Ok(Id(id))
    }

    pub(super) fn get(&self, id: Id) -> &PickleValue<'a> {
        &self.0[id.0 as usize]
    }

    pub(super) fn get_mut(&mut self, id: Id) -> &mut PickleValue<'a> {
        &mut self.0[id.0 as usize]
    }

    pub(super) fn all(&self) -> &[PickleValue<'a>] {
        &self.0
    }

    pub(super) fn text(&self, id: Id) -> Option<&'a str> {
        if let PickleValue::Text(text) = self.get(id) { Some(text) } else { None }
    }

    pub(super) fn size(&self, id: Id) -> Option<usize> {
        if let PickleValue::Int(number) = self.get(id) { usize::try_from(*number).ok() } else { None }
    }

    /// The sizes of a tensor's axes. A tuple can be named again and again for three bytes, so a long one
    /// must not be copied each time.
    pub(super) fn sizes(&self, id: Id) -> Option<Vec<usize>> {
        let PickleValue::Tuple(parts) = self.get(id) else { return None };
        if parts.len() > MOST_AXES {
            return None;
        }
        parts.iter().map(|part| self.size(*part)).collect()
    }

    pub(super) fn dict(&self, id: Id) -> Option<&[(Id, Id)]> {
        if let PickleValue::Dict(entries) = self.get(id) { Some(entries) } else { None }
    }

    /// The value under a key; of two, the later, as in Python.
    pub(super) fn entry(&self, dict: Id, key: &str) -> Option<Id> {
        let mut entries = self.dict(dict)?.iter().rev();
        entries.find(|(name, _)| self.text(*name) == Some(key)).map(|(_, value)| *value)
    }
}
