//! Which graph does a file hold?

mod attributes;
mod constants;
mod operators;
mod sizes;
mod whole;

use crate::Refusal;
use crate::graph::{self, LARGEST, Node, Op, Shape};
use crate::proto::wire::{self, Fields};
use attributes::Attributes;
pub use constants::External;
use constants::{Constant, Constants};
use rten_onnx::onnx::{GraphProto, ModelProto, NodeProto, ValueInfoProto};
use std::collections::{BTreeMap, BTreeSet};
pub use whole::is_whole;

/// The oldest operator set whose operators mean what they mean today.
const OLDEST: i64 = 7;
/// ResNet-152 has about 500 nodes.
const MOST_NODES: usize = 20_000;

/// Reads the graph of a model for images of `shape`; its last node gives the class scores.
pub(crate) fn read(model: &[u8], external: External<'_>, shape: Shape) -> Result<Vec<Node>, Refusal> {
    let broken = |problem: &str| Refusal::Broken(problem.to_owned());
    if !is_whole(model) {
        return Err(broken("the file is torn, or nested without an end"));
    }
    if has_sparse_constants(model) {
        return Err(Refusal::Unsupported("sparse constants".into()));
    }
    // every length was right: what is left is a valid way to write a number that our decoder does not know
    let model = ModelProto::parse_buf(model);
    let model =
        model.map_err(|error| Refusal::Unsupported(format!("the way this file is written ({error})")))?;
    for set in &model.opset_import {
        let ours = set.domain.as_deref().is_none_or(|domain| domain.is_empty() || domain == "ai.onnx");
        if ours && set.version.is_some_and(|version| version < OLDEST) {
            return Err(Refusal::Unsupported(format!("operator sets before {OLDEST}")));
        }
    }
    let graph = model.graph.ok_or_else(|| broken("there is no graph"))?;
    let constants = Constants::new(&graph, external)?;
    if graph.node.len() > MOST_NODES {
        return Err(Refusal::Unsupported(format!("graphs of more than {MOST_NODES} nodes")));
    }
    let (nodes, values, lists) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    let mut reader = Reader { constants, nodes, values, lists, weights: 0, batch: None };
    reader.start(&graph, shape)?;
    let asked: BTreeSet<&String> = graph.node.iter().flat_map(|node| &node.input).collect();
    for node in &graph.node {
        if let Some(more) = node.output.iter().skip(1).find(|name| !name.is_empty() && asked.contains(name)) {
            let operator = node.op_type.as_deref().unwrap_or_default();
            return Err(Refusal::Unsupported(format!("a second output of {operator} (`{more}`)")));
        }
        reader.read(node)?;
    }
    reader.finish(&graph)
}

/// Whether the graph has sparse constants, of which our decoder says nothing.
fn has_sparse_constants(model: &[u8]) -> bool {
    let graph = |field| if let (7, wire::Value::Bytes(graph)) = field { Some(graph) } else { None };
    let graphs = Fields::of(model).flatten().filter_map(graph);
    graphs.flat_map(Fields::of).flatten().any(|(number, _)| number == 15)
}

/// The number of images that an input is declared to have; none where any number may come.
fn declared_batch(input: &ValueInfoProto) -> Option<i64> {
    let first = input.r#type.as_ref()?.tensor_type.as_ref()?.shape.as_ref()?.dim.first()?;
    first.dim_value.filter(|size| *size > 0 && first.dim_param.is_none())
}

/// What a name of the file stands for.
#[derive(Clone, Copy, Debug)]
struct Value {
    node: usize,
    /// Whether it is [N, C·H·W] and not [N, C, H, W].
    flat: bool,
}

struct Reader<'a> {
    constants: Constants<'a>,
    nodes: Vec<Node>,
    values: BTreeMap<String, Value>,
    /// Lists of sizes that the file computes.
    lists: BTreeMap<String, Vec<i64>>,
    /// How many numbers the nodes hold: many may share one constant of the file, each with a copy.
    weights: usize,
    /// The number of images that the model is declared for, if it takes no other.
    batch: Option<i64>,
}

impl<'a> Reader<'a> {
    fn start(&mut self, graph: &GraphProto, shape: Shape) -> Result<(), Refusal> {
        let named = graph.input.iter().filter_map(|input| Some((input.name.as_ref()?, input)));
        let images: Vec<_> = named.filter(|(name, _)| !self.constants.holds(name)).collect();
        let [(name, image)] = images[..] else {
            return Err(Refusal::Broken(format!("{} inputs instead of one", images.len())));
        };
        self.batch = declared_batch(image);
        if graph::size(shape).is_none() {
            return Err(Refusal::Unsupported(format!("images of {shape:?}")));
        }
        self.nodes.push(Node { name: name.clone(), op: Op::Input, inputs: Vec::new(), shape });
        self.values.insert(name.clone(), Value { node: 0, flat: false });
        Ok(())
    }

    fn read(&mut self, node: &'a NodeProto) -> Result<(), Refusal> {
        let operator = node.op_type.as_deref().unwrap_or_default();
        let domain = node.domain.as_deref().unwrap_or_default();
        let name = node.output.first().cloned().unwrap_or_default();
        let here = |refusal: Refusal| match refusal {
            Refusal::Unsupported(what) => Refusal::Unsupported(format!("{what} (`{name}`)")),
            Refusal::Broken(problem) => Refusal::Broken(format!("{operator} `{name}`: {problem}")),
        };
        if !domain.is_empty() && domain != "ai.onnx" {
            return Err(here(Refusal::Unsupported(format!("{domain}.{operator}"))));
        }
        if self.values.contains_key(&name) || self.lists.contains_key(&name) || self.constants.holds(&name) {
            return Err(here(Refusal::Broken("the name is taken".into())));
        }
        let attributes = Attributes::of(node).map_err(here)?;
        if let ("Constant", Some(name)) = (operator, node.output.first()) {
            return self.constants.add(name, attributes).map_err(here);
        }
        if let ("Identity", Some(input)) = (operator, node.input.first())
            && self.constants.holds(input)
        {
            self.constants.rename(name, input);
            return Ok(());
        }
        if let Some(list) = self.sizes(operator, node, attributes).map_err(here)? {
            self.lists.insert(name, list);
            return Ok(());
        }
        let value = self.operator(operator, node, attributes).map_err(here)?;
        self.values.insert(name, value);
        Ok(())
    }

    /// The last node is the output.
    fn finish(mut self, graph: &GraphProto) -> Result<Vec<Node>, Refusal> {
        let [output] = &graph.output[..] else {
            return Err(Refusal::Broken(format!("{} outputs instead of one", graph.output.len())));
        };
        let name = output.name.as_deref().unwrap_or_default();
        let value = self.values.get(name).copied();
        let value = value.ok_or_else(|| Refusal::Broken(format!("nothing makes the output `{name}`")))?;
        let shape = self.nodes[value.node].shape;
        if !value.flat || shape[1..] != [1, 1] {
            return Err(Refusal::Unsupported(format!("an output `{name}` that is no row of scores")));
        }
        self.nodes.truncate(value.node + 1);
        Ok(self.nodes)
    }

    /// Adds a node after checking that it fits.
    fn push(&mut self, output: &NodeProto, op: Op, inputs: &[usize], flat: bool) -> Result<Value, Refusal> {
        let shapes: Vec<Shape> = inputs.iter().map(|input| self.nodes[*input].shape).collect();
        let shape = graph::shape(&op, &shapes)?;
        // a stage keeps two numbers of twice the size per channel, whatever its operator
        self.weights += op.weights().max(4 * shape[0]);
        if self.weights > LARGEST {
            return Err(Refusal::Unsupported(format!("networks of more than {LARGEST} weights")));
        }
        let name = output.output.first().cloned().unwrap_or_default();
        self.nodes.push(Node { name, op, inputs: inputs.to_vec(), shape });
        Ok(Value { node: self.nodes.len() - 1, flat })
    }

    /// The value that is input `at` of a node.
    fn value(&self, node: &NodeProto, at: usize) -> Result<Value, Refusal> {
        let name = node.input.get(at).ok_or_else(|| Refusal::Broken(format!("input {at} is missing")))?;
        self.values.get(name).copied().ok_or_else(|| {
            if self.constants.holds(name) {
                Refusal::Unsupported("an operator on constants alone".to_owned())
            } else if self.lists.contains_key(name) {
                sizes::unknown()
            } else {
                Refusal::Broken(format!("nothing makes `{name}`"))
            }
        })
    }

    /// The constant that is input `at` of a node; none if it is absent.
    fn constant(&self, node: &NodeProto, at: usize) -> Result<Option<Constant>, Refusal> {
        match node.input.get(at).filter(|name| !name.is_empty()) {
            None => Ok(None),
            Some(name) if self.values.contains_key(name) => {
                Err(Refusal::Unsupported(format!("weights that are computed (`{name}`)")))
            }
            Some(name) => self.constants.get(name).map(Some),
        }
    }

    fn needed(&self, node: &NodeProto, at: usize) -> Result<Constant, Refusal> {
        self.constant(node, at)?.ok_or_else(|| Refusal::Broken(format!("input {at} is missing")))
    }
}
