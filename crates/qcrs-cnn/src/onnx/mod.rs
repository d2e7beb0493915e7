//! Which graph does a file hold?

mod attributes;
mod constants;
mod operators;
mod sizes;

use crate::Refusal;
use crate::graph::{self, GraphNode, ImageShape, LARGEST, Op};
use crate::proto::{Bad, GraphProto, ModelProto, NodeProto, is_plain};
use attributes::Attributes;
pub use constants::External;
use constants::{Constant, Constants, FLOAT};
use std::collections::{BTreeMap, BTreeSet};

/// The oldest operator set whose operators mean what they mean today.
const OLDEST: i64 = 7;
/// ResNet-152 has about 500 nodes.
const MOST_NODES: usize = 20_000;

/// Reads the graph of a model for images of `shape`; its last node gives the class scores.
pub(crate) fn read(
    model: &[u8],
    external: External<'_>,
    shape: ImageShape,
) -> Result<Vec<GraphNode>, Refusal> {
    let broken = |problem: &str| Refusal::Broken(problem.to_owned());
    let model = ModelProto::parse(model).map_err(|bad| match bad {
        Bad::Torn => broken("the file is cut off, or nested too deep"),
        Bad::Ambiguous(how) => Refusal::Broken(format!("{how}, so that readers could differ")),
    })?;
    if model.opsets.iter().any(|set| is_plain(set.domain) && set.version < OLDEST) {
        return Err(Refusal::Unsupported(format!("operator sets before {OLDEST}")));
    }
    let graph = model.graph.ok_or_else(|| broken("there is no graph"))?;
    if !graph.sparse.is_empty() {
        return Err(Refusal::Unsupported("sparse constants".into()));
    }
    let constants = Constants::new(&graph, external)?;
    if graph.nodes.len() > MOST_NODES {
        return Err(Refusal::Unsupported(format!("graphs of more than {MOST_NODES} nodes")));
    }
    let (nodes, values, lists) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    let mut reader = Reader { constants, nodes, values, lists, weights: 0, batch: None };
    reader.start(&graph, shape)?;
    let asked: BTreeSet<&str> = graph.nodes.iter().flat_map(|node| &node.inputs).copied().collect();
    for node in &graph.nodes {
        let more = node.outputs.iter().skip(1).find(|name| !name.is_empty() && asked.contains(*name));
        if let Some(more) = more {
            return Err(Refusal::Unsupported(format!("a second output of {} (`{more}`)", node.operator)));
        }
        reader.read(node)?;
    }
    reader.finish(&graph)
}

/// What a name in the file stands for.
#[derive(Clone, Copy, Debug)]
struct NamedValue {
    node: usize,
    /// Whether it is [N, C·H·W] and not [N, C, H, W].
    flat: bool,
}

struct Reader<'a> {
    constants: Constants<'a>,
    nodes: Vec<GraphNode>,
    values: BTreeMap<&'a str, NamedValue>,
    /// Lists of sizes that the file computes.
    lists: BTreeMap<&'a str, Vec<i64>>,
    /// How many numbers the nodes hold: many may share one constant of the file, each with a copy.
    weights: usize,
    /// The number of images that the model is declared for, if it takes no other.
    batch: Option<i64>,
}

impl<'a> Reader<'a> {
    fn start(&mut self, graph: &'a GraphProto<'a>, shape: ImageShape) -> Result<(), Refusal> {
        let images = graph.inputs.iter().filter(|input| !self.constants.holds(input.name));
        let images: Vec<_> = images.collect();
        let [image] = images[..] else {
            return Err(Refusal::Broken(format!("{} inputs instead of one", images.len())));
        };
        let declared = image.dims.as_ref().and_then(|dims| *dims.first()?);
        self.batch = declared.map(attributes::signed);
        if graph::size(shape).is_none() {
            return Err(Refusal::Unsupported(format!("images of {shape:?}")));
        }
        self.nodes.push(GraphNode { name: image.name.into(), op: Op::Input, inputs: Vec::new(), shape });
        self.values.insert(image.name, NamedValue { node: 0, flat: false });
        Ok(())
    }

    fn read(&mut self, node: &'a NodeProto<'a>) -> Result<(), Refusal> {
        let operator = node.operator;
        let name = node.outputs.first().copied().unwrap_or_default();
        let here = |refusal: Refusal| match refusal {
            Refusal::Unsupported(what) => Refusal::Unsupported(format!("{what} (`{name}`)")),
            Refusal::Broken(problem) => Refusal::Broken(format!("{operator} `{name}`: {problem}")),
        };
        if !node.is_plain() {
            return Err(here(Refusal::Unsupported(node.full_name())));
        }
        // an empty name stands for an omitted input
        if name.is_empty() {
            return Err(here(Refusal::Broken("its output has no name".into())));
        }
        if self.values.contains_key(name) || self.lists.contains_key(name) || self.constants.holds(name) {
            return Err(here(Refusal::Broken("the name is taken".into())));
        }
        let attributes = Attributes(node);
        if operator == "Constant" {
            return self.constants.add(name, attributes).map_err(here);
        }
        if let ("Identity", Some(input)) = (operator, node.inputs.first())
            && self.constants.holds(input)
        {
            self.constants.rename(name, input);
            return Ok(());
        }
        if let ("Cast", Some(input)) = (operator, node.inputs.first())
            && attributes.int("to", 0) == FLOAT
            && self.constants.widen(name, input).map_err(here)?
        {
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
    fn finish(mut self, graph: &GraphProto<'_>) -> Result<Vec<GraphNode>, Refusal> {
        let [output] = &graph.outputs[..] else {
            return Err(Refusal::Broken(format!("{} outputs instead of one", graph.outputs.len())));
        };
        let name = output.name;
        let value = self.values.get(name).copied();
        let value = value.ok_or_else(|| Refusal::Broken(format!("nothing makes the output `{name}`")))?;
        let shape = self.nodes[value.node].shape;
        if !value.flat || shape[1..] != [1, 1] {
            return Err(Refusal::Unsupported(format!("an output `{name}` that is not a row of scores")));
        }
        self.nodes.truncate(value.node + 1);
        Ok(self.nodes)
    }

    /// Adds a node after checking that it fits.
    fn push(
        &mut self,
        output: &NodeProto<'_>,
        op: Op,
        inputs: &[usize],
        flat: bool,
    ) -> Result<NamedValue, Refusal> {
        let shapes: Vec<ImageShape> = inputs.iter().map(|input| self.nodes[*input].shape).collect();
        let shape = graph::shape(&op, &shapes)?;
        // a stage keeps two numbers of twice the size per channel, whatever its operator
        self.weights += op.weights().max(4 * shape[0]);
        if self.weights > LARGEST {
            return Err(Refusal::Unsupported(format!("networks of more than {LARGEST} weights")));
        }
        let name = output.outputs.first().copied().unwrap_or_default().to_owned();
        self.nodes.push(GraphNode { name, op, inputs: inputs.to_vec(), shape });
        Ok(NamedValue { node: self.nodes.len() - 1, flat })
    }

    /// The value that is input `at` of a node.
    fn value(&self, node: &NodeProto<'_>, at: usize) -> Result<NamedValue, Refusal> {
        let name = node.inputs.get(at).ok_or_else(|| Refusal::Broken(format!("input {at} is missing")))?;
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

    /// The constant that is input `at` of a node; `None` if it is absent.
    fn constant(&self, node: &NodeProto<'_>, at: usize) -> Result<Option<Constant>, Refusal> {
        match node.inputs.get(at).filter(|name| !name.is_empty()) {
            None => Ok(None),
            Some(name) if self.values.contains_key(name) => {
                Err(Refusal::Unsupported(format!("weights that are computed (`{name}`)")))
            }
            Some(name) => self.constants.get(name).map(Some),
        }
    }

    fn needed(&self, node: &NodeProto<'_>, at: usize) -> Result<Constant, Refusal> {
        self.constant(node, at)?.ok_or_else(|| Refusal::Broken(format!("input {at} is missing")))
    }
}
