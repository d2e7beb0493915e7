//! Do tables and sentences fit the 80 columns that a pipe has?

mod common;

use common::{Bench, CERTIFY, MODEL};

/// What cannot be broken: paths of files that people copy.
fn is_path(line: &str) -> bool {
    !line.trim().contains(' ')
}

#[test]
fn in_a_pipe_no_line_is_longer_than_80_columns() {
    let bench = Bench::new();
    let long = "a-very-long-name-of-a-run-that-says-everything-about-it-and-more";
    bench.run(&format!("{CERTIFY} --method cohen --run {long}")).says(&[]);
    bench.run(&format!("{CERTIFY} --gradient-n 40 --run {long}-too")).says(&[]);
    let file = "../../docs/results/answers/0.50/probe.tsv";
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    bench.write("probe.tsv", std::fs::read(file).unwrap());
    for typed in [
        format!("{CERTIFY} --method cohen --run {long}"),
        format!("{CERTIFY} --gradient-n 40 --run short"),
        format!("{CERTIFY} --method probe"),
        format!("report {long} {long}-too probe.tsv"),
        format!(
            "report {long} {long}-too --rho 0.05 --radii 0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,1.1,1.2,1.3"
        ),
        format!("doctor {MODEL}"),
        format!("doctor {MODEL} --normalize 255"),
        format!("predict {MODEL} --sigma 0.25 --n 200"),
        format!("predict {MODEL} --sigma 0.25 --n 200 --majority"),
        format!("curve {MODEL} --sigma 0.25 --n 100 --points 4"),
        format!("tune {MODEL} --sigma 0.25 --points 3 --draws 20"),
        format!("verify {long}"),
        format!("verify {long} {MODEL} --replay 1"),
        "verify probe.tsv --alpha 0.001".into(),
        "demo --count 2 --dir demo".into(),
    ] {
        let ran = bench.run(&typed).says(&[]);
        let wide = ran.out.lines().find(|line| line.chars().count() > 80 && !is_path(line));
        assert_eq!(wide, None, "{typed}\n{}", ran.out);
        assert!(!ran.out.is_empty(), "{typed}");
    }
}
