//! The messages of onnx.proto3 for prost, as far as they bear on what a network computes.
//!
//! prost is the second reader: it merges messages that stand twice, keeps the last of two numbers and the lower half of a
//! long one, as the protobuf libraries of the engines do.

use prost::{Message, Oneof};

#[derive(Clone, PartialEq, Message)]
pub struct Model {
    #[prost(int64, optional, tag = "1")]
    pub ir_version: Option<i64>,
    #[prost(message, optional, tag = "7")]
    pub graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<Opset>,
    #[prost(message, repeated, tag = "20")]
    pub training_info: Vec<Training>,
    #[prost(message, repeated, tag = "25")]
    pub functions: Vec<Function>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Opset {
    #[prost(string, optional, tag = "1")]
    pub domain: Option<String>,
    #[prost(int64, optional, tag = "2")]
    pub version: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Training {
    #[prost(message, optional, tag = "1")]
    pub initialization: Option<Graph>,
    #[prost(message, optional, tag = "2")]
    pub algorithm: Option<Graph>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<Node>,
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<Port>,
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<Port>,
    #[prost(message, repeated, tag = "15")]
    pub sparse_initializer: Vec<Sparse>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Node {
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    #[prost(string, optional, tag = "4")]
    pub op_type: Option<String>,
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<Attribute>,
    #[prost(string, optional, tag = "7")]
    pub domain: Option<String>,
    #[prost(string, optional, tag = "8")]
    pub overload: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Function {
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    #[prost(string, repeated, tag = "4")]
    pub input: Vec<String>,
    #[prost(string, repeated, tag = "5")]
    pub output: Vec<String>,
    #[prost(string, repeated, tag = "6")]
    pub attribute: Vec<String>,
    #[prost(message, repeated, tag = "7")]
    pub node: Vec<Node>,
    #[prost(message, repeated, tag = "9")]
    pub opset_import: Vec<Opset>,
    #[prost(string, optional, tag = "10")]
    pub domain: Option<String>,
    #[prost(message, repeated, tag = "11")]
    pub attribute_proto: Vec<Attribute>,
    #[prost(string, optional, tag = "13")]
    pub overload: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Attribute {
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub s: Option<Vec<u8>>,
    #[prost(message, optional, tag = "5")]
    pub t: Option<Tensor>,
    #[prost(message, optional, boxed, tag = "6")]
    pub g: Option<Box<Graph>>,
    #[prost(float, repeated, tag = "7")]
    pub floats: Vec<f32>,
    #[prost(int64, repeated, tag = "8")]
    pub ints: Vec<i64>,
    #[prost(bytes = "vec", repeated, tag = "9")]
    pub strings: Vec<Vec<u8>>,
    #[prost(message, repeated, tag = "10")]
    pub tensors: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub graphs: Vec<Graph>,
    #[prost(int32, optional, tag = "20")]
    pub r#type: Option<i32>,
    #[prost(string, optional, tag = "21")]
    pub ref_attr_name: Option<String>,
    #[prost(message, optional, tag = "22")]
    pub sparse_tensor: Option<Sparse>,
    #[prost(message, repeated, tag = "23")]
    pub sparse_tensors: Vec<Sparse>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Tensor {
    #[prost(int64, repeated, tag = "1")]
    pub dims: Vec<i64>,
    #[prost(int32, optional, tag = "2")]
    pub data_type: Option<i32>,
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    #[prost(int32, repeated, tag = "5")]
    pub int32_data: Vec<i32>,
    #[prost(bytes = "vec", repeated, tag = "6")]
    pub string_data: Vec<Vec<u8>>,
    #[prost(int64, repeated, tag = "7")]
    pub int64_data: Vec<i64>,
    #[prost(string, optional, tag = "8")]
    pub name: Option<String>,
    #[prost(bytes = "vec", optional, tag = "9")]
    pub raw_data: Option<Vec<u8>>,
    #[prost(double, repeated, tag = "10")]
    pub double_data: Vec<f64>,
    #[prost(uint64, repeated, tag = "11")]
    pub uint64_data: Vec<u64>,
    #[prost(message, repeated, tag = "13")]
    pub external_data: Vec<Entry>,
    #[prost(int32, optional, tag = "14")]
    pub data_location: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Entry {
    #[prost(string, optional, tag = "1")]
    pub key: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub value: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Sparse {
    #[prost(message, optional, tag = "1")]
    pub values: Option<Tensor>,
    #[prost(message, optional, tag = "2")]
    pub indices: Option<Tensor>,
    #[prost(int64, repeated, tag = "3")]
    pub dims: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Port {
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<Type>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Type {
    #[prost(oneof = "Kind", tags = "1, 4, 5, 7, 8, 9")]
    pub value: Option<Kind>,
}

/// What no classifier of images takes or gives is left as bytes.
#[derive(Clone, PartialEq, Oneof)]
pub enum Kind {
    #[prost(message, tag = "1")]
    Tensor(TensorType),
    #[prost(bytes, tag = "4")]
    Sequence(Vec<u8>),
    #[prost(bytes, tag = "5")]
    Map(Vec<u8>),
    #[prost(bytes, tag = "7")]
    Opaque(Vec<u8>),
    #[prost(bytes, tag = "8")]
    Sparse(Vec<u8>),
    #[prost(bytes, tag = "9")]
    Optional(Vec<u8>),
}

#[derive(Clone, PartialEq, Message)]
pub struct TensorType {
    #[prost(int32, optional, tag = "1")]
    pub elem_type: Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<Dimension>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Dimension {
    #[prost(oneof = "Size", tags = "1, 2")]
    pub value: Option<Size>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Size {
    #[prost(int64, tag = "1")]
    Value(i64),
    #[prost(string, tag = "2")]
    Param(String),
}
