//! Balls of different classes are disjoint, and every ball keeps its class, whatever is asked in
//! whatever order.

mod common;

use common::{Random, Reference, alpha, certificate, claimed, distance, empty};
use proptest::prelude::*;
use qcrs_bank::{Abstention, Bank, BankAnswer, Why};

/// A query on a line: in sixteenths, so that many balls touch, nest or share their centres.
type Query = (i32, Option<(usize, u32)>);

fn queries() -> impl Strategy<Value = Vec<Query>> {
    let own = prop::option::weighted(0.8, (0..3usize, 1..24u32));
    prop::collection::vec((-40..40i32, own), 1..40)
}

fn point(sixteenths: i32) -> f32 {
    sixteenths as f32 / 16.0
}

/// Whether a + b ≤ c, without rounding.
fn fits(a: f64, b: f64, c: f64) -> bool {
    let sum = a + b;
    let rest = (a - (sum - (sum - a))) + (b - (sum - a));
    sum.total_cmp(&c).then((rest + 0.0).total_cmp(&0.0)).is_le()
}

/// The outermost multiples of 2⁻¹⁹ in the open ball around `x`, where every difference is exact.
fn rim(x: f32, radius: f64) -> Vec<f32> {
    let steps = (radius * 2f64.powi(19)).ceil() - 1.0;
    let reach = (steps / 2f64.powi(19)) as f32;
    if steps < 0.0 { Vec::new() } else { vec![x - reach, x + reach] }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn balls_stay_disjoint_and_keep_their_class(queries in queries()) {
        let (_dir, mut bank) = empty([1, 1, 1]);
        let mut balls: Vec<(f32, usize, f64)> = Vec::new();
        for (at, own) in queries {
            let own = own.map(|(class, radius)| certificate(class, f64::from(radius) / 16.0));
            let x = point(at);
            let asked = bank.ask(&[x], own).unwrap();
            let answer = bank.add(&[x], alpha(), own).unwrap();
            prop_assert_eq!(asked, answer);
            if let BankAnswer::Class { class, radius, why } = answer {
                prop_assert!(own.is_none_or(|own| own.class != class || radius <= own.radius || matches!(why, Why::Inherited(_))));
                if !matches!(why, Why::Inherited(_)) {
                    balls.push((x, class, radius));
                }
                // the answer is promised from now on, inherited or not
                for y in rim(x, radius) {
                    for other in [None, Some(certificate(7, 0.25)), Some(certificate(class, 0.25))] {
                        let again = claimed(bank.ask(&[y], other).unwrap());
                        prop_assert_eq!(again.map(|(class, _)| class), Some(class), "{} near {}", y, x);
                    }
                }
            }
        }
        prop_assert_eq!(bank.len(), balls.len());
        for (i, &(x, class, radius)) in balls.iter().enumerate() {
            for &(y, other, reach) in &balls[..i] {
                let apart = (f64::from(x) - f64::from(y)).abs();
                prop_assert!(class == other || fits(radius, reach, apart), "{x} {radius} and {y} {reach}");
            }
            for y in rim(x, radius) {
                let again = claimed(bank.ask(&[y], Some(certificate(9, 2.0))).unwrap());
                prop_assert_eq!(again.map(|(class, _)| class), Some(class), "{} in the ball of {}", y, x);
            }
        }
        bank.check().unwrap();
    }

    #[test]
    fn answers_are_those_of_the_plain_algorithm(
        shape in prop::sample::select(vec![[1, 1, 2], [1, 5, 7], [3, 8, 8], [4, 3, 9]]),
        seed in any::<u64>(),
        spread in prop::sample::select(vec![0.02f32, 0.2, 1.0]),
        bytes in any::<bool>(),
    ) {
        let (dir, mut bank) = empty(shape);
        let (mut reference, mut random) = (Reference::default(), Random(seed));
        let dim: usize = shape.iter().product();
        let centres: Vec<Vec<f32>> = (0..4).map(|_| (0..dim).map(|_| random.next()).collect()).collect();
        let typical = f64::from(spread) * (dim as f64 / 6.0).sqrt();
        let query = |random: &mut Random| {
            let centre = &centres[(random.next() * 4.0) as usize];
            let pixel = |&c: &f32| c + spread * (random.next() - 0.5);
            let round = |x: f32| if bytes { (x * 255.0).round().clamp(0.0, 255.0) / 255.0 } else { x };
            let x: Vec<f32> = centre.iter().map(pixel).map(round).collect();
            let (class, radius) = ((random.next() * 3.0) as usize, typical * f64::from(random.next() + 0.01));
            (x, (random.next() < 0.8).then(|| certificate(class, radius)))
        };
        for _ in 0..60 {
            let (x, own) = query(&mut random);
            let answer = bank.add(&x, alpha(), own).unwrap();
            if !reference.is_at_a_rim(&x) {
                let expected = reference.ask(&x, own);
                let given = claimed(answer);
                let near = match (given, expected) {
                    (Some((a, r)), Some((b, s))) => a == b && r <= s && s - r < 1e-9 * (1.0 + s),
                    (None, None) => true,
                    (None, Some((_, s))) | (Some((_, s)), None) => s < 1e-9,
                };
                prop_assert!(near, "{given:?}, but plainly {expected:?}");
            }
            reference.learn(&x, answer);
        }
        bank.check().unwrap();
        // and from the file, bit for bit
        let asked: Vec<_> = (0..20).map(|_| query(&mut random)).collect();
        let before: Vec<_> = asked.iter().map(|(x, own)| bank.ask(x, *own).unwrap()).collect();
        drop(bank);
        let bank = qcrs_bank::Bank::read(dir.path()).unwrap();
        let after: Vec<_> = asked.iter().map(|(x, own)| bank.ask(x, *own).unwrap()).collect();
        prop_assert_eq!(before, after);
    }
}

#[test]
fn a_stored_point_asked_again_keeps_its_class_and_never_loses_radius() {
    let (_dir, mut bank) = empty([1, 1, 2]);
    let x = [0.25, 0.5];
    let first = bank.add(&x, alpha(), Some(certificate(1, 0.5))).unwrap();
    assert_eq!(first, BankAnswer::Class { class: 1, radius: 0.5, why: Why::Own });
    let inherited = BankAnswer::Class { class: 1, radius: 0.5, why: Why::Inherited(0) };
    assert_eq!(bank.add(&x, alpha(), Some(certificate(2, 3.0))).unwrap(), inherited);
    assert_eq!(bank.add(&x, alpha(), Some(certificate(1, 0.4))).unwrap(), inherited);
    assert_eq!(bank.add(&x, alpha(), None).unwrap(), inherited);
    assert_eq!(bank.len(), 1);
    let grown = bank.add(&x, alpha(), Some(certificate(1, 0.75))).unwrap();
    assert_eq!(grown, BankAnswer::Class { class: 1, radius: 0.75, why: Why::Own });
    assert_eq!(bank.len(), 2);
}

#[test]
fn an_abstention_blocks_nobody() {
    let (_dir, mut bank) = empty([1, 1, 1]);
    assert_eq!(bank.add(&[0.5], alpha(), None).unwrap(), BankAnswer::Abstain(Abstention::Own));
    assert!(bank.is_empty());
    let answer = bank.add(&[0.5], alpha(), Some(certificate(4, 0.25))).unwrap();
    assert_eq!(answer, BankAnswer::Class { class: 4, radius: 0.25, why: Why::Own });
}

#[test]
fn touching_balls_leave_nothing_and_say_so() {
    let (_dir, mut bank) = empty([1, 1, 1]);
    bank.add(&[0.0], alpha(), Some(certificate(0, 0.5))).unwrap();
    // exactly on the rim: rounding cannot tell, so the class is the ball's, with nothing around it
    let rim = BankAnswer::Class { class: 0, radius: 0.0, why: Why::Inherited(0) };
    assert_eq!(bank.ask(&[0.5], Some(certificate(1, 0.25))).unwrap(), rim);
    // one f32 further out there is a gap that rounding can see
    let outside = bank.ask(&[0.5f32.next_up()], Some(certificate(1, 0.25))).unwrap();
    assert!(matches!(outside, BankAnswer::Class { class: 1, why: Why::Cut(0), .. }), "{outside:?}");
    // two balls of one class may overlap as they like
    let same = bank.add(&[0.25], alpha(), Some(certificate(0, 0.5))).unwrap();
    assert_eq!(same, BankAnswer::Class { class: 0, radius: 0.5, why: Why::Own });
    bank.check().unwrap();
}

#[test]
fn nothing_is_left_in_a_gap_that_is_too_narrow() {
    // the sum of squares of f32 numbers lies between doubles: a radius can end just below a distance
    let (_dir, mut bank) = empty([1, 1, 2]);
    let x = [0.3f32, 0.7f32];
    let exact = distance(&[0.0, 0.0], &x);
    bank.add(&[0.0, 0.0], alpha(), Some(certificate(0, exact * (1.0 - 1.2 * 66.0 * f64::EPSILON / 2.0))))
        .unwrap();
    let answer = bank.add(&x, alpha(), Some(certificate(1, 1.0))).unwrap();
    assert_eq!(answer, BankAnswer::Abstain(Abstention::NothingLeft(0)));
    assert_eq!(bank.len(), 1);
}

/// The largest of many certificates of one input is wrong more often than each.
#[test]
fn every_offer_counts_whatever_became_of_it() {
    let (dir, mut bank) = empty([1, 1, 1]);
    for round in 0..100 {
        bank.add(&[0.5], alpha(), Some(certificate(1, 0.5 - f64::from(round) / 1000.0))).unwrap();
    }
    bank.add(&[0.5], alpha(), None).unwrap();
    assert_eq!(bank.len(), 1);
    let here = bank.stats().failure_probability;
    assert!((0.101..0.10101).contains(&here), "{here}");
    drop(bank);
    let again = Bank::read(dir.path()).unwrap().stats().failure_probability;
    assert!((again - here).abs() < f64::EPSILON, "{again}, not {here}");
}

#[test]
fn a_query_that_means_nothing_is_refused() {
    let (_dir, mut bank) = empty([1, 1, 2]);
    for (x, own, words) in [
        (vec![0.0], None, "2 pixels, got 1"),
        (vec![0.0, f32::NAN], None, "the pixel NaN"),
        (vec![0.0, f32::INFINITY], None, "the pixel inf"),
        (vec![0.0, 1e7], None, "the pixel 10000000"),
        (vec![0.0, 0.0], Some(certificate(0, 0.0)), "finite and positive, got 0"),
        (vec![0.0, 0.0], Some(certificate(0, f64::NAN)), "finite and positive, got NaN"),
        (vec![0.0, 0.0], Some(certificate(0, f64::INFINITY)), "finite and positive, got inf"),
    ] {
        let error = bank.add(&x, alpha(), own).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("balls.qcrsbank: "), "{error}");
    }
    assert!(bank.is_empty());
}
