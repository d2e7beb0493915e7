//! What does `--help` say? The same as the files in `tests/snapshots/help`.

mod common;
#[path = "../../qcrs/tests/common/snapshot.rs"]
mod snapshot;

use common::Bench;

/// Lines that two screens have.
const TWO_SCREENS: usize = 48;

#[test]
fn help_reads_as_accepted() {
    let bench = Bench::new();
    let shown = |typed: &str| {
        let output = bench.command(typed).env("COLUMNS", "100").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    snapshot::compare("help", &[("qcrs.txt", shown("--help")), ("certify.txt", shown("certify --help"))]);
}

#[test]
fn short_help_fits_two_screens_and_long_help_has_everything() {
    let bench = Bench::new();
    let shown = |typed: &str| {
        let output = bench.command(typed).env("COLUMNS", "80").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let all = shown("-h");
    let commands =
        all.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = commands
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty());
    let names: Vec<&str> = names.filter(|name| !["help", "train"].contains(name)).collect();
    assert!(names.len() > 12, "{names:?}");
    for name in std::iter::once("").chain(names) {
        let short = shown(&format!("{name} -h"));
        let lines = short.lines().count();
        assert!(lines <= TWO_SCREENS, "qcrs {name} -h has {lines} lines:\n{short}");
        let wide = short.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "qcrs {name} -h");
    }
    let (short, long) = (shown("certify -h"), shown("certify --help"));
    for setting in ["--gradient-n", "--epsilon", "--rate", "--loss", "--second", "--engine", "--layout"] {
        assert!(!short.contains(setting) && long.contains(setting), "{setting}");
    }
    assert!(short.contains("--help"), "it says where the others are");
}
