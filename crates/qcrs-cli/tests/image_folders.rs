//! Folders and lists of image files: their names, their classes, and what is wrong with them.

mod common;

use common::Bench;
use serde_json::json;
use std::fs;
use std::path::Path;

const MODEL: &str = "--engine rten --model model.onnx";

/// Writes a picture of one shade at `name`, with its folders.
fn picture(bench: &Bench, name: &str, shade: u8) {
    let path = bench.path(name);
    fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).unwrap();
    let stripes = |x: u32, y: u32| image::Rgb([x as u8 * 8, y as u8 * 8, shade]);
    image::RgbImage::from_fn(32, 32, stripes).save(path).unwrap();
}

fn photos() -> Bench {
    let bench = Bench::new();
    for (shade, name) in ["b.png", "a.png", "Z.jpg"].into_iter().enumerate() {
        picture(&bench, &format!("photos/{name}"), shade as u8);
    }
    bench
}

/// Upper case comes first, as in the order of bytes.
const SORTED: [&str; 3] = ["Z.jpg", "a.png", "b.png"];

#[test]
fn files_are_named_wherever_inputs_are() {
    let bench = photos();
    let ran = bench.certify("--method cohen --data photos --run r").says(&["Answers"]);
    let table: Vec<&str> = ran.out.lines().skip(4).take(3).map(|l| l.split("  ").next().unwrap()).collect();
    assert_eq!(table, SORTED, "{}", ran.out);
    let results = bench.read("r/results.tsv");
    let last: Vec<&str> = results.lines().map(|line| line.rsplit('\t').next().unwrap()).collect();
    assert_eq!(last, ["file", "Z.jpg", "a.png", "b.png"]);
    bench.run("verify r --data photos").says(&["results.tsv matches", "every record matches its image"]);
    bench.run("report r/results.tsv").says(&[]);
    bench.run("report r --html page.html --data photos").says(&[]);
    assert!(bench.read("page.html").contains("<strong>a.png</strong>"));

    let predict = format!("predict {MODEL} --data photos --sigma 0.25 --n 100");
    let text =
        bench.run(&format!("{predict} --format tsv")).says(&["idx\tlabel\tpredict\tp_value\tfile\n"]).out;
    assert!(text.lines().nth(3).unwrap().ends_with("\tb.png"), "{text}");
    bench.run(&predict).says(&["a.png", "b.png"]);
    let json = bench.run(&format!("{predict} --format json")).says(&[]).json();
    assert_eq!(json[1]["file"], json!("a.png"));

    let curve = format!("curve {MODEL} --data photos --sigma 0.25 --n 100 --points 3 --ids 1");
    let text = bench.run(&format!("{curve} --format tsv")).says(&["\tradius\tfile\n"]).out;
    assert!(text.lines().skip(1).all(|line| line.ends_with("\ta.png")), "{text}");
    bench.run(&curve).says(&["Input a.png: "]);
    let json = bench.run(&format!("{curve} --format json")).says(&[]).json();
    assert_eq!(json[0]["file"], json!("a.png"));
    assert!(json[0]["caption"].as_str().unwrap().starts_with("a.png: "), "{json}");
}

/// A CSV decides the order itself.
#[test]
fn a_list_names_files_in_its_own_order() {
    let bench = photos();
    bench.write("photos/list.csv", "file,label\nb.png,1\nZ.jpg,3\n");
    bench.certify("--method cohen --data photos/list.csv --run r").says(&["b.png", "Z.jpg"]);
    let results = bench.read("r/results.tsv");
    let last: Vec<&str> = results.lines().map(|line| line.rsplit('\t').next().unwrap()).collect();
    assert_eq!(last, ["file", "b.png", "Z.jpg"]);
}

/// The ten classes of the model, with cat and dog in the middle.
const NAMES: &str = "ant\nbee\ncat\ndog\nelk\nfox\ngnu\nhen\nibis\njay\n";

#[test]
fn class_names_come_from_a_list_for_every_kind_of_data() {
    let bench = photos();
    bench.write("names.txt", NAMES);
    picture(&bench, "classes/dog/1.png", 0);
    picture(&bench, "classes/cat/1.png", 9);
    bench.certify("--method cohen --data classes --names names.txt --run r").says(&["cat", "dog"]);
    let labels = |run: &str| {
        let results = bench.read(&format!("{run}/results.tsv"));
        results.lines().skip(1).map(|line| line.split('\t').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(labels("r"), ["2", "3"]);
    bench.run("verify r --data classes --names names.txt").says(&["every label matches the data"]);
    bench.certify("--method cohen --data photos --names names.txt --run p").says(&[]);
    bench.run("verify p --data photos").code_is(1, "the class names are not those of this run");
    bench.write("photos/list.csv", "a.png,cat\nb.png,3\n");
    bench.certify("--method cohen --data photos/list.csv --names names.txt --run l").says(&["cat", "dog"]);
    assert_eq!(labels("l"), ["2", "3"]);
    bench
        .certify("--method cohen --data photos/list.csv --run n")
        .fails(1, &["line 1: 'cat' is not a class number"]);
    // a flat folder, an unlabelled image, and data with names of its own
    for data in ["photos", "photos/a.png", "data.bin"] {
        let typed = format!(
            "predict {MODEL} --data {data} --names names.txt --sigma 0.25 --n 100 --count 1 --format tsv"
        );
        let ran = bench.run(&typed).says(&[]);
        let answer = ran.out.lines().nth(1).unwrap().split('\t').nth(2).unwrap();
        assert!(answer == "abstain" || NAMES.lines().any(|name| name == answer), "{}", ran.out);
    }
    bench.write("short.txt", "ant\ncat\ndog\n");
    bench
        .certify("--method cohen --data classes --names short.txt --run s")
        .fails(2, &["--names: there are 3 names, and the model has 10 classes"]);
}

#[test]
fn files_that_are_left_out_are_named_once() {
    let bench = photos();
    let left_out = |words: &str| {
        let ran = bench.run(&format!("predict {MODEL} --data photos --sigma 0.25 --n 100")).says(&[]);
        assert_eq!(ran.err.matches("left out").count(), 1, "{}", ran.err);
        assert!(ran.err.contains(words), "{}", ran.err);
    };
    bench.write("photos/notes.webp", "");
    left_out("1 file is not a PNG or JPEG and was left out: notes.webp");
    for number in 0..6 {
        bench.write(&format!("photos/{number}.bmp"), "");
    }
    left_out("7 files are not PNG or JPEG and were left out: 0.bmp, 1.bmp, 2.bmp, 3.bmp, 4.bmp and 2 more");
}

/// An image that cannot be read, or a label that the model does not have, must not end a run after hours.
#[test]
fn what_cannot_work_is_found_before_the_first_draw() {
    let bench = photos();
    let run =
        |options: &str| bench.certify(&format!("--method cohen --resize 32 --crop 32 --run r {options}"));
    let whole = fs::read(bench.path("photos/Z.jpg")).unwrap();
    for (name, bytes, words) in [
        ("fake.jpg", &b"no image"[..], "photos/fake.jpg: cannot be read as PNG or JPEG"),
        ("zz.jpg", &whole[..whole.len() - 20], "photos/zz.jpg: is a JPEG that is cut off"),
    ] {
        bench.write(&format!("photos/{name}"), bytes);
        run("--data photos").fails(1, &["input 3: ", words]);
        assert!(common::absent(&bench.path("r")), "{name}");
        for command in ["predict --n 100", "curve --n 100 --points 2", "tune --points 2 --draws 20"] {
            let typed = format!("{command} {MODEL} --data photos --resize 32 --crop 32 --sigma 0.25");
            bench.run(&typed).fails(1, &["input 3: ", words]);
        }
        fs::remove_file(bench.path(&format!("photos/{name}"))).unwrap();
    }
    run("--data photos --max 2").says(&[]);
    bench.write("labels.csv", "1\n2\n10\n");
    bench.write("images.npy", npy());
    bench
        .run(&format!("certify {MODEL} --data images.npy --labels labels.csv --sigma 0.25 --max 1 --run s"))
        .fails(
            1,
            &["images.npy: 1 input is labelled with a class", "input 2 has the label 10", "classes 0 to 9"],
        );
    assert!(common::absent(&bench.path("s")));
}

/// Three black images.
fn npy() -> Vec<u8> {
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 3, 32, 32), }\n";
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &[0; 3 * 3072]].concat()
}

#[test]
fn what_the_system_refuses_is_a_sentence_with_a_next_step() {
    let bench = Bench::new();
    bench.write("images.npy", npy());
    let missing = "No such file or directory; check the path";
    let labels = format!("certify {MODEL} --data images.npy --sigma 0.25 --labels");
    for (typed, words) in [
        (format!("{labels} nope.npy"), format!("nope.npy: {missing}")),
        (format!("{labels} nope"), format!("nope: {missing}")),
        (
            format!("certify {MODEL} --data data.bin --sigma 0.25 --names none.txt"),
            format!("none.txt: {missing}"),
        ),
        ("certify --config none.toml".into(), format!("none.toml: {missing}")),
        (
            format!("certify {MODEL} --data images.npy --sigma 0.25 --run data.bin/r"),
            "data.bin/r: Not a directory; a part of the path is a file".into(),
        ),
        (
            format!("curve {MODEL} --data images.npy --sigma 0.25 --out data.bin/curve.json"),
            "cannot write data.bin/curve.json: ".into(),
        ),
    ] {
        let ran = bench.run(&typed).fails(1, &[&words]);
        assert!(!ran.err.contains("os error"), "{}", ran.err);
    }
}
