//! Does the program say what is wrong, where, and what to do next?

mod common;

use common::place::{BARS, Place, TRAIN};
use qcrs_train::architecture::Architecture;
use qcrs_train::network::Network;
use qcrs_train::train::CHECKPOINT;
use std::fs;
use tch::{Device, Tensor};

#[test]
fn wrong_settings_are_named_before_anything_is_written() {
    let place = Place::new();
    let cases = [
        ("--sigma -1", "sigma must be finite and not negative, got -1"),
        ("--sigma NaN", "sigma must be finite and not negative, got NaN"),
        (
            "--batch 101",
            "a batch of 101 is larger than the 100 images to train on (120 less 20 held out); choose a smaller --batch",
        ),
        ("--held-out 120", "a batch of 20 is larger than the 0 images to train on"),
        ("--epochs 0", "epochs and batch must be at least 1, got 0 and 20"),
        ("--arch resnet8", "the network takes 3×32×32; choose another --arch"),
        ("--device cuda:7", "there is no device cuda:7"),
        ("--data nowhere", "nowhere"),
        ("--test nowhere", "nowhere"),
        ("--start nowhere", "nowhere"),
    ];
    for (options, words) in cases {
        place.run(&format!("{TRAIN} --epochs 1 --out run {options}")).fails(&[words]);
        assert!(!place.path("run").exists(), "{options}");
    }
    place.run("curve nowhere").fails(&["nowhere/spec.json: there is no training here"]);
    place.run("export nowhere").fails(&["nowhere/spec.json: there is no training here"]);
}

#[test]
fn a_missing_test_part_is_named() {
    let place = Place::new();
    fs::remove_file(place.path("data/t10k-images-idx3-ubyte")).unwrap();
    let ran = place.run(&format!("{TRAIN} --out run --epochs 1"));
    ran.fails(&["data has no test part to test the result on; give test images with --test"]);
    place
        .run(&format!("{TRAIN} --out run --epochs 1 --test data/train-images-idx3-ubyte"))
        .fails(&["holds the training images; give other images"]);
}

/// Before the training, not after it.
#[test]
fn images_that_the_result_cannot_be_judged_on_are_named() {
    let place = Place::new();
    for (side, label, words) in [
        (8, 3, "the network takes 1×28×28"),
        (28, 9, "these images have 10 classes, the training images 4"),
        (28, 255, "these images have 256 classes"),
    ] {
        fs::create_dir_all(place.path("other")).unwrap();
        let sizes = [0x803_u32, 1, side, side].map(u32::to_be_bytes).concat();
        let pixels = vec![7; (side * side) as usize];
        fs::write(place.path("other/t10k-images-idx3-ubyte"), [sizes, pixels].concat()).unwrap();
        let labels = [&[0x801_u32, 1].map(u32::to_be_bytes).concat()[..], &[label]].concat();
        fs::write(place.path("other/t10k-labels-idx1-ubyte"), labels).unwrap();
        let ran = place.run(&format!("{TRAIN} --out run --epochs 1 --test other/t10k-images-idx3-ubyte"));
        ran.fails(&["other/t10k-images-idx3-ubyte", words]);
        assert!(!place.path("run").exists());
    }
}

#[test]
fn corrupt_data_is_named() {
    let place = Place::new();
    let path = place.path("data/train-images-idx3-ubyte");
    let whole = fs::read(&path).unwrap();
    for (bytes, what) in
        [(&whole[..whole.len() / 2], "cut off"), (&[7; 40][..], "no IDX file"), (&[], "empty")]
    {
        fs::write(&path, bytes).unwrap();
        let ran = place.run(&format!("{TRAIN} --out run --epochs 1"));
        println!("{what}: {}", ran.err);
        ran.fails(&["data/train-images-idx3-ubyte"]);
    }
}

#[test]
fn a_checkpoint_of_another_architecture_is_refused_by_name() {
    let place = Place::new();
    let other = Network::new(Architecture::CifarResnet(8), 10, 0, Device::Cpu);
    let tensors: Vec<(String, Tensor)> = other
        .weights()
        .into_iter()
        .map(|weight| (format!("weight/{}", weight.name), other.tensor(&weight.name).detach()))
        .collect();
    fs::create_dir(place.path("other")).unwrap();
    Tensor::write_safetensors(&tensors, place.path("other").join(CHECKPOINT)).unwrap();
    let words = [
        "other/checkpoint.safetensors",
        "these are not the weights of cnn with 4 classes",
        "conv1.weight has shape [16, 3, 3, 3] instead of [16, 1, 3, 3]",
        "the same --arch and classes",
    ];
    place.run(&format!("{TRAIN} --out run --epochs 1 --start other")).fails(&words);
    assert!(!place.path("run").exists());

    fs::write(place.path("other").join(CHECKPOINT), "no weights").unwrap();
    place
        .run(&format!("{TRAIN} --out run --epochs 1 --start other"))
        .fails(&["other/checkpoint.safetensors"]);
}

#[test]
fn weights_can_go_on_from_another_training() {
    let place = Place::new();
    place.run(&format!("{TRAIN} --out first --epochs 4")).succeeds(&[]);
    place.run(&format!("macer {BARS} --batch 20 --k 2 --epochs 1 --out second --start first")).succeeds(&[]);
    assert!(place.read("second/spec.json").contains("\"started_from\": \""));
    // at a rate of next to nothing, the loss of the epoch is that of the start
    let still = format!("{TRAIN} --epochs 1 --learning-rate 1e-9");
    place.run(&format!("{still} --out learned --start first")).succeeds(&[]);
    place.run(&format!("{still} --out fresh")).succeeds(&[]);
    let loss = |out| place.curve(out)[0].loss;
    assert!(loss("learned") < 0.8 * loss("fresh"), "{} and {}", loss("learned"), loss("fresh"));
}
