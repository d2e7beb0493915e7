//! How do the tables, the figures and the page look? As in the files of `tests/snapshots/report`.
#![cfg(feature = "report")]

mod common;
#[path = "common/snapshot.rs"]
mod snapshot;

use common::{alpha, budget, cohen, sigma, spec};
use qcrs::analysis::{Analysis, Curve, CurvePoint, Options, Table};
use qcrs::certify::{Estimate, FailSafe, Outcome, Reason, Verdict};
use qcrs::method::{AnyMethod, Look, Posterior, Qcrs, Sides};
use qcrs::report::{self, Page, Picture, Terminal};
use qcrs::run::{Checked, Finding, Record, Spec, Stored, Timing};
use qcrs::sample::{Smoothed, Votes};

#[test]
fn reports_look_as_accepted() {
    let analysis = analysis();
    let figures = report::figures(&analysis, &[curve()]).unwrap();
    let figure = |name: &str| figures.iter().find(|(found, _)| found == name).unwrap().1.clone();
    let page = Page { title: "Toys", analysis: &analysis, curves: &[curve()], pictures: &[picture()] };
    snapshot::compare(
        "report",
        &[
            ("tables.txt", report::text(&analysis, &Terminal::default())),
            ("tables.markdown", report::markdown(&analysis)),
            ("tables.tex", report::latex(&analysis)),
            ("runs.csv", short(&report::csv(&analysis))),
            ("runs.jsonl", short(&report::json(&analysis).unwrap())),
            ("answers.txt", report::answers(&analysis.tables[1], 3, &Terminal::default())),
            ("certified-accuracy.svg", figure("certified-accuracy.svg")),
            ("page.html", report::html(&page).unwrap()),
        ],
    );
}

/// A whole run, a run with a σ per input whose last input is missing, and a file of others.
fn analysis() -> Analysis {
    let file = "idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t0\t0\t0.41\t1\t0:00:09.1\n1\t1\t1\t0.2\t1\t0:00:09.2\n\
                2\t2\t-1\t0.0\t0\t0:00:09.0\n3\t0\t1\t0.3\t0\t0:00:09.3\n";
    let published = Table::from_tsv("published.tsv".into(), file).unwrap();
    let options = Options { rho: Some(alpha(0.05)), ..Options::default() };
    Analysis::new(vec![fixed(), frozen(), published], &options).unwrap()
}

/// An input: its label, the class that was certified, σ, and the radius where there is one.
type Given = (usize, usize, f64, Option<f64>);

fn fixed() -> Table {
    let given: [Given; 8] = [
        (0, 0, 0.5, Some(0.46)),
        (1, 1, 0.5, Some(0.93)),
        (2, 2, 0.5, None),
        (0, 1, 0.5, Some(0.25)),
        (1, 1, 0.5, Some(0.5)),
        (2, 2, 0.5, Some(1.02)),
        (0, 0, 0.5, None),
        (1, 1, 0.5, Some(0.77)),
    ];
    table("cohen", about(cohen(0.5)), &given)
}

fn frozen() -> Table {
    let given: [Given; 7] = [
        (0, 0, 0.31, Some(0.62)),
        (1, 1, 0.74, Some(1.21)),
        (2, 2, 0.42, Some(0.11)),
        (0, 1, 0.5, Some(0.25)),
        (1, 1, 0.61, Some(0.64)),
        (2, 2, 0.88, Some(1.4)),
        (0, 0, 0.2, None),
    ];
    table("qcrs", about(AnyMethod::Qcrs(Qcrs::scaled_to(sigma(0.5)).unwrap())), &given)
}

fn about(method: AnyMethod) -> Spec {
    let mut spec = spec(method, budget(100, 1000, alpha(0.001)), 8);
    spec.qcrs = "0.0.0".into();
    spec.data.name = "toys".into();
    spec.data.classes = Some(["cat", "dog", "<owl> & co"].map(String::from).to_vec());
    spec
}

fn table(name: &str, spec: Spec, given: &[Given]) -> Table {
    let records = given.iter().enumerate().map(|(index, given)| record(index as u32, *given)).collect();
    let timing = |index| Timing { index, seconds: 1.5 + 0.25 * f64::from(index) };
    let timings = (0..given.len() as u32).map(timing).collect();
    Table::of(name.into(), &Stored { spec, records, timings, checked: Checked::Whole }).unwrap()
}

fn record(index: u32, (label, class, value, radius): Given) -> Record {
    let sigma = sigma(value);
    let smoothed = Smoothed::gaussian(sigma);
    let verdict = match radius {
        Some(radius) => Verdict::Certified { class, radius, sigma, p_lower: 0.9, p_upper: None },
        None => Verdict::Abstain(Reason::BelowHalf { class, p_lower: 0.4, sigma }),
    };
    let votes = |n: u64| Votes::from_iter([(class, n), ((class + 1) % 3, n / 9), ((class + 2) % 3, n / 30)]);
    let estimates = vec![Estimate { smoothed, class, sides: Sides::One, votes: votes(870) }];
    let outcome = Outcome {
        looks: vec![Look::new(smoothed, votes(90))],
        selection: Some(Look::new(smoothed, votes(90))),
        posterior: (index == 1 && value > 0.5).then(posterior),
        estimates,
        verdict,
        fail_safe: Some(FailSafe { class, radius: radius.unwrap_or(0.0) + 0.1, answers: radius.is_some() }),
    };
    Record {
        index,
        label: Some(label),
        file: None,
        pixels: None,
        finding: Finding::Outcome(outcome),
        bank: None,
    }
}

fn posterior() -> Posterior {
    let sigma: Vec<f64> = (1..=9).map(|at| 0.15 * f64::from(at)).collect();
    let mean = sigma.iter().map(|s| 3.0 * s * (1.4 - s)).collect();
    Posterior { deviation: sigma.iter().map(|s| 0.1 * s).collect(), mean, sigma }
}

fn curve() -> Curve {
    let point = |at: u32| {
        let sigma = 0.1 * f64::from(at);
        let radius = Some(sigma * (2.5 - 2.0 * sigma)).filter(|radius| *radius > 0.0);
        CurvePoint {
            sigma,
            p_lower: 0.9,
            p_upper: 0.95,
            radius,
            radius_upper: radius.map(|r| 1.1 * r),
            answer: None,
        }
    };
    let points = (1..=14).map(point).collect();
    let caption = "owl, n = 1,000".into();
    Curve {
        model: String::new(),
        data: String::new(),
        index: 2,
        file: None,
        label: Some(2),
        class: 2,
        caption,
        points,
    }
}

fn picture() -> Picture {
    let caption = "σ 0.4200, radius at least 0.1100".into();
    let png = |text: &str| text.as_bytes().to_vec();
    Picture {
        name: "2".into(),
        index: 2,
        label_name: "<owl> & co".into(),
        clean_png: png("a picture"),
        noisy_png: png("with noise"),
        caption,
        run: "qcrs".into(),
    }
}

/// The same with at most nine decimals: the last digits are those of the system's mathematical functions.
fn short(text: &str) -> String {
    let mut decimals = None;
    let keep = |c: &char| {
        decimals = match decimals {
            _ if *c == '.' => Some(0),
            Some(count) if c.is_ascii_digit() => Some(count + 1),
            _ => None,
        };
        decimals.is_none_or(|count| count <= 9)
    };
    text.chars().filter(keep).collect()
}
