//! What does each message of the file hold?
//!
//! A strict reader, for the checks that come before any engine. Protobuf readers differ in how they read a
//! field that occurs twice, a number that is too long for its type, or a field with a value of another kind.
//! A file that leaves such a choice is refused, so that all engines read the network that was checked. Our
//! own engine makes its graph from what is read here; rten decodes the file again and trusts the lengths in
//! it, so every message that rten enters is entered here too. Field numbers are those of onnx.proto3.

mod attribute;
mod numbers;
mod tensor;
mod value_info;
pub mod wire;

pub use attribute::AttributeProto;
use numbers::text;
use std::collections::BTreeSet;
pub use tensor::{SparseTensorProto, TensorProto};
pub use value_info::ValueInfoProto;
use wire::{Torn, WireFields, WireValue};

/// Real models nest two or three graphs or types; a deeper nest is there to exhaust the stack.
const DEEPEST: usize = 16;

/// What is wrong with a file.
#[derive(Debug, PartialEq)]
pub enum Bad {
    /// It ends in the middle of a field, or is not protobuf.
    Torn,
    /// Readers could take it for different networks.
    Ambiguous(String),
}

impl From<Torn> for Bad {
    fn from(_: Torn) -> Self {
        Self::Torn
    }
}

type Read<T> = Result<T, Bad>;

/// A whole file.
#[derive(Debug, Default)]
pub struct ModelProto<'a> {
    pub opsets: Vec<OperatorSetIdProto<'a>>,
    pub graph: Option<GraphProto<'a>>,
    pub functions: Vec<FunctionProto<'a>>,
    /// Graphs that are for training only; no engine here runs them.
    pub training: Vec<GraphProto<'a>>,
}

/// Which operators a model uses, by domain.
#[derive(Clone, Copy, Debug, Default)]
pub struct OperatorSetIdProto<'a> {
    pub domain: &'a str,
    pub version: i64,
}

/// Nodes, and the constants that they use.
#[derive(Debug, Default)]
pub struct GraphProto<'a> {
    pub nodes: Vec<NodeProto<'a>>,
    pub initializers: Vec<TensorProto<'a>>,
    pub sparse: Vec<SparseTensorProto<'a>>,
    pub inputs: Vec<ValueInfoProto<'a>>,
    pub outputs: Vec<ValueInfoProto<'a>>,
}

/// One call of an operator.
#[derive(Debug, Default)]
pub struct NodeProto<'a> {
    pub inputs: Vec<&'a str>,
    pub outputs: Vec<&'a str>,
    pub operator: &'a str,
    pub domain: &'a str,
    pub overload: &'a str,
    pub attributes: Vec<AttributeProto<'a>>,
}

/// An operator that the file itself defines.
#[derive(Debug, Default)]
pub struct FunctionProto<'a> {
    pub name: &'a str,
    pub domain: &'a str,
    pub overload: &'a str,
    pub inputs: Vec<&'a str>,
    pub outputs: Vec<&'a str>,
    pub nodes: Vec<NodeProto<'a>>,
    pub opsets: Vec<OperatorSetIdProto<'a>>,
    /// Attributes with a default.
    pub defaults: Vec<AttributeProto<'a>>,
}

/// The fields of a message that may occur only once, and have occurred.
struct Once {
    what: &'static str,
    seen: u64,
}

impl Once {
    fn of(what: &'static str) -> Self {
        Self { what, seen: 0 }
    }

    /// Passes on the value of field `number`, the first time.
    fn take<T>(&mut self, number: u64, value: T) -> Read<T> {
        if self.seen & 1 << number != 0 {
            return Err(Bad::Ambiguous(format!("{} has field {number} twice", self.what)));
        }
        self.seen |= 1 << number;
        Ok(value)
    }

    /// Makes sure that no two of its parts have the same name.
    fn different<T: Ord + std::fmt::Debug>(&self, names: impl Iterator<Item = T>) -> Read<()> {
        let mut names: Vec<T> = names.collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => Err(Bad::Ambiguous(format!("{} has two parts called {:?}", self.what, pair[0]))),
        }
    }

    /// A field that is read above, but holds a value of another kind; or one that nothing depends on.
    fn other(&self, number: u64, read: &[u64]) -> Read<()> {
        if read.contains(&number) {
            let what = self.what;
            return Err(Bad::Ambiguous(format!("field {number} of {what} holds a value of another kind")));
        }
        Ok(())
    }
}

impl<'a> ModelProto<'a> {
    /// Reads a whole model.
    pub fn parse(message: &'a [u8]) -> Read<Self> {
        let (mut model, mut once) = (Self::default(), Once::of("the model"));
        for field in WireFields::of(message) {
            match field? {
                // the version of the format
                (1, WireValue::Varint(_)) => {}
                (7, WireValue::Bytes(graph)) => {
                    model.graph = Some(GraphProto::parse(once.take(7, graph)?, 0)?);
                }
                (8, WireValue::Bytes(opset)) => model.opsets.push(OperatorSetIdProto::parse(opset)?),
                // notes for people: rten reads them, and trusts the lengths inside
                (14, WireValue::Bytes(note)) => WireFields::of(note).try_for_each(|field| field.map(drop))?,
                (20, WireValue::Bytes(training)) => model.training.extend(training_graphs(training)?),
                (25, WireValue::Bytes(function)) => model.functions.push(FunctionProto::parse(function)?),
                (number, _) => once.other(number, &[1, 7, 8, 14, 20, 25])?,
            }
        }
        let functions = model.functions.iter();
        once.different(functions.map(|function| (function.domain, function.name, function.overload)))?;
        one_version(&model.opsets)?;
        Ok(model)
    }
}

/// The names that nodes give to what they make.
fn made<'n, 'a>(nodes: &'n [NodeProto<'a>]) -> impl Iterator<Item = &'a str> + use<'n, 'a> {
    nodes.iter().flat_map(|node| &node.outputs).copied().filter(|name| !name.is_empty())
}

/// ONNX's own operators go by two names; one version is asked for.
fn one_version(opsets: &[OperatorSetIdProto<'_>]) -> Read<()> {
    let domains = opsets.iter().map(|opset| opset.domain);
    let domains = domains.map(|domain| if is_plain(domain) { "" } else { domain });
    Once::of("a list of operator sets").different(domains)
}

/// The graphs of a TrainingInfoProto.
fn training_graphs(message: &[u8]) -> Read<Vec<GraphProto<'_>>> {
    let (mut first, mut second, mut once) = (None, None, Once::of("training"));
    for field in WireFields::of(message) {
        match field? {
            (1, WireValue::Bytes(graph)) => first = Some(GraphProto::parse(once.take(1, graph)?, 1)?),
            (2, WireValue::Bytes(graph)) => second = Some(GraphProto::parse(once.take(2, graph)?, 1)?),
            (number, _) => once.other(number, &[1, 2])?,
        }
    }
    Ok(first.into_iter().chain(second).collect())
}

impl<'a> OperatorSetIdProto<'a> {
    fn parse(message: &'a [u8]) -> Read<Self> {
        let (mut opset, mut once) = (Self::default(), Once::of("an operator set"));
        for field in WireFields::of(message) {
            match field? {
                (1, WireValue::Bytes(domain)) => opset.domain = text(once.take(1, domain)?)?,
                (2, WireValue::Varint(version)) => opset.version = once.take(2, version)?.cast_signed(),
                (number, _) => once.other(number, &[1, 2])?,
            }
        }
        Ok(opset)
    }
}

impl<'a> GraphProto<'a> {
    fn parse(message: &'a [u8], depth: usize) -> Read<Self> {
        if depth > DEEPEST {
            return Err(Bad::Torn);
        }
        let (mut graph, once) = (Self::default(), Once::of("a graph"));
        for field in WireFields::of(message) {
            match field? {
                (1, WireValue::Bytes(node)) => graph.nodes.push(NodeProto::parse(node, depth)?),
                (5, WireValue::Bytes(tensor)) => graph.initializers.push(TensorProto::parse(tensor)?),
                (11, WireValue::Bytes(port)) => graph.inputs.push(ValueInfoProto::parse(port)?),
                (12, WireValue::Bytes(port)) => graph.outputs.push(ValueInfoProto::parse(port)?),
                // what it says about values in between, which no check looks at
                (13, WireValue::Bytes(port)) => ValueInfoProto::parse(port).map(drop)?,
                (15, WireValue::Bytes(sparse)) => graph.sparse.push(SparseTensorProto::parse(sparse)?),
                (number, _) => once.other(number, &[1, 5, 11, 12, 13, 15])?,
            }
        }
        let constants: Vec<&str> = graph.constants().collect();
        let known: BTreeSet<&str> = constants.iter().copied().collect();
        // a constant may also stand among the inputs, as its default
        let inputs = graph.inputs.iter().map(|port| port.name).filter(|name| !known.contains(name));
        once.different(constants.into_iter().chain(inputs).chain(made(&graph.nodes)))?;
        Ok(graph)
    }

    /// The names of its constants; those of sparse ones are with their values.
    fn constants(&self) -> impl Iterator<Item = &'a str> {
        let sparse = self.sparse.iter().filter_map(|sparse| sparse.values.as_ref());
        self.initializers.iter().chain(sparse).map(|tensor| tensor.name)
    }
}

impl<'a> NodeProto<'a> {
    fn parse(message: &'a [u8], depth: usize) -> Read<Self> {
        let (mut node, mut once) = (Self::default(), Once::of("a node"));
        for field in WireFields::of(message) {
            match field? {
                (1, WireValue::Bytes(name)) => node.inputs.push(text(name)?),
                (2, WireValue::Bytes(name)) => node.outputs.push(text(name)?),
                (4, WireValue::Bytes(name)) => node.operator = text(once.take(4, name)?)?,
                (5, WireValue::Bytes(attribute)) => {
                    node.attributes.push(AttributeProto::parse(attribute, depth)?);
                }
                (7, WireValue::Bytes(name)) => node.domain = text(once.take(7, name)?)?,
                (8, WireValue::Bytes(name)) => node.overload = text(once.take(8, name)?)?,
                (number, _) => once.other(number, &[1, 2, 4, 5, 7, 8])?,
            }
        }
        once.different(node.attributes.iter().map(|attribute| attribute.name))?;
        Ok(node)
    }

    /// The attribute called `name`.
    pub fn attribute(&self, name: &str) -> Option<&AttributeProto<'a>> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Whether the operator is one of ONNX's own.
    pub fn is_plain(&self) -> bool {
        is_plain(self.domain)
    }

    /// The operator, with its domain where that is not ONNX's own.
    pub fn full_name(&self) -> String {
        if self.is_plain() { self.operator.into() } else { format!("{}.{}", self.domain, self.operator) }
    }
}

/// Whether `domain` is that of ONNX's own operators.
pub fn is_plain(domain: &str) -> bool {
    domain.is_empty() || domain == "ai.onnx"
}

impl<'a> FunctionProto<'a> {
    fn parse(message: &'a [u8]) -> Read<Self> {
        let (mut function, mut once) = (Self::default(), Once::of("a function"));
        for field in WireFields::of(message) {
            match field? {
                (1, WireValue::Bytes(name)) => function.name = text(once.take(1, name)?)?,
                (4, WireValue::Bytes(name)) => function.inputs.push(text(name)?),
                (5, WireValue::Bytes(name)) => function.outputs.push(text(name)?),
                // an attribute without a default
                (6, WireValue::Bytes(name)) => text(name).map(drop)?,
                (7, WireValue::Bytes(node)) => function.nodes.push(NodeProto::parse(node, 1)?),
                (9, WireValue::Bytes(opset)) => function.opsets.push(OperatorSetIdProto::parse(opset)?),
                (10, WireValue::Bytes(name)) => function.domain = text(once.take(10, name)?)?,
                (11, WireValue::Bytes(attribute)) => {
                    function.defaults.push(AttributeProto::parse(attribute, 1)?);
                }
                (13, WireValue::Bytes(name)) => function.overload = text(once.take(13, name)?)?,
                (number, _) => once.other(number, &[1, 4, 5, 6, 7, 9, 10, 11, 13])?,
            }
        }
        one_version(&function.opsets)?;
        once.different(function.defaults.iter().map(|attribute| attribute.name))?;
        once.different(function.inputs.iter().copied().chain(made(&function.nodes)))?;
        Ok(function)
    }
}
