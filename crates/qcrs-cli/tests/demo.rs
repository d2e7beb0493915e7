//! Does the README's first command keep its promise?

mod common;

use common::Bench;
use qcrs::method::METHODS;
use std::collections::BTreeSet;
use std::fs;

/// A method, and its ACR in the demo. The noise and our own engine have the same bits on every machine, so the
/// demo has the same numbers. A method that is new in the library has a row in the demo, and should get one here.
type Row = (&'static str, &'static str);

const OF_5_IMAGES: [Row; 8] = [
    ("cohen", "0.5011"),
    ("grid", "0.7571"),
    ("qcrs", "0.7638"),
    ("probe", "0.7766"),
    ("ddrs", "0.7408"),
    ("insta-rs", "0.7542"),
    ("iss", "0.5011"),
    ("dsrs", "0.4054"),
];

const OF_100_IMAGES: [Row; 8] = [
    ("cohen", "0.4419"),
    ("grid", "0.6209"),
    ("qcrs", "0.6354"),
    ("probe", "0.6512"),
    ("ddrs", "0.5992"),
    ("insta-rs", "0.5632"),
    ("iss", "0.4417"),
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
    let first = bench.run(demo).says(&["its majority vote", "demo/report.html"]);
    let found = results(&first.out);
    let methods: BTreeSet<&str> = METHODS.iter().map(|method| method.name).collect();
    assert_eq!(found.iter().map(|(run, _)| *run).collect::<BTreeSet<_>>(), methods, "a row per method");
    assert_eq!(found.len(), methods.len());
    let early = first.out.find("The first three methods").unwrap();
    assert!(early < first.out.find("All methods").unwrap(), "{}", first.out);
    for row in &rows {
        assert!(found.contains(row), "{row:?} is not in {found:?}");
    }
    for run in methods {
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
    let second = bench.run(demo).says(&["All methods"]);
    assert_eq!(fs::read_to_string(&records).unwrap(), whole);
    assert_eq!(results(&second.out), results(&first.out));
}

/// Method and average radius of each row of the last table.
fn results(out: &str) -> Vec<(&str, &str)> {
    let (_, table) = out.split_once("\nAll methods\n").unwrap();
    let body = table.lines().skip_while(|line| !line.starts_with("---")).skip(1);
    let rows = body.take_while(|line| !line.is_empty());
    rows.map(|row| row.split_whitespace()).map(|mut row| (row.next().unwrap(), row.next().unwrap())).collect()
}
