//! `qcrs certify` as its users type it.

mod common;

use common::{Bench, CERTIFY, INPUTS, MODEL, absent};
use serde_json::json;

#[test]
fn every_method_certifies() {
    let bench = Bench::new();
    let methods = [
        ("cohen", "--method cohen", "fixed-sigma"),
        ("grid", "--method grid --points 5", "frozen-sigma"),
        ("max", "--method grid --points 3 --winner max-of-certificates", "frozen-sigma"),
        ("qcrs", "", "frozen-sigma"),
        ("paper", "--mode paper", "frozen-sigma"),
        ("preset", "--preset cifar10-0.25", "frozen-sigma"),
        ("probe", "--method probe", "frozen-sigma"),
        ("probe-passes", "--method probe --passes 2000", "frozen-sigma"),
        ("ddrs", "--method ddrs", "frozen-sigma"),
        ("ddrs-published", "--method ddrs --recipe published --iterations 5", "frozen-sigma"),
        ("insta-rs", "--method insta-rs --starts 0.2,0.3", "frozen-sigma"),
        ("iss", "--method iss --gradient-n 100 --loss 5%", "fixed-sigma"),
        ("dsrs", "--method dsrs", "fixed-sigma"),
        ("dsrs-threshold", "--method dsrs --second threshold --k 1500", "fixed-sigma"),
        ("dsrs-one", "--method dsrs --second none", "fixed-sigma"),
        ("two-sided", "--bound two-sided", "frozen-sigma"),
        ("auto", "--bound auto --method cohen", "fixed-sigma"),
        ("at-radius", "--at-radius 0.1 --method cohen", "fixed-sigma"),
        ("emulate", "--mode paper --preset cifar10-0.25 --negative-sigma emulate", "frozen-sigma"),
    ];
    for (run, options, guarantee) in methods {
        let ran = bench.certify(&format!("--run {run} {options}"));
        let ran = ran.says(&["ACR", guarantee, &format!("next: qcrs report {run}")]);
        assert!(ran.err.contains(&format!("{run}: 8 inputs of data.bin")), "{}", ran.err);
        assert_eq!(ran.out.contains("generalized Gaussian noise"), run.starts_with("dsrs"), "{}", ran.out);
        assert_eq!(bench.records(run).lines().count(), INPUTS);
        let tsv = bench.read(&format!("{run}/results.tsv"));
        // nothing is claimed about a grey image, something about a clear one
        assert!(tsv.lines().nth(1).unwrap().starts_with("0\t0\t-1\t0\t0\t"), "{tsv}");
        assert!(tsv.lines().nth(7).unwrap().starts_with("6\t1\t1\t0."), "{tsv}");
        bench.run(&format!("verify {run}")).says(&["8 of 8 records"]);
    }
}

#[test]
fn ascents_share_the_steps_that_were_asked_for() {
    let bench = Bench::new();
    for (run, starts, each) in [("one", "0.2", 9), ("three", "0.2,0.25,0.3", 3)] {
        bench
            .certify(&format!("--method insta-rs --iterations 9 --starts {starts} --run {run}"))
            .says(&["ACR"]);
        let spec = bench.read(&format!("{run}/spec.json"));
        assert!(spec.contains(&format!("\"iterations\": {each},")), "{spec}");
    }
}

#[test]
fn one_class_is_asked_about_and_only_inputs_of_one_class_are_taken() {
    let bench = Bench::new();
    let ran = bench.certify("--method cohen --one-class 1 --of-class 1 --run r").says(&["class-wise"]);
    assert!(ran.err.contains("r: 2 inputs"), "{}", ran.err);
    assert_eq!(bench.records("r").matches("\"label\":1").count(), 2, "{}", bench.records("r"));
    bench.run("verify r").says(&["2 of 2 records"]);
    // the opposite question has the opposite answer
    bench.certify("--method cohen --one-class 0 --of-class 1 --run s").says(&["class-wise"]);
    let records = bench.records("s");
    assert_eq!((records.lines().count(), records.matches("\"label\":0").count()), (2, 2), "{records}");
}

#[test]
fn the_summary_is_json_when_asked_for() {
    let bench = Bench::new();
    let run = &bench.certify("--method cohen --run r --format json").says(&[]).runs()[0];
    assert_eq!((&run["name"], &run["inputs"], &run["complete"]), (&json!("r"), &json!(8), &json!(true)));
    for key in [
        "guarantee",
        "acr",
        "right_certified",
        "abstained",
        "wrong_certified",
        "certified_accuracy",
        "passes_per_input",
        "seconds_per_input",
    ] {
        assert!(!run[key].is_null(), "no {key} in {run}");
    }
}

#[test]
fn without_run_a_readable_name_is_made_and_found_again() {
    let bench = Bench::new();
    let ran = bench.certify("--method cohen").says(&["next: qcrs report runs/model-cohen-s0.25-n200-"]);
    assert!(ran.err.contains("runs/model-cohen-s0.25-n200-"), "{}", ran.err);
    let again = bench.certify("--method cohen").says(&[]);
    assert!(again.err.contains("all 8 inputs are already done"), "{}", again.err);
    assert_eq!(again.out, ran.out);
    // a model.onnx is called after its folder
    std::fs::create_dir(bench.path("net")).unwrap();
    std::fs::copy(bench.path("model.onnx"), bench.path("net/model.onnx")).unwrap();
    bench.certify("--method cohen --model net/model.onnx").says(&["runs/net-cohen-s0.25-n200-"]);
}

#[test]
fn a_few_answers_are_shown_one_by_one() {
    let bench = Bench::new();
    let ran = bench.certify("--method cohen --run r").says(&["Answers", "every answer: r/results.tsv"]);
    let results = bench.read("r/results.tsv");
    let radius = |line: &str| line.split('\t').nth(3).unwrap().parse::<f64>().unwrap();
    let radii: Vec<f64> = results.lines().skip(1).map(radius).filter(|radius| *radius > 0.0).collect();
    assert!(radii.len() > 3, "{results}");
    for radius in radii {
        let shown = format!("{:.4}", (radius * 1e4).floor() / 1e4);
        assert!(ran.out.contains(&shown), "no {shown} in\n{}", ran.out);
    }
    assert_eq!(bench.certify("--method cohen --run r --format json").says(&[]).runs().len(), 1);
}

/// A folder is read by several threads before there is a model.
#[test]
fn a_folder_of_images_goes_with_any_number_of_threads() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("pictures")).unwrap();
    for number in 0..3_u8 {
        let picture = image::RgbImage::from_fn(32, 32, |x, y| image::Rgb([x as u8 * 8, y as u8 * 8, number]));
        picture.save(bench.path("pictures").join(format!("{number}.png"))).unwrap();
    }
    for threads in [1, 2, 3] {
        let run = format!("r{threads}");
        bench
            .certify(&format!("--method cohen --data pictures --threads {threads} --run {run}"))
            .says(&["Answers", "every answer"]);
        assert_eq!(bench.records(&run), bench.records("r1"));
    }
}

#[test]
fn fewer_class_folders_than_classes_are_refused_unless_allowed() {
    let bench = Bench::new();
    for class in ["ape", "bee"] {
        let folder = bench.path("val").join(class);
        std::fs::create_dir_all(&folder).unwrap();
        image::RgbImage::new(32, 32).save(folder.join("0.png")).unwrap();
    }
    let words = [
        "--allow-fewer-classes: val has 2 class folders, and the model 10 classes",
        "ape is class 0 and bee is class 1",
        "give --names a file with the names of all 10 classes",
    ];
    bench.certify("--method cohen --data val --run r").fails(2, &words);
    assert!(absent(&bench.path("r")));
    let ran = bench.certify("--method cohen --data val --allow-fewer-classes --run r").says(&[]);
    assert!(ran.err.contains("val has 2 classes, the model 10"), "{}", ran.err);
    bench
        .certify("--method cohen --data val --split train --run s")
        .fails(1, &["val has no train part", "--split"]);
}

#[test]
fn what_may_not_be_meant_is_remarked() {
    let bench = Bench::new();
    let remark = |typed: &str, words: &str| {
        let ran = bench.certify(&format!("--method cohen --count 1 --n 20 {typed}")).says(&[]);
        assert!(ran.err.contains(words), "{}", ran.err);
    };
    remark("--preset cifar10-0.50 --run p", "region, ε and τ are those of cifar10-0.50, σ is 0.25 as given");
    remark("--sigma 25 --run s", "did you mean 25/255 = 0.0980?");
    std::fs::create_dir(bench.path("wild")).unwrap();
    image::RgbImage::new(32, 32).save(bench.path("wild/0.png")).unwrap();
    bench.write("wild/labels.csv", "0.png,3\n");
    remark("--data wild --run w", "wild/labels.csv: not read; if it lists file,label give it as --data");
    assert!(bench.read("w/results.tsv").lines().nth(1).unwrap().starts_with("0\t-1\t"));
    assert_eq!(bench.read("w/results.tsv").lines().nth(1).unwrap().split('\t').nth(4), Some(""));
}

#[test]
fn one_radius_is_no_average() {
    let bench = Bench::new();
    bench.certify("--method cohen --run whole").says(&[]);
    bench.certify("--method cohen --at-radius 0.1 --run asked").says(&["0.1"]);
    let runs = bench.run("report whole asked --format json --radii 0.05,0.1,0.2").says(&[]).runs();
    let radii = |run: &serde_json::Value| run["certified_accuracy"].as_object().unwrap().len();
    assert_eq!((radii(&runs[0]), radii(&runs[1])), (3, 2), "nothing is known beyond the radius");
    assert!(runs[1]["acr"].is_null() && runs[1]["paired"].is_null(), "{}", runs[1]);
    bench.run("report whole asked --figures f").says(&["asks about a single radius has no ACR", "–"]);
    let figure = bench.read("f/certified-accuracy.svg");
    let steps: Vec<&str> = figure.split("<path d=\"").filter(|path| path.contains("class=\"line ")).collect();
    let falls = |path: &str| path.split('"').next().unwrap().matches('V').count();
    assert!(falls(steps[0]) > 1 && falls(steps[1]) <= 1, "nothing falls at the radius or beyond: {figure}");
    let file = bench.run("report asked/results.tsv --format json").says(&[]).runs();
    assert!(file[0]["acr"].is_null(), "{}", file[0]);
    // votes that were taken away, so that a wrong answer looks undecided
    let mut records: Vec<serde_json::Value> =
        bench.records("asked").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let outcome = &mut records[3]["finding"]["outcome"];
    let (class, sigma) = (outcome["estimates"][0]["class"].clone(), outcome["estimates"][0]["sigma"].clone());
    outcome["estimates"][0]["votes"] = serde_json::json!({});
    let reason = serde_json::json!({ "not-shown": { "class": class, "sigma": sigma, "refuted": false } });
    outcome["verdict"] = serde_json::json!({ "abstain": reason });
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    bench.write("asked/records-0-of-1.jsonl", lines.join("\n") + "\n");
    bench.run("verify asked").fails(1, &["asked: input 3: a certificate has 0 votes"]);
}

/// A radius that f64 cannot tell from an infinite one is not shown, but no vote speaks against it.
#[test]
fn what_no_draw_was_spent_on_is_not_refuted() {
    let bench = Bench::new();
    bench.certify("--method cohen --at-radius 2.5 --run far").says(&[]);
    let records = bench.records("far");
    assert!(records.contains("\"refuted\":false") && !records.contains("\"refuted\":true"), "{records}");
    bench.run("verify far").says(&["8 of 8 records"]);
}

#[test]
fn the_published_programs_names_work() {
    let bench = Bench::new();
    let ours =
        "--n0 20 --n 200 --left 0.1 --right 0.6 --epsilon 0.04 --epsilon-step 2 --gradient-n 40 --mode paper";
    let theirs =
        "--N0 20 --N 200 --left 0.1 --right 0.6 --epsilon 0.04 --epsilon_step 2 --gradient_n 40 --mode paper";
    for (run, options) in [("ours", ours), ("theirs", theirs)] {
        bench.run(&format!("certify {MODEL} --sigma 0.25 {options} --run {run}")).says(&[]);
    }
    assert_eq!(bench.read("ours/spec.json"), bench.read("theirs/spec.json"));
    assert!(bench.read("ours/spec.json").contains("\"step\": 0.02,"), "{}", bench.read("ours/spec.json"));
    assert_eq!(bench.records("ours"), bench.records("theirs"));
}

#[test]
fn a_file_holds_the_options_and_what_is_typed_wins() {
    let bench = Bench::new();
    bench.write(
        "qcrs.toml",
        "[certify]\nmodel = 'model.onnx'\ndata = 'data.bin'\nengine = 'rten'\nsigma = 0.25\nn = 1000\nn0 = 20\n\
         method = 'cohen'\nrun = 'r'\nquiet = true\n[report]\nradii = [0.125, 0.375]\nformat = 'csv'\n",
    );
    let ran = bench.run("certify --config qcrs.toml --n 200").says(&["ACR"]);
    assert_eq!(ran.err, "");
    bench.certify("--method cohen --run typed").says(&[]);
    assert_eq!(bench.records("r"), bench.records("typed"));
    bench.run("--config=qcrs.toml report r").says(&["0.125", "0.375"]);
}

#[test]
fn results_go_to_stdout_and_messages_to_stderr() {
    let bench = Bench::new();
    let loud = bench.certify("--method cohen --run loud").says(&[]);
    assert!(!loud.err.is_empty() && !loud.err.contains("ACR"), "{}", loud.err);
    for typed in [
        format!("{CERTIFY} --method cohen --run quiet --quiet"),
        "report loud --html page.html --figures figures -q".into(),
        format!("predict {MODEL} --sigma 0.25 --n 50 -q"),
        format!("curve {MODEL} --sigma 0.25 --n 50 --points 2 --ids 3 -q"),
        format!("verify loud {MODEL} --replay 1 -q"),
        "bench --engine rten --model model.onnx --seconds 0.01 --rounds 1 -q".into(),
    ] {
        let ran = bench.run(&typed).says(&[]);
        assert_eq!(ran.err, "", "{typed}");
        assert!(!ran.out.is_empty(), "{typed}");
    }
    bench.certify("--sigma 0 --run x --quiet").fails(2, &["sigma must be finite and positive"]);
    assert!(absent(&bench.path("x")));
}

#[test]
fn n_too_small_for_alpha_abstains_and_says_which_n_is_not() {
    let bench = Bench::new();
    let ran = bench.certify("--method cohen --n 5 --run r").says(&["abstained"]);
    assert!(ran.err.contains("every input will abstain") && ran.err.contains("--n 10 "), "{}", ran.err);
    let records = bench.records("r");
    assert_eq!(
        records.matches(r#""abstain":{"too-few-draws":{"smallest":10}}"#).count(),
        INPUTS,
        "{records}"
    );
    assert_eq!(bench.read("r/results.tsv").matches("too few draws").count(), INPUTS);
    // either side is bounded at half of α
    let ran = bench.certify("--method cohen --bound two-sided --n 10 --run two").says(&[]);
    assert!(ran.err.contains("--n 11 "), "{}", ran.err);
    assert_eq!(bench.records("two").matches(r#"{"smallest":11}"#).count(), INPUTS);
    // each of three certificates is made at a third of α
    let ran =
        bench.certify("--method grid --winner max-of-certificates --points 3 --n 11 --run max").says(&[]);
    assert!(ran.err.contains("--n 12 "), "{}", ran.err);
    assert!(bench.records("max").contains(r#"{"smallest":12}"#));
}
