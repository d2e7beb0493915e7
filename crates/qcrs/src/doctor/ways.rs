//! In which ways may a model want its pixels?

use crate::sample::InputTransform;

/// A way of handing over the pixels. Except for [`Way::Declared`], they are those of the data, in [0, 1],
/// channel by channel and row by row, with the one change that is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// With the transform that the model is declared to want.
    Declared,
    /// Without any change.
    Plain,
    /// Rows and columns exchanged.
    Transposed,
    /// 0 to 255.
    Bytes,
    /// −1 to 1.
    Half,
    /// Normalised by the mean of CIFAR-10 and the mean deviation of its images.
    Cifar10,
    /// Normalised by the mean and deviation of all pixels of CIFAR-10.
    Cifar10Pixels,
    /// Normalised by the mean and deviation of ImageNet.
    ImageNet,
    /// Blue first.
    BlueFirst,
    /// Pixel by pixel (NHWC).
    Interleaved,
}

impl Way {
    /// The declared way, then those that are common in the field for images with this many channels.
    pub(super) fn to_try(declared: bool, channels: usize) -> Vec<Self> {
        let first = if declared { &[Self::Declared, Self::Plain][..] } else { &[Self::Plain] };
        let any = [Self::Transposed, Self::Bytes, Self::Half];
        let colour = [Self::Cifar10, Self::Cifar10Pixels, Self::ImageNet, Self::BlueFirst, Self::Interleaved];
        let colour = if channels == 3 { &colour[..] } else { &[] };
        [first, &any, colour].concat()
    }

    /// Planar images in [0, 1], handed over this way.
    pub(super) fn hand_over(
        self,
        declared: Option<&InputTransform>,
        pixels: &[f32],
        shape: [usize; 3],
    ) -> Vec<f32> {
        let [channels, height, width] = shape;
        let plane = height * width;
        let transform = match self {
            Self::Declared => declared.cloned(),
            other => other.transform(channels),
        };
        let moved: Vec<f32> = match self {
            Self::Interleaved => each_image(pixels, shape, |image| {
                (0..plane).flat_map(|at| (0..channels).map(move |c| image[c * plane + at])).collect()
            }),
            Self::Transposed => each_image(pixels, shape, |image| {
                // as many values as before, whatever height and width are
                let turned = |plane: &[f32]| {
                    let column = |x: usize| plane.iter().skip(x).step_by(width).copied();
                    (0..width).flat_map(column).collect::<Vec<f32>>()
                };
                image.chunks_exact(plane).flat_map(turned).collect()
            }),
            _ => pixels.to_vec(),
        };
        match transform {
            Some(transform) => transform.apply(&moved, plane),
            None => moved,
        }
    }

    /// The name of its numbers, as [`InputTransform::named`] knows it, if it only changes the numbers.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Bytes => Some("255"),
            Self::Half => Some("half"),
            Self::Cifar10 => Some("cifar10"),
            Self::Cifar10Pixels => Some("cifar10-0.247"),
            Self::ImageNet => Some("imagenet"),
            Self::Declared | Self::Plain | Self::Transposed | Self::BlueFirst | Self::Interleaved => None,
        }
    }

    fn transform(self, channels: usize) -> Option<InputTransform> {
        let reversed = || InputTransform { reversed: true, ..InputTransform::none(channels) };
        match self.name() {
            Some(name) => InputTransform::named(name, channels),
            None => (self == Self::BlueFirst).then(reversed),
        }
    }
}

fn each_image(
    pixels: &[f32],
    [channels, height, width]: [usize; 3],
    change: impl Fn(&[f32]) -> Vec<f32>,
) -> Vec<f32> {
    pixels.chunks_exact(channels * height * width).flat_map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_where_each_way_has_them() {
        // two images of three channels, one row and two columns
        let pixels: Vec<f32> = (0..12).map(|i| i as f32 / 255.0).collect();
        let given = |way: Way| -> Vec<f32> {
            let values = way.hand_over(None, &pixels, [3, 1, 2]);
            values.iter().map(|value| (255.0 * value * 100.0).round() / 100.0).collect()
        };
        let plain: Vec<f32> = (0..12).map(|i| i as f32).collect();
        assert_eq!(given(Way::Plain), plain);
        assert_eq!(given(Way::Transposed), plain, "one row or one column");
        assert_eq!(given(Way::Bytes), plain.iter().map(|value| 255.0 * value).collect::<Vec<_>>());
        assert_eq!(given(Way::Half)[..2], [-255.0, -253.0]);
        assert_eq!(given(Way::BlueFirst)[..6], [4.0, 5.0, 2.0, 3.0, 0.0, 1.0]);
        assert_eq!(given(Way::Interleaved)[6..], [6.0, 8.0, 10.0, 7.0, 9.0, 11.0]);
        let square: Vec<f32> = (0..6).map(|i| i as f32).collect();
        assert_eq!(Way::Transposed.hand_over(None, &square, [1, 2, 3]), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        let declared = InputTransform { mean: vec![0.0; 3], std: vec![0.5; 3], reversed: false };
        let twice = Way::Declared.hand_over(Some(&declared), &pixels, [3, 1, 2]);
        assert!(twice.iter().zip(&pixels).all(|(twice, once)| (twice - 2.0 * once).abs() < 1e-7));
    }

    #[test]
    fn grey_images_have_no_order_of_colours() {
        assert_eq!(Way::to_try(false, 1), [Way::Plain, Way::Transposed, Way::Bytes, Way::Half]);
        assert_eq!(Way::to_try(true, 3)[..2], [Way::Declared, Way::Plain]);
        assert_eq!(Way::to_try(true, 3).len(), 10);
    }
}
