//! Does the model take this data, and does it give class scores?

use crate::inspect::{Graph, Port};
use std::fmt;

/// This many pixels take a gigabyte.
const LARGEST_BATCH: usize = 1 << 28;

/// One image as the model declares it; `None` where any size is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputShape {
    /// Colour channels.
    pub channels: Option<usize>,
    /// Rows.
    pub height: Option<usize>,
    /// Columns.
    pub width: Option<usize>,
}

impl fmt::Display for InputShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shape_text(&[self.channels, self.height, self.width]))
    }
}

/// Checks what the model declares against images of `data` = [channels, height, width]; returns the image
/// shape, and the batch size if it is fixed.
pub(crate) fn fit(graph: &Graph, data: [usize; 3]) -> Result<(InputShape, Option<usize>), String> {
    let input = only(&graph.inputs, "input", "images")?;
    let output = only(&graph.outputs, "output", "class scores")?;
    float(input, "input")?;
    float(output, "output")?;
    let Some(dims) = &input.dims else {
        return Err(format!("input `{}` declares no shape; export it with one, as [N, C, H, W]", input.name));
    };
    let &[batch, channels, height, width] = dims.as_slice() else {
        let (name, shape) = (&input.name, shape_text(dims));
        return Err(format!("input `{name}` is {shape}; qcrs feeds images as [N, C, H, W]"));
    };
    if let Some(batch) = batch
        && batch.saturating_mul(data.iter().product()) > LARGEST_BATCH
    {
        return Err(format!(
            "the model takes exactly {batch} images at a time, which are too many; export it with a dynamic batch"
        ));
    }
    let shape = InputShape { channels, height, width };
    let fits = |want: [Option<usize>; 3], has: [usize; 3]| {
        want.iter().zip(has).all(|(w, h)| w.is_none_or(|w| w == h))
    };
    if !fits([channels, height, width], data) {
        let [c, h, w] = data;
        let last = if fits([channels, height, width], [h, w, c]) {
            "; either has channels last (NHWC): export the model with channels first (NCHW), or set the layout of an array"
        } else {
            "; resize and crop image files, or use the data this model was trained on"
        };
        return Err(format!("the model takes images of {shape}, the data are {c}×{h}×{w}{last}"));
    }
    if let Some(dims) = &output.dims
        && dims.len() != 2
    {
        let (name, shape) = (&output.name, shape_text(dims));
        return Err(format!(
            "output `{name}` is {shape}; qcrs needs one row of class scores per image, [N, classes]"
        ));
    }
    Ok((shape, batch))
}

fn only<'a>(ports: &'a [Port], what: &str, holds: &str) -> Result<&'a Port, String> {
    if let [port] = ports {
        return Ok(port);
    }
    let names: Vec<_> = ports.iter().map(|port| format!("`{}`", port.name)).collect();
    let (count, names) = (ports.len(), names.join(", "));
    Err(format!("the model has {count} {what}s ({names}); export it with one {what}, the {holds}"))
}

fn float(port: &Port, what: &str) -> Result<(), String> {
    let element = match port.element {
        Some(1) => return Ok(()),
        Some(2) => "uint8",
        Some(3) => "int8",
        Some(6) => "int32",
        Some(7) => "int64",
        Some(10) => "float16",
        Some(11) => "float64",
        Some(16) => "bfloat16",
        Some(_) => "of another element type",
        None => "not a tensor",
    };
    Err(format!("{what} `{}` is {element}; export the model with a float32 {what}", port.name))
}

fn shape_text(dims: &[Option<usize>]) -> String {
    let dims: Vec<_> = dims.iter().map(|dim| dim.map_or("any".into(), |n| n.to_string())).collect();
    dims.join("×")
}
