use super::*;
use crate::certify::{Budget, Estimate, FailSafe, Outcome, Reason, Verdict};
use crate::data::About;
use crate::method::{AnyMethod, Cohen, Look, Method, Sides};
use crate::noise::NoiseKind;
use crate::run::{
    Ball, BankReason, Checked, Finding, FromBank, Guarantee, ModelSpec, Record, Selection, Spec, Stored,
    Timing,
};
use crate::sample::{Smoothed, Votes};
use crate::types::{Alpha, Sigma};

pub(crate) fn spec(of: u32) -> Spec {
    let sigma = Sigma::new(0.5).unwrap();
    Spec {
        qcrs: "0.1.0".into(),
        noise: NoiseKind::Float,
        tau: None,
        models: ModelSpec {
            name: "net.onnx".into(),
            blake3: "00".into(),
            engine: "test".into(),
            device: "cpu".into(),
            transform: None,
            batch: None,
            not_followed: None,
            told: None,
            confidence: None,
            precision: "f32".into(),
            output: "logits".into(),
            classes: 2,
        }
        .into(),
        data: About {
            name: "toys".into(),
            blake3: "00".into(),
            shape: [1, 2, 2],
            preprocess: "none".into(),
            classes: Some(vec!["cat".into(), "dog".into()]),
        },
        selection: Selection { of, skip: 1, offset: 0, max: None, listed: None, count: None },
        method: Method::new(AnyMethod::Cohen(Cohen { sigma })).unwrap(),
        budget: budget(0.001),
        seed: 7,
        one_class: None,
        bank: None,
        guarantee: Guarantee::FixedSigma,
    }
}

pub(crate) fn record(index: u32, label: usize, class: usize, radius: Option<f64>) -> Record {
    let sigma = Sigma::new(0.5).unwrap();
    let verdict = match radius {
        Some(radius) => Verdict::Certified { class, radius, sigma, p_lower: 0.9, p_upper: None },
        None => Verdict::Abstain(Reason::BelowHalf { class, p_lower: 0.4, sigma }),
    };
    let selection = Some(Look::new(Smoothed::gaussian(sigma), Votes::from_iter([(class, 10)])));
    let estimates = vec![Estimate {
        smoothed: Smoothed::gaussian(sigma),
        class,
        sides: Sides::One,
        votes: Votes::from_iter([(class, 90), (1 - class, 10)]),
    }];
    let outcome =
        Outcome { looks: Vec::new(), selection, posterior: None, estimates, verdict, fail_safe: None };
    Record {
        index,
        label: Some(label),
        file: None,
        pixels: None,
        finding: Finding::Outcome(outcome),
        bank: None,
    }
}

/// The table of a run that was verified whole.
pub(crate) fn from_run(
    name: String,
    spec: &Spec,
    records: &[Record],
    timings: &[Timing],
) -> Result<Table, Error> {
    let (spec, records, timings) = (spec.clone(), records.to_vec(), timings.to_vec());
    Table::of(name, &Stored { spec, records, timings, checked: Checked::Whole })
}

/// Right at .5 and 1, wrong at .75, an abstention, and a failure.
pub(crate) fn small() -> Table {
    let records = [
        record(0, 0, 0, Some(0.5)),
        record(1, 1, 1, Some(1.0)),
        record(2, 0, 1, Some(0.75)),
        record(3, 1, 1, None),
        Record { index: 4, finding: Finding::Failed { error: "NaN".into() }, ..record(4, 0, 0, None) },
    ];
    let timings = [Timing { index: 0, seconds: 2.0 }, Timing { index: 1, seconds: 4.0 }];
    from_run("small".into(), &spec(5), &records, &timings).unwrap()
}

/// The answer of another ball of a bank does not rest on the votes of the record.
#[test]
fn what_a_bank_inherited_has_no_sigma() {
    let ball = Some(Ball { class: 1, radius: 0.25 });
    let from = |why| Record { bank: Some(FromBank { ball, why }), ..record(0, 1, 1, Some(0.5)) };
    for (why, sigma) in [(BankReason::Inside(7), None), (BankReason::CutBy(7), Some(0.5))] {
        let table = from_run("banked".into(), &spec(1), &[from(why)], &[]).unwrap();
        let row = &table.rows[0];
        assert_eq!((row.sigma, row.runner_up_share.is_some()), (sigma, sigma.is_some()), "{why}");
        assert_eq!((row.predicted, row.radius.to_string()), (Some(1), "0.25".into()));
    }
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b} (± {tolerance})");
}

/// Right and answered; right, but the predictor may abstain; wrong; none; and a certificate that a bank answers.
#[test]
fn the_fail_safe_acr_counts_what_is_answered_rightly() {
    let with = |index, class, fail_safe| {
        let mut record = record(index, 0, class, Some(0.25));
        let Finding::Outcome(outcome) = &mut record.finding else { unreachable!() };
        outcome.fail_safe = fail_safe;
        record
    };
    let safe = |class, answers| Some(FailSafe { class, radius: 0.75, answers });
    let why = BankReason::AsCertified;
    let banked = |ball| Some(FromBank { ball: Some(ball), why });
    let records = [
        with(0, 0, safe(0, true)),
        with(1, 0, safe(0, false)),
        with(2, 1, safe(1, true)),
        with(3, 0, None),
        Record { bank: banked(Ball { class: 0, radius: 0.25 }), ..with(4, 0, safe(0, true)) },
    ];
    let table = from_run("safe".into(), &spec(5), &records, &[]).unwrap();
    let summary = Summary::new(&table, &[]).unwrap();
    close(summary.fail_safe_acr.unwrap().value, 0.75 / 5.0, 1e-15);
    // without any such radius there is no such number
    assert_eq!(Summary::new(&small(), &[]).unwrap().fail_safe_acr, None);
    // a file says the same
    let head = "idx\tlabel\tpredict\tradius\tfail_safe_class\tfail_safe_radius\tfail_safe_answers\n";
    let lines = "0\t0\t0\t0.25\t0\t0.75\t1\n1\t0\t0\t0.25\t0\t0.75\t0\n2\t0\t1\t0.25\t1\t0.75\t1\n3\t0\t0\t0.25\t\t\t\n";
    let file = Table::from_tsv("file".into(), &format!("{head}{lines}4\t0\t0\t0.25\t\t\t\n")).unwrap();
    assert_eq!(Summary::new(&file, &[]).unwrap().fail_safe_acr, summary.fail_safe_acr);
    for wrong in ["0\t0.75\tyes", "0\t\t1", "\t0.75\t1", "0\t-1\t1"] {
        let error = Table::from_tsv("file".into(), &format!("{head}0\t0\t0\t0.25\t{wrong}\n")).unwrap_err();
        assert!(error.to_string().contains("line 2: `fail_safe_"), "{error}");
    }
}

#[test]
fn a_small_run_by_hand() {
    let summary = Summary::new(&small(), &[0.25, 0.5, 0.75, 1.0, 1.25]).unwrap();
    close(summary.acr.unwrap().value, 1.5 / 5.0, 1e-15);
    close(summary.right_certified.unwrap().value, 0.4, 1e-15);
    close(summary.abstained.value, 0.4, 1e-15);
    close(summary.wrong_certified.unwrap().value, 0.2, 1e-15);
    assert_eq!((summary.failed, summary.inputs, summary.owed, summary.complete), (1, 5, Some(5), Some(true)));
    let accuracies: Vec<f64> = summary.certified_accuracy.iter().map(|(_, e)| e.value).collect();
    assert_eq!(accuracies, [0.4, 0.4, 0.2, 0.2, 0.0]);
    // passes do not vary: a mean, but no interval
    assert_eq!(summary.passes_per_input, Some(WithInterval { value: 110.0, low: None, high: None }));
    close(summary.seconds_per_input.unwrap().value, 3.0, 1e-15);
    // scipy.stats.binomtest(2, 5).proportion_ci(method="exact")
    close(summary.abstained.low.unwrap(), 0.05274495052631566, 1e-12);
    close(summary.abstained.high.unwrap(), 0.8533672003653274, 1e-12);
    assert_eq!(default_radii_of(&small()), [0.25, 0.5, 0.75, 1.0]);
    // the same run with radii so small that a step of a quarter would show nothing
    let shrunk = |factor: f64| {
        let rows = small().rows.into_iter().map(|row| Row { radius: factor * row.radius, ..row });
        Table { rows: rows.collect(), ..small() }
    };
    assert_eq!(default_radii_of(&shrunk(0.25)), [0.25]);
    assert_eq!(default_radii_of(&shrunk(0.125)), [0.025, 0.05, 0.075, 0.1, 0.125]);
    assert_eq!(default_radii_of(&shrunk(1e-6)), [0.25]);

    let text = serde_json::to_string(&summary).unwrap();
    assert!(text.contains(r#""guarantee":"fixed-sigma""#), "{text}");
    assert!(text.contains(r#""certified_accuracy":{"0.25":{"value":0.4,"#), "{text}");
}

fn default_radii_of(table: &Table) -> Vec<f64> {
    let analysis = Analysis::new(vec![table.clone()], &Options::default()).unwrap();
    analysis.summaries[0].certified_accuracy.iter().map(|&(radius, _)| radius).collect()
}

/// With several certificates, the runner-up's share is that of the certificate that was kept.
#[test]
fn the_runner_up_is_that_of_the_certified_sigma() {
    let mut several = record(0, 0, 0, Some(0.5));
    let Finding::Outcome(outcome) = &mut several.finding else { panic!("an outcome") };
    let other = Estimate {
        smoothed: Smoothed::gaussian(Sigma::new(0.25).unwrap()),
        votes: Votes::from_iter([(0, 60), (1, 20), (2, 20)]),
        ..outcome.estimates[0].clone()
    };
    outcome.estimates.insert(0, other);
    let table = from_run("max".into(), &spec(1), &[several], &[]).unwrap();
    assert_eq!(table.rows[0].runner_up_share, Some(1.0));
}

/// Runs that ask different questions are not compared, whatever their labels say.
#[test]
fn only_radii_about_the_same_question_are_compared() {
    let table = |change: &dyn Fn(&mut Spec)| {
        let mut spec = spec(2);
        change(&mut spec);
        let records = [record(0, 0, 0, Some(0.5)), record(1, 1, 1, Some(1.0))];
        from_run("other".into(), &spec, &records, &[]).unwrap()
    };
    let plain = Table { name: "plain".into(), ..table(&|_| ()) };
    assert_eq!(paired(&plain, &table(&|spec| spec.seed = 8)).unwrap().common, 2);
    let why = |change: &dyn Fn(&mut Spec)| paired(&plain, &table(change)).unwrap_err().to_string();
    assert!(why(&|spec| spec.data.blake3 = "01".into()).contains("different data"));
    assert!(why(&|spec| spec.data.preprocess = "crop 2".into()).contains("preprocess"));
    assert!(why(&|spec| spec.one_class = Some(1)).contains("one_class"));
    let asked = |spec: &mut Spec| spec.budget = spec.budget.asking_about(0.5).unwrap();
    assert!(why(&asked).contains("no ACR"));
    // not even two of them: 0.5 for every right answer is not a radius
    assert!(paired(&table(&asked), &table(&asked)).unwrap_err().to_string().contains("no ACR"));
    let bold = table(&|spec| spec.budget = budget(0.01));
    let notes = |other: Table| Analysis::new(vec![plain.clone(), other], &Options::default()).unwrap().notes;
    assert!(notes(bold)[0].contains("probability 0.01, plain with 0.001"));
    assert_eq!(notes(table(&|_| ())), [""; 0]);
}

#[test]
fn without_labels_radii_are_told_all_the_same() {
    let unknown = |index, radius| Record { label: None, ..record(index, 0, 0, radius) };
    let records = [unknown(0, Some(0.5)), unknown(1, Some(0.25)), unknown(2, None)];
    let table = from_run("wild".into(), &spec(3), &records, &[]).unwrap();
    let notes = Analysis::new(vec![table], &Options::default()).unwrap().notes;
    assert!(notes[0].contains("2 of 3 inputs are certified, with a mean radius of 0.375"), "{notes:?}");
}

#[test]
fn an_unfinished_run_says_so() {
    let table = from_run("half".into(), &spec(5), &[record(0, 0, 0, Some(0.5))], &[]).unwrap();
    let summary = Summary::new(&table, &[]).unwrap();
    assert_eq!((summary.inputs, summary.owed, summary.complete), (1, Some(5), Some(false)));
    // one value allows no interval
    assert_eq!(summary.acr, Some(WithInterval { value: 0.5, low: None, high: None }));
    assert_eq!(table.only("even", |index| index % 2 == 0).complete(), Some(false));
    assert_eq!(table.only("first", |index| index == 0).complete(), Some(true));
}

#[test]
fn records_of_another_run_are_refused() {
    let twice = [record(0, 0, 0, None), record(0, 0, 0, Some(9.0))];
    let error = from_run("r".into(), &spec(5), &twice, &[]).unwrap_err().to_string();
    assert!(error.contains("input 0 appears twice"), "{error}");
    let error = from_run("r".into(), &spec(5), &[record(5, 0, 0, None)], &[]).unwrap_err().to_string();
    assert!(error.contains("input 5, which the spec does not select"), "{error}");
}

#[test]
fn nothing_to_report_is_an_error() {
    let empty = Table::from_tsv("empty.tsv".into(), "idx\tlabel\tpredict\tradius\n").unwrap();
    let error = Analysis::new(vec![empty], &Options::default()).unwrap_err().to_string();
    assert!(error.contains("empty.tsv: there are no inputs"), "{error}");
    assert!(Analysis::new(Vec::new(), &Options::default()).is_err());
    let error = Analysis::new(vec![small(), small()], &Options::default()).unwrap_err().to_string();
    assert!(error.contains("two runs are called small"), "{error}");
    let bad = Options { radii: Some(vec![f64::NAN]), ..Options::default() };
    assert!(Analysis::new(vec![small()], &bad).is_err());
}

#[test]
fn without_labels_there_is_no_accuracy() {
    let text = "idx\tlabel\tpredict\tradius\n0\t-1\t3\t0.5\n1\t2\t2\t0.5\n";
    let summary = Summary::new(&Table::from_tsv("t".into(), text).unwrap(), &[0.25]).unwrap();
    assert_eq!((summary.acr, summary.right_certified, summary.wrong_certified), (None, None, None));
    assert!(summary.certified_accuracy.is_empty());
    assert_eq!((summary.guarantee, summary.complete), ("unknown", None));
}

#[test]
fn a_bad_line_is_named() {
    let head = "idx\tlabel\tpredict\tradius\tcorrect\tbest_sigma\ttime\n0\t1\t1\t0.5\t1\t0.3\t0:00:01.5\n";
    let read = |line: &str| Table::from_tsv("f.tsv".into(), &format!("{head}{line}\n"));
    let good = read("1\t1\t-1\t0.0\t0\t0.4\t75").unwrap();
    assert_eq!((good.rows[0].seconds, good.rows[1].seconds), (Some(1.5), Some(75.0)));
    assert_eq!((good.rows[1].predicted, good.rows[1].sigma), (None, Some(0.4)));
    assert_eq!(good.guarantee, Some(Guarantee::FrozenSigma));
    for (line, says) in [
        ("1\t1\t1", "line 3: 3 fields where the header has 7"),
        ("x\t1\t1\t0.5\t1\t0.3\t1", "line 3: `idx` is \"x\""),
        ("1\t1\t-2\t0.5\t1\t0.3\t1", "line 3: `predict` is \"-2\""),
        ("1\t1\t1\tnan\t1\t0.3\t1", "line 3: `radius` is \"nan\""),
        ("1\t1\t1\t-0.1\t1\t0.3\t1", "line 3: `radius` is \"-0.1\""),
        ("1\t1\t-1\t0.5\t0\t0.3\t1", "line 3: abstains"),
        ("1\t1\t2\t0.5\t1\t0.3\t1", "line 3: `correct` is 1"),
        ("1\t1\t1\t0.5\t1\t0.3\t1:99:00", "line 3: `time` is"),
        ("0\t1\t1\t0.5\t1\t0.3\t1", "line 3: input 0 appears twice"),
    ] {
        let error = read(line).unwrap_err().to_string();
        assert!(error.starts_with("f.tsv: ") && error.contains(says), "{line:?} gave {error}");
    }
    let error = Table::from_tsv("f.tsv".into(), "idx\tlabel\tradius\n").unwrap_err().to_string();
    assert!(error.contains("line 1: no column `predict`"), "{error}");
}

#[test]
fn a_pair_by_hand() {
    let a = "idx\tlabel\tpredict\tradius\n0\t1\t1\t0.5\n1\t1\t1\t1\n2\t1\t0\t2\n3\t0\t0\t0.5\n9\t0\t0\t1\n";
    let b = "idx\tlabel\tpredict\tradius\n0\t1\t1\t1\n1\t1\t1\t0.5\n2\t1\t1\t1\n3\t0\t0\t0.5\n";
    let table = |name: &str, text: &str| Table::from_tsv(name.into(), text).unwrap();
    let (a, b) = (table("a", a), table("b", b));
    let pair = paired(&a, &b).unwrap();
    assert_eq!((pair.common, pair.only_a, pair.only_b), (4, 1, 0));
    assert_eq!((pair.better, pair.equal, pair.worse), (2, 1, 1));
    // scores .5 1 0 .5 against 1 .5 1 .5
    close(pair.difference.value, 0.25, 1e-15);
    close(pair.gain.unwrap().value, 0.5, 1e-15);
    close(pair.sign_test, 1.0, 1e-15);
    let other = table("c", "idx\tlabel\tpredict\tradius\n0\t2\t2\t1\n");
    assert!(
        paired(&a, &other).unwrap_err().to_string().contains("input 0 has label 1 in one and 2 in the other")
    );
    let apart = table("d", "idx\tlabel\tpredict\tradius\n77\t2\t2\t1\n");
    assert!(paired(&a, &apart).unwrap_err().to_string().contains("no input in common"));
    let analysis = Analysis::new(vec![a, b, apart], &Options::default()).unwrap();
    // and one for all files, which have no records
    assert_eq!((analysis.paired.len(), analysis.notes.len()), (1, 1 + 1), "{:?}", analysis.notes);
}

#[test]
fn classes_by_hand() {
    let rows = classes(&small()).unwrap();
    assert_eq!(
        rows.iter().map(|r| (r.name.as_str(), r.inputs)).collect::<Vec<_>>(),
        [("cat", 3), ("dog", 2)]
    );
    close(rows[0].accuracy.value, 1.0 / 3.0, 1e-15);
    close(rows[1].acr.value, 0.5, 1e-15);
    assert_eq!(rows[1].sigma, Some(Spread { count: 1, mean: 0.5, sd: None }));
    close(Spread::of(&[1.0, 2.0, 3.0]).unwrap().sd.unwrap(), 1.0, 1e-15);
}

/// Quantiles of the binomial law, from sums with 60 digits (Python's decimal).
#[test]
fn no_more_certificates_are_wrong_than_the_binomial_law_lets() {
    let most = |m, alpha, rho| most_wrong(m, Alpha::new(alpha).unwrap(), Alpha::new(rho).unwrap()).unwrap();
    assert_eq!([200, 500, 10_000, 1_000_000].map(|m| most(m, 0.001, 0.001)), [3, 4, 21, 1099]);
    assert_eq!((most(10_000, 0.01, 1e-6), most(500, 0.5, 0.1)), (151, 264));
    assert_eq!((most(1, 0.001, 0.002), most(1, 0.001, 0.0005)), (0, 1));
}

/// With α = ¼ the tails are whole numbers divided by 4ᵐ, which f64 holds exactly: at a ρ just below such a
/// tail, that many wrong certificates are too likely, however the tail is rounded.
#[test]
fn rounding_never_makes_fewer_certificates_wrong() {
    let quarter = Alpha::new(0.25).unwrap();
    for m in 5..=26_u32 {
        let chosen = |k: u32| (1..=u64::from(k)).fold(1, |c, i| c * (u64::from(m) + 1 - i) / i);
        let ways = |wrong: u32| (wrong..=m).map(|k| chosen(k) * 3_u64.pow(m - k)).sum::<u64>();
        for wrong in 1..=m {
            let tail = ways(wrong) as f64 / 4_f64.powi(m.cast_signed());
            let rho = Alpha::new(tail.next_down()).unwrap();
            let most = most_wrong(m.into(), quarter, rho).unwrap();
            assert!(most >= u64::from(wrong), "{wrong} of {m} are wrong with probability {tail}, not {most}");
        }
    }
}

#[test]
fn accuracy_is_bounded_where_alpha_is_known_and_holds_for_each() {
    let records: Vec<Record> =
        (0..500).map(|index| record(index, 0, 0, (index < 273).then_some(0.5))).collect();
    let run = |name: &str, guarantee| {
        let spec = Spec { guarantee, ..spec(500) };
        from_run(name.into(), &spec, &records, &[]).unwrap()
    };
    let file = Table::from_tsv("file".into(), "idx\tlabel\tpredict\tradius\n0\t1\t1\t0.5\n").unwrap();
    let rho = Alpha::new(0.001).unwrap();
    let options = Options { radii: Some(vec![0.25, 0.75]), rho: Some(rho), ..Options::default() };
    let runs = vec![run("run", Guarantee::FixedSigma), run("bank", Guarantee::MemoryBank), file];
    let analysis = Analysis::new(runs, &options).unwrap();
    let bounds: Vec<_> =
        analysis.summaries.iter().map(|summary| summary.certified_accuracy_bound.clone()).collect();
    assert_eq!(bounds[0], [(0.25, 269.0 / 500.0), (0.75, 0.0)]); // four of the 273 may be wrong
    assert_eq!((bounds[1].len(), bounds[2].len()), (0, 0));
    assert!(
        analysis.notes.iter().any(|note| note.starts_with("bank: no bound on its accuracy, since answers"))
    );
    assert!(
        analysis.notes.iter().any(|note| note.starts_with("file: no bound on its accuracy, since the file"))
    );
}

#[test]
fn the_interval_of_a_mean_covers_the_truth() {
    // an atom at 0 and a long tail, like radii; the true mean is .5 · 1 = .5
    let mut covered = 0;
    let (trials, n) = (300_u64, 60_u64);
    for trial in 0..trials {
        let uniform =
            |i: u64| (bootstrap::mix((trial * n + i) ^ 0xABCD_0000_0000) >> 11) as f64 / 2f64.powi(53);
        let value = |u: f64| if u < 0.5 { 0.0 } else { -(2.0 * (1.0 - u)).ln() };
        let values: Vec<f64> = (0..n).map(|i| value(uniform(i))).collect();
        let mean = WithInterval::mean(&values).unwrap().unwrap();
        covered += u64::from(mean.low.unwrap() <= 0.5 && 0.5 <= mean.high.unwrap());
    }
    let share = covered as f64 / trials as f64;
    assert!((0.91..=0.985).contains(&share), "a 95 % interval covered {share}");
}

fn budget(alpha: f64) -> Budget {
    Budget::new(10, 100, Alpha::new(alpha).unwrap()).unwrap()
}

#[test]
fn a_run_in_another_precision_is_said_to_concern_another_classifier() {
    let mut spec = spec(1);
    spec.models = ModelSpec { precision: "bf16".into(), ..spec.models.first().clone() }.into();
    let half = from_run("half".into(), &spec, &[record(0, 0, 0, Some(0.5))], &[]).unwrap();
    let analysis = Analysis::new(vec![small(), half], &Options::default()).unwrap();
    let note = "half computed in bf16: its certificates concern that classifier, not the one in f32.";
    assert_eq!(analysis.notes, [note]);
}

/// COHEN is what everything else is compared with, wherever it stands.
#[test]
fn the_reference_is_cohen_unless_another_is_chosen() {
    let file = |name: &str, sigmas: [f64; 2], promise: &str| {
        let [a, b] = sigmas;
        let head = "idx\tlabel\tpredict\tradius\tbest_sigma\tpromise\n";
        let rows = format!("0\t0\t0\t0.5\t{a}\t{promise}\n1\t0\t0\t0.5\t{b}\t{promise}\n");
        Table::from_tsv(name.into(), &format!("{head}{rows}")).unwrap()
    };
    let frozen = || file("qcrs.tsv", [0.25, 0.5], "frozen-sigma");
    let fixed = || file("cohen.tsv", [0.5, 0.5], "fixed-sigma");
    let records = [0, 1].map(|index| record(index, 0, 0, Some(0.5)));
    let run = || from_run("cohen".into(), &spec(2), &records, &[]).unwrap();
    let mut other = spec(2);
    other.method = Method::new(crate::method::Iss::published(Sigma::new(0.5).unwrap())).unwrap();
    let iss = || from_run("iss".into(), &other, &records, &[]).unwrap();
    let a = |tables, reference| {
        Analysis::new(tables, &Options { reference, ..Options::default() }).unwrap().paired[0].a.clone()
    };
    assert_eq!(a(vec![frozen(), fixed()], None), "cohen.tsv");
    assert_eq!(a(vec![frozen(), fixed()], Some(0)), "qcrs.tsv");
    assert_eq!(a(vec![iss(), run()], None), "cohen", "ISS has one σ too");
    assert_eq!(a(vec![frozen(), iss()], None), "qcrs.tsv");
}
