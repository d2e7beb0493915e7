//! Do the engines answer what the model says, whoever asks and however many at once?

mod common;

use common::suite::{Need, Suite, tests};
#[allow(clippy::wildcard_imports)] // the words that models are written in
use common::*;
use qcrs::noise::{Draws, Noise, Phase, Stream};
use qcrs::sample::{MonteCarlo, SampleUnderNoise};
use qcrs::types::{Error, Sigma};
use qcrs_onnx::{Device, EngineChoice, LoadOptions, Model, OutputKind, Precision, load};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let mut suite = Suite::from_args();
    suite.all(
        &Need::Met,
        tests![
            scores_of_a_real_model_are_pinned,
            weights_beside_the_model_belong_to_its_identity,
            auto_takes_our_own_engine_and_says_why_if_it_cannot,
            rten_has_no_device_but_the_cpu,
            auto_leaves_our_own_engine_where_it_has_no_fast_instructions,
            bf16_is_another_classifier_of_our_own_engine,
        ],
    );
    on(
        ENGINES,
        &mut suite,
        tests![
            every_engine_agrees_with_the_definition,
            scores_depend_on_neither_batch_nor_thread,
            a_lone_image_scores_as_in_any_batch,
            the_sampler_counts_the_same_votes_on_any_threads_and_batches,
            a_fixed_batch_is_split_and_padded,
            weights_in_a_file_beside_the_model_are_read,
            scores_that_are_negative_are_no_probabilities,
        ],
    );
    on(
        &general(),
        &mut suite,
        tests![
            the_others_agree_with_our_own_engine,
            scores_whose_sum_is_not_one_are_no_probabilities,
            probabilities_are_taken,
        ],
    );
    on(&[EngineChoice::Ort], &mut suite, tests![a_device_that_is_not_there_is_an_error]);
    suite.run()
}

fn argmax(row: &[f32]) -> usize {
    (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap()
}

fn every_engine_agrees_with_the_definition(engine: EngineChoice) {
    let tiny = Tiny::new();
    let images = numbers(5, 37 * SHAPE.iter().product::<usize>());
    let model = load_model(&tiny.model(), engine).unwrap();
    assert_eq!((model.classifier.num_classes(), model.fixed_batch), (CLASSES, None));
    assert_eq!(model.input.to_string(), "2×6×5");
    let found = scores(&model, &images);
    assert_eq!(found.len(), 37 * CLASSES);
    for (image, row) in images.chunks(60).zip(found.chunks(CLASSES)) {
        for (want, got) in tiny.scores(image).into_iter().zip(row) {
            assert!((want - f64::from(*got)).abs() < 1e-5, "{}: {got} instead of {want}", model.engine);
        }
    }
}

/// The models of the repository, and those in the folder $QCRS_TEST_MODELS.
fn real_models() -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        let entries =
            std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let ours = list(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"));
    let mut files: Vec<_> =
        ours.iter().map(|folder| folder.join("model.onnx")).filter(|file| file.exists()).collect();
    assert!(!files.is_empty());
    if let Some(folder) = std::env::var_os("QCRS_TEST_MODELS") {
        let mut more = list(Path::new(&folder));
        more.retain(|file| file.extension().is_some_and(|extension| extension == "onnx"));
        assert!(!more.is_empty(), "{}: no .onnx file; QCRS_TEST_MODELS is set", folder.display());
        files.extend(more);
    }
    files.sort();
    files
}

/// The same bits on every processor and in every version that calls itself the same.
fn scores_of_a_real_model_are_pinned() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/cifar10-resnet20-gaussian-0.50/model.onnx");
    let model = load_with(&file, [3, 32, 32], EngineChoice::Cnn).unwrap();
    let images: Vec<f32> = numbers(6, 8 * 3072).iter().map(|v| v.mul_add(0.5, 0.5)).collect();
    let bytes: Vec<u8> = scores(&model, &images).iter().flat_map(|score| score.to_le_bytes()).collect();
    assert_eq!(
        blake3::hash(&bytes).to_hex().as_str(),
        "929d273635978ed6f0656c330c178a5e8083dba3c84f6bf6ad9e892f6f9b20bf"
    );
}

fn the_others_agree_with_our_own_engine(engine: EngineChoice) {
    let images: Vec<f32> = numbers(6, 200 * 3072).iter().map(|v| v.mul_add(0.5, 0.5)).collect();
    for file in real_models() {
        let answers = [EngineChoice::Cnn, engine].map(|engine| {
            let model = load_with(&file, [3, 32, 32], engine).unwrap();
            images.chunks(32 * 3072).flat_map(|batch| scores(&model, batch)).collect::<Vec<f32>>()
        });
        let classes = answers[0].len() / 200;
        assert!(classes > 1 && answers[1].len() == answers[0].len(), "{}", file.display());
        for (a, b) in answers[0].chunks(classes).zip(answers[1].chunks(classes)) {
            assert_eq!(argmax(a), argmax(b), "{}", file.display());
            let most = apart(a, b);
            assert!(most <= 1e-4, "{}: logits differ by {most}", file.display());
        }
    }
}

/// Every image alone, in batches of many sizes, and from several threads: the same bits.
fn scores_depend_on_neither_batch_nor_thread(engine: EngineChoice) {
    let mut models = real_models().into_iter().map(|file| (file, [3, 32, 32])).collect::<Vec<_>>();
    let folder = tempfile::tempdir().unwrap();
    models.push((write(folder.path(), &Tiny::new().model()), SHAPE));
    for (file, shape) in models {
        let model = load_with(&file, shape, engine).unwrap();
        let len: usize = shape.iter().product();
        let images = numbers(7, 66 * len);
        let in_batches =
            |batch: usize| images.chunks(batch * len).flat_map(|b| scores(&model, b)).collect::<Vec<_>>();
        let alone = in_batches(1);
        let bits = |scores: &[f32]| scores.iter().map(|s| s.to_bits()).collect::<Vec<_>>();
        let same: Vec<usize> =
            [2, 5, 16, 31, 66].into_iter().filter(|&b| bits(&in_batches(b)) == bits(&alone)).collect();
        let what = format!("{}, {}: as a batch of 1 at {same:?}", file.display(), model.engine);
        assert_eq!(model.batch_invariant, same.len() == 5, "the probe and the test disagree: {what}");
        std::thread::scope(|scope| {
            let calls: Vec<_> = (0..5).map(|_| scope.spawn(|| in_batches(16))).collect();
            for call in calls {
                assert_eq!(bits(&call.join().unwrap()), bits(&in_batches(16)), "{}", model.engine);
            }
        });
    }
}

/// A long sum in the last layer: engines like to add up a single row in an order of its own.
fn a_lone_image_scores_as_in_any_batch(engine: EngineChoice) {
    let mut model = Tiny::new().model();
    graph(&mut model).node =
        vec![node("Flatten", &["x"], "d"), with_int(node("Gemm", &["d", "w", "wb"], "y"), "transB", 1)];
    graph(&mut model).initializer =
        vec![tensor("w", &[10, 60], &numbers(11, 600)), tensor("wb", &[10], &numbers(4, 10))];
    graph(&mut model).output[0] = port("y", rten_onnx::onnx::DataType::FLOAT, &[None, Some(10)]);
    let model = load_model(&model, engine).unwrap();
    assert!(model.batch_invariant, "{}", model.engine);
}

/// The sampler asks from the threads of a rayon pool; one that went on with other work while it waits
/// for its answer would come back for a second worker and could wait for itself.
fn the_sampler_counts_the_same_votes_on_any_threads_and_batches(engine: EngineChoice) {
    let (done, finished) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let x = numbers(10, 60);
        let stream = Stream { seed: 1, input: 0, phase: Phase::Estimate };
        let noise = Noise::Gaussian(Sigma::new(1.0).unwrap());
        // no class ahead of the others under noise, so that every one gets votes
        let mut tiny = Tiny::new();
        for draw in 0..100 {
            let mut copy = vec![0.0; 60];
            noise.copies_of(&x).unwrap().write(&Stream { phase: Phase::Tune, ..stream }, draw, &mut copy);
            let scores = Tiny::new().scores(&copy);
            tiny.linear_bias.iter_mut().zip(scores).for_each(|(bias, score)| *bias -= score as f32 / 100.0);
        }
        let model = load_model(&tiny.model(), engine).unwrap();
        let votes: Vec<_> = [(1, 16), (2, 16), (5, 3), (5, 1)]
            .into_iter()
            .map(|(threads, batch)| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let sampler = MonteCarlo::new(&*model.classifier, batch);
                pool.install(|| {
                    sampler.sample_under_noise(&x, noise.into(), &Draws::first(1000, stream)).unwrap()
                })
            })
            .collect();
        assert!(votes.iter().all(|v| v == &votes[0] && v.total() == 1000), "{votes:?}");
        assert!(votes[0].ranked().len() > 1, "too easy: {:?}", votes[0]);
        done.send(()).unwrap();
    });
    finished.recv_timeout(Duration::from_mins(2)).expect("the votes differ, or the sampler waits for itself");
}

fn a_fixed_batch_is_split_and_padded(engine: EngineChoice) {
    let tiny = Tiny::new();
    let mut fixed = tiny.model();
    graph(&mut fixed).input[0] =
        port("x", rten_onnx::onnx::DataType::FLOAT, &[Some(4), Some(2), Some(6), Some(5)]);
    graph(&mut fixed).output[0] = port("y", rten_onnx::onnx::DataType::FLOAT, &[Some(4), Some(3)]);
    let images = numbers(8, 11 * 60);
    let (model, free) = (load_model(&fixed, engine).unwrap(), load_model(&tiny.model(), engine).unwrap());
    // our own engine takes images one by one in any case
    let padded = engine != EngineChoice::Cnn;
    assert_eq!(model.fixed_batch, padded.then_some(4));
    let said = model.notes.iter().any(|note| note.contains("exactly 4 images"));
    assert_eq!(said, padded, "{:?}", model.notes);
    let (found, want) = (scores(&model, &images), scores(&free, &images));
    assert_eq!(found.len(), 11 * CLASSES);
    assert!(apart(&found, &want) < 1e-6, "{}", apart(&found, &want));
}

/// The network with its first weights in the file `weights.data`, and what that file holds.
fn with_weights_beside(folder: &Path) -> (PathBuf, Vec<u8>) {
    let mut model = Tiny::new().model();
    let data = move_out(&mut graph(&mut model).initializer[0], "weights.data");
    std::fs::write(folder.join("weights.data"), &data).unwrap();
    (write(folder, &model), data)
}

fn weights_in_a_file_beside_the_model_are_read(engine: EngineChoice) {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = with_weights_beside(folder.path());
    let images = numbers(9, 60);
    let found = scores(&load_with(&path, SHAPE, engine).unwrap(), &images);
    assert_eq!(found.len(), CLASSES);
    for (want, got) in Tiny::new().scores(&images).into_iter().zip(found) {
        assert!((want - f64::from(got)).abs() < 1e-5);
    }
}

fn weights_beside_the_model_belong_to_its_identity() {
    let folder = tempfile::tempdir().unwrap();
    let (path, data) = with_weights_beside(folder.path());
    let hash = || load_with(&path, SHAPE, EngineChoice::Rten).unwrap().blake3;
    let first = hash();
    std::fs::write(folder.path().join("weights.data"), vec![0; data.len()]).unwrap();
    assert_ne!(hash(), first);
    std::fs::write(folder.path().join("weights.data"), data).unwrap();
    assert_eq!(hash(), first);
}

fn auto_takes_our_own_engine_and_says_why_if_it_cannot() {
    let mut model = Tiny::new().model();
    let ours = load_model(&model, EngineChoice::Auto).unwrap();
    assert!(ours.engine.starts_with("qcrs-cnn "), "{}", ours.engine);
    graph(&mut model).node.push(node("Sigmoid", &["y"], "p"));
    graph(&mut model).output[0] = port("p", rten_onnx::onnx::DataType::FLOAT, &[None, Some(CLASSES)]);
    let other = load_model(&model, EngineChoice::Auto).unwrap();
    let chosen = if let Need::Met = need(EngineChoice::Ort) { "onnxruntime 1." } else { "rten 0." };
    assert!(other.engine.starts_with(chosen), "{}", other.engine);
    let note = &other.notes[0];
    assert!(note.contains(chosen) && note.contains("does not do the operator Sigmoid (`p`)"), "{note}");
}

/// The network with one more operator behind it, loaded as one that gives probabilities.
fn load_probabilities(operator: Option<&str>, engine: EngineChoice) -> Result<Model, Error> {
    let folder = tempfile::tempdir().unwrap();
    let mut model = Tiny::new().model();
    if let Some(operator) = operator {
        graph(&mut model).node.push(node(operator, &["y"], "p"));
        graph(&mut model).output[0] = port("p", rten_onnx::onnx::DataType::FLOAT, &[None, Some(CLASSES)]);
    }
    let options = LoadOptions { engine, output: OutputKind::Probs, ..LoadOptions::default() };
    load(&write(folder.path(), &model), SHAPE, &options)
}

fn scores_that_are_negative_are_no_probabilities(engine: EngineChoice) {
    let error = load_probabilities(None, engine).err().unwrap().to_string();
    assert!(error.contains("say logits instead"), "{error}");
}

fn scores_whose_sum_is_not_one_are_no_probabilities(engine: EngineChoice) {
    let error = load_probabilities(Some("Sigmoid"), engine).err().unwrap().to_string();
    assert!(error.contains("row with sum"), "{error}");
}

fn probabilities_are_taken(engine: EngineChoice) {
    let model = load_probabilities(Some("Softmax"), engine).unwrap();
    let sum: f32 = scores(&model, &numbers(5, 60)).iter().sum();
    assert!((sum - 1.0).abs() < 1e-5, "{sum}");
}

fn load_on(engine: EngineChoice, device: Device) -> Result<Model, Error> {
    let folder = tempfile::tempdir().unwrap();
    let options = LoadOptions { engine, device, ..LoadOptions::default() };
    load(&write(folder.path(), &Tiny::new().model()), SHAPE, &options)
}

fn rten_has_no_device_but_the_cpu() {
    let error = load_on(EngineChoice::Rten, Device::Cuda).err().unwrap().to_string();
    assert!(error.contains("cpu only"), "{error}");
}

fn a_device_that_is_not_there_is_an_error(engine: EngineChoice) {
    let absent: &[Device] = match () {
        () if cfg!(target_os = "macos") => &[Device::Cuda, Device::TensorRt],
        () if Path::new("/dev/nvidia0").exists() => &[Device::CoreMl],
        () => &[Device::Cuda, Device::TensorRt, Device::CoreMl],
    };
    for (engine, &device) in
        [engine, EngineChoice::Auto].into_iter().flat_map(|e| absent.iter().map(move |d| (e, d)))
    {
        let error = load_on(engine, device).err().expect("a device that is not there was used").to_string();
        assert!(error.contains(&format!("device {device} is not available")), "{error}");
    }
}

fn auto_leaves_our_own_engine_where_it_has_no_fast_instructions() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), &Tiny::new().model());
    let portable = qcrs_onnx::Instructions::here().into_iter().last();
    let load_as = |engine| {
        let options = LoadOptions { engine, instructions: portable, ..LoadOptions::default() };
        load(&path, SHAPE, &options).unwrap()
    };
    let (auto, ours) = (load_as(EngineChoice::Auto), load_as(EngineChoice::Cnn));
    assert!(ours.engine.starts_with("qcrs-cnn ") && ours.notes.is_empty(), "{:?}", ours.notes);
    if cfg!(target_arch = "x86_64") {
        assert!(!auto.engine.starts_with("qcrs-cnn "), "{}", auto.engine);
        assert!(auto.notes[0].contains("lacks AVX2 and FMA"), "{:?}", auto.notes);
    } else {
        assert!(auto.engine.starts_with("qcrs-cnn "), "{}", auto.engine);
    }
}

fn bf16_is_another_classifier_of_our_own_engine() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), &Tiny::new().model());
    let load_as = |engine| {
        load(&path, SHAPE, &LoadOptions { engine, precision: Precision::Bf16, ..LoadOptions::default() })
    };
    for engine in [EngineChoice::Auto, EngineChoice::Cnn] {
        let model = load_as(engine).unwrap();
        assert!(model.engine.starts_with("qcrs-cnn ") && model.engine.ends_with(" bf16"), "{}", model.engine);
        assert!(model.notes[0].contains("the certificates concern that classifier"), "{:?}", model.notes);
        assert!(model.batch_invariant);
    }
    for engine in [EngineChoice::Rten, EngineChoice::Ort] {
        let error = load_as(engine).err().unwrap().to_string();
        assert_eq!(error, format!("{engine} does not compute in bf16; the engine cnn does"));
    }
    assert!("fp16".parse::<Precision>().unwrap_err().to_string().contains("choose one of f32, bf16"));
}
