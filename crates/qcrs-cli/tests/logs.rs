//! `qcrs paper logs` and `qcrs paper bank`: what published result files say, without a model.

mod common;
#[path = "../../qcrs/tests/common/suite.rs"]
mod suite;

use common::Bench;
use qcrs::radius::gaussian_of_votes;
use qcrs::types::{Alpha, Sigma};
use std::path::PathBuf;
use std::process::ExitCode;
use suite::{Need, Suite, tests};

const GOLDEN: &str = "QCRS_GOLDEN";
const DATA: &str = "QCRS_DATA";

fn main() -> ExitCode {
    let mut suite = Suite::from_args();
    suite.all(
        &Need::Met,
        tests![
            logs_are_told_apart_by_their_rows,
            other_images_are_not_compared,
            a_folder_without_logs_says_what_to_do,
            options_in_a_file_still_reach_the_other_experiments,
            a_bank_cuts_what_overlaps_in_either_order,
            a_file_about_other_images_is_refused,
        ],
    );
    let golden = Need::folder(GOLDEN, "the published log files");
    suite.all(&golden, tests![the_published_logs_give_every_table]);
    let both = match &golden {
        Need::Met => Need::folder(DATA, "the datasets, filled by `qcrs data get`"),
        _ => golden,
    };
    suite.all(&both, tests![the_published_balls_do_not_meet_in_a_bank]);
    suite.run()
}

/// The labels of CIFAR-10's test images 0, 100, …, 1900.
const LABELS: [usize; 20] = [3, 4, 5, 6, 9, 4, 8, 7, 7, 2, 5, 7, 8, 4, 5, 1, 8, 5, 4, 8];
/// Votes against the class, from image to image.
const AGAINST: [u64; 20] = [0, 0, 1, 0, 2, 3, 0, 5, 0, 8, 1, 0, 40, 900, 0, 0, 9000, 0, 4, 0];

fn radius(against: u64, sigma: f64, alpha: f64) -> f64 {
    let (alpha, sigma) = (Alpha::new(alpha).unwrap(), Sigma::new(sigma).unwrap());
    gaussian_of_votes(100_000 - against, 100_000, alpha, sigma).unwrap().unwrap()
}

/// Three significant digits, as Cohen's program prints them.
fn three(value: f64) -> f64 {
    let scale = 10_f64.powi(2 - value.log10().floor() as i32);
    (value * scale).round() / scale
}

fn cohen(sigma: f64, alpha: f64) -> String {
    let row = |(at, &label): (usize, &usize)| {
        let radius = three(radius(AGAINST[at], sigma, alpha));
        format!("{}\t{label}\t{label}\t{radius}\t1\t15.4\n", 100 * at)
    };
    "idx\tlabel\tpredict\tradius\tcorrect\ttime\n".to_owned()
        + &LABELS.iter().enumerate().map(row).collect::<String>()
}

/// A search with the settings cifar10-0.50 that ends where it sees no difference (cell 21) for 11 images.
fn qcrs() -> String {
    let row = |(at, &label): (usize, &usize)| {
        let cell = if at % 2 == 0 { 21 } else { 10 + at };
        let sigma = 0.12 + 1.58 / 64.0 * (cell as f64 + 0.5);
        format!("{}\t{label}\t{label}\t{}\t1\t{sigma}\n", 100 * at, radius(AGAINST[at], sigma, 0.001))
    };
    "idx\tlabel\tpredict\tradius\tcorrect\tbest_sigma\n".to_owned()
        + &LABELS.iter().enumerate().map(row).collect::<String>()
}

/// Two baselines at different α, a search, and files that are no logs, under names that say nothing.
fn folder() -> Bench {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("logs/deep/.git")).unwrap();
    bench.write("logs/deep/sigma_x", cohen(0.5, 0.01));
    bench.write("logs/b", cohen(0.25, 0.001));
    bench.write("logs/deep/c.tsv", qcrs());
    bench.write("logs/deep/.git/b", cohen(0.12, 0.001));
    bench.write("logs/twice", cohen(0.5, 0.001) + "0\t3\t3\t0.5\t1\t15.4\n");
    bench.write("logs/notes.txt", "nothing");
    bench
}

fn logs_are_told_apart_by_their_rows() {
    let bench = folder();
    bench.run("paper logs logs --dir p").says(&["COHEN, CIFAR-10 0.50", "input 0 appears twice"]);
    let table = bench.read("p/logs.md");
    for words in [
        "| COHEN, CIFAR-10 0.25 | b | 20 | 0 to 1900, every 100; 80 of 100 missing | 0.25 | 100000 | 0.001 |",
        "| COHEN, CIFAR-10 0.50 | deep/sigma\\_x | 20 | 0 to 1900, every 100; 80 of 100 missing | 0.5 | 100000 | 0.01 |",
        "| QCRS, cifar10-0.50 | deep/c.tsv |",
        "QCRS, cifar10-0.50 over COHEN, CIFAR-10 0.50 | as printed, α = 0.01 and 0.001 | 20 |",
        "QCRS, cifar10-0.50 over COHEN, CIFAR-10 0.50 | both at α = 0.001 | 20 |",
        "11 rows have σ = 0.65078125, where the search ends if no step sees a difference; 100 % of them are right",
        "| twice | line 22: input 0 appears twice; keep one, but not because it is better |",
        "no result files: 1.",
    ] {
        assert!(table.contains(words), "no {words:?} in\n{table}");
    }
    // the other σ is not what the search starts from
    assert!(!table.contains("over COHEN, CIFAR-10 0.25") && !table.contains("CIFAR-10 0.12"), "{table}");
    assert!(bench.read("p/report.html").contains("From the published logs"));
}

/// Rows of other images have the same columns, but no known labels: nothing is compared with the paper.
fn other_images_are_not_compared() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("logs")).unwrap();
    bench.write("logs/a", cohen(0.5, 0.01).replace("1900\t8\t8", "1900\t7\t7"));
    bench.write("logs/b", qcrs().replace("1900\t8\t8", "1900\t7\t7"));
    bench.run("paper logs logs --dir p").says(&["COHEN, 0.50"]);
    let table = bench.read("p/logs.md");
    assert!(!table.contains("0.538") && !table.contains(" over COHEN"), "{table}");
}

fn a_folder_without_logs_says_what_to_do() {
    let bench = Bench::new();
    bench.run("paper logs .").fails(1, &[".: no result file", "github.com/ntuaislab/QCRS"]);
    bench.run("paper logs nowhere").fails(1, &["nowhere"]);
    bench.run("paper logs").fails(2, &["FOLDER"]);
}

fn options_in_a_file_still_reach_the_other_experiments() {
    let bench = Bench::new();
    bench.write("q.toml", "[paper]\nsigma = 0.25\nn = 200\ndir = \"p\"\n");
    bench.with_model("paper --config q.toml mc-interval").says(&["0.99"]);
}

/// A result file about the images of the bench: their labels, and radii of so many distances between the first two.
fn about(bench: &Bench, scale: f64) -> String {
    let images = std::fs::read(bench.path("data.bin")).unwrap();
    let image = |at: usize| images[3073 * at..][..3073].iter().map(|&k| f64::from(k)).collect::<Vec<_>>();
    let (a, b) = (image(4), image(5));
    assert_ne!(a[0] as u8, b[0] as u8, "two classes");
    let squares: f64 = a[1..].iter().zip(&b[1..]).map(|(a, b)| ((a - b) / 255.0).powi(2)).sum();
    let radius = scale * squares.sqrt();
    format!("idx\tlabel\tpredict\tradius\n4\t{0}\t{0}\t{radius}\n5\t{1}\t{1}\t{radius}\n", a[0], b[0])
}

fn a_bank_cuts_what_overlaps_in_either_order() {
    let bench = Bench::new();
    bench.write("apart.tsv", about(&bench, 0.12));
    bench.run("paper bank apart.tsv --data data.bin --dir p").says(&["rising ids", "falling ids"]);
    let row = |name: &str| {
        let table = bench.read("p/bank.md");
        let line = table.lines().find(|line| line.starts_with(&format!("| {name} |"))).unwrap().to_owned();
        line.split('|').map(|cell| cell.trim().to_owned()).skip(2).collect::<Vec<_>>()
    };
    for order in ["rising ids", "falling ids", "rising ids, radii × 2", "rising ids, radii × 4"] {
        let row = row(order);
        assert_eq!((&row[0], &row[2..5]), (&row[1], &["2", "0", "0"].map(String::from)[..]), "{order}");
    }
    bench.write("touching.tsv", about(&bench, 0.75));
    bench.run("paper bank touching.tsv --data data.bin --dir p").says(&["nearest ball of another class"]);
    for order in ["rising ids", "falling ids"] {
        // the second gets a third of its radius
        let row = row(order);
        let [before, after] = [0, 1].map(|at| row[at].parse::<f64>().unwrap());
        assert!((after / before - 2.0 / 3.0).abs() < 1e-3, "{order}: {row:?}");
        assert_eq!(row[2..5], ["1", "1", "0"], "{order}");
    }
    // the second is certified wrong: whether it comes first decides what is left of the right one
    let apart = about(&bench, 0.75);
    let wrong = apart.lines().last().unwrap();
    let fields: Vec<&str> = wrong.split('\t').collect();
    let other = (0..10)
        .map(|class| class.to_string())
        .find(|class| !apart.contains(&format!("\t{class}\t")))
        .unwrap();
    bench.write("wrong.tsv", apart.replace(wrong, &[fields[0], fields[1], &other, fields[3]].join("\t")));
    bench.run("paper bank wrong.tsv --data data.bin --dir p").says(&[]);
    assert_eq!(row("rising ids")[0], row("rising ids")[1]);
    let [before, after] = [0, 1].map(|at| row("falling ids")[at].parse::<f64>().unwrap());
    assert!((after / before - 1.0 / 3.0).abs() < 1e-3, "{before} {after}");
    // both lie in the other's ball: the first keeps its class, the second gets it too
    bench.write("inside.tsv", about(&bench, 1.5));
    bench.run("paper bank inside.tsv --data data.bin --dir p").says(&[]);
    assert_eq!(row("rising ids")[2..5], ["1", "0", "1"]);
}

fn a_file_about_other_images_is_refused() {
    let bench = Bench::new();
    bench.write("a.tsv", about(&bench, 0.1).replace("\n5\t", "\n50\t"));
    bench
        .run("paper bank a.tsv --data data.bin")
        .fails(1, &["input 50 is not in the data, which has 8 images"]);
    bench.write("b.tsv", "idx\tlabel\tpredict\tradius\n4\t9\t9\t0.5\n");
    bench.run("paper bank b.tsv --data data.bin").fails(1, &["input 4 has another label"]);
    bench.write("c.tsv", "idx\tlabel\tpredict\tradius\n");
    bench.run("paper bank c.tsv --data data.bin").fails(1, &["c.tsv: no row is certified"]);
}

fn golden(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(GOLDEN).unwrap()).join(name)
}

fn the_published_logs_give_every_table() {
    let bench = Bench::new();
    bench.run(&format!("paper logs {} --dir p", golden("").display())).says(&[]);
    let table = bench.read("p/logs.md");
    for words in [
        "| COHEN, CIFAR-10 0.25 | cohen-cifar10-resnet110-noise0.25.tsv | 500 | 0 to 9980, every 20 | 0.25 | 100000 | 0.01 |",
        "| COHEN, CIFAR-10 0.12 | 0.2700 \\[0.254, 0.288\\] | 0.270 | 0.2700",
        "| COHEN, CIFAR-10 0.25 | 0.4288 \\[0.398, 0.465\\] | 0.429 | 0.4232 \\[0.393, 0.459\\] | 0.423 |",
        "| QCRS, cifar10-0.50 | 10000 | 0.6351 | 0.5400 | 0.4333 | 0.3096 | 0.1937 | 0.1057 | 0.0479 | 0.0163 | 0.0064 |",
        "| automobile | 0.858 ± 0.399 | 0.84 ± 0.41 | 833 |",
        "| 1.1 and more | 335 | automobile 97.3 % | 326 | 262 |",
        "| 500 | 0.5375 | 0.6532 | 21.5 % \\[17.5, 26.3\\] | 246 | 162 | 92 | 49 |",
        "| 500 | 0.5331 | 0.6532 | 22.5 % \\[18.5, 27.3\\] | 275 | 162 | 63 | 40 |",
        "| QCRS, cifar10-0.50 | 0.65078125 | 513 | 50 | no difference at any step |",
        "| QCRS, cifar10-0.50 | 0.13234375 | 0 | – | 1 of 64 cells never occur |",
    ] {
        assert!(table.contains(words), "no {words:?} in\n{table}");
    }
    assert_eq!(bench.read("p/logs.svg").matches("<desc>").count(), 5, "four figures and the file");
}

/// All 10,000 balls are pairwise disjoint, so a bank changes nothing, in either order.
fn the_published_balls_do_not_meet_in_a_bank() {
    let bench = Bench::new();
    let data = PathBuf::from(std::env::var_os(DATA).unwrap()).join("cifar10");
    let log = golden("qcrs-cifar10-resnet110-noise0.50.tsv");
    bench.run(&format!("paper bank {} --data {} --dir p", log.display(), data.display())).says(&[]);
    let table = bench.read("p/bank.md");
    for order in ["rising ids", "falling ids"] {
        let words = format!("| {order} | 0.65645 | 0.65645 | 9342 | 0 | 0 | 0 | 658 | 9342 |");
        assert!(table.contains(&words), "no {words:?} in\n{table}");
    }
}
