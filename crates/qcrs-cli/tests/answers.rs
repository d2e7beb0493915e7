//! Which classes does a network answer at each σ, and does every command say so?

mod common;

use common::Bench;
use serde_json::{Value, json};

/// The repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The network and the images of the demo: at σ = 0.85 it answers "Bag" to most of the images.
fn target() -> String {
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/demo");
    format!(
        "--engine cnn --model {demo}/fashion-mnist-cnn-0.25.onnx --data {demo}/t10k-images-idx3-ubyte --sigma 0.25"
    )
}

const TABLE: &str = "Most frequent answers at each σ";
const WARNING: &str = "warning: at σ = 0.85 the network answers ";

#[test]
fn doctor_shows_the_answers_of_the_search_region() {
    let bench = Bench::new();
    bench.run(&format!("doctor {}", target())).says(&[TABLE, WARNING]);
    let json = bench.run(&format!("doctor {} --format json", target())).says(&[]).json();
    let levels = json["answers"]["levels"].as_array().unwrap();
    let from: Vec<f64> = levels.iter().filter_map(|level| level["from"].as_f64()).collect();
    assert_eq!((from, &levels[2]["inputs"]), (vec![0.06, 0.12, 0.25, 0.5, 0.85], &json!(100)));
    // the pixels are wrong, so answers would say nothing
    let wrong = bench.run(&format!("doctor {} --normalize 255 --format json", target())).says(&[]).json();
    assert!(
        wrong["answers"].is_null()
            && wrong["advice"].is_null()
            && wrong["diagnosis"].as_str().unwrap().contains("not expect"),
        "{wrong}"
    );
}

/// A user who does not know the noise of the training gets a σ to certify with, and what to do for a larger one.
#[test]
fn doctor_names_the_noise_to_certify_with() {
    let bench = Bench::new();
    let target = target().replace(" --sigma 0.25", "");
    bench.run(&format!("doctor {target}")).says(&[
        "noise σ       none    0.06    0.12    0.25     0.5       1",
        "σ = 0.25 is the largest that keeps the accuracy (",
        "certify with --sigma 0.25",
    ]);
    let json = bench.run(&format!("doctor {target} --format json")).says(&[]).json();
    let sigmas: Vec<f64> =
        json["noise"].as_array().unwrap().iter().filter_map(|level| level["sigma"].as_f64()).collect();
    assert_eq!((sigmas, &json["keeps"]), (vec![0.0, 0.06, 0.12, 0.25, 0.5, 1.0], &json!(0.25)));
    let much = bench.run(&format!("doctor {target} --sigma 0.5"));
    much.says(&["σ = 0.5 costs much of the accuracy (", "or train it with noise", "torch.randn_like(x)"]);
}

#[test]
fn tune_and_curve_show_the_answers_of_their_own_votes() {
    let bench = Bench::new();
    let tune = format!("tune {} --points 2 --left 0.25 --right 0.85 --draws 10", target());
    bench.run(&tune).says(&[TABLE, WARNING, "<- best", "it is the smallest that was tried"]);
    let json = bench.run(&format!("{tune} --format json")).says(&[]).json();
    assert_eq!((json["seen"].as_array().unwrap().len(), &json["seen"][1]["inputs"]), (2, &json!(100)));
    assert_eq!(json["edge"], "smallest");
    // scripts read the first σ
    let text = json.to_string();
    assert!(text.find("\"best\"").unwrap() < text.find("\"seen\"").unwrap(), "{text}");
    let curve = format!("curve {} --points 2 --left 0.25 --right 0.85 --n 10 --max 30", target());
    let drawn = bench.run(&format!("{curve} --format tsv")).says(&["idx\tclass\tsigma"]);
    assert!(drawn.err.contains(TABLE) && drawn.err.contains(WARNING), "{}", drawn.err);
    assert_eq!(drawn.out.lines().count(), 1 + 30 * 2, "stdout has the curves only");
    let json = bench.run(&format!("{curve} --format json")).says(&[]).json();
    assert!(json[0]["points"][0]["answer"].is_u64(), "{json}");
}

/// What the README and docs/results.md say about the default class follows from the files beside them.
#[test]
fn the_part_of_the_default_class_is_what_the_documents_say() {
    let bench = Bench::new();
    let read = |file: &str| std::fs::read_to_string(format!("{ROOT}/{file}")).unwrap();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (readme, results) = (words(&read("README.md")), words(&read("docs/results.md")));
    let folders = [
        ("probe/gaussian-0.50-", "cohen-100k", ["qcrs-100k", "probe-100k", "probe-3e-6", "probe-1e-6"]),
        ("probe/macer-0.50-", "cohen-100k", ["qcrs-100k", "probe-100k", "probe-3e-6", "probe-1e-6"]),
    ];
    for (folder, reference, runs) in folders {
        for run in runs {
            let path = |name: &str| format!("{ROOT}/docs/results/{folder}{name}.tsv");
            let typed = format!("report {} {} --format json", path(reference), path(run));
            let json = &bench.run(&typed).says(&[]).runs()[1];
            let row = row(json);
            let expected = format!("| {folder}{run} {row}");
            assert!(results.contains(&expected), "docs/results.md does not have {expected:?}");
        }
    }
    for (run, name) in [("qcrs", "QCRS"), ("probe", "PROBE")] {
        let path = |name: &str| format!("{ROOT}/docs/results/answers/0.50/{name}.tsv");
        let typed = format!("report {} {} --format json", path("cohen"), path(run));
        let json = &bench.run(&typed).says(&[]).runs()[1];
        let expected = format!(
            "{name} gains {} % instead of {} %",
            gain(&json["paired"]["without_default"]),
            gain(&json["paired"])
        );
        assert!(readme.contains(&expected), "README.md does not have {expected:?}");
    }
}

/// The gain, the gain without the default class, and the part of the gain that the class has.
fn row(run: &Value) -> String {
    let (paired, without) = (&run["paired"], &run["paired"]["without_default"]);
    let part = paired["by_label"].as_array().unwrap().iter().find(|label| label["class"] == without["class"]);
    let part = format!("{:.0} %", 100.0 * part.unwrap()["part"].as_f64().unwrap());
    format!("| {} | {} | {part} |", with_interval(&paired["gain"]), with_interval(&without["gain"]))
}

/// A gain in percent as the documents show it: the value cut, the interval grown.
fn with_interval(gain: &Value) -> String {
    let percent = |end: &str| 1e3 * gain[end].as_f64().unwrap();
    let show = |thousandths: f64| format!("{:.1}", thousandths / 10.0).replace('-', "−");
    format!(
        "{} [{}, {}]",
        show(percent("value").floor()),
        show(percent("low").floor()),
        show(percent("high").ceil())
    )
}

fn gain(paired: &Value) -> String {
    format!("{:.1}", (1e3 * paired["gain"]["value"].as_f64().unwrap()).floor() / 10.0)
}
