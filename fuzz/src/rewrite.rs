//! How is a file changed field by field, so that most of it stays a model?

use crate::fields::{Content, Field, Kind, decode, encode};

/// Numbers on the edges of what readers keep.
const NUMBERS: [u64; 14] = [
    0,
    1,
    2,
    3,
    7,
    17,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    1 << 63,
    u64::MAX,
    u64::MAX - (1 << 31) + 1,
    u64::MAX - (1 << 32) + 2,
];
const TEXTS: [&[u8]; 16] = [
    b"",
    b"x",
    b"y",
    b"w",
    b"v.data",
    b"w.data",
    b"location",
    b"offset",
    b"length",
    b"checksum",
    b"ai.onnx",
    b"Relu",
    b"If",
    b"own",
    b"\xFF",
    b"./w.data",
];

/// Choices that follow from a seed (xorshift).
struct Choices(u64);

impl Choices {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % end.max(1)
    }

    fn of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The file after one to four changes; itself if it is no protobuf, or would become too large.
pub fn rewritten(file: &[u8], seed: u32, largest: usize) -> Vec<u8> {
    let mut choices = Choices(u64::from(seed) << 20 | 0x9_E377);
    let Some(mut fields) = decode(Kind::Model, file) else { return file.to_vec() };
    for _ in 0..=choices.below(4) {
        change(&mut fields, &mut choices);
    }
    let bytes = encode(&fields);
    if bytes.len() <= largest { bytes } else { file.to_vec() }
}

fn change(model: &mut Vec<Field>, choices: &mut Choices) {
    let copied = {
        let (kind, fields) = any_message(model, choices);
        let at = choices.below(fields.len());
        fields.get(at).cloned().map(|field| (kind, field))
    };
    let (kind, fields) = any_message(model, choices);
    let (at, other) = (choices.below(fields.len()), choices.below(fields.len() + 1));
    match choices.below(12) {
        0 if !fields.is_empty() => fields.insert(other, fields[at].clone()),
        1 if !fields.is_empty() => drop(fields.remove(at)),
        2 if other < fields.len() => fields.swap(at, other),
        3 | 4 if !fields.is_empty() => deform(&mut fields[at], choices),
        5 if !fields.is_empty() => split(fields, at, choices),
        // a field of another message of this kind, or one that has no business here
        6 => match copied {
            Some((from, field)) if from == kind || choices.below(8) == 0 => fields.insert(other, field),
            _ => {}
        },
        7 => fields.insert(other, Field { number: choices.below(40) as u64, content: content(choices) }),
        8..=10 => fields.insert(other, known(kind, choices, 3)),
        _ if kind == Kind::Tensor => fields.extend(place(choices)),
        _ => {}
    }
}

/// Any message of the model; tensors and attributes more often than others.
fn any_message<'t>(model: &'t mut Vec<Field>, choices: &mut Choices) -> (Kind, &'t mut Vec<Field>) {
    let kinds = kinds(Kind::Model, model);
    let mut at = choices.below(kinds.len());
    for _ in 0..choices.below(4) {
        if !matches!(kinds[at], Kind::Tensor | Kind::Attribute | Kind::Entry) {
            at = choices.below(kinds.len());
        }
    }
    nth(Kind::Model, model, &mut at).expect("there are as many messages as were counted")
}

/// The kinds of all messages, in the order of the file.
fn kinds(kind: Kind, fields: &[Field]) -> Vec<Kind> {
    let inside = fields.iter().flat_map(|field| match &field.content {
        Content::Message(kind, inside) => kinds(*kind, inside),
        _ => Vec::new(),
    });
    [kind].into_iter().chain(inside).collect()
}

fn nth<'t>(kind: Kind, fields: &'t mut Vec<Field>, left: &mut usize) -> Option<(Kind, &'t mut Vec<Field>)> {
    if *left == 0 {
        return Some((kind, fields));
    }
    *left -= 1;
    fields.iter_mut().find_map(|field| match &mut field.content {
        Content::Message(kind, inside) => nth(*kind, inside, left),
        _ => None,
    })
}

/// Another value, another length of the same number, or another wire type.
fn deform(field: &mut Field, choices: &mut Choices) {
    field.content = match (&field.content, choices.below(5)) {
        (Content::Varint(number, _), 0) => Content::Varint(*number, choices.below(10)),
        (Content::Varint(number, extra), 1) => Content::Bytes(encode_number(*number, *extra)),
        (Content::Varint(number, _), 2) => Content::Fixed((*number as u32).to_le_bytes().into()),
        (Content::Varint(..), _) => Content::Varint(choices.of(&NUMBERS), choices.below(2)),
        (Content::Bytes(bytes), 0 | 1) => {
            let mut bytes = bytes.clone();
            let at = choices.below(bytes.len());
            match bytes.get_mut(at) {
                Some(byte) => *byte = choices.below(256) as u8,
                None => bytes.push(choices.below(256) as u8),
            }
            Content::Bytes(bytes)
        }
        (Content::Bytes(_), 2 | 3) => Content::Bytes(choices.of(&TEXTS).into()),
        (Content::Message(kind, fields), 0..=3) => {
            let mut fields = fields.clone();
            fields.reverse();
            Content::Message(*kind, fields)
        }
        _ => content(choices),
    };
}

/// A list as several, a packed list as numbers one by one, or a message as two that readers merge.
fn split(fields: &mut Vec<Field>, at: usize, choices: &mut Choices) {
    let number = fields[at].number;
    let parts = match &fields[at].content {
        Content::Message(kind, inside) => {
            let (front, back) = inside.split_at(choices.below(inside.len() + 1));
            vec![Content::Message(*kind, front.into()), Content::Message(*kind, back.into())]
        }
        Content::Bytes(bytes) if choices.below(2) == 0 => {
            bytes.iter().take(16).map(|byte| Content::Varint((*byte).into(), 0)).collect()
        }
        Content::Bytes(bytes) => {
            let (front, back) = bytes.split_at(choices.below(bytes.len() + 1));
            vec![Content::Bytes(front.into()), Content::Bytes(back.into())]
        }
        Content::Varint(..) | Content::Fixed(_) => return,
    };
    fields.splice(at..=at, parts.into_iter().map(|content| Field { number, content }));
}

/// Any content.
fn content(choices: &mut Choices) -> Content {
    match choices.below(6) {
        0 | 1 => Content::Varint(choices.of(&NUMBERS), choices.below(3)),
        2 => Content::Fixed(vec![choices.below(256) as u8; 4]),
        3 => Content::Fixed(vec![choices.below(256) as u8; 8]),
        4 => Content::Bytes(choices.of(&TEXTS).into()),
        _ => Content::Bytes(encode_number(choices.of(&NUMBERS), choices.below(10))),
    }
}

/// A field that messages of this kind have: mostly a message with fields of its own, if it is one.
fn known(kind: Kind, choices: &mut Choices, depth: usize) -> Field {
    let number = choices.of(kind.fields());
    let content = match kind.inside(number) {
        Some(inner) if depth > 0 => {
            let count = choices.below(5);
            Content::Message(inner, (0..count).map(|_| known(inner, choices, depth - 1)).collect())
        }
        _ => content(choices),
    };
    Field { number, content }
}

/// What a tensor says about where its values are.
fn place(choices: &mut Choices) -> Vec<Field> {
    let text = |number: u64, text: &[u8]| Field { number, content: Content::Bytes(text.into()) };
    let key = if choices.below(4) > 0 { b"location" } else { choices.of(&TEXTS) };
    let entry = vec![text(1, key), text(2, choices.of(&TEXTS))];
    let code = if choices.below(2) == 0 { 1 } else { choices.of(&NUMBERS) };
    vec![
        Field { number: 13, content: Content::Message(Kind::Entry, entry) },
        Field { number: 14, content: Content::Varint(code, choices.below(3)) },
    ]
}

fn encode_number(number: u64, extra: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    crate::fields::put_number(&mut bytes, number, extra);
    bytes
}
