//! Do other programs see the network that was trained?

use qcrs_onnx::{EngineChoice, LoadOptions, load};
use qcrs_train::architecture::Architecture;
use qcrs_train::network::{Mode, Network};
use qcrs_train::onnx;
use tch::{Device, Kind, Tensor};

/// A network whose batch normalisations remember something: folding them must not be trivial.
fn lived_in(architecture: Architecture) -> Network {
    let network = Network::new(architecture, 10, 3, Device::Cpu);
    let [c, h, w] = architecture.input().map(|size| size as i64);
    for _ in 0..3 {
        let images = Tensor::rand([8, c, h, w], (Kind::Float, Device::Cpu));
        let _ = tch::no_grad(|| network.scores(&images, Mode::Train));
    }
    for weight in network.weights() {
        if weight.name.contains("bn") || weight.name.contains("downsample.1") {
            let mut tensor = network.tensor(&weight.name);
            let shake = Tensor::rand(weight.shape.as_slice(), (Kind::Float, Device::Cpu)) * 0.5;
            tch::no_grad(|| tensor += shake);
        }
    }
    network
}

#[test]
fn rten_gives_the_trainers_scores() {
    for architecture in
        [Architecture::SmallCnn, Architecture::CifarResnet(20), Architecture::ImagenetResnet(18)]
    {
        let network = lived_in(architecture);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.onnx");
        onnx::write(&path, &network, &[("qcrs.sigma".into(), "0.25".into())]).unwrap();
        let options = LoadOptions { engine: EngineChoice::Rten, ..LoadOptions::default() };
        let model = load(&path, architecture.input(), &options).unwrap();
        assert_eq!(model.fixed_batch, None);

        let [c, h, w] = architecture.input().map(|size| size as i64);
        let images = Tensor::rand([5, c, h, w], (Kind::Float, Device::Cpu)) * 1.5 - 0.25;
        let expected: Vec<f32> =
            tch::no_grad(|| network.scores(&images, Mode::Use)).view([-1]).try_into().unwrap();
        let pixels: Vec<f32> = images.view([-1]).try_into().unwrap();
        let mut found = vec![0.0; expected.len()];
        model.classifier.logits(&pixels, &mut found).unwrap();
        let largest = expected.iter().fold(1f32, |largest, score| largest.max(score.abs()));
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                (found - expected).abs() < 1e-4 * largest,
                "{architecture}: {found} instead of {expected}"
            );
        }
    }
}
