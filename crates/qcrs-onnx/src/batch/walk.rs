//! What becomes of the images on their way through graphs and functions?

use super::call::Call;
use super::value::Number::Known;
use super::value::{Axis, Followed, Stop, Tensor};
use super::{rules, sizes};
use crate::mode::version;
use qcrs_cnn::proto::{AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto};
use std::collections::{BTreeMap, BTreeSet};

/// Functions may call functions; the largest networks have some thousand nodes.
const MOST_STEPS: usize = 200_000;
const DEEPEST: usize = 16;
/// The first version of ONNX whose operators repeat short values as numpy does.
const OLDEST: i64 = 7;

/// What became of the values that have a name here or in the graphs around.
type Names<'a> = BTreeMap<&'a str, Followed>;

/// The scores that come out of a model.
pub(super) fn scores<'a>(model: &ModelProto<'a>, shape: [usize; 3], batch: Option<usize>) -> Followed {
    let lost = |why: &str| Stop::Lost(why.into());
    let graph = model.graph.as_ref().ok_or_else(|| lost("there is no graph"))?;
    let key = |function: &FunctionProto<'a>| [function.domain, function.name, function.overload];
    let functions = model.functions.iter().map(|function| (key(function), function)).collect();
    let mut walk = Walk { functions, batch, steps: 0 };
    let constants: BTreeSet<&str> = graph.initializers.iter().map(|tensor| tensor.name).collect();
    let input = graph.inputs.iter().find(|port| !constants.contains(port.name));
    let input = input.ok_or_else(|| lost("there is no input"))?;
    let first = batch.map_or(super::value::Number::Batch(1.0), |batch| Known(batch as f64));
    let dims = [first].into_iter().chain(shape.map(|side| Known(side as f64))).collect();
    let names = Names::from([(input.name, Ok(Tensor::rows(dims, Axis::new(0))))]);
    let place = NodeContext { opset: version(&model.opsets), given: &[], depth: 0 };
    if place.opset < OLDEST {
        return Err(lost(
            "the model is written for an opset before 7, whose operators repeat values in another way",
        ));
    }
    let outputs = walk.graph(graph, names, place)?;
    outputs.into_iter().next().unwrap_or_else(|| Err(lost("there is no output")))
}

struct Walk<'m, 'a> {
    functions: BTreeMap<[&'a str; 3], &'m FunctionProto<'a>>,
    batch: Option<usize>,
    steps: usize,
}

/// The surroundings of a node.
#[derive(Clone, Copy)]
struct NodeContext<'p, 'a> {
    opset: i64,
    /// The attributes of the call of the function around it.
    given: &'p [AttributeProto<'a>],
    depth: usize,
}

impl<'a> Walk<'_, 'a> {
    /// The outputs of a graph that may use the names around it.
    fn graph(
        &mut self,
        graph: &GraphProto<'a>,
        mut names: Names<'a>,
        place: NodeContext<'_, 'a>,
    ) -> Result<Vec<Followed>, Stop> {
        if !graph.sparse.is_empty() {
            return Err(Stop::lost("the graph has sparse constants"));
        }
        let constants = graph.initializers.iter();
        names.extend(constants.map(|tensor| (tensor.name, Ok(sizes::constant(tensor)))));
        // such a name hides that of the graph around, even before the node that makes it
        graph.nodes.iter().flat_map(|node| &node.outputs).for_each(|name| drop(names.remove(name)));
        self.nodes(&graph.nodes, &mut names, place)?;
        Ok(graph.outputs.iter().map(|port| named(&names, port.name)).collect())
    }

    fn nodes(
        &mut self,
        nodes: &[NodeProto<'a>],
        names: &mut Names<'a>,
        place: NodeContext<'_, 'a>,
    ) -> Result<(), Stop> {
        for node in nodes {
            self.steps += 1;
            if self.steps > MOST_STEPS || place.depth > DEEPEST {
                return Err(Stop::lost("the network is too large, or nested too deep"));
            }
            let results = self.node(node, names, place);
            for (at, name) in node.outputs.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
                let missing =
                    || Err(Stop::Lost(format!("output {at} of {} is not followed", node.full_name())));
                let result = match &results {
                    Ok(results) => results.get(at).cloned().unwrap_or_else(missing),
                    Err(stop) => Err(stop.clone()),
                };
                names.insert(name, result);
            }
        }
        Ok(())
    }

    /// The outputs of a node; a reason to stop says where it arose.
    fn node(
        &mut self,
        node: &NodeProto<'a>,
        names: &Names<'a>,
        place: NodeContext<'_, 'a>,
    ) -> Result<Vec<Followed>, Stop> {
        let inputs = inputs(node, names)?;
        let call = Call { node, inputs, given: place.given, opset: place.opset, batch: self.batch };
        let here = |stop: Stop| {
            let at = format!("{} `{}`", node.full_name(), node.outputs.first().unwrap_or(&""));
            match stop {
                Stop::Mixed(how) => Stop::Mixed(format!("{at} {how}")),
                Stop::Lost(how) => Stop::Lost(format!("{at} {how}")),
            }
        };
        if let Some(function) = self.functions.get(&[node.domain, node.operator, node.overload]).copied() {
            return self.function(function, &call, place);
        }
        if !node.is_plain() {
            return Err(here(Stop::lost("is not followed here")));
        }
        if node.operator == "If" {
            return self.branches(&call, names, place, here);
        }
        Ok(rules::apply(&call).map_err(here)?.into_iter().map(Ok).collect())
    }

    /// The body of a function, with its own names.
    fn function(
        &mut self,
        function: &FunctionProto<'a>,
        call: &Call<'_, 'a>,
        place: NodeContext<'_, 'a>,
    ) -> Result<Vec<Followed>, Stop> {
        // onnxruntime reads the body as the version of ONNX that the model asks for
        if version(&function.opsets) != place.opset {
            let name = call.node.full_name();
            return Err(Stop::Lost(format!("{name} is a function that engines may read in another way")));
        }
        let mut names = Names::new();
        for (name, value) in function.inputs.iter().zip(&call.inputs) {
            if let Some(value) = value {
                names.insert(name, Ok(value.clone()));
            }
        }
        let mut given: Vec<AttributeProto<'a>> = Vec::new();
        for attribute in &call.node.attributes {
            let resolved = call.attribute(attribute.name).cloned();
            given.extend(resolved.map(|resolved| AttributeProto { name: attribute.name, ..resolved }));
        }
        let defaults = function.defaults.iter();
        let absent: Vec<_> =
            defaults.filter(|default| call.node.attribute(default.name).is_none()).cloned().collect();
        given.extend(absent);
        let inside = NodeContext { given: &given, depth: place.depth + 1, ..place };
        self.nodes(&function.nodes, &mut names, inside)?;
        Ok(function.outputs.iter().map(|name| named(&names, name)).collect())
    }

    /// Both branches of an If; they must agree, because the condition is not known here.
    fn branches(
        &mut self,
        call: &Call<'_, 'a>,
        names: &Names<'a>,
        place: NodeContext<'_, 'a>,
        here: impl Fn(Stop) -> Stop,
    ) -> Result<Vec<Followed>, Stop> {
        call.constant(0).map_err(|_| here(Stop::lost("asks about the images or their number")))?;
        let condition = call.optional(0).and_then(|condition| condition.numbers.as_deref());
        let taken: &[&str] = match condition {
            Some([Known(0.0)]) => &["else_branch"],
            Some([Known(_)]) => &["then_branch"],
            _ => &["then_branch", "else_branch"],
        };
        let mut outcomes: Vec<Vec<Followed>> = Vec::new();
        for name in taken {
            self.steps += names.len();
            let graph = call.attribute(name).and_then(|branch| branch.graphs.first()).cloned();
            let graph = graph.ok_or_else(|| here(Stop::lost("lacks a branch")))?;
            let inside = NodeContext { depth: place.depth + 1, ..place };
            outcomes.push(self.graph(&graph, names.clone(), inside)?);
        }
        let join = |(one, other): (&Followed, &Followed)| match (one, other) {
            (Err(Stop::Mixed(how)), _) | (_, Err(Stop::Mixed(how))) => Err(Stop::Mixed(how.clone())),
            (Ok(one), Ok(other)) if one == other => Ok(one.clone()),
            _ => Err(here(Stop::lost("has branches that differ"))),
        };
        Ok(match &outcomes[..] {
            [one, other] => one.iter().zip(other).map(join).collect(),
            _ => outcomes.remove(0),
        })
    }
}

/// The values of a node's inputs; what is mixed or lost when it arrives stays so.
fn inputs(node: &NodeProto<'_>, names: &Names<'_>) -> Result<Vec<Option<Tensor>>, Stop> {
    let value = |name: &&str| if name.is_empty() { None } else { Some(named(names, name)) };
    let values: Vec<Option<Followed>> = node.inputs.iter().map(value).collect();
    let stops = || values.iter().flatten().filter_map(|value| value.as_ref().err());
    let mixed = stops().find(|stop| matches!(stop, Stop::Mixed(_)));
    match mixed.or_else(|| stops().next()) {
        Some(stop) => Err(stop.clone()),
        None => Ok(values.into_iter().map(|value| value.and_then(Result::ok)).collect()),
    }
}

fn named(names: &Names<'_>, name: &str) -> Followed {
    let unknown = || Err(Stop::Lost(format!("nothing makes `{name}` before it is used")));
    names.get(name).cloned().unwrap_or_else(unknown)
}
