//! Does the curve show what the log tells?

mod common;

use common::place::{Place, TRAIN};
use qcrs_train::card::Data;
use qcrs_train::curve::{Course, PAGE, SVG};
use qcrs_train::evaluate::CorrectCount;
use qcrs_train::log::Epoch;
use qcrs_train::recipe::TrainingSettings;
use std::fs;
use std::process::Command;

fn epoch(number: usize, held_out: u64) -> Epoch {
    let count = |correct| CorrectCount { correct, of: held_out };
    Epoch {
        epoch: number,
        learning_rate: 0.1 / number as f64,
        loss: 2.0 / number as f64,
        training: CorrectCount { correct: 10 * number as u64, of: 100 },
        held_out_noisy: count(held_out / 2),
        held_out_clean: count(held_out),
        seconds: 60.0,
        images_per_second: 100.0,
    }
}

/// The number of points of each line in an SVG file, as another program reads it.
fn lines(svg: &str) -> Vec<Vec<[f64; 2]>> {
    const PYTHON: &str = "
import sys, re, json, xml.etree.ElementTree as xml
root = xml.parse(sys.argv[1]).getroot()
assert root.tag == '{http://www.w3.org/2000/svg}svg', root.tag
paths = [p for p in root.iter('{http://www.w3.org/2000/svg}path') if p.get('class').startswith('line ')]
print(json.dumps([[list(map(float, point.split())) for point in re.split('[ML]', p.get('d'))[1:]] for p in paths]))
";
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), svg).unwrap();
    let answer = Command::new("python3").args(["-c", PYTHON]).arg(file.path()).output().unwrap();
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    serde_json::from_slice(&answer.stdout).unwrap()
}

#[test]
fn every_series_is_a_line_with_a_point_per_epoch() {
    let data = Data { name: "bars <&> \"x\"".into(), blake3: "0123".into() };
    // epochs passed, epochs asked for, held-out images, series with something to show
    for (passed, all, held_out, series) in
        [(0, 22, 20, 0), (1, 22, 20, 5), (1, 1, 20, 5), (5, 22, 20, 5), (22, 22, 20, 5), (440, 440, 0, 3)]
    {
        let epochs: Vec<Epoch> = (1..=passed).map(|number| epoch(number, held_out)).collect();
        let settings = TrainingSettings { epochs: all, ..common::settings() };
        let course = Course { data: &data, settings: &settings, epochs: &epochs };
        let (svg, page) = (course.svg(), course.html().unwrap());
        let found = lines(&svg);
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), vec![passed; series], "{passed} of {all}");
        let unfinished = format!("unfinished: {passed} of {all} epochs");
        assert_eq!((svg.contains(&unfinished), page.contains(&unfinished)), (passed < all, passed < all));
        assert_eq!(page.matches("<svg ").count(), 3);
        // a row per epoch, and all the settings
        let rows = page.matches("<tr><th scope=\"row\">").count();
        assert_eq!(rows, passed + 2 + serde_json::to_value(&settings).unwrap().as_object().unwrap().len());
        assert!(page.contains("bars &lt;&amp;&gt; &quot;x&quot;, σ = 0.25"), "{}", &page[..600]);
        let outside = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!outside.contains("://") && !outside.contains("url(") && !outside.contains("<script"));
        assert!(outside.contains("prefers-color-scheme:dark") && svg.contains("prefers-color-scheme:dark"));
        for text in [svg, page] {
            assert!(!text.contains("NaN") && !text.contains("inf"), "{passed} of {all}");
        }
    }
}

#[test]
fn the_lines_are_those_of_the_log() {
    let data = Data { name: "bars".into(), blake3: "0123".into() };
    let epochs: Vec<Epoch> = (1..=4).map(|number| epoch(number, 20)).collect();
    let settings = TrainingSettings { epochs: 8, ..common::settings() };
    let found = lines(&Course { data: &data, settings: &settings, epochs: &epochs }.svg());
    // 366 wide from 58 for 8 epochs; 230 high from 32 for 0 to 1
    let share = |points: &[[f64; 2]]| points.iter().map(|[_, y]| (262.0 - y) / 230.0).collect::<Vec<_>>();
    let near = |found: &[f64], expected: &[f64]| {
        assert_eq!(found.len(), expected.len());
        let close = |(found, expected): (&f64, &f64)| (found - expected).abs() < 0.001;
        assert!(found.iter().zip(expected).all(close), "{found:?} instead of {expected:?}");
    };
    for line in &found {
        let x: Vec<f64> = line.iter().map(|[x, _]| (x - 58.0) / 366.0 * 8.0).collect();
        near(&x.iter().map(|x| x / 8.0).collect::<Vec<_>>(), &[0.125, 0.25, 0.375, 0.5]);
    }
    let falling = [1.0, 0.5, 1.0 / 3.0, 0.25].map(|share| share / 1.06);
    near(&share(&found[0]), &falling);
    near(&share(&found[1]), &[0.1, 0.2, 0.3, 0.4]);
    near(&share(&found[2]), &[0.5; 4]);
    near(&share(&found[3]), &[1.0; 4]);
    near(&share(&found[4]), &falling);
}

#[test]
fn a_training_draws_its_curve_and_the_command_draws_it_again() {
    let place = Place::new();
    place.run(&format!("{TRAIN} --out run --epochs 2")).succeeds(&[]);
    let drawn = [SVG, PAGE].map(|name| place.read(&format!("run/{name}")));
    assert_eq!(lines(&drawn[0]).iter().map(Vec::len).collect::<Vec<_>>(), [2; 5]);
    for name in [SVG, PAGE] {
        fs::remove_file(place.path("run").join(name)).unwrap();
    }
    place.run("curve run").succeeds(&["run/curve.svg\nrun/curve.html\n"]);
    assert_eq!([SVG, PAGE].map(|name| place.read(&format!("run/{name}"))), drawn);
    // as after kill -9 in the first epoch
    fs::remove_file(place.path("run/log.jsonl")).unwrap();
    place.run("curve run").succeeds(&[]);
    assert!(place.read("run/curve.html").contains("unfinished: 0 of 2 epochs"));
}
