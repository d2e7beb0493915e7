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
    let text = bench.run(&predict).says(&["idx\tlabel\tpredict\tp_value\tfile\n"]).out;
    assert!(text.lines().nth(3).unwrap().ends_with("\tb.png"), "{text}");
    let json = bench.run(&format!("{predict} --format json")).says(&[]).json();
    assert_eq!(json[1]["file"], json!("a.png"));

    let curve = format!("curve {MODEL} --data photos --sigma 0.25 --n 100 --points 3 --ids 1");
    let text = bench.run(&curve).says(&["\tradius\tfile\n"]).out;
    assert!(text.lines().skip(1).all(|line| line.ends_with("\ta.png")), "{text}");
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
