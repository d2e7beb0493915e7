//! `qcrs paper`: every experiment, small.

mod common;

use common::Bench;

const SMALL: &str = "--sigma 0.25 --n 200 --dir p";
const CIFAR: &str = "--engine rten --model model.onnx --data cifar";

/// Experiment, more options, and words of its table.
const EXPERIMENTS: &[(&str, &str, &[&str])] = &[
    ("mc-interval", "", &["0.99", "[0.98898, 0.99095]"]),
    ("methods", "", &["qcrs-paper", "ddrs-script"]),
    ("grid", "--count 2", &["grid-whole", "grid-paper", "0.024"]),
    ("fairness", "", &["automobile"]),
    ("training", "--macer model.onnx", &["inference"]),
    ("quasiconcavity", CURVES, &["quasiconcave", "beyond error"]),
    ("sqc", CURVES, &["υ⁻", "lower end", "t = 5"]),
    ("sigma-error", CURVES, &["0.0300", "better than the grid"]),
    ("gradient-stability", "", &["2000", "wrong sign"]),
    ("dsrs-matrix", "--generalized model.onnx", &["double sampling", "generalized", "DDRS, paper of DDRS"]),
    ("ablation", "--count 2", &["printed step"]),
];

const CURVES: &str = "--sigmas 0.1,0.2,0.3,0.4";

/// A bench with its images as CIFAR-10, test and training.
fn with_cifar() -> Bench {
    let bench = Bench::new();
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
    bench
}

#[test]
fn every_experiment_writes_a_table_a_figure_and_a_section() {
    let bench = with_cifar();
    for (name, options, words) in EXPERIMENTS {
        // experiments on fewer images keep their answers apart
        let answers = if options.contains("--count") { "--answers p/few --dir p/few-runs" } else { "" };
        let dir = if answers.is_empty() { "p" } else { "p/few-runs" };
        let small = if answers.is_empty() { SMALL.to_owned() } else { SMALL.replace("--dir p", answers) };
        let typed = format!("paper {name} {CIFAR} {small} {options}");
        let first = bench.run(&typed).says(words).out;
        let table = bench.read(&format!("{dir}/{name}.md"));
        let escaped = |word: &&str| table.contains(&word.replace('[', "\\[").replace(']', "\\]"));
        assert!(words.iter().all(escaped), "{table}");
        assert!(*name == "sqc" || bench.read(&format!("{dir}/{name}.svg")).starts_with("<svg "), "{name}");
        // once more from the answers alone: nothing is written, and the table is the same
        let kept = if answers.is_empty() { "--answers p/answers" } else { "--answers p/few" };
        let options = options.replace("--count 2", "").replace("model.onnx", "gone.onnx");
        let typed = format!("paper {name} --sigma 0.25 --n 200 {kept} {options}");
        let again = bench.run(&typed).says(&[]).out;
        // the remark below a table names the file of the second model, which is not needed again
        let rows = |out: &str| out.lines().filter(|line| line.contains("  ")).collect::<Vec<_>>().join("\n");
        assert_eq!(rows(&first), rows(&again), "{name}");
    }
    let page = bench.read("p/report.html");
    let few = EXPERIMENTS.iter().filter(|(_, options, _)| options.contains("--count")).count();
    assert_eq!(page.matches("<section>").count(), EXPERIMENTS.len() - few);
    assert!(page.contains("appendix G") && page.contains("Table 5"), "{page}");
}

/// Where images are not CIFAR-10, or the search is not the published one, numbers of the paper have no place.
#[test]
fn numbers_of_the_paper_stand_beside_its_own_data_and_search_only() {
    let bench = with_cifar();
    let shown = |typed: &str| {
        let out = bench.run(typed).says(&["qcrs-paper"]).out;
        ["0.429", "0.448", "0.509", "19 %", "6.96 ± 0.017"].map(|number| out.contains(number))
    };
    assert_eq!(shown(&format!("paper methods {CIFAR} {SMALL} --count 1")), [false; 5]);
    // the same answers, as if the images were those of the paper
    for entry in std::fs::read_dir(bench.path("p/answers")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let from = text.find("\"data\":{\"name\":\"").unwrap() + 16;
        let to = from + text[from..].find('"').unwrap();
        std::fs::write(path, format!("{}CIFAR-10 test{}", &text[..from], &text[to..])).unwrap();
    }
    let kept = "paper methods --n 200 --answers p/answers";
    assert_eq!(shown(&format!("{kept} --sigma 0.25")), [true; 5]);
    assert_eq!(shown(&format!("{kept} --preset cifar10-0.25")), [true; 5]);
    // with σ of another published network, or another search
    for (number, options) in ["--sigma 0.3", "--preset imagenet-0.25"].iter().enumerate() {
        let typed = format!("paper methods {CIFAR} --n 200 --count 1 --dir other-{number} {options}");
        assert_eq!(shown(&typed), [false; 5], "{options}");
    }
}

#[test]
fn answers_to_another_question_are_refused() {
    let bench = with_cifar();
    bench.run(&format!("paper fairness {CIFAR} {SMALL}")).says(&[]);
    let read =
        |options: &str| bench.run(&format!("paper fairness --sigma 0.25 --answers p/answers {options}"));
    read("--n 200").says(&["automobile"]);
    read("--n 300").fails(1, &["qcrs-paper.tsv", "budget.n 200, you asked for 300"]);
    read("--n 200 --seed 1").fails(1, &["seed 0, you asked for 1"]);
    bench.run("paper grid --sigma 0.25 --n 200 --answers p/answers").fails(1, &["cohen.tsv", "--model"]);
    bench.run("paper grid --sigma 0.25 --n 200").fails(1, &["--answers"]);
    bench
        .write("p/answers/qcrs-paper.tsv", bench.read("p/answers/qcrs-paper.tsv").replace("\n0\t", "\n99\t"));
    read("--n 200").fails(1, &["do not ask for input 99"]);
}

/// Every σ may have noise of its own, and signs may be taken over τ.
#[test]
fn the_protocols_of_curves_can_be_chosen() {
    let bench = with_cifar();
    let run = |options: &str| {
        let typed =
            format!("paper quasiconcavity {CIFAR} {SMALL} --sigmas 0.1,0.2,0.3 --format md {options}");
        bench.run(&typed).says(&["quasiconcave"]).out
    };
    assert!(run("").contains("All σ share their noise"));
    assert!(run("--noise-per-sigma own").contains("Every σ has noise of its own"));
    assert!(run("--tau 0.05").contains("R(σ + τ) − R(σ − τ)"));
    assert!(run("--peak search").contains("QCRS as published finds"));
    let votes = |name: &str| bench.read(&format!("p/answers/{name}.json"));
    assert_ne!(votes("curves-own"), votes("curves-shared"));
    // σ ± τ on the list is the σ of the list, and the others are sampled besides
    assert!(votes("curves-shared-tau-0.05").contains("[0.05,0.1,0.15,0.2,0.25,0.3,0.35]"));
    bench
        .run(&format!("paper methods {CIFAR} {SMALL} --tau 0.1"))
        .fails(1, &["--tau is for quasiconcavity, sqc only"]);
}

#[test]
fn an_experiment_resumes_and_refuses_another_question() {
    let bench = Bench::new();
    let first = bench.with_model(&format!("paper fairness {SMALL}")).says(&[]);
    let again = bench.with_model(&format!("paper fairness {SMALL}")).says(&[]);
    assert!(!again.err.contains("inputs of"), "nothing is sampled again: {}", again.err);
    assert_eq!(first.out, again.out);
    bench.with_model(&format!("paper fairness {SMALL} --seed 3")).fails(1, &["seed 0, you asked for 3"]);
}

#[test]
fn the_sigma_of_a_class_is_fitted_on_training_images_only() {
    let bench = Bench::new();
    bench
        .with_model(&format!("paper class-wise {SMALL}"))
        .fails(1, &["data.bin: there are no training images"]);
    let bench = with_cifar();
    bench.run(&format!("paper class-wise {CIFAR} {SMALL} --classes 1,airplane")).says(&["own σ", "airplane"]);
    let kept = "paper class-wise --sigma 0.25 --n 200 --answers p/answers --classes 1,airplane";
    bench.run(kept).says(&["own σ", "airplane"]);
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
