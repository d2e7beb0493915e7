//! What prost read, in the form in which qcrs-onnx shows what it read.
//!
//! These types have the names, fields and order of those in qcrs-onnx, so that equal models give equal `Debug` texts.

#![allow(dead_code)] // the fields are read by `Debug` only

use crate::onnx::{self, Kind, Size};

#[derive(Debug)]
pub struct Model<'a> {
    opsets: Vec<Opset<'a>>,
    graph: Option<Graph<'a>>,
    functions: Vec<Function<'a>>,
    training: Vec<Graph<'a>>,
}

#[derive(Debug)]
struct Opset<'a> {
    domain: &'a str,
    version: i64,
}

#[derive(Debug)]
struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    initializers: Vec<Tensor<'a>>,
    sparse: Vec<Sparse<'a>>,
    inputs: Vec<Port<'a>>,
    outputs: Vec<Port<'a>>,
}

#[derive(Debug)]
struct Node<'a> {
    inputs: &'a [String],
    outputs: &'a [String],
    operator: &'a str,
    domain: &'a str,
    overload: &'a str,
    attributes: Vec<Attribute<'a>>,
}

#[derive(Debug)]
struct Function<'a> {
    name: &'a str,
    domain: &'a str,
    overload: &'a str,
    inputs: &'a [String],
    outputs: &'a [String],
    nodes: Vec<Node<'a>>,
    opsets: Vec<Opset<'a>>,
    defaults: Vec<Attribute<'a>>,
}

#[derive(Debug)]
struct Attribute<'a> {
    name: &'a str,
    int: Option<i64>,
    float: Option<f32>,
    text: Option<&'a [u8]>,
    ints: &'a [i64],
    floats: &'a [f32],
    refers_to: &'a str,
    tensors: Vec<Tensor<'a>>,
    graphs: Vec<Graph<'a>>,
    sparse: Vec<Sparse<'a>>,
}

#[derive(Debug)]
struct Tensor<'a> {
    name: &'a str,
    dims: &'a [i64],
    element: i32,
    raw: Option<&'a [u8]>,
    floats: &'a [f32],
    small_ints: &'a [i32],
    ints: &'a [i64],
    external: Vec<(&'a str, &'a str)>,
    location: Option<i32>,
}

#[derive(Debug)]
struct Sparse<'a> {
    values: Option<Tensor<'a>>,
    indices: Option<Tensor<'a>>,
}

#[derive(Debug)]
struct Port<'a> {
    name: &'a str,
    element: Option<i32>,
    dims: Option<Vec<Option<usize>>>,
}

fn text(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or_default()
}

fn all<'a, T, U>(from: impl IntoIterator<Item = &'a T>) -> Vec<U>
where
    T: 'a,
    U: From<&'a T>,
{
    from.into_iter().map(U::from).collect()
}

impl<'a> From<&'a onnx::Model> for Model<'a> {
    fn from(model: &'a onnx::Model) -> Self {
        let training = model.training_info.iter();
        Self {
            opsets: all(&model.opset_import),
            graph: model.graph.as_ref().map(Graph::from),
            functions: all(&model.functions),
            training: all(
                training.flat_map(|training| training.initialization.iter().chain(&training.algorithm))
            ),
        }
    }
}

impl<'a> From<&'a onnx::Opset> for Opset<'a> {
    fn from(opset: &'a onnx::Opset) -> Self {
        Self { domain: text(&opset.domain), version: opset.version() }
    }
}

impl<'a> From<&'a onnx::Graph> for Graph<'a> {
    fn from(graph: &'a onnx::Graph) -> Self {
        Self {
            nodes: all(&graph.node),
            initializers: all(&graph.initializer),
            sparse: all(&graph.sparse_initializer),
            inputs: all(&graph.input),
            outputs: all(&graph.output),
        }
    }
}

impl<'a> From<&'a onnx::Node> for Node<'a> {
    fn from(node: &'a onnx::Node) -> Self {
        Self {
            inputs: &node.input,
            outputs: &node.output,
            operator: text(&node.op_type),
            domain: text(&node.domain),
            overload: text(&node.overload),
            attributes: all(&node.attribute),
        }
    }
}

impl<'a> From<&'a onnx::Function> for Function<'a> {
    fn from(function: &'a onnx::Function) -> Self {
        Self {
            name: text(&function.name),
            domain: text(&function.domain),
            overload: text(&function.overload),
            inputs: &function.input,
            outputs: &function.output,
            nodes: all(&function.node),
            opsets: all(&function.opset_import),
            defaults: all(&function.attribute_proto),
        }
    }
}

impl<'a> From<&'a onnx::Attribute> for Attribute<'a> {
    fn from(attribute: &'a onnx::Attribute) -> Self {
        Self {
            name: text(&attribute.name),
            int: attribute.i,
            float: attribute.f,
            text: attribute.s.as_deref(),
            ints: &attribute.ints,
            floats: &attribute.floats,
            refers_to: text(&attribute.ref_attr_name),
            tensors: all(attribute.t.iter().chain(&attribute.tensors)),
            graphs: all(attribute.g.as_deref().into_iter().chain(&attribute.graphs)),
            sparse: all(attribute.sparse_tensor.iter().chain(&attribute.sparse_tensors)),
        }
    }
}

impl<'a> From<&'a onnx::Tensor> for Tensor<'a> {
    fn from(tensor: &'a onnx::Tensor) -> Self {
        let entries = tensor.external_data.iter();
        Self {
            name: text(&tensor.name),
            dims: &tensor.dims,
            element: tensor.data_type(),
            raw: tensor.raw_data.as_deref(),
            floats: &tensor.float_data,
            small_ints: &tensor.int32_data,
            ints: &tensor.int64_data,
            external: entries.map(|entry| (text(&entry.key), text(&entry.value))).collect(),
            location: tensor.data_location,
        }
    }
}

impl<'a> From<&'a onnx::Sparse> for Sparse<'a> {
    fn from(sparse: &'a onnx::Sparse) -> Self {
        Self {
            values: sparse.values.as_ref().map(Tensor::from),
            indices: sparse.indices.as_ref().map(Tensor::from),
        }
    }
}

impl<'a> From<&'a onnx::Port> for Port<'a> {
    fn from(port: &'a onnx::Port) -> Self {
        let kind = port.r#type.as_ref().and_then(|kind| kind.value.as_ref());
        let (element, shape) = match kind {
            Some(Kind::Tensor(tensor)) => (tensor.elem_type, tensor.shape.as_ref()),
            _ => (None, None),
        };
        let size = |dim: &onnx::Dimension| match dim.value {
            Some(Size::Value(size)) => usize::try_from(size).ok().filter(|size| *size > 0),
            Some(Size::Param(_)) | None => None,
        };
        let dims = shape.map(|shape| shape.dim.iter().map(size).collect());
        Self { name: text(&port.name), element, dims }
    }
}
