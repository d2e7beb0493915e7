//! Does a checkpoint of PyTorch become the same classifier?

mod checkpoints;

use checkpoints::write;
use qcrs_onnx::{EngineChoice, LoadOptions, load};
use qcrs_train::architecture::Architecture;
use qcrs_train::import::{CheckpointFormat, Field, Told, read};
use qcrs_train::onnx;
use std::path::Path;
use std::process::Command;

/// A checkpoint, what the user says of it, and what it must turn out to be.
struct Case {
    name: &'static str,
    architecture: Option<Architecture>,
    normalised: Option<bool>,
    network: Architecture,
    classes: usize,
    format: CheckpointFormat,
    field: Field,
}

const RESNET8: Architecture = Architecture::CifarResnet(8);
const RESNET20: Architecture = Architecture::CifarResnet(20);
const RESNET110: Architecture = Architecture::CifarResnet(110);
const RESNET50: Architecture = Architecture::ImagenetResnet(50);

fn cohen(name: &'static str, network: Architecture, classes: usize, format: CheckpointFormat) -> Case {
    Case { name, architecture: None, normalised: None, network, classes, format, field: Field::Cohen }
}

fn other(
    name: &'static str,
    classes: usize,
    format: CheckpointFormat,
    field: Field,
    normalised: Option<bool>,
) -> Case {
    Case { name, architecture: Some(RESNET8), normalised, network: RESNET8, classes, format, field }
}

fn floats(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// The largest difference between the model's scores in rten and PyTorch's, as a share of the largest score.
fn difference(model: &Path, checkpoint: &Path, architecture: Architecture) -> f32 {
    let images = floats(&checkpoint.with_extension("images"));
    let expected = floats(&checkpoint.with_extension("scores"));
    let options = LoadOptions { engine: EngineChoice::Rten, ..LoadOptions::default() };
    let model = load(model, architecture.input(), &options).unwrap();
    assert!(!expected.is_empty(), "{}: no scores to compare with", checkpoint.display());
    let mut found = vec![0.0; expected.len()];
    model.classifier.logits(&images, &mut found).unwrap();
    let largest = expected.iter().fold(1f32, |largest, score| largest.max(score.abs()));
    let differences = found.iter().zip(&expected).map(|(a, b)| (a - b).abs() / largest);
    // f32::max would pass over a score that is no number
    differences.fold(0.0, |most, next| if next > most || next.is_nan() { next } else { most })
}

/// Needs the Python of libtorch.
#[test]
fn imported_networks_give_pytorchs_scores() {
    let folder = tempfile::tempdir().unwrap();
    write("good", folder.path());
    let cases = [
        cohen("cohen-legacy", RESNET20, 10, CheckpointFormat::Legacy),
        cohen("cohen-zip", RESNET20, 10, CheckpointFormat::Zip),
        cohen("cohen-110", RESNET110, 10, CheckpointFormat::Legacy),
        cohen("cohen-imagenet", RESNET50, 1000, CheckpointFormat::Zip),
        other("macer-legacy", 10, CheckpointFormat::Legacy, Field::Macer, None),
        other("macer-zip", 100, CheckpointFormat::Zip, Field::Macer, None),
        other("plain", 7, CheckpointFormat::Legacy, Field::Plain, Some(true)),
        other("odd", 10, CheckpointFormat::Legacy, Field::Plain, Some(false)),
        other("odd-zip", 10, CheckpointFormat::Zip, Field::Plain, Some(false)),
    ];
    let unsaid = Told { architecture: Some(RESNET8), ..Told::default() };
    for name in ["plain", "odd-zip"] {
        let error = read(&folder.path().join(name), &unsaid).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("does not say whether its network normalises pixels"), "{error}");
    }
    for case in cases {
        let (name, path) = (case.name, folder.path().join(case.name));
        let told = Told { architecture: case.architecture, normalised: case.normalised, ..Told::default() };
        let (network, card) = read(&path, &told).unwrap();
        assert_eq!((card.architecture, card.classes), (case.network, case.classes), "{name}");
        assert_eq!((card.imported.format, card.imported.field), (case.format, case.field), "{name}");
        assert_eq!(card.imported.blake3, blake3::hash(&std::fs::read(&path).unwrap()).to_string());
        let model = folder.path().join("model.onnx");
        onnx::write(&model, &network, &card.metadata().unwrap()).unwrap();
        let difference = difference(&model, &path, case.network);
        println!("{name}: {difference:e}");
        assert!(difference < 1e-4, "{name}: {difference}");
    }
}

/// Needs the Python of libtorch.
#[test]
fn the_command_writes_a_model_that_says_where_it_comes_from() {
    let folder = tempfile::tempdir().unwrap();
    write("bad", folder.path());
    let file = |name: &str| folder.path().join(name);
    let import = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_qcrs-train"));
        let answer =
            command.current_dir(folder.path()).args(["import", "macer"]).args(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (answer.status.success(), text(answer.stdout), text(answer.stderr))
    };
    let (done, said, about) =
        import(&["--arch", "resnet8", "--out", "model.onnx", "--classes", "10", "--sigma", "0.25"]);
    assert!(done, "{about}");
    assert_eq!(said, "model.onnx\n");
    assert_eq!(
        about,
        "resnet8 with 10 classes and 78042 parameters, layout: macer, pixels: taken as they are\n"
    );
    assert!(difference(&file("model.onnx"), &file("macer"), RESNET8) < 1e-4);
    let model = std::fs::read(file("model.onnx")).unwrap();
    let hash = blake3::hash(&std::fs::read(file("macer")).unwrap()).to_string();
    let card = format!(
        r#""imported":{{"file":"macer","blake3":"{hash}","format":"legacy","field":"macer"}},"architecture":"resnet8","parameters":78042,"classes":10,"normalised":false,"stated_sigma":0.25"#
    );
    for text in [card.as_str(), "qcrs.imported", "qcrs.sigma"] {
        assert!(model.windows(text.len()).any(|window| window == text.as_bytes()), "{text}");
    }
    // another answer when the user insists on another first layer
    assert!(import(&["--arch", "resnet8", "--out", "model.onnx", "--normalise", "yes"]).0);
    assert!(difference(&file("model.onnx"), &file("macer"), RESNET8) > 0.01);
    let refusals: [(&[&str], &str); 6] = [
        (&["--out", "a.onnx"], "macer: does not say which network it belongs to; give --arch"),
        (
            &["--out", "a.onnx", "--arch", "resnet20"],
            "resnet20 with 10 classes: layer1.1.conv1.weight is missing",
        ),
        (
            &["--out", "a.onnx", "--arch", "resnet50"],
            "fc.weight has shape [10, 64] instead of [classes, 2048]",
        ),
        (
            &["--out", "a.onnx", "--arch", "resnet8", "--classes", "9"],
            "macer: its last layer has 10 classes, not the 9 that you gave",
        ),
        (
            &["--out", "a.onnx", "--arch", "resnet8", "--classes", "100000000000"],
            "macer: its last layer has 10 classes, not the 100000000000 that you gave",
        ),
        (&["--out", "macer", "--arch", "resnet8"], "--out macer is the checkpoint itself"),
    ];
    for (arguments, expected) in refusals {
        let (done, said, about) = import(arguments);
        assert!(!done && said.is_empty() && about.contains(expected), "{about}");
        assert!(!file("a.onnx").exists());
    }
}
