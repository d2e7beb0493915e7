//! `qcrs paper`: every experiment, small.

mod common;

use common::Bench;

const SMALL: &str = "--sigma 0.25 --n 200 --dir p";

/// Experiment, more options, and words of its table.
const EXPERIMENTS: &[(&str, &str, &[&str])] = &[
    ("mc-interval", "", &["0.99", "[0.98898, 0.99095]"]),
    ("methods", "", &["qcrs-repaired", "0.429", "0.509", "19 %"]),
    ("fairness", "", &["automobile"]),
    ("training", "--macer model.onnx", &["0.423", "0.518", "0.512", "0.715"]),
    ("quasiconcavity", "--sigmas 0.1,0.2,0.3,0.4", &["quasiconcave", "beyond error"]),
    ("sqc", "--sigmas 0.1,0.2,0.3,0.4", &["υ⁻", "99.77 %"]),
    ("sigma-error", "--sigmas 0.1,0.2,0.3,0.4", &["0.0300", "better than the grid"]),
    ("gradient-stability", "", &["2000", "wrong sign"]),
    ("dsrs-matrix", "--generalized model.onnx", &["double sampling", "generalized"]),
    ("ablation", "--count 2", &["0.572", "printed step"]),
];

#[test]
fn every_experiment_writes_a_table_a_figure_and_a_section() {
    let bench = Bench::new();
    for (name, options, words) in EXPERIMENTS {
        bench.with_model(&format!("paper {name} {SMALL} {options}")).says(words);
        let table = bench.read(&format!("p/{name}.md"));
        assert!(
            words.iter().all(|word| table.contains(&word.replace('[', "\\[").replace(']', "\\]"))),
            "{table}"
        );
        assert!(*name == "sqc" || bench.read(&format!("p/{name}.svg")).starts_with("<svg "), "{name}");
    }
    let page = bench.read("p/report.html");
    assert_eq!(page.matches("<section>").count(), EXPERIMENTS.len());
    assert!(page.contains("appendix F") && page.contains("Table 5"), "{page}");
}

#[test]
fn an_experiment_goes_on_where_it_was_stopped_and_refuses_another_question() {
    let bench = Bench::new();
    let first = bench.with_model(&format!("paper fairness {SMALL}")).says(&[]);
    let again = bench.with_model(&format!("paper fairness {SMALL}")).says(&[]);
    assert!(again.err.contains("all 8 inputs are already done"), "{}", again.err);
    assert_eq!(first.out, again.out);
    bench.with_model(&format!("paper fairness {SMALL} --seed 3")).fails(1, &["seed 0, you asked for 3"]);
}

#[test]
fn the_sigma_of_a_class_is_fitted_on_training_images_only() {
    let bench = Bench::new();
    bench
        .with_model(&format!("paper class-wise {SMALL}"))
        .fails(1, &["data.bin: there are no training images"]);
    let folder = bench.path("cifar");
    std::fs::create_dir(&folder).unwrap();
    let images = std::fs::read(bench.path("data.bin")).unwrap();
    std::fs::write(folder.join("test_batch.bin"), &images).unwrap();
    for batch in 1..=5 {
        // other images than the test's: half as bright, but for the label
        let half: Vec<u8> = images
            .chunks(3073)
            .flat_map(|r| [vec![r[0]], r[1..].iter().map(|p| p / 2 + batch).collect()].concat())
            .collect();
        std::fs::write(folder.join(format!("data_batch_{batch}.bin")), half).unwrap();
    }
    let typed = format!(
        "paper class-wise --engine rten --model model.onnx --data cifar {SMALL} --classes 1,airplane"
    );
    bench.run(&typed).says(&["own σ", "airplane"]);
    assert!(bench.read("p/runs/class-1-own/spec.json").contains("\"class-wise\""));
}

/// The layout of ImageNet: a folder per class, images of any size.
#[test]
fn imagenet_s_layout_works() {
    let bench = Bench::new();
    for (class, name) in ["n01440764", "n01443537"].iter().enumerate() {
        let folder = bench.path("val").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        for number in 0..3_u32 {
            let shade = if class == 0 { 40 } else { 200 + number as u8 };
            let picture = image::RgbImage::from_pixel(50 + number, 44, image::Rgb([shade; 3]));
            picture.save(folder.join(format!("{number}.png"))).unwrap();
        }
    }
    let options = "--engine rten --model model.onnx --data val --resize 40 --crop 32 --preset imagenet-0.25 --n 100 --dir p --allow-fewer-classes";
    bench.run(&format!("paper methods {options}")).says(&["grid", "qcrs"]);
    assert!(
        bench.read("p/runs/grid/spec.json").contains("\"points\": 11"),
        "{}",
        bench.read("p/runs/grid/spec.json")
    );
}

#[test]
fn wrong_questions_are_told_what_is_missing() {
    let bench = Bench::new();
    bench.with_model(&format!("paper training {SMALL}")).fails(1, &["--macer"]);
    bench
        .with_model(&format!("paper quasiconcavity {SMALL} --sigmas 0.2,0.1,0.3"))
        .fails(1, &["rising order"]);
    bench.with_model(&format!("paper table9 {SMALL}")).fails(2, &["table9", "quasiconcavity"]);
    bench.with_model("paper methods --n 200").fails(2, &["--sigma"]);
}
