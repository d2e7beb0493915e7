//! Are these the networks of the literature?

use qcrs_train::architecture::Architecture;
use qcrs_train::layers::Layer;
use qcrs_train::network::{Network, NetworkMode, TrainingPrecision};
use tch::{Device, Kind, Tensor};

#[test]
fn parameter_counts_are_the_published_ones_and_scores_have_the_right_shape() {
    // CIFAR: 272,474 for ResNet-20 with 1×1 shortcuts (269,722 without), and so on; ImageNet: torchvision's
    let cases = [
        ("cnn", 10, 70_330),
        ("resnet8", 10, 78_042),
        ("resnet20", 10, 272_474),
        ("resnet56", 10, 855_770),
        ("resnet110", 10, 1_730_714),
        ("resnet18", 1000, 11_689_512),
        ("resnet50", 1000, 25_557_032),
    ];
    for (name, classes, parameters) in cases {
        let architecture: Architecture = name.parse().unwrap();
        let network = Network::new(architecture, classes, 0, Device::Cpu);
        assert_eq!(network.parameters(), parameters, "{name}");
        let [c, h, w] = architecture.input().map(|size| i64::try_from(size).unwrap());
        let images = Tensor::ones([2, c, h, w], (Kind::Float, Device::Cpu));
        let scores = tch::no_grad(|| network.scores(&images, NetworkMode::Use));
        assert_eq!(scores.size(), [2, i64::try_from(classes).unwrap()], "{name}");
    }
}

/// Multiplications of one image through `layers`, and the side of what comes out.
fn multiplications(layers: &[Layer], side: i64) -> (i64, i64) {
    layers.iter().fold((0, side), |(sum, side), layer| match layer {
        Layer::ConvNorm(unit) => {
            let side = (side - 1) / unit.stride + 1;
            (sum + side * side * unit.inputs * unit.outputs * unit.kernel * unit.kernel, side)
        }
        Layer::MaxPool => (sum, side / 2),
        Layer::Residual { body, shortcut } => {
            let ((long, out), (short, _)) = (multiplications(body, side), multiplications(shortcut, side));
            (sum + long + short, out)
        }
        Layer::Linear { inputs, outputs, .. } => (sum + inputs * outputs, side),
        Layer::Normalise { .. } | Layer::Relu | Layer::GlobalAverage => (sum, side),
    })
}

/// Strides do not change the number of parameters, but that of multiplications.
#[test]
fn strides_are_where_they_belong() {
    // CIFAR: by hand, 442,368 + 14,155,776 + 13,107,200 + 13,107,200 + 640; ImageNet: torchvision's 1.81 and 4.09 G
    for (name, classes, low, high) in [
        ("resnet20", 10, 40_813_184, 40_813_184),
        ("resnet18", 1000, 1_805_000_000, 1_815_000_000),
        ("resnet50", 1000, 4_085_000_000, 4_095_000_000),
    ] {
        let architecture: Architecture = name.parse().unwrap();
        let side = i64::try_from(architecture.input()[1]).unwrap();
        let (found, _) = multiplications(&architecture.layers(classes), side);
        assert!((low..=high).contains(&found), "{name}: {found}");
    }
}

/// 8 bits instead of 24 in 19 convolutions: other scores, but not far away, and f32 in the end.
#[test]
fn bf16_is_rougher_and_near() {
    let network = Network::new(Architecture::CifarResnet(20), 10, 0, Device::Cpu);
    let images = Tensor::rand([16, 3, 32, 32], (Kind::Float, Device::Cpu));
    let scores = |precision| tch::no_grad(|| network.scores(&images, NetworkMode::Train(precision)));
    let (fine, rough) = (scores(TrainingPrecision::F32), scores(TrainingPrecision::Bf16));
    assert_eq!(rough.kind(), Kind::Float);
    let distance = (&rough - &fine).norm().double_value(&[]) / fine.norm().double_value(&[]);
    assert!((1e-4..0.05).contains(&distance), "{distance}");
}

#[test]
fn the_same_seed_is_the_same_network() {
    let weight = |seed| Network::new(Architecture::CifarResnet(8), 10, seed, Device::Cpu).values("fc.weight");
    assert_eq!(weight(1), weight(1));
    assert_ne!(weight(1), weight(2));
}

#[test]
fn weights_of_another_architecture_are_refused_by_name() {
    let donor = Network::new(Architecture::CifarResnet(8), 10, 0, Device::Cpu);
    let weights = donor.weights().into_iter().map(|weight| (weight.name.clone(), donor.tensor(&weight.name)));
    let weights = weights.collect();
    let mut network = Network::new(Architecture::CifarResnet(20), 10, 0, Device::Cpu);
    let error = network.set(&weights).unwrap_err().to_string();
    assert!(error.contains("resnet20 with 10 classes: layer1.1.conv1.weight is missing"), "{error}");
    let mut network = Network::new(Architecture::CifarResnet(8), 100, 0, Device::Cpu);
    let error = network.set(&weights).unwrap_err().to_string();
    assert!(error.contains("fc.weight has shape [10, 64] instead of [100, 64]"), "{error}");
}
