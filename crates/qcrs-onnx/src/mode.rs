//! Is anything in the network random, in training mode, or not what it seems?
//!
//! This looks at every node, including those of subgraphs and functions, whether or not its value reaches the
//! scores.

use qcrs_cnn::proto::{GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, is_plain};
use std::collections::BTreeMap;

/// ONNX's operators that draw random numbers; even with a fixed seed they are not a function of the image.
const RANDOM: [&str; 6] =
    ["Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"];
/// Words in the names of random operators of other domains, such as com.microsoft.BiasDropout.
const SUSPECT: [&str; 5] = ["Bernoulli", "Dropout", "Multinomial", "Random", "Sampling"];

/// Refuses a model with a node that is random, or that normalises by the statistics of its batch.
pub(crate) fn check(model: &ModelProto<'_>) -> Result<(), String> {
    let local = |node: &NodeProto<'_>| {
        model
            .functions
            .iter()
            .any(|function| (function.domain, function.name) == (node.domain, node.operator))
    };
    for function in &model.functions {
        if is_reserved(function.domain) {
            let (domain, name) = (function.domain, function.name);
            return Err(format!(
                "the model defines a function `{name}` in the domain `{domain}`; engines have operators of their own there, and \
                 could run another network than the file describes; export it again"
            ));
        }
        // engines read a body with its own version of ONNX, or with that of the model
        for opset in [version(&function.opsets), version(&model.opsets)] {
            nodes(&function.nodes, Scope { opset, flags: BTreeMap::new() }, &local)?;
        }
    }
    let scope = Scope { opset: version(&model.opsets), flags: BTreeMap::new() };
    model.graph.as_ref().map_or(Ok(()), |main| graph(main, scope, &local))
}

/// Whether engines know operators of this domain, and may prefer them to a function of the same name.
fn is_reserved(domain: &str) -> bool {
    let below = |parent: &str| {
        domain.strip_prefix(parent).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    domain.is_empty() || ["ai.onnx", "com.microsoft", "com.ms", "org.pytorch"].into_iter().any(below)
}

/// The version of ONNX's own operators that is asked for.
pub(crate) fn version(opsets: &[OperatorSetIdProto<'_>]) -> i64 {
    opsets.iter().filter(|opset| is_plain(opset.domain)).map(|opset| opset.version).min().unwrap_or(1)
}

/// What is known where a node is.
#[derive(Clone)]
struct Scope<'a> {
    opset: i64,
    /// Constants of one value: whether it is 0.
    flags: BTreeMap<&'a str, bool>,
}

fn graph<'a>(
    graph: &GraphProto<'a>,
    mut scope: Scope<'a>,
    local: &dyn Fn(&NodeProto<'_>) -> bool,
) -> Result<(), String> {
    // an input of this graph hides a constant of the graph around it, and so do the outputs of its nodes
    let made = graph.nodes.iter().flat_map(|node| &node.outputs);
    for name in graph.inputs.iter().map(|port| &port.name).chain(made) {
        scope.flags.remove(name);
    }
    scope.flags.extend(graph.initializers.iter().filter_map(|tensor| Some((tensor.name, is_zero(tensor)?))));
    nodes(&graph.nodes, scope, local)
}

fn nodes<'a>(
    nodes: &[NodeProto<'a>],
    mut scope: Scope<'a>,
    local: &dyn Fn(&NodeProto<'_>) -> bool,
) -> Result<(), String> {
    for node in nodes {
        let what = node.outputs.first().unwrap_or(&"");
        if let Some(problem) = problem(node, &scope, local) {
            return Err(problem.of(&format!("{} `{what}`", node.full_name())));
        }
        let constant = node.attribute("value").and_then(|value| value.tensors.first()).and_then(is_zero);
        if let (true, "Constant", Some(zero)) = (node.is_plain(), node.operator, constant) {
            scope.flags.insert(what, zero);
        }
        for inner in node.attributes.iter().flat_map(|attribute| &attribute.graphs) {
            graph(inner, scope.clone(), local)?;
        }
    }
    Ok(())
}

/// What is wrong with a node.
#[derive(Clone, Copy)]
enum BadNode {
    Compiled,
    /// It draws random numbers in every mode.
    Random,
    /// It is in training mode, in which it does this.
    Training(&'static str),
}

impl BadNode {
    /// The problem and what to do about it.
    fn of(self, node: &str) -> String {
        match self {
            Self::Compiled => format!(
                "{node} is a compiled network, which may lie in a file of its own; export the network itself"
            ),
            Self::Random => format!(
                "{node} is random; export a model whose scores depend on its input only, in evaluation mode (model.eval())"
            ),
            Self::Training(does) => {
                format!("exported in training mode ({node} {does}); call model.eval() before the export")
            }
        }
    }
}

/// What is wrong with a node, if anything.
fn problem(
    node: &NodeProto<'_>,
    scope: &Scope<'_>,
    local: &dyn Fn(&NodeProto<'_>) -> bool,
) -> Option<BadNode> {
    let drops = BadNode::Training("is random");
    if node.operator == "EPContext" {
        return Some(BadNode::Compiled);
    }
    if !node.is_plain() {
        let suspect = SUSPECT.iter().find(|name| node.operator.contains(**name)).filter(|_| !local(node))?;
        return Some(if *suspect == "Dropout" { drops } else { BadNode::Random });
    }
    // before version 7, a node had to ask for evaluation mode
    let evaluates = |name: &str| node.attribute(name).is_some_and(|attribute| attribute.int == Some(1));
    let old = scope.opset < 7 && !evaluates("is_test");
    match node.operator {
        operator if RANDOM.contains(&operator) => Some(BadNode::Random),
        "Dropout" => {
            let flag = node.inputs.get(2).filter(|name| !name.is_empty());
            let off = flag.is_none_or(|name| scope.flags.get(name) == Some(&true));
            Some(drops).filter(|_| old || !off)
        }
        "BatchNormalization" => {
            let training = node.attribute("training_mode");
            let training =
                training.is_some_and(|mode| mode.int.unwrap_or(0) != 0 || !mode.refers_to.is_empty());
            // until version 13, the statistics of the batch as further outputs show the mode
            let statistics = scope.opset < 14 && node.outputs.iter().skip(1).any(|name| !name.is_empty());
            Some(BadNode::Training("uses the statistics of the batch"))
                .filter(|_| old || training || statistics)
        }
        _ => None,
    }
}

/// Whether a constant of one value is 0 or false; `None` if it cannot be told.
fn is_zero(tensor: &TensorProto<'_>) -> Option<bool> {
    let is_one = tensor.dims.iter().all(|dim| *dim == 1) && tensor.external.is_empty();
    let bytes = tensor.raw.filter(|raw| !raw.is_empty()).map(|raw| raw.iter().all(|byte| *byte == 0));
    let ints = || tensor.small_ints.first().or(tensor.ints.first()).map(|int| *int == 0);
    is_one.then(|| bytes.or_else(ints)).flatten()
}
