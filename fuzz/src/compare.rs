//! Do two readers see the same network and the same weight files?

use crate::mirror;
use crate::onnx::{Attribute, Graph, Model, Node, Sparse, Tensor};
use prost::Message;
use std::collections::BTreeSet;

/// A file that qcrs-onnx accepts must be the same network to prost, and every file that prost would look into must be
/// among those that qcrs-onnx reads and hashes.
pub fn compare_readers(file: &[u8]) {
    let Ok((seen, files)) = qcrs_onnx::read_strictly(file) else { return };
    let model =
        Model::decode(file).unwrap_or_else(|error| panic!("prost refuses what was accepted: {error}"));
    let same = format!("{:?}", mirror::ModelProto::from(&model));
    assert_eq!(seen, same, "the readers see different networks");
    let graph = model.graph.as_ref().expect("what was accepted has a graph");
    let named: BTreeSet<&str> = graph.initializer.iter().filter_map(outside).collect();
    assert_eq!(named, files.iter().map(String::as_str).collect(), "the readers see different weight files");
    let elsewhere = count(&model) - graph.initializer.iter().filter_map(outside).count();
    assert_eq!(elsewhere, 0, "tensors other than constants of the main graph lie in other files");
}

/// The file that a tensor's values are in, if it is another.
fn outside(tensor: &Tensor) -> Option<&str> {
    let mut entries = tensor.external_data.iter().rev();
    let file = || entries.find(|entry| entry.key() == "location").map_or("", |entry| entry.value());
    (tensor.data_location == Some(1)).then(file)
}

/// How many tensors of the model have their values in other files, wherever they are.
fn count(model: &Model) -> usize {
    let training = model.training_info.iter();
    let training = training.flat_map(|training| training.initialization.iter().chain(&training.algorithm));
    let functions = model.functions.iter();
    let functions = functions.map(|function| nodes(&function.node) + attributes(&function.attribute_proto));
    model.graph.iter().chain(training).map(in_graph).sum::<usize>() + functions.sum::<usize>()
}

fn in_graph(graph: &Graph) -> usize {
    nodes(&graph.node) + tensors(&graph.initializer) + sparse(&graph.sparse_initializer)
}

fn nodes(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| attributes(&node.attribute)).sum()
}

fn attributes(attributes: &[Attribute]) -> usize {
    let inside = |attribute: &Attribute| {
        tensors(attribute.t.iter().chain(&attribute.tensors))
            + attribute.g.as_deref().into_iter().chain(&attribute.graphs).map(in_graph).sum::<usize>()
            + sparse(attribute.sparse_tensor.iter().chain(&attribute.sparse_tensors))
    };
    attributes.iter().map(inside).sum()
}

fn tensors<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> usize {
    tensors.into_iter().filter_map(outside).count()
}

fn sparse<'a>(all: impl IntoIterator<Item = &'a Sparse>) -> usize {
    all.into_iter().map(|sparse| tensors(sparse.values.iter().chain(&sparse.indices))).sum()
}
