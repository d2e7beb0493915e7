//! The ways in which a model may want its pixels.

use qcrs::sample::InputTransform;

/// One way of handing over the pixels.
pub struct Variant {
    /// The way, in words.
    pub way: &'static str,
    transform: Option<InputTransform>,
    layout: Layout,
}

#[derive(PartialEq)]
enum Layout {
    /// Channel by channel, row by row.
    Planar,
    /// Pixel by pixel.
    Interleaved,
    /// Rows and columns exchanged.
    Transposed,
}

const AS_IS: &str = "[0, 1], channel by channel";
const BYTES: &str = "0 to 255";
const HALF: &str = "-1 to 1";
const CIFAR10: &str = "normalised by CIFAR-10's mean";
const IMAGENET: &str = "normalised by ImageNet's mean";
const BGR: &str = "blue first";
const INTERLEAVED: &str = "pixel by pixel (NHWC)";
const TRANSPOSED: &str = "rows and columns exchanged";

/// What to do for a model that wants its pixels this way.
pub fn option_for(way: &str) -> &'static str {
    match way {
        BYTES => "add --normalize 255",
        HALF => "add --normalize half",
        CIFAR10 => "add --normalize cifar10",
        IMAGENET => "add --normalize imagenet",
        BGR => "add --bgr",
        AS_IS => "leave out --normalize and --bgr",
        INTERLEAVED => "export the model for NCHW input, or give --layout if the data is an array",
        _ => "exchange rows and columns in the data or in the model",
    }
}

impl Variant {
    /// The way that the command line says.
    pub fn declared(transform: Option<InputTransform>) -> Self {
        let way = if transform.is_some() { "as --normalize and --bgr say" } else { AS_IS };
        Self { way, transform, layout: Layout::Planar }
    }

    /// Other ways that are common in the field.
    pub fn alternatives(channels: usize) -> Vec<Self> {
        let affine = |way, mean: &[f32], std: &[f32], reversed| {
            let transform = Some(InputTransform { mean: mean.to_vec(), std: std.to_vec(), reversed });
            Self { way, transform, layout: Layout::Planar }
        };
        let c = channels;
        let mut all = vec![
            affine(BYTES, &vec![0.0; c], &vec![1.0 / 255.0; c], false),
            affine(HALF, &vec![0.5; c], &vec![0.5; c], false),
            Self { way: TRANSPOSED, transform: None, layout: Layout::Transposed },
        ];
        if channels == 3 {
            all.extend([
                affine(CIFAR10, &[0.4914, 0.4822, 0.4465], &[0.2023, 0.1994, 0.2010], false),
                affine(IMAGENET, &[0.485, 0.456, 0.406], &[0.229, 0.224, 0.225], false),
                affine(BGR, &[0.0; 3], &[1.0; 3], true),
                Self { way: INTERLEAVED, transform: None, layout: Layout::Interleaved },
            ]);
        }
        all
    }

    /// Images in planar [0, 1] pixels, the way this variant has it.
    pub fn apply(&self, pixels: &[f32], [channels, height, width]: [usize; 3]) -> Vec<f32> {
        let plane = height * width;
        let mut out = Vec::with_capacity(pixels.len());
        for image in pixels.chunks_exact(channels * plane) {
            match self.layout {
                Layout::Planar => out.extend_from_slice(image),
                Layout::Interleaved => {
                    out.extend((0..plane).flat_map(|at| (0..channels).map(move |c| image[c * plane + at])));
                }
                Layout::Transposed => out.extend(image.chunks_exact(plane).flat_map(|image| {
                    // as many values as before, whatever height and width are
                    (0..width).flat_map(move |x| (0..height).map(move |y| image[y * width + x]))
                })),
            }
        }
        match &self.transform {
            None => out,
            Some(transform) => transform.apply(&out, plane),
        }
    }
}
