//! What does a pickle say? Read by our own small machine, which runs nothing.
//!
//! A pickle is a program for a stack, and Python's own reader lets it call anything. This one knows the
//! instructions that `torch.save` writes, and the names of [`globals`]; the rest is an error.

use super::bytes::Bytes;
use super::globals;
use super::values::{Id, PickleValue, Values};
use std::collections::HashMap;

/// More instructions than any checkpoint of a network has (a ResNet-50 with its optimiser: 20 thousand).
/// Each makes at most one value, so this bounds the memory too.
const MOST_INSTRUCTIONS: usize = 1 << 20;

/// A pickle's values, and the one that it is about.
pub(super) struct Pickle<'a> {
    pub(super) values: Values<'a>,
    pub(super) root: Id,
    /// How many bytes it took.
    pub(super) length: usize,
}

/// Reads the pickle at the start of `bytes`.
pub(super) fn read(bytes: &[u8]) -> Result<Pickle<'_>, String> {
    let mut machine = Machine {
        bytes: Bytes::new(bytes),
        values: Values::default(),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: HashMap::new(),
    };
    for _ in 0..MOST_INSTRUCTIONS {
        let at = machine.bytes.position();
        let step = machine.step().map_err(|problem| format!("pickle, byte {at}: {problem}"))?;
        if let Some(root) = step {
            return Ok(Pickle { root, length: machine.bytes.position(), values: machine.values });
        }
    }
    Err(format!("its pickle has more than {MOST_INSTRUCTIONS} instructions, which no checkpoint needs"))
}

struct Machine<'a> {
    bytes: Bytes<'a>,
    values: Values<'a>,
    stack: Vec<Id>,
    /// Where the open groups begin on the stack.
    marks: Vec<usize>,
    memo: HashMap<u32, Id>,
}

impl<'a> Machine<'a> {
    /// Does one instruction; gives the result when it was the last.
    fn step(&mut self) -> Result<Option<Id>, String> {
        match self.bytes.array::<1>()?[0] {
            b'.' => return self.pop().map(Some),
            // version of the format, length of the next part: of no use here
            0x80 => drop(self.bytes.take(1)?),
            0x95 => drop(self.bytes.take(8)?),
            b'(' => self.marks.push(self.stack.len()),
            b'0' => drop(self.pop()?),
            b'N' => self.push(PickleValue::None)?,
            0x88 => self.push(PickleValue::Bool(true))?,
            0x89 => self.push(PickleValue::Bool(false))?,
            code @ (b'K' | b'M' | b'J' | 0x8a | b'G') => self.number(code)?,
            b'X' => self.text::<4>()?,
            0x8c => self.text::<1>()?,
            code @ (b')' | 0x85 | 0x86 | 0x87 | b't') => self.tuple(code)?,
            b']' => self.push(PickleValue::List(Vec::new()))?,
            b'}' => self.push(PickleValue::Dict(Vec::new()))?,
            code @ (b'a' | b'e' | b's' | b'u') => self.fill(code)?,
            code @ (b'q' | b'r' | 0x94) => self.remember(code)?,
            code @ (b'h' | b'j') => self.recall(code)?,
            b'c' => {
                let (module, name) = (utf8(self.bytes.line()?)?, utf8(self.bytes.line()?)?);
                self.push(PickleValue::Global(globals::named(module, name)?))?;
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let names = self.values.text(module).zip(self.values.text(name));
                let (module, name) = names.ok_or("a name that is not text")?;
                self.push(PickleValue::Global(globals::named(module, name)?))?;
            }
            b'R' => {
                let (arguments, function) = (self.pop()?, self.pop()?);
                let answer = globals::call(&self.values, function, arguments)?;
                self.push(answer)?;
            }
            b'Q' => {
                let name = self.pop()?;
                let storage = globals::storage(&self.values, name)?;
                self.push(PickleValue::Storage(storage))?;
            }
            b'b' => {
                // the attributes of a state dict: versions of its modules, which say nothing of the weights
                let _attributes = self.pop()?;
                if self.values.dict(self.top()?).is_none() {
                    return Err("gives attributes to something that is not a dictionary".into());
                }
            }
            code => return Err(format!("instruction {code:#04x}, which torch.save does not write")),
        }
        Ok(None)
    }

    fn number(&mut self, code: u8) -> Result<(), String> {
        let value = match code {
            b'K' => PickleValue::Int(self.bytes.array::<1>()?[0].into()),
            b'M' => PickleValue::Int(u16::from_le_bytes(self.bytes.array()?).into()),
            b'J' => PickleValue::Int(i32::from_le_bytes(self.bytes.array()?).into()),
            b'G' => PickleValue::Float(f64::from_be_bytes(self.bytes.array()?)),
            _ => PickleValue::Int(long(self.bytes.counted::<1>()?)?),
        };
        self.push(value)
    }

    fn text<const N: usize>(&mut self) -> Result<(), String> {
        let text = utf8(self.bytes.counted::<N>()?)?;
        self.push(PickleValue::Text(text))
    }

    fn tuple(&mut self, code: u8) -> Result<(), String> {
        let parts = match code {
            b't' => self.group()?,
            b')' => Vec::new(),
            _ => self.last(usize::from(code - 0x84))?,
        };
        self.push(PickleValue::Tuple(parts))
    }

    /// Puts what lies on the stack into the list or dictionary below it.
    fn fill(&mut self, code: u8) -> Result<(), String> {
        let parts = match code {
            b'a' => self.last(1)?,
            b's' => self.last(2)?,
            _ => self.group()?,
        };
        let target = self.top()?;
        match (self.values.get_mut(target), code) {
            (PickleValue::List(list), b'a' | b'e') => list.extend(parts),
            (PickleValue::Dict(entries), b's' | b'u') => {
                let (pairs, []) = parts.as_chunks::<2>() else { return Err("a key without a value".into()) };
                entries.extend(pairs.iter().map(|[key, value]| (*key, *value)));
            }
            _ => return Err("fills something that is not a list or dictionary".into()),
        }
        Ok(())
    }

    fn remember(&mut self, code: u8) -> Result<(), String> {
        let key = match code {
            b'q' => self.bytes.array::<1>()?[0].into(),
            b'r' => u32::from_le_bytes(self.bytes.array()?),
            _ => self.memo.len() as u32,
        };
        let top = self.top()?;
        self.memo.insert(key, top);
        Ok(())
    }

    fn recall(&mut self, code: u8) -> Result<(), String> {
        let key = match code {
            b'h' => self.bytes.array::<1>()?[0].into(),
            _ => u32::from_le_bytes(self.bytes.array()?),
        };
        let known =
            self.memo.get(&key).ok_or_else(|| format!("recalls value {key}, which was not stored"))?;
        self.stack.push(*known);
        Ok(())
    }

    fn push(&mut self, value: PickleValue<'a>) -> Result<(), String> {
        let id = self.values.add(value)?;
        self.stack.push(id);
        Ok(())
    }

    fn pop(&mut self) -> Result<Id, String> {
        let top = self.top()?;
        self.stack.pop();
        Ok(top)
    }

    /// The last value of the open group; those of the groups around it are out of reach.
    fn top(&self) -> Result<Id, String> {
        let start = self.marks.last().copied().unwrap_or(0);
        self.stack[start..].last().copied().ok_or_else(|| "takes a value where there is none".into())
    }

    fn last(&mut self, count: usize) -> Result<Vec<Id>, String> {
        let start = self.marks.last().copied().unwrap_or(0);
        let from = self.stack.len().checked_sub(count).filter(|from| *from >= start);
        Ok(self.stack.split_off(from.ok_or("takes values where there are none")?))
    }

    /// Closes the open group.
    fn group(&mut self) -> Result<Vec<Id>, String> {
        let start = self.marks.pop().ok_or("closes a group that was not opened")?;
        Ok(self.stack.split_off(start))
    }
}

/// A whole number of up to 16 bytes, smallest first, with a sign.
fn long(bytes: &[u8]) -> Result<i128, String> {
    let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let mut all = [if negative { 0xff } else { 0 }; 16];
    all.get_mut(..bytes.len()).ok_or("a number of more than 16 bytes")?.copy_from_slice(bytes);
    Ok(i128::from_le_bytes(all))
}

fn utf8(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| "a text that is not UTF-8".into())
}

#[cfg(test)]
mod tests {
    use super::super::tensors::{NumberKind, Storage, View};
    use super::super::values::Global;
    use super::*;

    /// The value as text, with its parts.
    fn show(bytes: &[u8]) -> Result<String, String> {
        fn text(values: &Values<'_>, id: Id) -> String {
            let all = |ids: &[Id]| ids.iter().map(|id| text(values, *id)).collect::<Vec<_>>().join(", ");
            match values.get(id) {
                PickleValue::Tuple(parts) => format!("({})", all(parts)),
                PickleValue::List(parts) => format!("[{}]", all(parts)),
                PickleValue::Dict(entries) => {
                    let pair = |(key, value): &(Id, Id)| all(&[*key, *value]).replacen(", ", ": ", 1);
                    format!("{{{}}}", entries.iter().map(pair).collect::<Vec<_>>().join(", "))
                }
                value => format!("{value:?}"),
            }
        }
        read(bytes).map(|pickle| text(&pickle.values, pickle.root))
    }

    #[test]
    fn values_are_those_that_python_wrote() {
        // pickle.dumps(…, 2) of Python 3.11
        let cases: [(&[u8], &str); 9] = [
            (b"\x80\x02N.", "None"),
            (b"\x80\x02M\xe9\x03.", "Int(1001)"),
            (b"\x80\x02J\xfe\xff\xff\xff.", "Int(-2)"),
            (b"\x80\x02\x8a\x05\x00\x00\x00\x00\xff.", "Int(-4294967296)"),
            (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "Int(119547037146038801333356)"),
            (b"\x80\x02G?\xd0\x00\x00\x00\x00\x00\x00.", "Float(0.25)"),
            (
                b"\x80\x02}q\x00(X\x01\x00\x00\x00aq\x01K\x01\x85q\x02X\x01\x00\x00\x00bq\x03]q\x04(\x88Neu.",
                "{Text(\"a\"): (Int(1)), Text(\"b\"): [Bool(true), None]}",
            ),
            // [x, x] with x = 'ab'; protocol 2, then 4
            (b"\x80\x02]q\x00(X\x02\x00\x00\x00abq\x01h\x01e.", "[Text(\"ab\"), Text(\"ab\")]"),
            (
                b"\x80\x04\x95\x0c\x00\x00\x00\x00\x00\x00\x00]\x94(\x8c\x02ab\x94h\x01e.",
                "[Text(\"ab\"), Text(\"ab\")]",
            ),
        ];
        for (bytes, expected) in cases {
            assert_eq!(show(bytes).unwrap(), expected, "{}", bytes.escape_ascii());
        }
    }

    /// A tensor of the storage `part` of six numbers (see `globals::storage`), with this shape and these strides.
    fn tensor(part: &str, shape: &str, strides: &str) -> Vec<u8> {
        let function = "ctorch._utils\n_rebuild_tensor_v2\n";
        let storage = "X\u{7}\0\0\0storagectorch\nFloatStorage\nX\u{1}\0\0\0kX\u{3}\0\0\0cpuK\u{6}";
        let hooks = "ccollections\nOrderedDict\n)R";
        format!("{function}(({storage}{part}tQK\u{1}({shape}t({strides}tN{hooks}tR.").into_bytes()
    }

    #[test]
    fn a_tensor_is_a_view_of_a_storage() {
        let whole = Storage { kind: NumberKind::F32, key: "k", numbers: 6, start: 0, length: 6 };
        let part = Storage { start: 2, length: 4, ..whole.clone() };
        // older files name a part of a storage by (its own key, start, length)
        for (text, storage) in [("", &whole), ("N", &whole), ("(NK\u{2}K\u{4}t", &part)] {
            let bytes = tensor(text, "K\u{2}K\u{3}", "K\u{3}K\u{1}");
            let pickle = read(&bytes).unwrap();
            assert_eq!(pickle.length, bytes.len());
            let view = View { storage: storage.clone(), offset: 1, shape: vec![2, 3], strides: vec![3, 1] };
            assert_eq!(*pickle.values.get(pickle.root), PickleValue::Tensor(view));
        }
        let refused = |bytes: &[u8], expected| {
            let error = show(bytes).unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        refused(&tensor("(NK\u{2}K\u{5}t", "K\u{1}", "K\u{1}"), "names a storage in a way");
        refused(&tensor("K\u{2}", "K\u{1}", "K\u{1}"), "names a storage in a way");
        refused(&tensor("", "N", "K\u{1}"), "calls RebuildTensor in a way");
        // a long shape could be copied again and again
        refused(&tensor("", &"K\u{1}".repeat(9), "K\u{1}"), "calls RebuildTensor in a way");
    }

    #[test]
    fn only_the_names_that_weights_need_are_known() {
        let error = show(b"cos\nsystem\n(X\x04\x00\x00\x00truetR.").unwrap_err();
        assert!(error.starts_with("pickle, byte 0: mentions os.system,"), "{error}");
        let error = show(b"\x8c\x02os\x8c\x06system\x93.").unwrap_err();
        assert!(error.contains("mentions os.system,"), "{error}");
        for name in ["torch\nStorage", "torch\nload", "torch.storage\nFloatStorage", "builtins\neval"] {
            assert!(show(format!("c{name}\n.").as_bytes()).is_err(), "{name}");
        }
        let global = format!("{:?}", PickleValue::Global(Global::Storage(NumberKind::F16)));
        assert_eq!(show(b"ctorch\nHalfStorage\n.").unwrap(), global);
    }

    #[test]
    fn nonsense_is_an_error() {
        let cases: [(&[u8], &str); 15] = [
            (b"", "byte 0: 1 bytes should follow, 0 do"),
            (b".", "where there is none"),
            (b"K\x01(.", "where there is none"),
            (b"K\x01(\x85.", "takes values where there are none"),
            (b"N\x86.", "takes values where there are none"),
            (b"t.", "not opened"),
            (b"h\x01.", "recalls value 1, which was not stored"),
            (b"X\xff\xff\xff\xffab.", "4294967295 bytes should follow, 3 do"),
            (b"X\x01\x00\x00\x00\xff.", "not UTF-8"),
            (b"\x8a\x11aaaaaaaaaaaaaaaaa.", "more than 16 bytes"),
            (b"}(Nu.", "a key without a value"),
            (b"](NNu.", "fills something that is not a list or dictionary"),
            (b"N)R.", "calls something that is not a function"),
            (b"]}b.", "attributes to something that is not a dictionary"),
            (b"\x81.", "instruction 0x81"),
        ];
        for (bytes, expected) in cases {
            let error = show(bytes).unwrap_err();
            assert!(error.contains(expected), "{}: {error}", bytes.escape_ascii());
        }
        let error = show(b"ccollections\nOrderedDict\nN\x85R.").unwrap_err();
        assert!(error.contains("calls OrderedDict in a way"), "{error}");
        for storage in ["N", "X\u{1}\0\0\0aQ", "(X\u{7}\0\0\0storageNX\u{1}\0\0\0kX\u{1}\0\0\0cK\u{6}t"] {
            let error = show(format!("{storage}Q.").as_bytes()).unwrap_err();
            assert!(error.contains("names a storage in a way"), "{error}");
        }
    }

    #[test]
    fn depth_loops_and_length_are_harmless() {
        let mut deep = vec![b')'];
        deep.extend([0x85].repeat(500_000));
        deep.push(b'.');
        drop(read(&deep).unwrap());
        // a list that holds itself
        read(b"]q\x00h\x00a.").unwrap();
        let error = read(&[b'N'].repeat(MOST_INSTRUCTIONS + 1)).map(|pickle| pickle.length).unwrap_err();
        assert!(error.contains("more than 1048576 instructions"), "{error}");
    }
}
