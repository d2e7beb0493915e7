//! What prost read, in the form in which qcrs-onnx shows what it read.
//!
//! These types have the names, fields and order of those in qcrs-onnx, so that equal models give equal `Debug` texts.

#![allow(dead_code)] // the fields are read by `Debug` only

use crate::onnx::{self, Kind, Size};

#[derive(Debug)]
pub struct ModelProto<'a> {
    opsets: Vec<OperatorSetIdProto<'a>>,
    graph: Option<GraphProto<'a>>,
    functions: Vec<FunctionProto<'a>>,
    training: Vec<GraphProto<'a>>,
}

#[derive(Debug)]
struct OperatorSetIdProto<'a> {
    domain: &'a str,
    version: i64,
}

#[derive(Debug)]
struct GraphProto<'a> {
    nodes: Vec<NodeProto<'a>>,
    initializers: Vec<TensorProto<'a>>,
    sparse: Vec<SparseTensorProto<'a>>,
    inputs: Vec<ValueInfoProto<'a>>,
    outputs: Vec<ValueInfoProto<'a>>,
}

#[derive(Debug)]
struct NodeProto<'a> {
    inputs: &'a [String],
    outputs: &'a [String],
    operator: &'a str,
    domain: &'a str,
    overload: &'a str,
    attributes: Vec<AttributeProto<'a>>,
}

#[derive(Debug)]
struct FunctionProto<'a> {
    name: &'a str,
    domain: &'a str,
    overload: &'a str,
    inputs: &'a [String],
    outputs: &'a [String],
    nodes: Vec<NodeProto<'a>>,
    opsets: Vec<OperatorSetIdProto<'a>>,
    defaults: Vec<AttributeProto<'a>>,
}

#[derive(Debug)]
struct AttributeProto<'a> {
    name: &'a str,
    int: Option<i64>,
    float: Option<f32>,
    text: Option<&'a [u8]>,
    ints: &'a [i64],
    floats: &'a [f32],
    refers_to: &'a str,
    tensors: Vec<TensorProto<'a>>,
    graphs: Vec<GraphProto<'a>>,
    sparse: Vec<SparseTensorProto<'a>>,
}

#[derive(Debug)]
struct TensorProto<'a> {
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
struct SparseTensorProto<'a> {
    values: Option<TensorProto<'a>>,
    indices: Option<TensorProto<'a>>,
}

#[derive(Debug)]
struct ValueInfoProto<'a> {
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

impl<'a> From<&'a onnx::Model> for ModelProto<'a> {
    fn from(model: &'a onnx::Model) -> Self {
        let training = model.training_info.iter();
        Self {
            opsets: all(&model.opset_import),
            graph: model.graph.as_ref().map(GraphProto::from),
            functions: all(&model.functions),
            training: all(
                training.flat_map(|training| training.initialization.iter().chain(&training.algorithm))
            ),
        }
    }
}

impl<'a> From<&'a onnx::Opset> for OperatorSetIdProto<'a> {
    fn from(opset: &'a onnx::Opset) -> Self {
        Self { domain: text(&opset.domain), version: opset.version() }
    }
}

impl<'a> From<&'a onnx::Graph> for GraphProto<'a> {
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

impl<'a> From<&'a onnx::Node> for NodeProto<'a> {
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

impl<'a> From<&'a onnx::Function> for FunctionProto<'a> {
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

impl<'a> From<&'a onnx::Attribute> for AttributeProto<'a> {
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

impl<'a> From<&'a onnx::Tensor> for TensorProto<'a> {
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

impl<'a> From<&'a onnx::Sparse> for SparseTensorProto<'a> {
    fn from(sparse: &'a onnx::Sparse) -> Self {
        Self {
            values: sparse.values.as_ref().map(TensorProto::from),
            indices: sparse.indices.as_ref().map(TensorProto::from),
        }
    }
}

impl<'a> From<&'a onnx::Port> for ValueInfoProto<'a> {
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
