//! Runs that were changed behind our back are found by every command that reads them.

mod common;

use common::{Bench, CERTIFY, INPUTS, MODEL};
use serde_json::{Value, json};
use std::fs;

const RECORDS: &str = "r/records-0-of-1.jsonl";
const RESUME: &str = "--method cohen --run r";

fn with_run() -> Bench {
    let bench = Bench::new();
    bench.certify(RESUME).says(&[]);
    bench
}

/// Changes the record in line `number`.
fn edit(bench: &Bench, number: usize, change: impl FnOnce(&mut Value)) {
    let whole = bench.records("r");
    let line = whole.lines().nth(number).unwrap();
    let mut record: Value = serde_json::from_str(line).unwrap();
    change(&mut record);
    bench.write(RECORDS, whole.replace(line, &record.to_string()));
}

fn radius(record: &mut Value) -> &mut Value {
    &mut record["finding"]["outcome"]["verdict"]["certified"]["radius"]
}

/// Changes `field` of spec.json.
fn edit_spec(bench: &Bench, field: &[&str], to: Value) {
    let mut spec: Value = serde_json::from_str(&bench.read("r/spec.json")).unwrap();
    *field.iter().fold(&mut spec, |value, key| &mut value[*key]) = to;
    bench.write("r/spec.json", spec.to_string());
}

#[test]
fn a_forged_record_is_neither_shown_nor_built_upon() {
    type Forge = fn(&mut Value);
    let forgeries: [Forge; 6] = [
        |record| *radius(record) = json!(3.0),
        |record| record["finding"]["outcome"]["estimates"][0]["votes"] = json!({ "1": 200 }),
        |record| record["finding"]["outcome"]["verdict"]["certified"]["class"] = json!(2),
        |record| record["finding"]["outcome"]["estimates"][0]["votes"]["11"] = json!(1),
        |record| record["finding"]["outcome"]["fail_safe"]["radius"] = json!(3.0),
        |record| record["finding"]["outcome"]["fail_safe"]["class"] = json!(2),
    ];
    for forge in forgeries {
        let bench = with_run();
        let results = bench.read("r/results.tsv");
        edit(&bench, 6, forge);
        for format in ["text", "md", "latex", "csv", "json"] {
            bench.run(&format!("report r --format {format}")).fails(1, &["r: input 6: "]);
        }
        bench.run("report r --html page.html").fails(1, &["r: input 6: "]);
        bench.run("merge r --into m").fails(1, &["r: input 6: "]);
        assert!(common::absent(&bench.path("m")) && common::absent(&bench.path("page.html")));
        // whether or not something is left to certify
        bench.certify(RESUME).fails(1, &["r: input 6: "]);
        let whole = bench.records("r");
        let last = whole.trim_end().rfind('\n').unwrap() + 1;
        bench.write(RECORDS, &whole[..last]);
        bench.certify(RESUME).fails(1, &["r: input 6: "]);
        assert_eq!(bench.records("r"), whole[..last], "nothing was added");
        assert_eq!(bench.read("r/results.tsv"), results);
    }
}

#[test]
fn a_forged_alpha_is_neither_shown_nor_built_upon() {
    let bench = with_run();
    edit_spec(&bench, &["budget", "alpha"], json!(1e-9));
    bench.run("report r --rho 0.001").fails(1, &["r: input "]);
    bench.run("merge r --into m").fails(1, &["r: input "]);
    bench.certify(&format!("{RESUME} --alpha 1e-9")).fails(1, &["r: input "]);
}

#[test]
fn a_forged_label_is_found_with_the_data() {
    let bench = with_run();
    edit(&bench, 6, |record| record["label"] = json!(4));
    bench.certify(RESUME).fails(1, &["r: input 6: the record says deer, the data automobile"]);
    bench.run("verify r --data data.bin").code_is(1, "r: input 6: the record says deer");
}

#[test]
fn forged_pixels_are_found_with_the_data() {
    let bench = with_run();
    let pixels = |number: usize| {
        let record: Value = serde_json::from_str(bench.records("r").lines().nth(number).unwrap()).unwrap();
        record["pixels"].clone()
    };
    assert!(pixels(6).as_str().is_some_and(|hash| hash.len() == 64), "{}", pixels(6));
    let other = pixels(5);
    edit(&bench, 6, |record| record["pixels"] = other);
    let words = "r: input 6: the record is about another image than the data have";
    bench.run("verify r").says(&["8 of 8 records"]);
    bench.certify(RESUME).fails(1, &[words]);
    bench.run("verify r --data data.bin").code_is(1, words);
    bench.run(&format!("verify r {MODEL} --replay 1")).code_is(1, words);
    bench.run("bank add b r --data data.bin").fails(1, &[words]);
}

#[test]
fn records_that_name_no_pixels_are_said_to() {
    let bench = with_run();
    for number in 0..INPUTS {
        edit(&bench, number, |record| drop(record.as_object_mut().unwrap().remove("pixels")));
    }
    bench.run("verify r").says(&["8 of 8 records", "8 records have no hash of their pixels"]);
    bench.run("verify r --data data.bin").says(&["every label matches the data"]);
}

#[test]
fn verify_compares_the_result_file_with_the_records() {
    let bench = with_run();
    let results = bench.read("r/results.tsv");
    bench.run("verify r").says(&["results.tsv matches the records"]);
    let line = results.lines().nth(7).unwrap();
    let cells: Vec<&str> = line.split('\t').collect();
    assert_eq!(cells[0], "6");
    bench.write("r/results.tsv", results.replace(line, &line.replace(cells[3], "3.5")));
    bench.run("verify r").code_is(1, "r/results.tsv: line 8 is not what the record of input 6 gives");
    bench.write("r/results.tsv", format!("{results}{}\n", line.replacen('6', "66", 1)));
    bench.run("verify r").code_is(1, "r/results.tsv: line 10 ");
    bench.write("r/results.tsv", results.replacen("radius", "Radius", 1));
    bench.run("verify r").code_is(1, "r/results.tsv: line 1 ");
    // a run that was killed has written fewer lines, or none
    bench.write("r/results.tsv", results.replace(&format!("{line}\n"), ""));
    bench.run("verify r").says(&["results.tsv has 7 of the 8 records"]);
    fs::remove_file(bench.path("r/results.tsv")).unwrap();
    bench.run("verify r").says(&["there is no results.tsv yet"]);
}

/// Image files of more than 1 GiB together: their fingerprint covers names, sizes and labels only. The files have
/// holes, so they take no room.
#[cfg(unix)]
#[test]
fn images_exchanged_between_shards_are_found() {
    let bench = Bench::new();
    let images = fs::read(bench.path("data.bin")).unwrap();
    for (number, image) in images.chunks(3073).enumerate() {
        let (label, planes) = (image[0], &image[1..]);
        let path = bench.path(&format!("pictures/{label}/{number}.png"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let pixel = |x: u32, y: u32| [0, 1, 2].map(|channel| planes[channel * 1024 + (32 * y + x) as usize]);
        image::RgbImage::from_fn(32, 32, |x, y| image::Rgb(pixel(x, y))).save(&path).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(200 << 20).unwrap();
    }
    let certify = |options: &str| {
        bench.run(&format!(
            "{} --method cohen -q --allow-fewer-classes {options}",
            CERTIFY.replace("data.bin", "pictures")
        ))
    };
    certify("--run r --shard 0/2").says(&[]);
    assert!(bench.read("r/spec.json").contains("fingerprint of file names, sizes and labels only"));
    // 0.png and 5.png are both of class 0
    for (from, to) in [("0/0.png", "x"), ("0/5.png", "0/0.png"), ("x", "0/5.png")] {
        fs::rename(bench.path("pictures").join(from), bench.path("pictures").join(to)).unwrap();
    }
    let words = "r: input 0: the record is about another image than the data have";
    certify("--run r --shard 1/2").fails(1, &[words]);
    certify("--run r --shard 0/2").fails(1, &[words]);
    bench.run("verify r --data pictures").code_is(1, words);
    // nor does it help to leave the hashes out
    let path = "r/records-0-of-2.jsonl";
    let text = bench.read(path);
    let bare = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record.as_object_mut().unwrap().remove("pixels");
        format!("{record}\n")
    });
    bench.write(path, bare.collect::<String>());
    certify("--run r --shard 0/2").fails(1, &["r: input 0: the record does not name its pixels"]);
}

/// As an earlier version wrote them: with its number, and without the hashes of pixels.
#[test]
fn a_run_of_another_version_is_shown_as_not_verified_and_not_resumed() {
    let bench = with_run();
    for number in 0..INPUTS {
        edit(&bench, number, |record| drop(record.as_object_mut().unwrap().remove("pixels")));
    }
    edit_spec(&bench, &["qcrs"], json!("0.1.9"));
    let why = "qcrs 0.1.9 wrote it";
    for format in ["text", "md", "latex", "csv", "json"] {
        bench.run(&format!("report r --format {format}")).says(&["not verified", why]);
    }
    bench.run("report r --html page.html").says(&[]);
    let page = bench.read("page.html");
    assert!(page.contains("not verified") && page.contains(why), "{page}");
    bench.certify(RESUME).fails(1, &["this run used qcrs \"0.1.9\"", "with qcrs 0.1.9"]);
    bench.run("verify r").says(&["8 of 8 records", "8 records have no hash of their pixels"]);
    // what does not follow from its votes is refused where it is built upon
    edit(&bench, 6, |record| *radius(record) = json!(3.0));
    bench.run("report r").says(&["not verified"]);
    bench.run("merge r --into m").fails(1, &["qcrs 0.1.9 made this run", "r: input 6: "]);
    bench.run("verify r").fails(1, &["qcrs 0.1.9 made this run", "r: input 6: "]);
}

#[test]
fn a_forged_radius_of_dsrs_is_never_taken_for_verified() {
    let bench = Bench::new();
    let certify = || bench.certify("--method dsrs --run r");
    assert!(!certify().says(&[]).out.contains("not verified"), "it has just been computed");
    bench.run("report r").says(&["not verified", "qcrs verify r"]);
    edit(&bench, 6, |record| *radius(record) = json!(3.0));
    bench.run("report r --format csv").says(&["not verified"]);
    bench.run("verify r").fails(1, &["r: input 6: the votes say"]);
    bench.run("merge r --into m").fails(1, &["r: input 6: the votes say"]);
    certify().fails(1, &["r: input 6: the votes say"]);
    // everything but the radius is looked at everywhere
    edit(&bench, 6, |record| record["finding"]["outcome"]["estimates"][0]["votes"]["0"] = json!(1000));
    bench.run("report r").fails(1, &["r: input 6: "]);
}

#[test]
fn a_forged_verdict_of_probe_is_found_without_its_search() {
    let bench = Bench::new();
    let certify = || bench.certify("--method probe --run r");
    certify().says(&[]);
    let whole = bench.records("r");
    let json = bench.run("report r --format json").says(&[]).runs();
    assert_eq!(json[0]["verified"], "verdicts");
    edit(&bench, 6, |record| *radius(record) = json!(3.0));
    bench.run("report r").fails(1, &["r: input 6: the votes say"]);
    certify().fails(1, &["r: input 6: the votes say"]);
    bench.write(RECORDS, &whole);
    // only `verify` replays the search
    edit(&bench, 6, |record| {
        let mean = &mut record["finding"]["outcome"]["posterior"]["mean"][0];
        *mean = json!(mean.as_f64().unwrap() + 0.1);
    });
    bench.run("report r").says(&[]);
    bench.run("verify r").fails(1, &["r: input 6: the curve is not the one that its looks lead to"]);
}
