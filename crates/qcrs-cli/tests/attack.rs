//! `qcrs attack` finds certificates that do not hold, keeps what it found, and resumes.

mod common;

use common::{Bench, MODEL};
use serde_json::{Value, json};

const RECORDS: &str = "r/records-0-of-1.jsonl";

fn with_run() -> Bench {
    let bench = Bench::new();
    bench.certify("--method cohen --run r").says(&[]);
    bench
}

fn attack(options: &str) -> String {
    format!("attack r {MODEL} --passes 4000 {options}")
}

/// Makes the votes of input `number` unanimous, with the radius that follows from such votes under float
/// noise: only the model can show that they were never cast.
fn forge(bench: &Bench, number: usize) {
    let whole = bench.records("r");
    let shown = bench.run("radius --votes 200 --of 200 --alpha 0.001 --sigma 0.25").says(&[]).out;
    let value = |name: &str| -> f64 {
        shown.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().parse().unwrap()
    };
    let line = whole.lines().nth(number).unwrap();
    let mut record: Value = serde_json::from_str(line).unwrap();
    let outcome = &mut record["finding"]["outcome"];
    let class = outcome["estimates"][0]["class"].as_u64().unwrap();
    outcome["estimates"][0]["votes"] = json!({ class.to_string(): 200 });
    let (radius, p_lower) = (value("radius"), value("p_lower"));
    outcome["verdict"] =
        json!({ "certified": { "class": class, "radius": radius, "sigma": 0.25, "p_lower": p_lower } });
    outcome["fail_safe"] = json!({ "class": class, "radius": radius, "answers": true });
    bench.write(RECORDS, whole.replace(line, &record.to_string()));
    bench.certify("--method cohen --noise float --run r").says(&[]); // writes results.tsv again
    bench.run("verify r").says(&["every verdict follows from its votes"]);
}

#[test]
fn certificates_that_hold_are_not_reported() {
    let bench = with_run();
    let ran = bench.run(&attack("")).says(&[
        "certificates attacked",
        "closest call: input ",
        "no certificate was shown to be wrong",
    ]);
    assert!(!ran.out.contains("violation"), "{}", ran.out);
    let found = bench.run(&attack("--format json")).says(&[]);
    assert!(found.err.contains("already attacked"), "{}", found.err);
    let found = found.json();
    assert_eq!(found["violations"], json!([]));
    let attacked = found["attacked"].as_u64().unwrap();
    assert!(attacked >= 4 && found["passes"].as_u64().unwrap() <= 4000 * attacked, "{found}");
    assert!(found["closest"]["lead"].as_f64().unwrap() > 0.0, "{found}");

    let one = bench.run(&attack("--count 1 --out one")).says(&["1 certificate attacked: "]);
    assert!(one.err.contains("attacking 1 certificate with 4000 passes"), "{}", one.err);
    let alpha = one.out.split("α = ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!(alpha.len() < 10, "{alpha}");
}

/// Input 2 has a true radius of about 0.18, and is said to have 0.45.
#[test]
fn a_planted_certificate_is_found_and_can_be_replayed() {
    let bench = Bench::new();
    bench.certify("--method cohen --noise float --run r").says(&[]);
    forge(&bench, 2);
    let ran = bench.run(&attack("--out found")).code_is(1, "1 of ");
    assert!(ran.out.contains("violation: input 2, certified bird"), "{}", ran.out);
    for word in [
        "point found/violation-2.npy",
        "model model.onnx (blake3 ",
        "σ = 0.25",
        "seed 0",
        "votes {",
        "1 certificate was shown",
    ] {
        assert!(ran.out.contains(word), "{word}: {}", ran.out);
    }
    // another program sees the same at that point
    let typed =
        "predict --engine rten --model model.onnx --data found/violation-2.npy --layout nchw --sigma 0.25";
    let seen = bench.run(&format!("{typed} --format json")).says(&[]).json();
    let class = seen[0]["prediction"]["class"].as_u64();
    assert!(class.is_some_and(|class| class != 2), "{seen}");
}

#[test]
fn a_stopped_attack_resumes_with_the_same_bytes() {
    let bench = with_run();
    bench.run(&attack("--out whole")).says(&[]);
    let whole = bench.read("whole/attempts.jsonl");
    let second = whole.match_indices('\n').nth(1).unwrap().0 + 1;
    bench.run(&attack("--out stopped --threads 1 --batch 7")).says(&[]);
    bench.write("stopped/attempts.jsonl", format!("{}{{\"index\":", &whole[..second]));
    let ran = bench.run(&attack("--out stopped")).says(&[]);
    assert!(ran.err.contains("resuming after 2 of"), "{}", ran.err);
    assert_eq!(bench.read("stopped/attempts.jsonl"), whole);
    // another question needs another directory
    bench
        .run(&attack("--out whole --seed 3"))
        .fails(1, &["whole/attack.json: this attack has seed 0, you asked for 3; use another directory"]);
    bench.run("verify r").says(&["8 of 8 records"]);
}

#[test]
fn what_cannot_be_attacked_is_refused() {
    let bench = with_run();
    bench
        .run(&format!("attack r {MODEL} --passes 100"))
        .fails(2, &["must be from 200 to 4294967295, got 100"]);
    bench.run(&format!("attack r {MODEL} --passes 400 --quick")).fails(2, &["--quick"]);
    bench.run(&format!("attack absent {MODEL} --quick")).fails(1, &["absent"]);
    let other = format!("{} --normalize half", attack(""));
    bench.run(&other).fails(1, &["give the model and the data that qcrs certify used"]);
}
