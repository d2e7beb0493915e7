//! Does the README's first command keep its promise?

mod common;

use common::Bench;
use std::fs;

/// A method, and its ACR in the demo. The noise and our own engine have the same bits on every machine, so the
/// demo has the same numbers.
type Row = (&'static str, &'static str);

const OF_5_IMAGES: [Row; 8] = [
    ("cohen", "0.5003"),
    ("grid", "0.7766"),
    ("qcrs", "0.7898"),
    ("probe", "0.8277"),
    ("ddrs", "0.7719"),
    ("insta-rs", "0.7050"),
    ("iss", "0.5003"),
    ("dsrs", "0.4054"),
];

const OF_100_IMAGES: [Row; 8] = [
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
fn the_demo_of_a_few_images_gives_the_same_table_everywhere() {
    gives_the_same_table_and_resumes("demo --count 5", 5, OF_5_IMAGES);
}

mod slow {
    #[test]
    #[ignore = "slow: 1.2 million forward passes"]
    fn the_demo_gives_the_same_table_everywhere() {
        super::gives_the_same_table_and_resumes("demo", 100, super::OF_100_IMAGES);
    }
}

fn gives_the_same_table_and_resumes(demo: &str, images: u32, rows: [Row; 8]) {
    let bench = Bench::new();
    let first = bench.run(demo).says(&["Results", "demo/report.html"]);
    let found: Vec<Vec<&str>> = first
        .out
        .lines()
        .skip(4)
        .step_by(2)
        .take(8)
        .map(|row| row.split_whitespace().take(2).collect())
        .collect();
    assert_eq!(found, rows.map(|(run, acr)| [run, acr]));
    for (run, _) in rows {
        bench.run(&format!("verify demo/runs/{run}")).says(&[&format!("{images} of {images}")]);
    }
    let spec = bench.read("demo/runs/cohen/spec.json");
    assert!(
        spec.contains("Fashion-MNIST, the first 100 test images") && spec.contains("Ankle boot"),
        "{spec}"
    );
    let page = bench.read("demo/report.html");
    assert!(
        page.contains("data:image/png;base64,") && page.contains("default-src 'none'"),
        "it needs nothing else"
    );

    // whatever a crash took away is made again, the same
    let records = bench.path("demo/runs/probe/records-0-of-1.jsonl");
    let whole = fs::read_to_string(&records).unwrap();
    fs::write(&records, &whole[..whole.len() - 100]).unwrap();
    let second = bench.run(demo).says(&["Results"]);
    assert_eq!(fs::read_to_string(&records).unwrap(), whole);
    let acr = |out: &str| out.split("Cost and promise").next().unwrap().to_owned();
    assert_eq!(acr(&second.out), acr(&first.out));
}
