//! What can be done with runs, votes and models besides certifying.

#[path = "../../qcrs/tests/common/archive.rs"]
mod archive;
mod common;

use common::{Bench, MODEL, absent};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;

/// The repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn report_writes_every_format() {
    let bench = Bench::new();
    bench.certify("--method cohen --run a").says(&[]);
    bench.certify("--method qcrs --run b").says(&[]);
    bench.run("report a b").says(&["Results", "fixed-sigma", "frozen-sigma", "ACR"]);
    bench.run("report a b --format md").says(&["| run |", "| --- |"]);
    bench.run("report a b --format latex").says(&["\\toprule", "\\bottomrule"]);
    bench.run("report a b --format csv --radii 0.1,0.2").says(&["0.1", "0.2", ","]);
    let json = bench.run("report a b --format json --radii 0.125").says(&[]).runs();
    assert_eq!(json.len(), 2);
    assert_eq!((&json[1]["name"], &json[1]["inputs"]), (&json!("b"), &json!(8)));
    assert_eq!(json[0]["certified_accuracy"].as_object().unwrap().keys().collect::<Vec<_>>(), ["0.125"]);
    // a lower bound of the accuracy itself
    bench.run("report a --rho 0.05").says(&[
        "Lower bound on certified accuracy on these inputs, with probability 0.95",
        "The lower bound allows for",
    ]);
    let bounded = bench.run("report a b --rho 0.05 --radii 0.125 --format json").says(&[]).runs();
    let csv = bench.run("report a b --rho 0.05 --radii 0.125 --format csv").says(&[]).out;
    let cells: Vec<&str> = csv.lines().map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!((cells[0], cells.len(), bounded.len()), ("certified_accuracy_bound_0.125", 3, 2));
    for (run, cell) in bounded.iter().zip(&cells[1..]) {
        let bound: f64 = cell.parse().unwrap();
        assert_eq!(run["certified_accuracy_bound"]["0.125"].as_f64(), Some(bound), "{csv}");
    }
    bench.run("report a --rho 2").fails(1, &["--rho must lie strictly between 0 and 1, got 2"]);
    bench.run("report a --skip 2 --format json").says(&["ids divisible by 2", "\"inputs\":4"]);
    // two runs of one name are told apart by their paths
    bench.certify("--method cohen --run other/a").says(&[]);
    bench.run("report a other/a").says(&["other/a"]);
    // the run's own table of the field's format gives the same numbers
    let tsv = bench.run("report a/results.tsv --format json --radii 0.125").says(&[]).runs();
    for key in
        ["acr", "fail_safe_acr", "right_certified", "certified_accuracy", "abstained", "wrong_certified"]
    {
        assert!(!json[0][key].is_null() && tsv[0][key] == json[0][key], "{key}: {} {}", tsv[0], json[0]);
    }
}

#[test]
fn a_brief_report_is_one_table_with_a_row_per_run() {
    let bench = Bench::new();
    bench.certify("--method cohen --run a").says(&[]);
    bench.certify("--method qcrs --run b").says(&[]);
    let table =
        bench.run("report a b --brief --format md --radii 0.125,0.25").says(&["Gains are over a"]).out;
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 4, "{table}");
    assert!(rows[0].contains(&"at 0.125") && rows[0].contains(&"s/input"), "{table}");
    // the same numbers as in the long report
    let long = bench.run("report a b --format json --radii 0.125,0.25").says(&[]).runs();
    for (row, run) in rows[2..].iter().zip(&long) {
        let acr = run["acr"]["value"].as_f64().unwrap();
        let shown: f64 = row[2].split(' ').next().unwrap().parse().unwrap();
        assert!(row[1] == run["name"] && (0.0..1e-4).contains(&(acr - shown)), "{row:?} {run}");
    }
    assert_eq!((rows[2][3], rows[3][3] == "–"), ("–", false), "only the others have a gain: {table}");
    bench.run("report a b --brief").says(&["gain,", "s/input"]);
    bench.run("report a b --brief --format latex").says(&["\\toprule"]);
    bench.run("report a b --brief --format json").fails(1, &["--brief is a table for people"]);
}

#[test]
fn numbers_and_advice_can_be_copied() {
    let bench = Bench::new();
    let curve =
        bench.with_model("curve --sigma 0.25 --n 20 --left 0.1 --right 0.8 --points 8 --ids 3 --format tsv");
    assert!(curve.says(&["\t0.3\t"]).out.lines().count() == 9);
    let tune = bench.with_model("tune --sigma 0.25 --points 2 --draws 20 --one-class 1");
    tune.says(&["qcrs certify --method cohen --sigma 0.", " --one-class 1 …"]);
}

#[test]
fn report_writes_a_page_and_figures() {
    let bench = Bench::new();
    bench.certify("--method qcrs --run a").says(&[]);
    let curve = format!("curve {MODEL} --sigma 0.25 --n 100 --points 5 --ids 3,6 --out curves.json");
    let text = bench.run(&format!("{curve} --format tsv")).says(&["idx\tclass\tsigma", "abstain"]).out;
    assert_eq!(text.lines().count(), 1 + 2 * 5);
    let json = bench.run(&format!("{curve} --format json")).says(&[]).json();
    assert_eq!(json, serde_json::from_str::<serde_json::Value>(&bench.read("curves.json")).unwrap());
    let page =
        "report a --html out/page.html --figures figures --curves curves.json --data data.bin --title Mine";
    let ran = bench.run(page).says(&["ACR"]);
    assert!(ran.err.contains("out/page.html") && ran.err.contains("figures"), "{}", ran.err);
    let html = bench.read("out/page.html");
    for words in ["<title>Mine", "data:image/png;base64,", "input 3: "] {
        assert!(html.contains(words), "no {words:?}");
    }
    let figures: Vec<_> =
        std::fs::read_dir(bench.path("figures")).unwrap().map(|f| f.unwrap().path()).collect();
    assert!(figures.len() > 2 && figures.iter().all(|f| f.extension().unwrap() == "svg"), "{figures:?}");
    // runs that are called by their paths have figures in the folder, not beside or below it
    for run in ["s0/p", "s1/p"] {
        bench.certify(&format!("--method probe --run {run}")).says(&[]);
    }
    bench.run("report s0/p s1/p --figures beliefs").says(&[]);
    assert!(bench.read("beliefs/sigma-radius-s1-p-0.svg").starts_with("<svg"));
    // curves of another model have no place beside this run
    bench.write("other.json", bench.read("curves.json").replace("\"model\": \"", "\"model\": \"0"));
    bench
        .run("report a --html other.html --curves other.json")
        .fails(1, &["other.json: these curves belong to another model"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_stdout_is_told() {
    let bench = Bench::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = bench
        .command("radius --votes 9 --of 9 --sigma 1")
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("cannot write to stdout: No space left on device"), "{words}");
}

#[test]
fn a_reader_that_has_read_enough_is_no_failure() {
    let bench = Bench::new();
    bench.certify("--method cohen --run a").says(&[]);
    for typed in ["report a --html page.html", "completions bash", "radius --votes 9 --of 9 --sigma 1"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = bench.command(typed).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let err = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(0), "{typed}: {err}");
        assert!(!err.contains("panicked") && !err.contains("pipe"), "{typed}: {err}");
    }
    assert!(!absent(&bench.path("page.html")), "the page is written all the same");
    // messages that nobody reads do not stop a run either
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let typed = format!("{} --method cohen --run b", common::CERTIFY);
    let ran = bench.command(&typed).stderr(writer).output().unwrap();
    assert_eq!(ran.status.code(), Some(0));
    assert_eq!(bench.records("a"), bench.records("b"));
}

#[test]
fn predict_answers_or_abstains() {
    let bench = Bench::new();
    let text = bench
        .with_model("predict --sigma 0.25 --n 200 --format tsv")
        .says(&["idx\tlabel\tpredict\tp_value\n"])
        .out;
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 8);
    assert_eq!((rows[0][2], rows[6][2], rows[7][1]), ("abstain", "automobile", "truck"), "{text}");
    assert!(rows[6][3].parse::<f64>().unwrap() < 1e-9 && rows[6][3].len() < 25, "{text}");
    let json = bench.with_model("predict --sigma 0.25 --n 200 --skip 3 --format json").says(&[]).json();
    let indices: Vec<_> = json.as_array().unwrap().iter().map(|row| &row["index"]).collect();
    assert_eq!(indices, [0, 3, 6]);
    assert_eq!(json[2]["prediction"]["class"], 1);
}

/// A class without a majority may be ahead of every other: the usual test names it, this one does not.
#[test]
fn predict_answers_a_majority_or_abstains() {
    let bench = Bench::new();
    let typed = "predict --sigma 0.25 --n 200 --majority";
    let text =
        bench.with_model(&format!("{typed} --format tsv")).says(&["idx\tlabel\tpredict\tp_lower\n"]).out;
    let json = bench.with_model(&format!("{typed} --format json")).says(&[]).json();
    let usual = bench.with_model("predict --sigma 0.25 --n 200 --format json").says(&[]).json();
    let (mut answered, mut only_ahead) = (0, 0);
    for (number, line) in text.lines().skip(1).enumerate() {
        let (cells, said) = (line.split('\t').collect::<Vec<_>>(), &json[number]["prediction"]);
        let p_lower: f64 = cells[3].parse().unwrap();
        assert_eq!(said["p_lower"].as_f64(), Some(p_lower));
        assert_eq!(said["votes"], usual[number]["prediction"]["votes"], "the draws are the same");
        assert_eq!(said["class"].is_null(), p_lower <= 0.5, "{said}");
        assert_eq!(said["class"].is_null(), cells[2] == "abstain", "{line}");
        answered += u32::from(p_lower > 0.5);
        only_ahead += u32::from(p_lower <= 0.5 && !usual[number]["prediction"]["class"].is_null());
    }
    assert!(answered > 0 && only_ahead > 0, "{text}");
}

#[test]
fn radius_calculates() {
    let bench = Bench::new();
    let json =
        bench.run("radius --votes 99000 --of 100000 --alpha 0.001 --sigma 0.5 --format json").says(&[]);
    let json = json.json();
    let (p, radius) = (json["p_lower"].as_f64().unwrap(), json["radius"].as_f64().unwrap());
    assert!((0.9889..0.9890).contains(&p) && (1.14..1.15).contains(&radius), "{json}");
    let text =
        bench.run("radius --votes 99000 --of 100000 --sigma 0.5").says(&["p_lower  0.98", "radius   1.14"]);
    assert!(text.out.contains(&radius.to_string()), "{}", text.out);
    bench.run("radius --votes 9 --of 9 --sigma 1").says(&["none", "needs 10 draws"]);
    bench.run("radius --votes 50 --of 100 --sigma 1").says(&["none", "less than half"]);
    bench.run("radius --votes 5 --of 4 --sigma 1").fails(1, &["5", "4"]);
}

#[test]
fn verify_recomputes_and_samples_again() {
    let bench = Bench::new();
    bench.certify("--method qcrs --run a").says(&[]);
    bench.run("verify a").says(&["8 of 8 records"]);
    bench.run(&format!("verify a {MODEL} --replay 3")).says(&["3 inputs sampled again"]);
    bench.run("verify a --replay 3").fails(2, &["--model", "--data"]);
    // votes of other noise follow from the rules all the same; only sampling again finds them
    bench.certify("--method qcrs --seed 1 --run b").says(&[]);
    bench.write("b/spec.json", bench.read("b/spec.json").replace("\"seed\": 1", "\"seed\": 0"));
    bench.run("verify b").says(&["8 of 8 records"]);
    bench.run(&format!("verify b {MODEL} --replay 8")).code_is(1, "sampling it again gives other votes");
    // other data are not even sampled
    let good = bench.records("a");
    let data = bench.path("data.bin");
    let mut bytes = std::fs::read(&data).unwrap();
    bytes[1] ^= 1;
    std::fs::write(&data, bytes).unwrap();
    bench
        .run(&format!("verify a {MODEL} --replay 3 -q"))
        .code_is(1, "a: the data is not that of this run (blake3");
    assert_eq!(good, bench.records("a"));
}

// a changed rule needs a new version, and these runs are made again
#[cfg(all(target_os = "linux", target_arch = "x86_64"))] // where they were made: another ln may end otherwise
#[test]
fn published_runs_follow_from_todays_rules() {
    let bench = Bench::new();
    let runs = archive::unpack(&Path::new(ROOT).join("docs/results/probe/records.tar.gz"));
    for run in ["macer-0.50-probe-1e-5", "gaussian-0.50-qcrs-two-sided-20k"] {
        bench
            .run(&format!("verify {}", runs.path().join(run).display()))
            .says(&["50 of 200 records: every verdict follows from its votes"]);
    }
}

/// ACR and passes of PROBE in docs/methods.md, as percentages of those of QCRS.
#[test]
fn the_table_of_probe_follows_from_its_files() {
    let bench = Bench::new();
    let methods = std::fs::read_to_string(format!("{ROOT}/docs/methods.md")).unwrap();
    let rows = [
        ("λ = 1e-6 (default)", "probe-1e-6"),
        ("λ = 1.5e-6", "probe-1.5e-6"),
        ("λ = 3e-6", "probe-3e-6"),
        ("λ = 1e-5", "probe-1e-5"),
        ("λ = 0, N = 100,000", "probe-100k"),
        ("QCRS's search, two-sided, N = 20,000", "qcrs-two-sided-20k"),
        ("COHEN, σ = 0.5, n = 100,000", "cohen-100k"),
    ];
    for (row, run) in rows {
        let line = methods.lines().find(|line| line.starts_with(&format!("| {row} | "))).expect(row);
        let cells: Vec<&str> = line.split(" | ").skip(1).collect();
        for (network, cells) in ["gaussian-0.50", "macer-0.50"].iter().zip(cells.chunks(2)) {
            let files = format!("{ROOT}/docs/results/probe/{network}");
            let typed = format!("report {files}-qcrs-100k.tsv {files}-{run}.tsv --format json");
            let [qcrs, other] = &bench.run(&typed).says(&[]).runs()[..] else { panic!("{typed}") };
            for (cell, key) in cells.iter().zip(["passes_per_input", "acr"]) {
                let of = |run: &serde_json::Value| run[key]["value"].as_f64().unwrap();
                let share = format!("{:.1} %", 100.0 * of(other) / of(qcrs));
                assert!(cell.starts_with(&share), "{row}, {network}, {key}: {share}, not {cell}");
            }
        }
    }
}

#[test]
fn doctor_finds_the_scale_and_the_time() {
    let bench = Bench::new();
    let json = bench.with_model("doctor --sigma 0.25 --n 1000 --format json").says(&[]).json();
    assert_eq!(
        (&json["classes"], &json["inputs"], &json["shape"]),
        (&json!(10), &json!(8), &json!([3, 32, 32]))
    );
    assert!(
        json["images_per_second"].as_f64().unwrap() > 0.0 && json["readings"].as_array().unwrap().len() > 2
    );
    let costs = json["seconds"].as_array().unwrap();
    let cost = |method: &str| costs.iter().find(|cost| cost["method"] == method).unwrap();
    assert_eq!((costs.len(), &cost("cohen")["passes"]), (8, &json!(1100)));
    assert_eq!((&cost("cohen")["deployable"], &cost("qcrs")["deployable"]), (&json!(true), &json!(false)));
    bench.with_model("doctor --sigma 0.25").says(&[
        "(as declared)",
        "diagnosis",
        "images/s",
        "n = 100000",
        "probe          ≤ ",
        "deployed system use --method cohen",
        "research with a σ per image use --method probe",
        "cifar10-0.247: deviations 0.2470 0.2435 0.2616",
    ]);
    bench
        .with_model("doctor --sigma 0.25 --normalise 255")
        .says(&["as --normalize and --bgr say", "[0, 1], channel by channel"]);
}

/// What is declared is tried once, and the other ways without it.
#[test]
fn doctor_applies_what_is_declared_to_one_reading_only() {
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/demo");
    let target = format!("--model {demo}/fashion-mnist-cnn-0.25.onnx --data {demo}/t10k-images-idx3-ubyte");
    let readings = |options: &str| {
        let typed = format!("doctor --engine cnn {target} --format json {options}");
        let json = Bench::new().run(&typed).says(&[]).json();
        let accuracies =
            |reading: &Value| ["clean_accuracy", "noisy_accuracy"].map(|name| reading[name].clone());
        json["readings"].as_array().unwrap().iter().map(accuracies).collect::<Vec<_>>()
    };
    let (plain, declared) = (readings(""), readings("--normalize half"));
    assert_eq!(declared[0], plain[3]);
    assert_eq!(declared[1..], plain);
    assert_ne!(plain[0], plain[3], "or this test would see nothing");
}

#[test]
fn bench_measures_every_part() {
    let bench = Bench::new();
    let short = "bench --engine rten --model model.onnx --seconds 0.02 --rounds 1";
    bench.run(short).says(&["bare engine", "whole certifier", "noise alone", "1 thread"]);
    let json = bench.run(&format!("{short} --format json")).says(&[]).json();
    for key in
        ["engine_images_per_second", "certifier_images_per_second", "noise_images_per_second", "scaling"]
    {
        assert!(json[key].as_f64().unwrap() > 0.0, "{key}: {json}");
    }
}

#[test]
fn shells_and_people_are_told_what_there_is() {
    let bench = Bench::new();
    for (shell, words) in [("bash", "complete -F"), ("zsh", "#compdef qcrs"), ("fish", "complete -c qcrs")] {
        bench.run(&format!("completions {shell}")).says(&[words, "certify"]);
    }
    bench.run("--help").says(&["certify", "merge", "Exit codes: 0 done", "qcrs data get cifar10"]);
    bench.run("certify --help").says(&["--sigma", "--preset", "--negative-sigma", "--shard"]);
    bench.run("--version").says(&["qcrs "]);
}

/// A reviewer has no records: the published files must follow from their own columns.
#[test]
fn verify_recomputes_published_files() {
    let bench = Bench::new();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results/answers/0.50");
    for name in ["cohen.tsv", "global.tsv", "grid.tsv", "probe.tsv", "qcrs-paper.tsv", "qcrs.tsv"] {
        // as others publish them, without the settings of the run
        let text = std::fs::read_to_string(docs.join(name)).unwrap();
        bench.write(name, text.split_once('\n').unwrap().1);
        bench.run(&format!("verify {name} --alpha 0.001")).says(&[
            "correct: recomputed from label and predict in 200 of 200 rows",
            "radius: recomputed from votes, n",
            &format!("{name}: no row disagrees"),
        ]);
        bench.run(&format!("verify {name}")).fails(2, &["--alpha: a result file with votes does not say"]);
    }
    bench
        .write("forged.tsv", bench.read("cohen.tsv").replacen("0.5515206054093147", "0.6515206054093147", 1));
    let ran = bench.run("verify forged.tsv --alpha 0.001").code_is(1, "forged.tsv: 1 row disagrees");
    assert!(
        ran.out.contains("line 3, input 50: radius is 0.6515206054093147, but votes, n and σ"),
        "{}",
        ran.out
    );
    // what a run writes is such a file, too
    for method in ["cohen", "probe", "qcrs"] {
        bench.certify(&format!("--method {method} --run {method}")).says(&[]);
        bench.run(&format!("verify {method}/results.tsv --alpha 0.001")).says(&["no row disagrees"]);
        bench.run(&format!("verify {method} --alpha 0.001")).fails(1, &["a run has them in its spec.json"]);
    }
    let cohen = "idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t3\t3\t0.378\t1\t15.4\n";
    bench.write("others.tsv", cohen);
    bench.run("verify others.tsv").says(&["not recomputed: radius: the file has neither votes nor pABar"]);
    bench
        .run("verify others.tsv --alpha 0.001 --n 1,000 --sigma 0.12")
        .code_is(1, "others.tsv: 1 row disagrees");
}

/// Numbers for people have few digits, classes have names, and a curve has a best σ.
#[test]
fn predict_curve_and_tune_print_tables_for_people() {
    let bench = Bench::new();
    let predict =
        bench.with_model("predict --sigma 0.25 --n 2000").says(&["input       label      answer  p-value"]);
    assert!(predict.out.contains("automobile  < 1e-15"), "{}", predict.out);
    bench.with_model("predict --sigma 0.25 --n 200 --majority").says(&["lower bound"]);
    let curve = bench.with_model("curve --sigma 0.25 --n 200 --points 5 --ids 3,6");
    curve.says(&["input       label       class  best σ  radius", "Input 6: automobile", "abstains"]);
    let many = bench.with_model("curve --sigma 0.25 --n 200 --points 2");
    many.says(&["4 more curves; --format tsv has every point"]);
    let tune = bench
        .with_model("tune --sigma 0.25 --points 3 --draws 20")
        .says(&["σ       predicted ACR  certified"]);
    let best =
        tune.out.lines().find(|line| line.ends_with("<- best")).unwrap_or_else(|| panic!("{}", tune.out));
    assert!(best.chars().count() < 45, "{best}");
    let tsv = bench.with_model("tune --sigma 0.25 --points 3 --draws 20 --format tsv").says(&[]).out;
    assert_eq!((tsv.lines().next(), tsv.lines().count()), (Some("sigma\tpredicted_acr\tcertified"), 4));
}
