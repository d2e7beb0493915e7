//! Which files beside the model hold weights, and what is in them?
//!
//! A certificate names its network by a hash. So the hash covers these files, and no engine may open one that
//! this module has not read.

use qcrs::types::Error;
use qcrs_cnn::proto::{
    AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, SparseTensorProto, TensorProto,
};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The limit for all weights beside a model; more is refused before it fills the memory.
const LARGEST: u64 = 64 << 30;
/// The keys that an entry of `external_data` may have.
const KEYS: [&str; 4] = ["location", "offset", "length", "checksum"];

/// The names of the files, as the model has them.
///
/// Only constants of the main graph may lie in other files: for those inside nodes, subgraphs and functions
/// onnxruntime would open the file itself.
pub(crate) fn names(model: &ModelProto<'_>) -> Result<BTreeSet<String>, String> {
    let mut names = BTreeSet::new();
    if let Some(graph) = &model.graph {
        for tensor in &graph.initializers {
            names.extend(location(tensor)?);
        }
        graph.sparse.iter().try_for_each(all_inside)?;
        graph.nodes.iter().try_for_each(node_inside)?;
    }
    model.training.iter().try_for_each(graph_inside)?;
    model.functions.iter().try_for_each(|FunctionProto { nodes, defaults, .. }| {
        nodes.iter().try_for_each(node_inside)?;
        defaults.iter().try_for_each(attribute_inside)
    })?;
    Ok(names)
}

/// The file that holds a tensor's values, if it is not the model itself.
fn location(tensor: &TensorProto<'_>) -> Result<Option<String>, String> {
    let TensorProto { name, external, location, raw, .. } = tensor;
    match location.unwrap_or(0) {
        0 if external.is_empty() => return Ok(None),
        0 => {
            return Err(format!(
                "tensor `{name}` names another file, but says that its values are in this one"
            ));
        }
        1 => {}
        code => return Err(format!("tensor `{name}` has the data location {code}, which means nothing")),
    }
    if raw.is_some() {
        return Err(format!("tensor `{name}` has values both in this file and in another"));
    }
    for (at, (key, _)) in external.iter().enumerate() {
        if !KEYS.contains(key) || external[..at].iter().any(|(earlier, _)| earlier == key) {
            return Err(format!("the external data of tensor `{name}` says `{key}` twice, or means nothing"));
        }
    }
    // readers differ in how they read signs, blanks and other bases
    let is_number =
        |text: &str| (1..=18).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((key, value)) =
        external.iter().find(|(key, value)| ["offset", "length"].contains(key) && !is_number(value))
    {
        return Err(format!(
            "the {key} of tensor `{name}` in its file is `{value}`, which is not a plain number"
        ));
    }
    let file = external.iter().find(|(key, _)| *key == "location").map(|(_, file)| *file);
    file.map(|file| Some(file.to_owned()))
        .ok_or_else(|| format!("tensor `{name}` lies in another file, but does not say which"))
}

fn inside(tensor: &TensorProto<'_>) -> Result<(), String> {
    match location(tensor)? {
        None => Ok(()),
        Some(file) => Err(format!(
            "a tensor inside a node or subgraph has its values in `{file}`; only the weights of the main graph may lie \
             apart, so save the others in the model itself"
        )),
    }
}

fn all_inside(sparse: &SparseTensorProto<'_>) -> Result<(), String> {
    sparse.values.iter().chain(&sparse.indices).try_for_each(inside)
}

fn graph_inside(graph: &GraphProto<'_>) -> Result<(), String> {
    graph.initializers.iter().try_for_each(inside)?;
    graph.sparse.iter().try_for_each(all_inside)?;
    graph.nodes.iter().try_for_each(node_inside)
}

fn node_inside(node: &NodeProto<'_>) -> Result<(), String> {
    node.attributes.iter().try_for_each(attribute_inside)
}

fn attribute_inside(attribute: &AttributeProto<'_>) -> Result<(), String> {
    attribute.tensors.iter().try_for_each(inside)?;
    attribute.sparse.iter().try_for_each(all_inside)?;
    attribute.graphs.iter().try_for_each(|graph| graph_inside(graph))
}

/// Reads the files called `names` beside the model at `path`.
pub(crate) fn read(path: &Path, names: BTreeSet<String>) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let (mut files, mut left) = (Vec::new(), LARGEST);
    for name in names {
        let file = beside(path, &name)?;
        let content = read_file(&file, left)?;
        left -= content.len() as u64;
        files.push((name, content));
    }
    Ok(files)
}

/// The files called `names`, picked from those `given`: all of them, and no others.
pub(crate) fn pick(
    names: BTreeSet<String>,
    mut given: Vec<(String, Vec<u8>)>,
) -> Result<Vec<(String, Vec<u8>)>, String> {
    given.sort();
    if let Some(pair) = given.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!("the weights in `{}` are given twice", pair[0].0));
    }
    if let Some((other, _)) = given.iter().find(|(name, _)| !names.contains(name)) {
        return Err(format!("weights in `{other}` are given, but the model does not name them"));
    }
    match names.into_iter().find(|name| !given.iter().any(|(found, _)| found == name)) {
        None => Ok(given),
        Some(missing) => Err(format!("the weights in `{missing}` are not given")),
    }
}

/// The path of the file `name`. Weights lie in the model's folder and nowhere else, so that a model cannot
/// read other files: a link may leave the folder only to where the model itself is linked.
fn beside(path: &Path, name: &str) -> Result<PathBuf, Error> {
    let outside = || {
        let problem =
            format!("its external data `{name}` lies outside the model's folder; save the weights beside it");
        Error::format(path, problem)
    };
    // `*` and `:` have a special meaning for some engines, and no honest exporter writes them
    let strange = |letter: char| letter.is_control() || ['\\', '*', ':'].contains(&letter);
    let plain = |part: &str| !["", ".", ".."].contains(&part);
    if name.contains(strange) || !name.split('/').all(plain) {
        return Err(outside());
    }
    let folder = |file: &Path| match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let real = |file: &Path| file.canonicalize().map_err(Error::io(file));
    let file = path.with_file_name(name);
    let target = file.canonicalize().map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let model = path.file_name().unwrap_or_default().display();
            Error::format(
                &file,
                format!("no such file: it holds the weights of {model}; keep it beside the model"),
            )
        }
        _ => Error::io(&file)(error),
    })?;
    let homes = [real(&folder(path))?, folder(&real(path)?)];
    if homes.iter().any(|home| target.starts_with(home)) { Ok(target) } else { Err(outside()) }
}

/// The content of a regular file of at most `most` bytes: a pipe would hang, and a device may have no end.
pub(crate) fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let about = std::fs::metadata(path).map_err(Error::io(path))?;
    if !about.is_file() {
        return Err(Error::format(path, "is not a regular file"));
    }
    let mut content = Vec::new();
    let file = File::open(path).map_err(Error::io(path))?;
    file.take(most.saturating_add(1)).read_to_end(&mut content).map_err(Error::io(path))?;
    if content.len() as u64 > most {
        let size = about.len();
        return Err(Error::format(path, format!("has {size} bytes, which is more than a model can have")));
    }
    Ok(content)
}
