//! What does the file say about itself, before any engine reads it?

use crate::external;
use qcrs::types::Error;
use qcrs_cnn::proto::{self, AttributeProto, Bad, FunctionProto, NodeProto, is_plain};
use std::collections::BTreeSet;
use std::path::Path;

const EXPORT: &str = "export the model with torch.onnx.export (or your framework's ONNX exporter)";
/// The largest message that protobuf allows.
const LARGEST: u64 = 2 << 30;

/// A model file in memory: the engines get these bytes and open no file themselves.
pub(crate) struct File {
    pub(crate) bytes: Vec<u8>,
    pub(crate) graph: Graph,
    /// The separate files with weights: the name in the model, and the content.
    pub(crate) external: Vec<(String, Vec<u8>)>,
}

/// What the checks and messages need to know about the model's graph.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) inputs: Vec<Port>,
    pub(crate) outputs: Vec<Port>,
    pub(crate) operators: BTreeSet<String>,
    /// The texts that attributes hold, such as the mode of an operator.
    pub(crate) words: BTreeSet<String>,
    /// The oldest version of ONNX's operators that is asked for; 1 if none is.
    pub(crate) opset: i64,
    /// Whether a Softmax or LogSoftmax may be over another axis than the last.
    pub(crate) softmax_below: bool,
}

/// An input or output as declared.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Port {
    pub(crate) name: String,
    /// The code of the element type; absent when it is not a tensor or not declared.
    pub(crate) element: Option<i64>,
    /// The dimensions, `None` for a dynamic one; absent when not declared.
    pub(crate) dims: Option<Vec<Option<usize>>>,
}

impl File {
    /// The hash of the file alone, or of the file and those beside it: two networks can differ in these only.
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
    let bytes = external::read_file(path, LARGEST)?;
    let (graph, names) = look(&bytes).map_err(|problem| Error::format(path, problem))?;
    let external = external::read(path, names)?;
    Ok(File { bytes, graph, external })
}

/// The same for a model in memory, with the content of its weight files.
pub(crate) fn take(bytes: Vec<u8>, external: Vec<(String, Vec<u8>)>) -> Result<File, String> {
    let (graph, names) = look(&bytes)?;
    Ok(File { external: external::pick(names, external)?, bytes, graph })
}

/// What a file holds, and the names of the files beside it that hold weights.
pub(crate) fn look(bytes: &[u8]) -> Result<(Graph, BTreeSet<String>), String> {
    if let Some(what) = something_else(bytes) {
        return Err(format!("{what}, not an ONNX model; {EXPORT}"));
    }
    let model = proto::ModelProto::parse(bytes).map_err(|bad| match bad {
        Bad::Torn => format!("not an ONNX model, or one that is cut off or nested too deep; {EXPORT}"),
        Bad::Ambiguous(how) => {
            format!("{how}, so that engines could read it as different networks; export the model again")
        }
    })?;
    let graph = Graph::of(&model);
    if graph.operators.is_empty() || graph.outputs.is_empty() {
        return Err(format!("not an ONNX model, or one without a graph; {EXPORT}"));
    }
    Ok((graph, external::names(&model)?))
}

/// The network as the checks see it, written out as text, and the names of its weight files. The format is
/// not stable: fuzzing compares it with what another protobuf reader makes of the same bytes.
#[doc(hidden)]
pub fn read_strictly(bytes: &[u8]) -> Result<(String, BTreeSet<String>), String> {
    let (_, names) = look(bytes)?;
    let model = proto::ModelProto::parse(bytes).map_err(|bad| format!("{bad:?}"))?;
    Ok((format!("{model:?}"), names))
}

/// What people pass instead of an ONNX file.
fn something_else(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [] => Some("an empty file"),
        [b'P', b'K', 3, 4, ..] => Some("a zip archive (a PyTorch checkpoint?)"),
        [0x80, 2..=5, ..] => Some("a Python pickle (a PyTorch checkpoint?)"),
        _ if bytes.starts_with(b"version https://git-lfs") => Some("a git-lfs pointer (run `git lfs pull`)"),
        _ => None,
    }
}

impl Graph {
    fn of(model: &proto::ModelProto<'_>) -> Self {
        let mut found = Self::default();
        let functions = || model.functions.iter();
        let opsets = model.opsets.iter().chain(functions().flat_map(|function| &function.opsets));
        let versions = opsets.filter(|opset| is_plain(opset.domain)).map(|opset| opset.version);
        found.opset = versions.min().unwrap_or(1);
        for FunctionProto { nodes, defaults, .. } in functions() {
            found.nodes(nodes);
            found.attributes(defaults);
        }
        if let Some(graph) = &model.graph {
            found.nodes(&graph.nodes);
            let constants: BTreeSet<&str> = graph.initializers.iter().map(|tensor| tensor.name).collect();
            let images = graph.inputs.iter().filter(|port| !constants.contains(port.name));
            found.inputs = images.map(Port::of).collect();
            found.outputs = graph.outputs.iter().map(Port::of).collect();
        }
        found
    }

    fn nodes(&mut self, nodes: &[NodeProto<'_>]) {
        for node in nodes {
            self.attributes(&node.attributes);
            let last_axis = node.attribute("axis").is_some_and(|axis| axis.int == Some(-1));
            self.softmax_below |= !last_axis && ["Softmax", "LogSoftmax"].contains(&node.operator);
            self.operators.insert(node.full_name());
        }
    }

    fn attributes(&mut self, attributes: &[AttributeProto<'_>]) {
        for attribute in attributes {
            // it may also hold bytes that are not text
            let word = attribute.text.and_then(|word| std::str::from_utf8(word).ok());
            self.words.extend(word.map(String::from));
            attribute.graphs.iter().for_each(|graph| self.nodes(&graph.nodes));
        }
    }
}

impl Port {
    fn of(port: &proto::ValueInfoProto<'_>) -> Self {
        Self { name: port.name.into(), element: port.element, dims: port.dims.clone() }
    }
}
