//! The ways in which a model may want its pixels.

use qcrs::sample::InputTransform;
use qcrs_terminal::settings::transform;

/// One way of handing over the pixels.
pub struct Variant {
    /// The way, in words.
    pub way: &'static str,
    /// What to do for a model that wants its pixels so.
    pub advice: String,
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

impl Variant {
    /// The way that the command line says, and then others that are common in the field.
    pub fn all(declared: Option<&InputTransform>, channels: usize) -> anyhow::Result<Vec<Self>> {
        let ways = [
            ("0 to 255", "--normalize 255", Some("255"), false),
            ("-1 to 1", "--normalize half", Some("half"), false),
            ("normalised by CIFAR-10's mean", "--normalize cifar10", Some("cifar10"), false),
            ("normalised by ImageNet's mean", "--normalize imagenet", Some("imagenet"), false),
            ("blue first", "--bgr", None, true),
        ];
        let mut all = Vec::new();
        if let Some(transform) = declared {
            let way = "as --normalize and --bgr say";
            all.push(Self {
                way,
                advice: String::new(),
                transform: Some(transform.clone()),
                layout: Layout::Planar,
            });
        }
        all.push(Self {
            way: "[0, 1], channel by channel",
            advice: "leave out --normalize and --bgr".into(),
            transform: None,
            layout: Layout::Planar,
        });
        all.push(Self {
            way: "rows and columns exchanged",
            advice: "exchange rows and columns in the data or in the model".into(),
            transform: None,
            layout: Layout::Transposed,
        });
        // the last three are about three colours
        for (way, option, normalize, bgr) in ways.into_iter().take(if channels == 3 { 5 } else { 2 }) {
            let advice = match declared {
                None => format!("add {option}"),
                Some(_) => format!("give {option} instead of what was given"),
            };
            let transform = transform(normalize, bgr, channels)?;
            all.push(Self { way, advice, transform, layout: Layout::Planar });
        }
        if channels == 3 {
            all.push(Self {
                way: "pixel by pixel (NHWC)",
                advice: "export the model for NCHW input, or give --layout if the data is an array".into(),
                transform: None,
                layout: Layout::Interleaved,
            });
        }
        Ok(all)
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
