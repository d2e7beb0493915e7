//! Answers files: every table can be made again from one, and a changed one is found.

mod common;

use common::Bench;
use qcrs::types::{Alpha, Sigma};
use serde_json::Value;

/// What a table shows of a run.
const SHOWN: [&str; 12] = [
    "method",
    "model",
    "data",
    "sigma",
    "alpha",
    "n",
    "guarantee",
    "complete",
    "acr",
    "fail_safe_acr",
    "certified_accuracy",
    "passes_per_input",
];

fn report(bench: &Bench, path: &str) -> Value {
    bench.run(&format!("report {path} --format json --radii 0.125")).says(&[]).runs().remove(0)
}

#[test]
fn an_answers_file_gives_the_tables_of_its_run() {
    let bench = Bench::new();
    for (name, options) in [
        ("cohen", "--method cohen"),
        ("two-sided", "--method cohen --bound two-sided"),
        ("qcrs", "--method qcrs"),
        ("probe", "--method probe"),
        ("best", "--method grid --winner max-of-certificates --points 3"),
        ("one", "--method cohen --one-class 1"),
    ] {
        bench.certify(&format!("{options} --run {name}")).says(&[]);
        bench.run(&format!("export {name} --out answers/{name}.tsv")).says(&[]);
        let (run, file) = (report(&bench, name), report(&bench, &format!("answers/{name}.tsv")));
        assert_eq!(file["name"], name, "the ending is not part of the name");
        assert_eq!(file["verified"], "verdicts", "{name}");
        let differ = SHOWN.iter().find(|key| run[**key] != file[**key]);
        assert_eq!(differ.map(|key| (key, &run[*key], &file[*key])), None, "{name}");
        bench.run(&format!("verify answers/{name}.tsv")).says(&["no row disagrees", "at α = 0.00"]);
    }
    // to stdout, the same
    assert_eq!(bench.run("export cohen").says(&[]).out, bench.read("answers/cohen.tsv"));
    // DSRS rests on votes that the file does not have
    bench.certify("--method dsrs --run dsrs").says(&[]);
    bench.run("export dsrs --out answers/dsrs.tsv").says(&[]);
    let file = report(&bench, "answers/dsrs.tsv");
    assert!(file["verified"].as_str().unwrap().starts_with("not verified"), "{file}");
    assert_eq!(report(&bench, "dsrs")["acr"], file["acr"]);
}

#[test]
fn a_changed_answers_file_is_refused() {
    let bench = Bench::new();
    bench.certify("--method cohen --run a").says(&[]);
    let text = bench.run("export a").says(&[]).out;
    let field = |line: &str, at: usize| line.split('\t').nth(at).unwrap_or_default().to_owned();
    let is_certified = |line: &&str| field(line, 3).parse::<f64>().is_ok_and(|radius| radius > 0.0);
    let (at, one) = text.lines().enumerate().find(|(_, line)| is_certified(line)).unwrap();
    let (index, radius, at) = (field(one, 0), field(one, 3), at + 1);
    let larger = one.replace(&radius, &format!("{}", 1.001 * radius.parse::<f64>().unwrap()));
    let line = |new: &str| text.replacen(one, new, 1);
    for (changed, problem) in [
        (line(&larger), format!("line {at}: radius is")),
        (text.replacen("\"alpha\":0.001", "\"alpha\":0.01", 1), ": radius is".into()),
        (
            line(&one.replacen(&index, "8", 1)),
            format!("line {at}: the settings in line 1 do not ask for input 8"),
        ),
        (line(&format!("{one}\n{one}")), format!("line {}: input {index} appears twice", at + 1)),
        (text.replacen("fixed-sigma", "frozen-sigma", 1), "its method promises fixed-sigma".into()),
        (text.replacen("\"seed\":0", "\"sead\":0", 1), "this qcrs cannot read the settings".into()),
    ] {
        assert_ne!(changed, text, "{problem}");
        bench.write("changed.tsv", changed);
        bench.run("report changed.tsv").fails(1, &[&problem]);
    }
    // a larger radius that a two-sided bound could give, where the settings say one-sided
    let votes: Vec<u64> = ["votes", "n"]
        .map(|name| text.lines().nth(1).unwrap().split('\t').position(|column| column == name).unwrap())
        .map(|at| field(one, at).parse().unwrap())
        .to_vec();
    let lead = qcrs::bounds::two_sided(votes[1], votes[0], 0, Alpha::new(0.001).unwrap()).unwrap();
    let larger = qcrs::radius::gaussian_two_sided(lead.class, lead.not_other, Sigma::new(0.25).unwrap());
    let larger = larger.unwrap().unwrap();
    assert!(larger > radius.parse::<f64>().unwrap(), "{larger}");
    bench.write("changed.tsv", line(&one.replace(&radius, &larger.to_string())));
    bench.run("report changed.tsv").fails(1, &[&format!("line {at}: radius is")]);
    // a file with fewer inputs is incomplete
    bench.write("short.tsv", line("").replace("\n\n", "\n"));
    bench.run("report short.tsv").says(&["short", "incomplete", "7 of 8"]);
    // it knows its own α
    bench.write("a.tsv", &text);
    bench.run("verify a.tsv --alpha 0.01").fails(2, &["--alpha", "made with 0.001, got 0.01"]);
}

#[test]
fn export_wants_a_run_with_answers() {
    let bench = Bench::new();
    bench.run("export nothing").fails(1, &["nothing"]);
    bench.certify("--method cohen --run a").says(&[]);
    std::fs::write(bench.path("a/records-0-of-1.jsonl"), "").unwrap();
    bench.run("export a").fails(1, &["a: no input is certified yet"]);
}
