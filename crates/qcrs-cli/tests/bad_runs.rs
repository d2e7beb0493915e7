//! Run directories and result files that are not what they should be.

mod common;

use common::{Bench, MODEL, absent};
use std::fs;

const RECORDS: &str = "r/records-0-of-1.jsonl";

fn with_run() -> Bench {
    let bench = Bench::new();
    bench.certify("--method cohen --run r").says(&[]);
    bench
}

#[test]
fn a_damaged_line_is_named_by_every_reader() {
    let bench = with_run();
    let whole = bench.records("r");
    let line = whole.lines().nth(3).unwrap();
    bench.write(RECORDS, whole.replace(line, &line[..line.len() / 2]));
    for typed in ["report r", "verify r", "merge r --into m"] {
        bench.run(typed).fails(1, &["records-0-of-1.jsonl: line 4 is damaged", "restore the file"]);
    }
    bench.certify("--method cohen --run r").fails(1, &["line 4 is damaged"]);
    // a torn last line is no damage: readers pass over it, certify goes on there
    bench.write(RECORDS, &whole[..whole.len() - 5]);
    fs::remove_file(bench.path("r/results.tsv")).unwrap();
    bench.run("verify r").says(&["7 of 8 records"]);
    bench.certify("--method cohen --run r").says(&[]);
    assert_eq!(bench.records("r"), whole);
}

/// A run among other files would be hard to tell from them, and to remove.
#[test]
fn a_new_run_wants_a_directory_of_its_own() {
    let bench = Bench::new();
    let certify = |run: &str| bench.certify(&format!("--method cohen --run {run}"));
    for name in ["notes.txt", "results.tsv", "more"] {
        let _ = fs::remove_dir_all(bench.path("full"));
        fs::create_dir(bench.path("full")).unwrap();
        bench.write(&format!("full/{name}"), "mine");
        certify("full")
            .fails(1, &[&format!("full: holds {name} but no run"), "choose a new or an empty directory"]);
        assert_eq!(fs::read_dir(bench.path("full")).unwrap().count(), 1, "{name}");
    }
    // file managers, git and a run that was killed while it wrote its spec leave such files behind
    fs::create_dir(bench.path("empty")).unwrap();
    for name in [".DS_Store", ".gitkeep", "spec.4711.tmp"] {
        bench.write(&format!("empty/{name}"), "");
    }
    certify("empty").says(&[]);
    bench.write("empty/notes.txt", "mine");
    assert!(certify("empty").says(&[]).err.contains("all 8 inputs are already done"));
}

/// What a spec.json of somebody else says is shown, not obeyed.
#[test]
fn names_in_a_spec_do_not_reach_the_terminal_raw() {
    let bench = with_run();
    let rude = r"\u001b]0;owned\u0007\u009b31m";
    let spec = bench.read("r/spec.json");
    bench.write("r/spec.json", spec.replace("\"airplane\"", &format!("\"air{rude}\"")));
    let clean = |text: &str| !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    for typed in
        ["report r", "report r --format md", "report r --format csv", "report r --format json", "verify r"]
    {
        let ran = bench.run(typed).says(&[]);
        assert!(clean(&ran.out) && clean(&ran.err), "{typed}: {:?}{:?}", ran.out, ran.err);
    }
    let other = spec.replace("\"data.bin\"", &format!("\"{rude}\"")).replace("cohen", rude);
    bench.write("r/spec.json", other);
    for ran in [bench.certify("--method cohen --run r"), bench.run("report r"), bench.run("verify r")] {
        assert!(ran.code == Some(1) && clean(&ran.err), "{:?}", ran.err);
    }
}

#[test]
fn a_record_that_was_changed_is_found_by_verify() {
    let bench = with_run();
    let whole = bench.records("r");
    let line = whole.lines().nth(6).unwrap();
    let record: serde_json::Value = serde_json::from_str(line).unwrap();
    let verdict = &record["finding"]["outcome"]["verdict"]["certified"];
    let (radius, class) = (verdict["radius"].to_string(), verdict["class"].to_string());
    for (from, to) in [
        (format!("\"radius\":{radius}"), "\"radius\":3.5".into()),
        (format!("\"class\":{class}"), "\"class\":7".into()),
        ("\"sigma\":0.25".into(), "\"sigma\":0.5".to_string()),
    ] {
        bench.write(RECORDS, whole.replace(line, &line.replace(&from, &to)));
        bench.run("verify r").fails(1, &["r: input 6: "]);
    }
    // a reader of another version would look for the damage elsewhere first
    let spec = bench.read("r/spec.json");
    let here = format!("\"qcrs\": \"{}\"", env!("CARGO_PKG_VERSION"));
    bench.write("r/spec.json", spec.replace(&here, "\"qcrs\": \"0.0.7\""));
    bench.run("verify r").fails(1, &["qcrs 0.0.7", "r: input 6: "]);
    bench.write("r/spec.json", spec);
    // with a noise level and a radius that fit each other, but not the spec
    let mut louder = record.clone();
    let outcome = &mut louder["finding"]["outcome"];
    outcome["selection"]["sigma"] = 0.5.into();
    outcome["estimates"][0]["sigma"] = 0.5.into();
    outcome["verdict"]["certified"]["sigma"] = 0.5.into();
    outcome["verdict"]["certified"]["radius"] = (2.0 * radius.parse::<f64>().unwrap()).into();
    bench.write(RECORDS, whole.replace(line, &louder.to_string()));
    bench.run("verify r").fails(1, &["r: input 6: ", "0.5"]);
    // of an input that was not asked for
    bench.write(RECORDS, whole.replace(line, &line.replace("\"index\":6", "\"index\":66")));
    bench.run("verify r").fails(1, &["input 66", "spec"]);
    bench.run("report r").fails(1, &["input 66"]);
    bench.write(RECORDS, whole.replace(line, &line.replace("\"index\":6", "\"index\":5")));
    bench.run("report r").fails(1, &["input 5 has two records"]);
    // for a class that there is not, and as if the data had said so
    bench.write(RECORDS, whole.replace(line, &line.replace(&format!("\"{class}\":"), "\"11\":")));
    bench.run("verify r").fails(1, &["r: input 6: there are votes for a class that the model does not have"]);
    bench.write(RECORDS, whole.replace("{\"index\":6,\"label\":", "{\"index\":6,\"label\":1"));
    bench.run("verify r").code_is(1, "r/results.tsv: line 8 is not what the record of input 6 gives");
    fs::remove_file(bench.path("r/results.tsv")).unwrap();
    bench.run("verify r").says(&["8 of 8 records"]);
    let data = "--data data.bin";
    for asked in [data, &format!("{MODEL} --replay 1")] {
        bench.run(&format!("verify r {asked}")).code_is(1, "r: input 6: the record says class 1");
    }
    bench.run(&format!("verify r {MODEL}")).fails(2, &["--replay"]);
    bench.write(RECORDS, whole.replace(&format!("{line}\n"), ""));
    bench.run("verify r").says(&["7 of 8 records", "incomplete: the first missing input is 6"]);
    bench.write(RECORDS, whole);
    bench.run(&format!("verify r {data}")).says(&["8 of 8 records", "every label matches the data"]);
    // a spec that asks for more than there is memory
    let spec: serde_json::Value = serde_json::from_str(&bench.read("r/spec.json")).unwrap();
    let mut large = spec.clone();
    large["data"]["shape"][1] = (1_u64 << 40).into();
    bench.write("r/spec.json", large.to_string());
    bench.run("verify r").fails(1, &["r: images of the shape [3, 1099511627776, 32] are too large"]);
    let mut many = spec;
    many["selection"]["of"] = u32::MAX.into();
    bench.write("r/spec.json", many.to_string());
    bench.run("verify r").says(&["8 of 4294967295 records"]);
    bench.run("report r").says(&["8 of 4294967295"]);
}

#[test]
fn a_run_without_records_stands_in_nobodys_way() {
    let bench = with_run();
    bench.certify("--method cohen --seed 1 --run begun").says(&[]);
    bench.write("begun/records-0-of-1.jsonl", "");
    bench.run("verify begun").fails(1, &["begun: there are no records to verify yet"]);
    let ran = bench.run("report begun r --reference 2").says(&["r"]);
    assert!(ran.err.contains("begun: no input is certified yet, so it is left out"), "{}", ran.err);
    bench.run("report r begun --reference 2").fails(1, &["begun: there are no inputs to report on"]);
    bench
        .certify("--method cohen --seed 2 --run begun")
        .fails(1, &["seed", "remove this one, which has no records"]);
    bench.certify("--method cohen --seed 2 --run r").fails(1, &["seed", "or ask for the same\n"]);
}

#[test]
fn a_directory_without_a_run_is_said_to_be_none() {
    let bench = with_run();
    fs::create_dir(bench.path("empty")).unwrap();
    for typed in ["report empty", "verify empty", "merge empty --into m"] {
        bench.run(typed).fails(1, &["empty: is not a run", "qcrs certify"]);
    }
    bench.run("report nowhere").fails(1, &["nowhere: does not exist", "run directory"]);
    bench.run("merge r --into r").fails(1, &["r: already exists", "new directory"]);
    bench.certify("--method cohen --seed 1 --run other").says(&[]);
    bench.run("merge r other --into m").fails(1, &["other: not the same run as r: another seed"]);
    assert!(absent(&bench.path("m")));
    fs::remove_file(bench.path("r/spec.json")).unwrap();
    bench.certify("--method cohen --run r").fails(1, &["records without a spec.json", "another directory"]);
    bench.write("other/spec.json", "{}");
    bench.run("report other").fails(1, &["other/spec.json: not a spec this qcrs understands"]);
}

#[test]
fn shards_are_not_mixed() {
    let bench = Bench::new();
    bench.certify("--method cohen --run r --shard 0/2").says(&[]);
    bench.certify("--method cohen --run r").fails(1, &["another number of shards"]);
    bench.certify("--method cohen --run r --shard 1/3").fails(1, &["another number of shards"]);
    bench.certify("--method cohen --run r --shard 1/2").says(&[]);
    bench.run("verify r").says(&["8 of 8 records"]);
    // the table is of all shards that are there
    let table = bench.read("r/results.tsv");
    let ids: Vec<&str> = table.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(ids, ["idx", "0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn a_malformed_result_file_is_named_with_its_line() {
    let bench = Bench::new();
    for (text, words) in [
        ("", "line 1: no column `idx`"),
        ("idx\tlabel\tpredict\n", "line 1: no column `radius`"),
        ("idx\tlabel\tpredict\tradius\n0\t1\t1\n", "line 2: 3 fields where the header has 4"),
        ("idx\tlabel\tpredict\tradius\n0\t1\t1\t0.5\n1\t1\tcat\t0.5\n", "line 3: `predict` is \"cat\""),
        ("idx\tlabel\tpredict\tradius\n0\t1\t1\tnan\n", "line 2: `radius` is \"nan\""),
        ("idx\tlabel\tpredict\tradius\n0\t1\t1\t1\n0\t1\t1\t1\n", "line 3: input 0 appears twice"),
        ("idx\tlabel\tpredict\tradius\n", "no inputs"),
    ] {
        bench.write("bad.tsv", text);
        bench.run("report bad.tsv").fails(1, &["bad.tsv: ", words]);
    }
    bench.write("bad.tsv", b"\xff\xfe\x00");
    bench.run("report bad.tsv").fails(1, &["bad.tsv: neither a run directory nor a result file"]);
}

#[test]
fn report_checks_what_it_is_asked_for() {
    let bench = with_run();
    bench.write("notes.json", "hello");
    bench.write("other.bin", &fs::read(bench.path("data.bin")).unwrap()[..3073]);
    for (typed, code, words) in [
        ("report", 2, "<PATH>"),
        ("report r r", 1, "r is given twice"),
        (
            "report r --reference 2",
            1,
            "--against 2: no such run here; give one of the paths or a position from 1 to 1",
        ),
        ("report r --against 0", 1, "--against 0: no such run here"),
        ("report r --radii -1", 1, "radius -1"),
        ("report r --radii wide", 2, "wide"),
        ("report r --format xml", 2, "xml"),
        (
            "report r --curves notes.json --html x.html",
            1,
            "notes.json: this file was not written by `qcrs curve --out`",
        ),
        ("report r --data other.bin --html x.html", 2, "--data: this is not the data of r"),
        ("report r --html data.bin/x.html", 1, "cannot write data.bin/x.html"),
        ("report r --figures data.bin", 1, "cannot write data.bin"),
        ("report r --split test", 2, "--data"),
        ("verify r --threads 3", 2, "--model"),
        ("report r --title Mine", 2, "--html"),
        ("report r --html x.html --pictures 3", 2, "--data"),
        ("report r --curves notes.json", 1, "add --html or --figures"),
        ("report r --skip 0", 2, "--skip"),
    ] {
        bench.run(typed).fails(code, &[words]);
        assert!(absent(&bench.path("x.html")), "{typed}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_said_and_a_device_is_left_in_place() {
    use std::os::unix::fs::FileTypeExt;
    let bench = with_run();
    bench.run("report r --html /dev/full").fails(1, &["cannot write /dev/full: No space left"]);
    let kind = fs::metadata("/dev/full").unwrap().file_type();
    assert!(kind.is_char_device(), "/dev/full was replaced");
}
