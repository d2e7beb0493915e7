//! Which network?

mod cifar_resnet;
mod imagenet_resnet;
mod small_cnn;

use crate::layers::{ConvNorm, Layer};
use qcrs::types::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The networks that this crate trains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Architecture {
    /// Five convolutions for 28×28 grey images; 70 thousand weights.
    SmallCnn,
    /// A ResNet for 32×32 colour images with this many layers: 8, 20, 56 or 110.
    CifarResnet(u32),
    /// A ResNet for 224×224 colour images with this many layers: 18 or 50.
    ImagenetResnet(u32),
}

impl Architecture {
    /// Every network, in the order of their size.
    pub const ALL: [Self; 7] = [
        Self::SmallCnn,
        Self::CifarResnet(8),
        Self::CifarResnet(20),
        Self::CifarResnet(56),
        Self::CifarResnet(110),
        Self::ImagenetResnet(18),
        Self::ImagenetResnet(50),
    ];

    /// Channels, height and width of an image.
    pub fn input(self) -> [usize; 3] {
        match self {
            Self::SmallCnn => [1, 28, 28],
            Self::CifarResnet(_) => [3, 32, 32],
            Self::ImagenetResnet(_) => [3, 224, 224],
        }
    }

    /// The layers for this many classes.
    pub fn layers(self, classes: usize) -> Vec<Layer> {
        match self {
            Self::SmallCnn => small_cnn::layers(classes),
            Self::CifarResnet(depth) => cifar_resnet::layers(depth, classes),
            Self::ImagenetResnet(depth) => imagenet_resnet::layers(depth, classes),
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SmallCnn => f.write_str("cnn"),
            Self::CifarResnet(depth) | Self::ImagenetResnet(depth) => write!(f, "resnet{depth}"),
        }
    }
}

impl FromStr for Architecture {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|one| one.to_string() == text).ok_or_else(|| {
            let names = Self::ALL.map(|one| one.to_string()).join(", ");
            Error::Invalid(format!("unknown architecture '{text}'; choose one of {names}"))
        })
    }
}

impl From<Architecture> for String {
    fn from(architecture: Architecture) -> Self {
        architecture.to_string()
    }
}

impl TryFrom<String> for Architecture {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

/// A convolution and its normalisation, named as given; `size` is [inputs, outputs].
fn unit(conv: impl Into<String>, norm: impl Into<String>, size: [i64; 2], kernel: i64, stride: i64) -> Layer {
    let [inputs, outputs] = size;
    Layer::ConvNorm(ConvNorm { conv: conv.into(), norm: norm.into(), inputs, outputs, kernel, stride })
}

/// Two 3×3 convolutions beside a shortcut (He et al. 2016), named as PyTorch's `BasicBlock` names them.
fn basic_block(name: &str, size: [i64; 2], stride: i64) -> Layer {
    let body = vec![
        unit(format!("{name}.conv1"), format!("{name}.bn1"), size, 3, stride),
        Layer::Relu,
        unit(format!("{name}.conv2"), format!("{name}.bn2"), [size[1], size[1]], 3, 1),
    ];
    Layer::Residual { body, shortcut: shortcut(name, size, stride) }
}

/// Nothing where the block keeps its shape, else a 1×1 convolution.
fn shortcut(name: &str, size: [i64; 2], stride: i64) -> Vec<Layer> {
    if stride == 1 && size[0] == size[1] {
        return Vec::new();
    }
    vec![unit(format!("{name}.downsample.0"), format!("{name}.downsample.1"), size, 1, stride)]
}

fn head(inputs: i64, classes: usize) -> [Layer; 2] {
    [Layer::GlobalAverage, Layer::Linear { name: "fc".into(), inputs, outputs: classes as i64 }]
}
