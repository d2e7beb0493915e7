//! Do other programs see the network that was trained?

use qcrs_onnx::{EngineChoice, LoadOptions, load};
use qcrs_train::architecture::Architecture;
use qcrs_train::network::{Network, NetworkMode, TrainingPrecision};
use qcrs_train::onnx;
use std::path::Path;
use std::process::Command;
use tch::{Device, Kind, Tensor};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);

/// A network whose batch normalisations remember something: folding them must not be trivial.
fn lived_in(architecture: Architecture) -> Network {
    let network = Network::new(architecture, 10, 3, Device::Cpu);
    let [c, h, w] = architecture.input().map(|size| i64::try_from(size).unwrap());
    for _ in 0..3 {
        let images = Tensor::rand([8, c, h, w], CPU);
        let _ = tch::no_grad(|| network.scores(&images, NetworkMode::Train(TrainingPrecision::F32)));
    }
    for weight in network.weights() {
        if weight.name.contains("bn") || weight.name.contains("downsample.1") {
            let mut tensor = network.tensor(&weight.name);
            tch::no_grad(|| tensor += Tensor::rand(weight.shape.as_slice(), CPU) * 0.5);
        }
    }
    network
}

/// A file, five noisy images, and the trainer's scores for them.
struct Exported {
    network: Network,
    images: Vec<f32>,
    scores: Vec<f32>,
}

fn export(architecture: Architecture, path: &Path) -> Exported {
    let network = lived_in(architecture);
    onnx::write(path, &network, &[("qcrs.sigma".into(), "0.25".into())]).unwrap();
    let [c, h, w] = architecture.input().map(|size| i64::try_from(size).unwrap());
    let images = Tensor::rand([5, c, h, w], CPU) * 1.5 - 0.25;
    let scores = tch::no_grad(|| network.scores(&images, NetworkMode::Use)).view([-1]).try_into().unwrap();
    Exported { network, images: images.view([-1]).try_into().unwrap(), scores }
}

fn assert_equal(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(1f32, |largest, score| largest.max(score.abs()));
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-4 * largest, "{what}: {found} instead of {expected}");
    }
}

const NETWORKS: [Architecture; 3] =
    [Architecture::SmallCnn, Architecture::CifarResnet(20), Architecture::ImagenetResnet(18)];

#[test]
fn rten_gives_the_trainers_scores() {
    for architecture in NETWORKS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.onnx");
        let Exported { network, images, scores } = export(architecture, &path);
        let options = LoadOptions { engine: EngineChoice::Rten, ..LoadOptions::default() };
        let model = load(&path, network.architecture.input(), &options).unwrap();
        assert_eq!(model.fixed_batch, None);
        let mut found = vec![0.0; scores.len()];
        model.classifier.logits(&images, &mut found).unwrap();
        assert_equal(&found, &scores, &format!("{architecture} in rten"));
    }
}

const PYTHON: &str = "
import sys, numpy, onnx, onnxruntime
path, images, scores = sys.argv[1:4]
model = onnx.load(path)
onnx.checker.check_model(model, full_check=True)
assert {p.key: p.value for p in model.metadata_props} == {'qcrs.sigma': '0.25'}, model.metadata_props
session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
shape = session.get_inputs()[0].shape
assert session.get_inputs()[0].name == 'input' and shape[0] == 'N', shape
assert session.get_outputs()[0].name == 'logits'
batch = numpy.fromfile(images, numpy.float32).reshape([-1] + shape[1:])
session.run(None, {'input': batch})[0].tofile(scores)
";

/// Needs `pip install onnx onnxruntime` beside torch.
#[test]
fn the_onnx_checker_passes_and_onnxruntime_gives_the_trainers_scores() {
    for architecture in NETWORKS {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let Exported { images, scores, .. } = export(architecture, &file("model.onnx"));
        let bytes: Vec<u8> = images.iter().flat_map(|value| value.to_le_bytes()).collect();
        std::fs::write(file("images"), bytes).unwrap();
        let files = ["model.onnx", "images", "scores"].map(file);
        let answer = Command::new("python3").args(["-c", PYTHON]).args(files).output().unwrap();
        let said = String::from_utf8_lossy(&answer.stderr);
        assert!(answer.status.success(), "{architecture}: {said}");
        let found = std::fs::read(file("scores")).unwrap();
        let found: Vec<f32> =
            found.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        assert_equal(&found, &scores, &format!("{architecture} in onnxruntime"));
    }
}
