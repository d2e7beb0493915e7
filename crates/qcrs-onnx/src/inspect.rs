//! What does the file say about itself, before any engine reads it?
//!
//! Field numbers are those of onnx.proto3. Every place that can hold a tensor or a graph is walked
//! (subgraphs, local functions, training graphs), so that no file reference goes unseen.

use qcrs::types::Error;
use qcrs_cnn::wire::{Fields, Torn, Value};
use std::collections::BTreeSet;
use std::path::{Component, Path};

const EXPORT: &str = "export the model with torch.onnx.export (or your framework's ONNX exporter)";
/// protobuf allows no larger message.
const LARGEST: u64 = 2 << 30;
/// Real models nest two or three graphs; a deeper nest is there to exhaust the stack.
const DEEPEST: usize = 16;

/// A model file in memory: the engines get these bytes and open no file themselves.
pub(crate) struct File {
    pub(crate) bytes: Vec<u8>,
    pub(crate) graph: Graph,
    /// The files with weights kept apart: the name in the model, and the content.
    pub(crate) external: Vec<(String, Vec<u8>)>,
}

/// What the checks and messages need of the model's graph.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) inputs: Vec<Port>,
    pub(crate) outputs: Vec<Port>,
    pub(crate) operators: BTreeSet<String>,
    /// The texts that attributes hold, such as the mode of an operator.
    pub(crate) words: BTreeSet<String>,
    /// The oldest version of ONNX's operators that is asked for; 1 where none is.
    pub(crate) opset: u64,
    /// Whether a Softmax or LogSoftmax is not said to be over the last axis.
    pub(crate) softmax_below: bool,
    external: BTreeSet<String>,
    initializers: BTreeSet<String>,
}

/// An input or output as declared.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Port {
    pub(crate) name: String,
    /// The code of the element type; absent when it is no tensor or not declared.
    pub(crate) element: Option<u64>,
    /// The dimensions, `None` for a dynamic one; absent when not declared.
    pub(crate) dims: Option<Vec<Option<usize>>>,
}

impl File {
    /// The hash of the file alone, or with those beside it: two networks can differ in these only.
    pub(crate) fn blake3(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.bytes);
        for part in self.external.iter().flat_map(|(name, content)| [name.as_bytes(), content]) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// Reads the file and the weight files beside it.
pub(crate) fn read(path: &Path) -> Result<File, Error> {
    let size = std::fs::metadata(path).map_err(Error::io(path))?.len();
    if size > LARGEST {
        let problem =
            format!("{size} bytes is more than an ONNX file can hold; save the weights as external data");
        return Err(Error::format(path, problem));
    }
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    if let Some(what) = something_else(&bytes) {
        return Err(Error::format(path, format!("{what}, not an ONNX model; {EXPORT}")));
    }
    let graph =
        Graph::parse(&bytes).map_err(|Torn| Error::format(path, format!("not an ONNX model; {EXPORT}")))?;
    // rten decodes as we do, and trusts the lengths in a file
    if !qcrs_cnn::is_whole(&bytes) {
        return Err(Error::format(path, format!("the file is torn, or nested without an end; {EXPORT}")));
    }
    if graph.operators.is_empty() || graph.outputs.is_empty() {
        return Err(Error::format(path, format!("not an ONNX model, or one without a graph; {EXPORT}")));
    }
    let external = graph.external.iter().map(|name| Ok((name.clone(), read_beside(path, name)?)));
    Ok(File { external: external.collect::<Result<_, Error>>()?, bytes, graph })
}

/// What people hand over instead of an ONNX file.
fn something_else(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [] => Some("an empty file"),
        [b'P', b'K', 3, 4, ..] => Some("a zip archive (a PyTorch checkpoint?)"),
        [0x80, 2..=5, ..] => Some("a Python pickle (a PyTorch checkpoint?)"),
        _ if bytes.starts_with(b"version https://git-lfs") => Some("a git-lfs pointer (run `git lfs pull`)"),
        _ => None,
    }
}

/// Weights may lie beside the model and nowhere else, so that a model cannot read other files.
fn read_beside(path: &Path, name: &str) -> Result<Vec<u8>, Error> {
    let inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || !inside || name.contains('\\') {
        let problem =
            format!("its external data `{name}` lies outside the model's folder; save the weights beside it");
        return Err(Error::format(path, problem));
    }
    let file = path.parent().unwrap_or(Path::new("")).join(name);
    std::fs::read(&file).map_err(Error::io(file))
}

impl Graph {
    /// Reads a ModelProto.
    pub(crate) fn parse(model: &[u8]) -> Result<Self, Torn> {
        let mut found = Self::default();
        let mut opsets = Vec::new();
        for field in Fields::of(model) {
            match field? {
                (8, Value::Bytes(opset)) => opsets.extend(version(opset)?),
                (7, Value::Bytes(graph)) => found.graph(graph, 0)?,
                (20, Value::Bytes(training)) => found.each(training, &[1, 2], |g, b| g.graph(b, 1))?,
                (25, Value::Bytes(function)) => {
                    for opset in messages(function, 9)? {
                        opsets.extend(version(opset)?);
                    }
                    found.each(function, &[7], |g, b| g.node(b, 1))?;
                    found.each(function, &[11], |g, b| g.attribute(b, 1))?;
                }
                _ => {}
            }
        }
        found.opset = opsets.into_iter().min().unwrap_or(1);
        let initializers = std::mem::take(&mut found.initializers);
        found.inputs.retain(|input| !initializers.contains(&input.name));
        Ok(found)
    }

    /// Calls `visit` with every message in the fields numbered `numbers`.
    fn each(
        &mut self,
        message: &[u8],
        numbers: &[u64],
        visit: impl Fn(&mut Self, &[u8]) -> Result<(), Torn>,
    ) -> Result<(), Torn> {
        for field in Fields::of(message) {
            if let (number, Value::Bytes(bytes)) = field?
                && numbers.contains(&number)
            {
                visit(self, bytes)?;
            }
        }
        Ok(())
    }

    fn graph(&mut self, graph: &[u8], depth: usize) -> Result<(), Torn> {
        if depth > DEEPEST {
            return Err(Torn);
        }
        for field in Fields::of(graph) {
            match field? {
                (1, Value::Bytes(node)) => self.node(node, depth)?,
                (5, Value::Bytes(tensor)) => {
                    let name = self.tensor(tensor)?;
                    if depth == 0 {
                        self.initializers.insert(name);
                    }
                }
                (11, Value::Bytes(port)) if depth == 0 => self.inputs.push(Port::parse(port)?),
                (12, Value::Bytes(port)) if depth == 0 => self.outputs.push(Port::parse(port)?),
                (15, Value::Bytes(sparse)) => self.sparse(sparse)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn node(&mut self, node: &[u8], depth: usize) -> Result<(), Torn> {
        let (mut operator, mut domain) = (String::new(), String::new());
        let mut last_axis = false;
        for field in Fields::of(node) {
            match field? {
                (4, Value::Bytes(name)) => operator = text(name)?,
                (7, Value::Bytes(name)) => domain = text(name)?,
                (5, Value::Bytes(attribute)) => {
                    self.attribute(attribute, depth)?;
                    last_axis |= is_last_axis(attribute)?;
                }
                _ => {}
            }
        }
        self.softmax_below |= !last_axis && ["Softmax", "LogSoftmax"].contains(&operator.as_str());
        let plain = domain.is_empty() || domain == "ai.onnx";
        self.operators.insert(if plain { operator } else { format!("{domain}.{operator}") });
        Ok(())
    }

    fn attribute(&mut self, attribute: &[u8], depth: usize) -> Result<(), Torn> {
        // bytes that are no text may stand there too
        let word = |word: &[u8]| String::from_utf8(word.to_vec()).ok();
        self.words.extend(messages(attribute, 4)?.into_iter().filter_map(word));
        self.each(attribute, &[5, 10], |g, b| g.tensor(b).map(drop))?;
        self.each(attribute, &[6, 11], |g, b| g.graph(b, depth + 1))?;
        self.each(attribute, &[22, 23], Self::sparse)
    }

    fn sparse(&mut self, sparse: &[u8]) -> Result<(), Torn> {
        self.each(sparse, &[1, 2], |g, b| g.tensor(b).map(drop))
    }

    /// Notes where a tensor's data lies, and gives its name.
    fn tensor(&mut self, tensor: &[u8]) -> Result<String, Torn> {
        let (mut name, mut location, mut apart) = (String::new(), None, false);
        for field in Fields::of(tensor) {
            match field? {
                (8, Value::Bytes(bytes)) => name = text(bytes)?,
                (13, Value::Bytes(entry)) if string_field(entry, 1)? == "location" => {
                    location = Some(string_field(entry, 2)?);
                }
                (14, Value::Varint(place)) => apart = place == 1,
                _ => {}
            }
        }
        if apart {
            self.external.insert(location.unwrap_or_default());
        }
        Ok(name)
    }
}

impl Port {
    fn parse(value_info: &[u8]) -> Result<Self, Torn> {
        let mut port = Self { name: string_field(value_info, 1)?, ..Self::default() };
        // ValueInfoProto.type → TypeProto.tensor_type → elem_type, shape
        for tensor in messages(value_info, 2)?
            .into_iter()
            .map(|ty| messages(ty, 1))
            .collect::<Result<Vec<_>, _>>()?
            .concat()
        {
            for field in Fields::of(tensor) {
                match field? {
                    (1, Value::Varint(code)) => port.element = Some(code),
                    (2, Value::Bytes(shape)) => {
                        port.dims =
                            Some(messages(shape, 1)?.into_iter().map(dimension).collect::<Result<_, _>>()?);
                    }
                    _ => {}
                }
            }
        }
        Ok(port)
    }
}

/// A number, or `None` for a named, absent or non-positive one: exporters write -1 for "any".
fn dimension(dim: &[u8]) -> Result<Option<usize>, Torn> {
    Ok(varint(dim, 1)?.and_then(|size| usize::try_from(size.cast_signed()).ok()).filter(|&size| size > 0))
}

/// The version that an OperatorSetIdProto asks for, if it is of ONNX's own operators.
fn version(opset: &[u8]) -> Result<Option<u64>, Torn> {
    let ours = ["", "ai.onnx"].contains(&string_field(opset, 1)?.as_str());
    Ok(varint(opset, 2)?.filter(|_| ours))
}

/// Whether an AttributeProto is `axis = -1`.
fn is_last_axis(attribute: &[u8]) -> Result<bool, Torn> {
    Ok(string_field(attribute, 1)? == "axis" && varint(attribute, 3)?.map(u64::cast_signed) == Some(-1))
}

fn varint(message: &[u8], number: u64) -> Result<Option<u64>, Torn> {
    let mut found = None;
    for field in Fields::of(message) {
        if let (n, Value::Varint(value)) = field?
            && n == number
        {
            found = Some(value);
        }
    }
    Ok(found)
}

fn messages(message: &[u8], number: u64) -> Result<Vec<&[u8]>, Torn> {
    let mut found = Vec::new();
    for field in Fields::of(message) {
        if let (n, Value::Bytes(bytes)) = field?
            && n == number
        {
            found.push(bytes);
        }
    }
    Ok(found)
}

fn string_field(message: &[u8], number: u64) -> Result<String, Torn> {
    messages(message, number)?.last().map_or(Ok(String::new()), |bytes| text(bytes))
}

fn text(bytes: &[u8]) -> Result<String, Torn> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Torn)
}
