//! Does the README's first command keep its promise?

mod common;

use common::Bench;
use std::fs;

/// ACR of each row. The noise and our own engine have the same bits on every machine, so these have too.
const ACR: [(&str, &str); 8] = [
    ("cohen", "0.4436"),
    ("grid", "0.6309"),
    ("qcrs", "0.6432"),
    ("probe", "0.6607"),
    ("ddrs", "0.6072"),
    ("insta-rs", "0.5553"),
    ("iss", "0.4430"),
    ("dsrs", "0.3654"),
];

#[test]
fn the_demo_gives_the_same_table_everywhere_and_goes_on_where_it_was() {
    let bench = Bench::new();
    let first = bench.run("demo").says(&["Results", "demo/report.html"]);
    let found: Vec<Vec<&str>> = first
        .out
        .lines()
        .skip(4)
        .step_by(2)
        .take(8)
        .map(|row| row.split_whitespace().take(2).collect())
        .collect();
    assert_eq!(found, ACR.map(|(run, acr)| [run, acr]));
    for (run, _) in ACR {
        bench.run(&format!("verify demo/runs/{run}")).says(&["100 of 100"]);
    }
    let page = bench.read("demo/report.html");
    assert!(
        page.contains("data:image/png;base64,") && page.contains("default-src 'none'"),
        "it needs nothing else"
    );

    // whatever a crash took away is made again, the same
    let records = bench.path("demo/runs/probe/records-0-of-1.jsonl");
    let whole = fs::read_to_string(&records).unwrap();
    fs::write(&records, &whole[..whole.len() - 100]).unwrap();
    let second = bench.run("demo").says(&["Results"]);
    assert_eq!(fs::read_to_string(&records).unwrap(), whole);
    let acr = |out: &str| out.split("Cost and promise").next().unwrap().to_owned();
    assert_eq!(acr(&second.out), acr(&first.out));
}
