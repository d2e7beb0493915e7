//! What does a node say besides its inputs?

use super::numbers::{float, floats, int32, ints, text};
use super::wire::{WireFields, WireValue};
use super::{Bad, GraphProto, Once, Read, SparseTensorProto, TensorProto};

/// The field that holds the value, by the code of the attribute's type; the code 0 leaves it open.
const FIELD_OF_TYPE: [u64; 15] = [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 22, 23, 14, 15];

/// A setting of a node.
#[derive(Clone, Debug, Default)]
pub struct AttributeProto<'a> {
    pub name: &'a str,
    pub int: Option<i64>,
    pub float: Option<f32>,
    pub text: Option<&'a [u8]>,
    pub ints: Vec<i64>,
    pub floats: Vec<f32>,
    /// The attribute of the enclosing function's call that this one takes its value from.
    pub refers_to: &'a str,
    /// One tensor or a list of them; graphs and sparse tensors likewise.
    pub tensors: Vec<TensorProto<'a>>,
    pub graphs: Vec<std::rc::Rc<GraphProto<'a>>>,
    pub sparse: Vec<SparseTensorProto<'a>>,
}

impl<'a> AttributeProto<'a> {
    pub(super) fn parse(message: &'a [u8], depth: usize) -> Read<Self> {
        let (mut attribute, mut once) = (Self::default(), Once::of("an attribute"));
        let (mut kind, mut held) = (0, None);
        for field in WireFields::of(message) {
            let (number, value) = field?;
            if FIELD_OF_TYPE[1..].contains(&number) && held.replace(number).is_some_and(|held| held != number)
            {
                return Err(Bad::Ambiguous("an attribute has values of two kinds".into()));
            }
            match (number, value) {
                (1, WireValue::Bytes(name)) => attribute.name = text(once.take(1, name)?)?,
                (2, WireValue::Fixed(bytes)) => attribute.float = Some(float(once.take(2, bytes)?)?),
                (3, WireValue::Varint(int)) => attribute.int = Some(once.take(3, int)?.cast_signed()),
                (4, WireValue::Bytes(bytes)) => attribute.text = Some(once.take(4, bytes)?),
                (5, WireValue::Bytes(tensor)) => {
                    attribute.tensors.push(TensorProto::parse(once.take(5, tensor)?)?);
                }
                (6, WireValue::Bytes(graph)) => {
                    attribute.graphs.push(GraphProto::parse(once.take(6, graph)?, depth + 1)?.into());
                }
                (7, value) => floats(value, &mut attribute.floats)?,
                (8, value) => ints(value, &mut attribute.ints)?,
                (10, WireValue::Bytes(tensor)) => attribute.tensors.push(TensorProto::parse(tensor)?),
                (11, WireValue::Bytes(graph)) => {
                    attribute.graphs.push(GraphProto::parse(graph, depth + 1)?.into());
                }
                // texts and types, which no check looks at
                (9 | 14 | 15, WireValue::Bytes(_)) => {}
                (20, WireValue::Varint(code)) => kind = int32(once.take(20, code)?)?,
                (21, WireValue::Bytes(name)) => attribute.refers_to = text(once.take(21, name)?)?,
                (22, WireValue::Bytes(sparse)) => {
                    attribute.sparse.push(SparseTensorProto::parse(once.take(22, sparse)?)?);
                }
                (23, WireValue::Bytes(sparse)) => attribute.sparse.push(SparseTensorProto::parse(sparse)?),
                (number, _) => once.other(number, &[1, 2, 3, 4, 5, 6, 9, 10, 11, 14, 15, 20, 21, 22, 23])?,
            }
        }
        fits(kind, held)?;
        Ok(attribute)
    }
}

/// Makes sure that the value, if there is one, is of the kind that the attribute's type says.
fn fits(kind: i64, held: Option<u64>) -> Read<()> {
    let field = usize::try_from(kind).ok().and_then(|kind| FIELD_OF_TYPE.get(kind));
    match (field, held) {
        (Some(0), _) | (Some(_), None) => Ok(()),
        (Some(field), Some(held)) if *field == held => Ok(()),
        _ => Err(Bad::Ambiguous(format!("an attribute of type {kind} has a value of another kind"))),
    }
}
