//! The fail-safe radius: its values, where it is absent, and that records with a wrong one are refused.

mod common;

use common::{DIM, alpha, budget, cohen, every_method, input, sigma, spec};
use proptest::prelude::*;
use qcrs::certify::{Bound, Budget, Estimate, FailSafe, Outcome, Verdict, certify, decide, fail_safe};
use qcrs::data::Example;
use qcrs::method::{AnyMethod, Sides};
use qcrs::noise::{GeneralizedGaussian, Noise, NoiseKind};
use qcrs::radius;
use qcrs::run::{self, Depth, Finding, ResultFile, Run, Shard, Stored};
use qcrs::sample::{MonteCarlo, Smoothed, Votes};
use qcrs::testing::HalfSpace;
use std::path::Path;

/// A certificate of class 0 from `n` votes: those of the class, those of its only rival, and rejected copies.
fn estimate(n: u64, class: u64, rival: u64, value: f64, sides: Sides) -> Estimate {
    let votes = Votes::from_iter([(0, class), (1, rival)]).rejecting(n - class - rival);
    Estimate { smoothed: Smoothed::gaussian(sigma(value)), class: 0, sides, votes }
}

fn of_one(estimate: &Estimate, level: f64) -> Option<FailSafe> {
    fail_safe(std::slice::from_ref(estimate), &budget(1, 1, alpha(level))).unwrap()
}

/// mpmath, 60 digits: −σ Φ⁻¹(U) with the Clopper-Pearson upper bound U found by bisection of the summed tail;
/// each value is the largest f64 that is not above it.
#[test]
fn values_are_rounded_down() {
    for (n, rival, level, value, truth) in [
        (1000, 200, 0.001, 0.5, 0.35066322528746574),
        (100, 1, 0.05, 0.25, 0.41979159412670014),
        (100, 0, 0.001, 0.25, 0.3751187560301591),
        (1000, 430, 0.001, 1.0, 0.05209999133391712),
        (10_000, 4800, 0.001, 0.5, 0.005642350595747983),
        (10_000, 12, 0.001, 0.12, 0.3338498613448252),
        (500, 40, 0.0125, 0.7, 0.8532446856312333),
        (2000, 930, 0.001, 0.5, 0.0002666719564695079),
    ] {
        let found = of_one(&estimate(n, n - rival, rival, value, Sides::One), level).unwrap().radius;
        // near ½ the radius is a small difference, so its error is that of the bound times σ
        let error = 1e-14 * truth + 2e-15 * value;
        assert!(found <= truth && found > truth - error, "{rival} of {n}: {found} instead of {truth}");
    }
}

/// Twenty classes with 50 votes each: the predictor abstains, and no rival is near.
#[test]
fn a_radius_without_an_answer_says_so() {
    let votes = (0..20).map(|class| (class, 50)).collect();
    let spread = Estimate { votes, ..estimate(1, 1, 0, 0.5, Sides::One) };
    let found = of_one(&spread, 0.001).unwrap();
    assert!(found.radius > 0.5 && !found.answers, "{found:?}");
    let clear = of_one(&estimate(1000, 900, 60, 0.5, Sides::One), 0.001).unwrap();
    assert!(clear.answers && clear.class == 0, "{clear:?}");
    // a rival that may have half of the copies
    assert_eq!(of_one(&estimate(1000, 300, 480, 0.5, Sides::One), 0.001), None);
}

/// Copies that vote for no class are draws: they take the class's majority, and keep the rival from one.
#[test]
fn rejected_copies_count_as_draws() {
    let votes = Votes::from_iter([(0, 300), (1, 50)]);
    let without = Estimate { votes: votes.clone(), ..estimate(1, 1, 0, 0.5, Sides::One) };
    let with = Estimate { votes: votes.rejecting(650), ..without.clone() };
    let [without, with] = [without, with].map(|estimate| of_one(&estimate, 0.001).unwrap());
    assert!(without.answers && !with.answers, "{without:?} {with:?}");
    assert!(with.radius > without.radius, "{without:?} {with:?}");
    let as_votes = of_one(&estimate(1000, 950, 50, 0.5, Sides::One), 0.001).unwrap();
    assert_eq!(with.radius.to_bits(), as_votes.radius.to_bits());
}

#[test]
fn it_is_absent_where_draws_are_added_after_looking_and_under_other_laws() {
    let certificate = estimate(1000, 900, 60, 0.5, Sides::One);
    let asking = budget(1, 1000, alpha(0.001)).asking_about(0.1).unwrap();
    assert_eq!(fail_safe(std::slice::from_ref(&certificate), &asking).unwrap(), None);
    let law = Noise::GeneralizedGaussian(GeneralizedGaussian::new(sigma(0.5), 30, 64).unwrap());
    assert_eq!(radius::fail_safe(&law, 0.9).unwrap(), None);
    let other = Estimate { smoothed: law.into(), ..certificate };
    for estimates in [vec![], vec![other.clone()], vec![other.clone(), other]] {
        assert_eq!(fail_safe(&estimates, &budget(1, 1000, alpha(0.001))).unwrap(), None);
    }
}

/// It belongs to the certificate that the verdict keeps, at that certificate's share of α.
#[test]
fn of_several_certificates_the_one_that_is_kept_counts() {
    let several = [(900, 60, 0.5), (800, 20, 1.0), (990, 1, 0.1)]
        .map(|(class, rival, value)| estimate(1000, class, rival, value, Sides::One));
    let budget = budget(1, 1000, alpha(0.003));
    let Verdict::Certified { sigma: kept, radius, .. } = decide(&several, &budget).unwrap() else { panic!() };
    assert_eq!(kept, sigma(1.0));
    let found = fail_safe(&several, &budget).unwrap();
    let share = alpha(0.003).share(3).get();
    assert_eq!(found, of_one(&several[1], share));
    assert!(found.unwrap().radius > radius);
    assert!(of_one(&several[1], 0.003).unwrap().radius > found.unwrap().radius);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A class with a radius has a fail-safe radius that is no smaller, by either bound.
    #[test]
    fn it_is_never_below_the_radius(
        n in prop_oneof![1_u64..300, 300_u64..200_000],
        shares in (0.0..=1.0_f64, 0.0..=1.0_f64),
        level in prop_oneof![Just(0.001), Just(0.05), 1e-6..0.5_f64],
        value in 0.01..3.0_f64,
        two_sided in any::<bool>(),
    ) {
        let class = (shares.0.sqrt() * n as f64) as u64; // most classes have most votes
        let rival = (shares.1 * (n - class) as f64) as u64;
        let sides = if two_sided { Sides::Two } else { Sides::One };
        let certificate = estimate(n, class, rival, value, sides);
        let level = budget(1, 1, alpha(level));
        let verdict = decide(std::slice::from_ref(&certificate), &level).unwrap();
        let found = fail_safe(std::slice::from_ref(&certificate), &level).unwrap();
        if let Verdict::Certified { radius, p_lower, .. } = verdict {
            let found = found.unwrap();
            prop_assert!(found.radius >= radius, "{found:?} {verdict:?}");
            prop_assert!(found.answers || p_lower <= 0.5, "{found:?} {verdict:?}");
        }
        if sides == Sides::One && found.is_some_and(|found| found.answers) {
            let certified = matches!(verdict, Verdict::Certified { .. });
            prop_assert!(certified, "{verdict:?}");
        }
    }
}

const INPUTS: u32 = 10;

fn small(search: AnyMethod, budget: Budget) -> run::Spec {
    spec(search, budget, INPUTS)
}

fn stored(dir: &Path, spec: &run::Spec) -> Stored {
    let inputs = |index: u32| {
        let mut pixels = vec![0.0; DIM];
        pixels[0] = index as f32 * 0.1 - 0.4;
        Ok(Example::new(pixels, Some(usize::from(index > 4))))
    };
    let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 64).under(NoiseKind::Float);
    let mut run = Run::open(dir, spec, Shard::WHOLE).unwrap();
    run.certify(&sampler, &inputs, 2, |_, _| Ok(None)).unwrap();
    run::read(dir, Depth::Whole).unwrap()
}

fn outcome(stored: &mut Stored, index: usize) -> &mut Outcome {
    let Finding::Outcome(outcome) = &mut stored.records[index].finding else { panic!("{index} failed") };
    outcome
}

#[test]
fn records_hold_it_and_a_forged_one_is_refused() {
    for (what, search) in every_method() {
        let root = tempfile::tempdir().unwrap();
        let mut stored = stored(root.path(), &small(search, budget(20, 200, alpha(0.01))));
        let kept = outcome(&mut stored, 9).fail_safe;
        assert_eq!(kept.is_some(), what != "dsrs", "{what}: {kept:?}");
        let honest = kept.unwrap_or(FailSafe { class: 1, radius: 0.1, answers: true });
        for forged in [
            FailSafe { radius: honest.radius.next_up(), ..honest },
            FailSafe { answers: !honest.answers, ..honest },
            FailSafe { class: 0, ..honest },
        ] {
            outcome(&mut stored, 9).fail_safe = Some(forged);
            let error = run::verify(&stored).unwrap_err().to_string();
            assert!(error.starts_with("input 9: the votes show the fail-safe radius"), "{what}: {error}");
        }
        // as earlier versions wrote it
        outcome(&mut stored, 9).fail_safe = None;
        run::verify(&stored).unwrap();
    }
}

#[test]
fn a_question_about_one_radius_records_none() {
    let root = tempfile::tempdir().unwrap();
    let asking = budget(20, 200, alpha(0.01)).asking_about(0.1).unwrap();
    let mut stored = stored(root.path(), &small(cohen(0.5), asking));
    for index in 0..INPUTS as usize {
        assert_eq!(outcome(&mut stored, index).fail_safe, None);
    }
    let forged = FailSafe { class: 1, radius: 0.1, answers: true };
    outcome(&mut stored, 9).fail_safe = Some(forged);
    assert!(run::verify(&stored).unwrap_err().to_string().contains("fail-safe radius none"));
}

#[test]
fn results_have_it_in_their_last_columns_and_earlier_files_need_not() {
    let root = tempfile::tempdir().unwrap();
    let mut stored = stored(root.path(), &small(cohen(0.5), budget(20, 200, alpha(0.01))));
    let path = root.path().join("results.tsv");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().ends_with("\tasked\tfail_safe_class\tfail_safe_radius\tfail_safe_answers"));
    for (index, line) in lines.enumerate() {
        let want = outcome(&mut stored, index).fail_safe.map_or("\t\t\t".into(), |safe| {
            format!("\t{}\t{}\t{}", safe.class, safe.radius, u8::from(safe.answers))
        });
        assert!(line.ends_with(&want), "{line:?} {want:?}");
    }
    let compared = |text: &str| {
        std::fs::write(&path, text).unwrap();
        run::compare_results(root.path(), &stored)
    };
    assert_eq!(compared(&text).unwrap(), ResultFile::All);
    let cut = |line: &str| line.rsplitn(4, '\t').last().unwrap().to_owned() + "\n";
    let earlier: String = text.lines().map(cut).collect();
    assert_eq!(compared(&earlier).unwrap(), ResultFile::All);
    for forged in [
        earlier.replacen("\tfixed-sigma", "\tmemory-bank", 1),
        text.replacen("\t1\n", "\t0\n", 1),
        text.replacen("\tfail_safe_answers", "", 1),
    ] {
        assert!(forged != text && forged != earlier);
        assert!(compared(&forged).is_err(), "{forged}");
    }
}

/// A record of an earlier version reads as one without the field, and writes back as the same bytes.
#[test]
fn records_without_it_read_as_they_are() {
    let sampler = MonteCarlo::new(&HalfSpace { dim: 1 }, 100).under(NoiseKind::Float);
    let budget = budget(20, 200, alpha(0.01)).with_bound(Bound::TwoSided).unwrap();
    let outcome = certify(&cohen(0.5), &budget, &sampler, &input(&[0.5], 1)).unwrap();
    let text = serde_json::to_string(&outcome).unwrap();
    let (before, after) = text.split_once(",\"fail_safe\":").unwrap();
    assert!(after.starts_with("{\"class\":1,\"radius\":0."), "{after}");
    let earlier = format!("{before}}}");
    let read: Outcome = serde_json::from_str(&earlier).unwrap();
    assert_eq!(read, Outcome { fail_safe: None, ..outcome });
    assert_eq!(serde_json::to_string(&read).unwrap(), earlier);
}
