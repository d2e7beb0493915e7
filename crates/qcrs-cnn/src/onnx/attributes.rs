//! What does a node say besides its inputs?

use crate::Refusal;
use crate::graph::{ImageShape, Window};
use crate::proto::{AttributeProto, NodeProto, TensorProto};

#[derive(Clone, Copy)]
pub(super) struct Attributes<'a>(pub(super) &'a NodeProto<'a>);

impl<'a> Attributes<'a> {
    fn find(self, name: &str) -> Option<&'a AttributeProto<'a>> {
        self.0.attribute(name)
    }

    pub(super) fn int(self, name: &str, default: i64) -> i64 {
        self.find(name).map_or(default, |attribute| attribute.int.unwrap_or(0))
    }

    pub(super) fn float(self, name: &str, default: f32) -> f32 {
        self.find(name).map_or(default, |attribute| attribute.float.unwrap_or(0.0))
    }

    pub(super) fn has(self, name: &str) -> bool {
        self.find(name).is_some()
    }

    pub(super) fn ints(self, name: &str) -> Option<&'a [i64]> {
        self.find(name).map(|attribute| attribute.ints.as_slice())
    }

    pub(super) fn tensor(self, name: &str) -> Option<&'a TensorProto<'a>> {
        if let [tensor] = &self.find(name)?.tensors[..] { Some(tensor) } else { None }
    }

    /// An attribute that must have its plain value, which asks for nothing special.
    pub(super) fn plain(self, name: &str, plain: i64) -> Result<(), Refusal> {
        let found = self.int(name, plain);
        if found == plain { Ok(()) } else { Err(Refusal::Unsupported(format!("{name} = {found}"))) }
    }

    /// The window of a convolution or a pooling over images of `shape`.
    pub(super) fn window(self, size: Option<[usize; 2]>, shape: ImageShape) -> Result<Window, Refusal> {
        let sizes = |name: &str, default: &[usize]| match self.ints(name) {
            None => Ok(default.to_vec()),
            Some(found) if found.len() == default.len() => found.iter().map(|size| small(*size)).collect(),
            Some(found) => Err(Refusal::Unsupported(format!("{name} = {found:?}"))),
        };
        let asked = sizes("kernel_shape", &size.unwrap_or([0, 0]))?;
        let size = size.unwrap_or([asked[0], asked[1]]);
        if asked != size {
            return Err(Refusal::Broken(format!("kernel_shape {asked:?} for weights of {size:?}")));
        }
        if sizes("dilations", &[1, 1])? != [1, 1] {
            return Err(Refusal::Unsupported("dilations".into()));
        }
        self.plain("ceil_mode", 0)?;
        let stride = sizes("strides", &[1, 1])?;
        let stride = [stride[0], stride[1]];
        let pads = sizes("pads", &[0; 4])?;
        let mut pad = [pads[0], pads[1], pads[2], pads[3]];
        match self.find("auto_pad").and_then(|attribute| attribute.text).unwrap_or_default() {
            b"NOTSET" | b"" => {}
            b"VALID" => pad = [0; 4],
            b"SAME_UPPER" => pad = same(size, stride, shape, false),
            b"SAME_LOWER" => pad = same(size, stride, shape, true),
            other => {
                let other = String::from_utf8_lossy(other);
                return Err(Refusal::Unsupported(format!("auto_pad = {other}")));
            }
        }
        Ok(Window { size, stride, pad })
    }
}

/// Padding that gives ⌈length / stride⌉ places; an odd pixel goes to the end, or to the start.
fn same(size: [usize; 2], stride: [usize; 2], [_, height, width]: ImageShape, lower: bool) -> [usize; 4] {
    let along = |axis: usize, length: usize| {
        let step = stride[axis].max(1);
        let all = ((length.div_ceil(step) - 1) * step + size[axis]).saturating_sub(length);
        if lower { [all.div_ceil(2), all / 2] } else { [all / 2, all.div_ceil(2)] }
    };
    let ([above, below], [left, right]) = (along(0, height), along(1, width));
    [above, left, below, right]
}

/// A length that an image classifier may have.
pub(super) fn small(size: i64) -> Result<usize, Refusal> {
    match usize::try_from(size) {
        Ok(size) if size <= 1 << 20 => Ok(size),
        Ok(size) => Err(Refusal::Unsupported(format!("a length of {size}"))),
        Err(_) => Err(Refusal::Broken(format!("a length of {size}"))),
    }
}

/// A length as the file writes it.
pub(super) fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four pixels wide on five, one step at a time: three more are needed, and the odd one goes to one end.
    #[test]
    fn the_odd_pixel_of_same_goes_to_its_end() {
        assert_eq!(same([4, 3], [1, 1], [1, 5, 6], false), [1, 1, 2, 1]);
        assert_eq!(same([4, 3], [1, 1], [1, 5, 6], true), [2, 1, 1, 1]);
        assert_eq!(same([3, 3], [2, 2], [1, 6, 5], false), [0, 1, 1, 1]);
        assert_eq!(same([1, 1], [2, 2], [1, 6, 5], true), [0; 4]);
    }
}
