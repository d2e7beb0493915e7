//! What does `--help` say? The same as the files in `tests/snapshots/help`.

mod common;
#[path = "../../qcrs/tests/common/snapshot.rs"]
mod snapshot;

use common::Bench;

#[test]
fn help_reads_as_accepted() {
    let bench = Bench::new();
    let shown = |typed: &str| {
        let output = bench.command(typed).env("COLUMNS", "100").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    snapshot::compare("help", &[("qcrs.txt", shown("--help")), ("certify.txt", shown("certify --help"))]);
}
