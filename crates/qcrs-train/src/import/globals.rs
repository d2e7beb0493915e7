//! Which names of Python may a checkpoint mention, and what do they stand for?

use super::tensors::{NumberKind, Storage, View};
use super::values::{Global, Id, PickleValue, Values};

/// The name, if it is one of the few that weights need; all others are refused by name.
pub(super) fn named(module: &str, name: &str) -> Result<Global, String> {
    let known = match (module, name) {
        ("collections", "OrderedDict") => Some(Global::OrderedDict),
        ("torch._utils", "_rebuild_tensor" | "_rebuild_tensor_v2") => Some(Global::RebuildTensor),
        ("torch._utils", "_rebuild_parameter") => Some(Global::RebuildParameter),
        ("torch", name) => name.strip_suffix("Storage").and_then(NumberKind::named).map(Global::Storage),
        _ => None,
    };
    known.ok_or_else(|| {
        format!(
            "mentions {module}.{name}, which weights do not need, so the file is refused unread; \
             if you trust it, save its state_dict alone with torch.save"
        )
    })
}

/// What a call of `function` stands for.
pub(super) fn call<'a>(values: &Values<'a>, function: Id, arguments: Id) -> Result<PickleValue<'a>, String> {
    let (PickleValue::Global(global), PickleValue::Tuple(arguments)) =
        (values.get(function), values.get(arguments))
    else {
        return Err("calls something that is not a function".into());
    };
    let answer = match (global, arguments.as_slice()) {
        (Global::OrderedDict, []) => Some(PickleValue::Dict(Vec::new())),
        // what follows in a file is about gradients
        (Global::RebuildTensor, [storage, offset, shape, strides, ..]) => {
            view(values, *storage, *offset, *shape, *strides).map(PickleValue::Tensor)
        }
        (Global::RebuildParameter, [tensor, ..]) => {
            Some(values.get(*tensor).clone()).filter(|value| matches!(value, PickleValue::Tensor(_)))
        }
        _ => None,
    };
    answer.ok_or_else(|| format!("calls {global:?} in a way that torch.save does not"))
}

fn view<'a>(values: &Values<'a>, storage: Id, offset: Id, shape: Id, strides: Id) -> Option<View<'a>> {
    let PickleValue::Storage(storage) = values.get(storage) else { return None };
    Some(View {
        storage: storage.clone(),
        offset: values.size(offset)?,
        shape: values.sizes(shape)?,
        strides: values.sizes(strides)?,
    })
}

/// The storage that ('storage', type, key, device, length[, (its own key, start, length)]) names.
pub(super) fn storage<'a>(values: &Values<'a>, name: Id) -> Result<Storage<'a>, String> {
    let described = || {
        let PickleValue::Tuple(parts) = values.get(name) else { return None };
        let [tag, kind, key, _device, length, part @ ..] = parts.as_slice() else { return None };
        let PickleValue::Global(Global::Storage(kind)) = values.get(*kind) else { return None };
        let (key, numbers) = (values.text(*key)?, values.size(*length)?);
        let (start, length) = match part.first().map(|part| values.get(*part)) {
            None | Some(PickleValue::None) => (0, numbers),
            Some(PickleValue::Tuple(part)) => match part.as_slice() {
                [_key, start, length] => (values.size(*start)?, values.size(*length)?),
                _ => return None,
            },
            Some(_) => return None,
        };
        let inside = start.checked_add(length).is_some_and(|end| end <= numbers);
        (values.text(*tag) == Some("storage") && inside).then_some(Storage {
            kind: *kind,
            key,
            numbers,
            start,
            length,
        })
    };
    described().ok_or_else(|| "names a storage in a way that torch.save does not".into())
}
