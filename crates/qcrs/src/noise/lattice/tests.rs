//! Are the whole numbers those of the law, on every processor?
#![allow(clippy::cast_possible_wrap)] // there are at most 2²⁰ thresholds

use super::draw::AddIntegers;
use super::fixed::mul;
use super::table::IntegerTable;
use super::thresholds::upper_half;
use super::{Lattice, LatticeGaussian};
use crate::math::normal_quantile;
use crate::noise::philox::philox4x32;
use crate::noise::tests::archs;
use crate::noise::words::{GROUP, LANES, second_half};
use crate::noise::{Noise, NoiseKind, Phase, Stream};
use crate::types::Sigma;
use proptest::prelude::*;
use std::sync::Arc;

const STREAM: Stream = Stream { seed: 0x0123_4567_89AB_CDEF, input: 42, phase: Phase::Estimate };
/// From the smallest that is allowed to much noise, on both lattices.
const LAWS: [(f64, Lattice); 8] = [
    (1.0 / 255.0, Lattice::Bytes),
    (0.01, Lattice::Bytes),
    (0.12, Lattice::Bytes),
    (0.25, Lattice::Bytes),
    (0.7, Lattice::Bytes),
    (1.0, Lattice::Bytes),
    (0.25, Lattice::Fine),
    (1.0, Lattice::Fine),
];

fn sigma(value: f64) -> Sigma {
    Sigma::new(value).unwrap()
}

/// All thresholds of a law: their definition, without tables.
fn thresholds((sigma, lattice): (f64, Lattice)) -> Vec<u64> {
    let upper = upper_half(sigma, lattice.steps());
    upper.iter().rev().map(|t| t.wrapping_neg()).chain(upper.iter().copied()).collect()
}

/// The integer of a word, by the definition.
fn integer(thresholds: &[u64], word: u64) -> i32 {
    thresholds.iter().filter(|t| **t <= word).count() as i32 - thresholds.len() as i32 / 2
}

/// mpmath, 200 bits: 2⁶⁴ Φ((i + ½)/(steps σ)), rounded.
#[test]
fn thresholds_are_within_one_unit() {
    type Golden = (f64, Lattice, &'static [(usize, u64)]);
    let golden: [Golden; 6] = [
        (
            0.25,
            Lattice::Bytes,
            &[
                (0, 9_281_090_552_130_308_153),
                (1, 9_396_513_381_674_001_757),
                (10, 10_430_015_193_895_228_522),
                (63, 15_502_532_682_572_439_743),
                (200, 18_431_430_400_272_050_300),
                (541, 18_446_744_073_709_551_432),
            ],
        ),
        (
            0.5,
            Lattice::Bytes,
            &[
                (0, 9_252_231_516_401_197_516),
                (127, 15_520_071_208_486_562_213),
                (1083, 18_446_744_073_709_551_438),
            ],
        ),
        (
            1.0,
            Lattice::Bytes,
            &[
                (0, 9_237_801_804_366_808_557),
                (255, 15_528_814_730_016_619_719),
                (1000, 18_445_939_232_057_919_122),
                (2167, 18_446_744_073_709_551_441),
            ],
        ),
        (
            0.12,
            Lattice::Bytes,
            &[
                (0, 9_343_614_825_853_379_681),
                (30, 15_505_460_537_133_975_257),
                (259, 18_446_744_073_709_551_409),
            ],
        ),
        (
            1.0 / 255.0,
            Lattice::Bytes,
            &[
                (0, 12_755_231_059_699_021_600),
                (1, 17_214_368_729_622_122_900),
                (5, 18_446_743_723_413_952_736),
            ],
        ),
        (
            0.5,
            Lattice::Fine,
            &[
                (0, 9_225_168_713_142_285_661),
                (2048, 15_521_160_814_726_529_922),
                (17_407, 18_446_744_073_709_551_441),
            ],
        ),
    ];
    for (sigma, lattice, values) in golden {
        let found = upper_half(sigma, lattice.steps());
        for (i, expected) in values {
            assert!(found[*i].abs_diff(*expected) <= 1, "{sigma} {lattice:?} {i}: {}", found[*i]);
        }
    }
}

#[test]
fn thresholds_increase_and_reach_far_enough() {
    for law @ (sigma, lattice) in LAWS {
        let all = thresholds(law);
        assert!(all.is_sorted(), "{law:?}");
        let last = (all.len() / 2 - 1) as f64 + 0.5;
        let cut = last / (sigma * f64::from(lattice.steps()));
        assert!((8.5..10.1).contains(&cut), "{law:?} {cut}");
        // 2⁶⁴ Φ(−8.5) is 174.9
        assert!(all[0] <= 175 && all[all.len() - 1] >= u64::MAX - 175, "{law:?}");
    }
}

/// All words around every threshold, and many others.
#[test]
fn the_table_gives_the_integer_of_the_definition() {
    for law @ (sigma, lattice) in LAWS {
        let (table, all) = (IntegerTable::of(Sigma::new(sigma).unwrap(), lattice), thresholds(law));
        let look = |word: u64| {
            let first = (word >> 32) as u32;
            let guess = table.guess(first);
            if guess.is_open() { table.integer(first, || word as u32) } else { guess.integer() }
        };
        let around = all.iter().step_by(all.len() / 300 + 1).flat_map(|t| {
            let near = |by: u64| [t.wrapping_sub(by), t.wrapping_add(by)];
            [0, 1, 1 << 32, (1 << 32) - 1].into_iter().flat_map(near)
        });
        let spread = (0..400_u64).map(|k| k.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        for word in around.chain(spread).chain([0, 1, u64::MAX - 1, u64::MAX]) {
            assert_eq!(look(word), integer(&all, word), "{law:?} {word:#x}");
        }
    }
}

/// The word of value `j` of a draw by itself, without groups and lanes.
fn word(draw: u32, j: usize) -> u64 {
    let (group, run, lane) = (j / GROUP, j % GROUP / LANES, j % LANES);
    let block = (group * LANES + lane) as u32;
    let half = |phase: u32| philox4x32([draw, block, STREAM.input, phase], STREAM.key())[run];
    let phase = STREAM.phase as u32;
    u64::from(half(phase)) << 32 | u64::from(half(phase | 1 << 31))
}

/// Value `j` of a draw, without tables.
fn value(all: &[u64], draw: u32, j: usize) -> i32 {
    integer(all, word(draw, j))
}

fn drawn(arch: pulp::Arch, (level, lattice): (f64, Lattice), draw: u32, x: &[i32]) -> Vec<f32> {
    let (table, mut out) = (IntegerTable::of(sigma(level), lattice), vec![f32::NAN; x.len()]);
    AddIntegers { stream: &STREAM, draw, lattice, table: &table, x, out: &mut out }.run_on(arch);
    out
}

#[test]
fn every_instruction_set_gives_the_same_bits_as_the_definition() {
    for law @ (_, lattice) in LAWS {
        let all = thresholds(law);
        for (draw, len) in [(0, 300), (1, 64), (2, 1), (u32::MAX, 784)] {
            let x: Vec<i32> = (0..len).map(|j| j * 7 % 256).collect();
            let expected: Vec<u32> =
                (0..).zip(&x).map(|(j, x)| lattice.pixel(x + value(&all, draw, j)).to_bits()).collect();
            for (name, arch) in archs() {
                let found: Vec<u32> = drawn(arch, law, draw, &x).iter().map(|v| v.to_bits()).collect();
                assert!(found == expected, "{name} {law:?} {draw}");
            }
        }
    }
}

/// A second half is almost never read, so that draws do not show where it comes from.
#[test]
fn the_second_half_of_a_word_has_a_counter_of_its_own() {
    for (draw, block, run) in [(0, 0, 0), (7, 3, 1), (u32::MAX, 47, 3)] {
        let counter = [draw, block, STREAM.input, STREAM.phase as u32 | 0x8000_0000];
        let expected = philox4x32(counter, STREAM.key())[run];
        assert_eq!(second_half(&STREAM, draw, block, run), expected);
        assert_ne!(philox4x32([draw, block, STREAM.input, STREAM.phase as u32], STREAM.key())[run], expected);
    }
}

#[test]
fn noisy_copies_are_written_whole() {
    let (law, x) = ((0.25, Lattice::Bytes), [0, 128, 255]);
    let pixels = x.map(|steps| Lattice::Bytes.pixel(steps));
    let mut out = [f32::NAN; 3];
    let noise = NoiseKind::Lattice(Lattice::Bytes).at(sigma(0.25), 3);
    noise.copies_of(&pixels).unwrap().write(&STREAM, 5, &mut out);
    assert_eq!(out.to_vec(), drawn(pulp::Arch::Scalar, law, 5, &x));
}

/// A second half decides about one word in 2³² per threshold.
#[test]
fn a_second_half_is_read_where_the_first_does_not_decide() {
    let table = IntegerTable::of(sigma(0.25), Lattice::Bytes);
    let all = thresholds((0.25, Lattice::Bytes));
    let mut decided = 0;
    for t in &all[200..all.len() - 200] {
        let (first, second) = ((t >> 32) as u32, *t as u32);
        assert!(table.guess(first).is_open());
        let [below, at] = [second.wrapping_sub(1), second].map(|second| table.integer(first, || second));
        decided += i32::from(second > 0 && at == below + 1);
    }
    assert!(decided > 600, "{decided}");
}

/// Only time would tell: a second half that is not needed gives the same integer.
#[test]
fn no_second_half_is_read_where_the_first_decides() {
    let table = IntegerTable::of(sigma(0.25), Lattice::Bytes);
    let all = thresholds((0.25, Lattice::Bytes));
    let spread = |k: u32| k.wrapping_mul(0x9E37_79B9);
    let open = (0..10_000).filter(|k| table.guess(spread(*k)).is_open()).count();
    assert!((10..500).contains(&open), "{open} of 10000 words are open");
    // where there are several thresholds among the words with the same first bits
    let mut decided = 0;
    for word in (1..2000).map(|k| spread(k) >> 12) {
        if table.guess(word).is_open() && all.iter().all(|t| t >> 32 != u64::from(word)) {
            let found = table.integer(word, || panic!("the second half of {word:#x} was read"));
            assert_eq!(found, integer(&all, u64::from(word) << 32), "{word:#x}");
            decided += 1;
        }
    }
    assert!(decided > 1000, "{decided}");
}

/// With the most noise there are 557,058 thresholds, and one word in 14,000 begins like one of them.
#[test]
fn draws_read_the_second_half_of_their_own_word() {
    let law @ (_, lattice) = (8.0, Lattice::Fine);
    let all = thresholds(law);
    let (mut close, mut passed) = (0, 0);
    for draw in 0..10 {
        let found = drawn(pulp::Arch::new(), law, draw, &vec![0; 100_000]);
        for (j, found) in found.into_iter().enumerate() {
            let word = word(draw, j);
            let at = all.partition_point(|t| *t <= word);
            let expected = lattice.pixel(at as i32 - all.len() as i32 / 2);
            assert_eq!(found.to_bits(), expected.to_bits(), "{draw} {j}");
            let fewest = all.partition_point(|t| t >> 32 < word >> 32);
            close += usize::from(all.get(fewest).is_some_and(|t| t >> 32 == word >> 32));
            passed += at - fewest;
        }
    }
    assert!(close > 40 && passed > 20, "{close} decided by the second half, {passed} of them upwards");
}

#[test]
fn a_thread_keeps_small_tables_and_the_last_two() {
    // tables of 6.5 MB, and of less than 0.1 MB
    let large = |level| IntegerTable::of(sigma(level), Lattice::Fine);
    let small = |level| IntegerTable::of(sigma(level), Lattice::Bytes);
    let test = move || {
        let levels = [0.1, 0.2, 0.3, 0.4, 0.5];
        let tables = levels.map(small);
        assert!(levels.map(small).iter().zip(&tables).all(|(again, table)| Arc::ptr_eq(again, table)));
        let [first, second] = [8.0, 7.9].map(large);
        assert!(!Arc::ptr_eq(&small(0.1), &tables[0]), "two large tables leave no room for small ones");
        assert!(Arc::ptr_eq(&large(7.9), &second) && !Arc::ptr_eq(&large(8.0), &first));
        let two = [7.9, 8.0].map(large);
        assert!([7.9, 8.0].map(large).iter().zip(&two).all(|(again, table)| Arc::ptr_eq(again, table)));
    };
    // other tests leave tables behind in their threads
    std::thread::spawn(test).join().unwrap();
}

/// Python's integers.
#[test]
fn products_are_exact_and_rounded_down() {
    for (a, b, product) in [
        (
            0xdbc8fbbcbde5c0994164d8399f767c45,
            0xd76d43f1446beab0c11fdecb91ce37,
            0xb8f39a536fae3b526e48d5da064a0a6b,
        ),
        (
            0x10f6162ec1d7da0a6eb8c9ebd69fe29,
            0x18d4a7077330bdbd7210dff076ce2ef,
            0x1a528efc7b9a59a0c9eb19e715f6589,
        ),
        (0x8a62332553fc1ea36f17fd374, 0x6f96ec1cfb10f62827688de6a16a3b, 0x3c52295958e4fbdd4a394bdd5),
        (0xde5271007814e8a2, 0x4d0d7f438b33e968617959ce3f1f65a8, 0x42ea84b26fab0a35ca),
        (0x5fea11ac92edcf45, 0xbb2edb20035b7399, 0x46),
        (0xae9c82478c281d687c966c377b9aa2, 0x31de11cc9dea959c21, 0x22036ccca0f3c6bd66),
        (u128::MAX, (1 << 120) - 1, 0xfffffffffffffffffffffffffffffeff),
    ] {
        assert_eq!([mul(a, b), mul(b, a)], [product; 2], "{a:#x} {b:#x}");
    }
}

/// mpmath, with Philox in Python.
#[test]
fn values_are_stable() {
    let pinned = [
        (0.25, Lattice::Bytes, 0, 0),
        (0.25, Lattice::Bytes, 0, 63),
        (0.5, Lattice::Bytes, 99_999, 3071),
        (1.0, Lattice::Bytes, u32::MAX, 150_527),
        (0.5, Lattice::Fine, 7, 12),
    ];
    let found = pinned.map(|(level, lattice, draw, j)| {
        let out = drawn(pulp::Arch::new(), (level, lattice), draw, &vec![0; j + 1]);
        (out[j] * lattice.steps() as f32).round() as i32
    });
    assert_eq!(found, [87, -94, -84, 119, 157]);
}

/// Pearson's χ² over all integers with at least 25 expected draws, against the exact probabilities.
#[test]
fn a_hundred_million_draws_have_the_exact_probabilities() {
    let (level, lattice, len) = (0.12, Lattice::Bytes, 1 << 16);
    let all = thresholds((level, lattice));
    let law = LatticeGaussian { sigma: sigma(level), lattice, dim: len };
    let input = law.onto(&vec![0.0; len as usize]).unwrap();
    let (mut counts, mut out) = (vec![0_u64; all.len() + 1], vec![0.0; len as usize]);
    let draws = 100_000_000 / len;
    for draw in 0..draws {
        input.write(&STREAM, draw, &mut out);
        for value in &out {
            counts[((value * 255.0).round() as i32 + all.len() as i32 / 2) as usize] += 1;
        }
    }
    let n = f64::from(draws) * f64::from(len);
    let (mut chi2, mut cells, mut rest) = (0.0, 0, [0.0, 0.0]);
    for (i, count) in counts.iter().enumerate() {
        let above = all.get(i).map_or(1 << 64, |t| u128::from(*t));
        let below = if i == 0 { 0 } else { u128::from(all[i - 1]) };
        let expected = n * (above - below) as f64 / 2.0_f64.powi(64);
        if expected < 25.0 {
            rest = [rest[0] + expected, rest[1] + *count as f64];
        } else {
            chi2 += (*count as f64 - expected).powi(2) / expected;
            cells += 1;
        }
    }
    chi2 += (rest[1] - rest[0]).powi(2) / rest[0];
    // χ² of k degrees of freedom is about normal with mean k and variance 2k
    let z = (chi2 - f64::from(cells)) / (2.0 * f64::from(cells)).sqrt();
    assert!(cells > 250 && z.abs() < 4.0, "{cells} integers, χ² {chi2}, {z} standard deviations");
}

/// Cohen's theorem in one dimension, by exact sums: moving by m steps moves Φ⁻¹(p) by at most m/s.
#[test]
fn no_set_of_integers_changes_faster_than_the_theorem_allows() {
    let (mut sets, mut close) = (0, 0);
    for law @ (sigma, lattice) in [(0.02, Lattice::Bytes), (0.12, Lattice::Bytes), (0.003, Lattice::Fine)] {
        let all = thresholds(law);
        let reach = all.len() as i32 / 2;
        // the probability of the integers i with `inside(x + i)`
        let share = |x: i32, inside: &dyn Fn(i32) -> bool| {
            let mass = |i: i32| {
                let at = (i + reach) as usize;
                let above = all.get(at).map_or(1 << 64, |t| u128::from(*t));
                above - if at == 0 { 0 } else { u128::from(all[at - 1]) }
            };
            let sum: u128 = (-reach..=reach).filter(|i| inside(x + i)).map(mass).sum();
            sum as f64 / 2.0_f64.powi(64)
        };
        let mut check = |inside: &dyn Fn(i32) -> bool| {
            for m in [1, 2, 5, 11] {
                let [p, q] = [share(0, inside), share(m, inside)];
                // nearer to 0 or 1 than this, the last bit of p moves Φ⁻¹ too much
                if [p, q].iter().any(|p| !(1e-6..=1.0 - 1e-6).contains(p)) {
                    continue;
                }
                let moved = (normal_quantile(p).unwrap() - normal_quantile(q).unwrap()).abs();
                let most = f64::from(m) / (sigma * f64::from(lattice.steps()));
                assert!(moved <= most * (1.0 + 1e-7), "{law:?} {m}: {moved} of {most}");
                sets += 1;
                close += i32::from(moved > 0.999 * most);
            }
        };
        for edge in -20..20 {
            check(&|i| i <= edge);
            check(&|i| i > edge);
            check(&|i| (i - edge).rem_euclid(7) < 3);
            check(&|i| (i + edge).rem_euclid(2) == 0);
            // a set by chance
            check(&|i| {
                philox4x32([i.cast_unsigned(), edge.cast_unsigned(), 0, 0], [1, 2])[0].is_multiple_of(2)
            });
        }
    }
    assert!(sets > 1500 && close > 400, "{sets} sets, {close} close to the bound");
}

/// d τ covers what each threshold is off by, and what lies beyond the last.
#[test]
fn the_correction_is_as_computed_by_hand() {
    for (level, lattice, tau) in [(1.0, Lattice::Bytes, 4.9e-16), (1.0, Lattice::Fine, 7.6e-15)] {
        let law = LatticeGaussian { sigma: sigma(level), lattice, dim: 3072 };
        assert!((law.tau() / tau - 1.0).abs() < 0.01, "{}", law.tau());
        let values = thresholds((level, lattice)).len() as f64 + 1.0;
        assert!(law.tau() >= values * 2.0_f64.powi(-63) + 2.0 * 9.47e-18);
        assert!(law.correction() >= 3072.0 * law.tau());
        assert!(law.lower(0.75) < 0.75 - law.correction() + 1e-16 && law.lower(1e-300) == 0.0);
    }
}

/// 8.5 σ is 541.875 steps, so the last value is 542 + 1, and there are 2 · 543 + 1.
#[test]
fn the_values_of_a_law_are_counted_exactly() {
    let law = LatticeGaussian { sigma: sigma(0.25), lattice: Lattice::Bytes, dim: 1 };
    let tau = 1087.0 * 2.0_f64.powi(-63) + 1.9e-17;
    assert!(law.tau() >= tau && law.tau() - tau < 1e-31, "{:e} instead of {tau:e}", law.tau());
}

#[test]
fn a_lattice_is_known_by_its_steps() {
    for (lattice, steps) in [(Lattice::Bytes, 255), (Lattice::Fine, 4096)] {
        assert_eq!((u32::from(lattice), Lattice::try_from(steps).unwrap()), (steps, lattice));
    }
    assert!(Lattice::try_from(256).is_err());
}

/// 2²³ steps, and a σ of 2¹⁵ steps.
#[test]
fn the_largest_pixel_and_noise_are_allowed_and_no_larger_ones() {
    let step = 1.0 / 4096.0;
    assert_eq!(Lattice::Fine.in_steps(&[2048.0, -2048.0]).unwrap(), [1 << 23, -(1 << 23)]);
    assert!(
        Lattice::Fine.in_steps(&[2048.0 + step]).is_err()
            && Lattice::Fine.in_steps(&[-2048.0 - step]).is_err()
    );
    let law = |level: f64| LatticeGaussian { sigma: sigma(level), lattice: Lattice::Fine, dim: 1 };
    assert!(law(8.0).check().is_ok() && law(8.0_f64.next_up()).check().is_err());
    let bytes = |level: f64| LatticeGaussian { lattice: Lattice::Bytes, ..law(level) };
    assert!(bytes(1.0 / 255.0).check().is_ok() && bytes(0.999_999 / 255.0).check().is_err());
}

#[test]
fn inputs_and_noise_that_do_not_suit_each_other_are_refused() {
    let noise = |kind: NoiseKind, level: f64| kind.at(sigma(level), 3);
    let bytes = NoiseKind::Lattice(Lattice::Bytes);
    let fine = NoiseKind::Lattice(Lattice::Fine);
    let byte = |k| Lattice::Bytes.pixel(k);
    for (noise, x, words) in [
        (noise(bytes, 0.25), [0.1, byte(3), 0.0], "value 0 of the input is 0.1"),
        (noise(bytes, 0.25), [byte(3), byte(4).next_up(), 0.0], "value 1"),
        (noise(bytes, 0.25), [0.0, -0.0, 0.0], "value 1"),
        (noise(bytes, 0.25), [0.0, 0.0, f32::NAN], "value 2"),
        // a float that no other is near, whose sum with a few steps would be rounded
        (noise(bytes, 0.25), [0.0, 1e6, 0.0], "value 1 of the input is 1000000"),
        (noise(fine, 0.25), [0.0, 0.5, 0.3], "steps of 1/4096"),
        (noise(bytes, 0.0039), [0.0; 3], "sigma: 0.0039 is below 1/255, one step of the pixels"),
        (noise(bytes, 200.0), [0.0; 3], "sigma: 200 is above 128.5"),
        (bytes.at(sigma(0.25), 4), [0.0; 3], "made for inputs of 4 values"),
    ] {
        let error = noise.copies_of(&x).err().expect(words).to_string();
        assert!(error.contains(words), "{error}");
    }
    for x in [[0.0, byte(255), byte(77)], [byte(1), byte(128), 1.0]] {
        assert!(
            noise(bytes, 1.0 / 255.0).copies_of(&x).is_ok()
                && noise(NoiseKind::Float, 0.1).copies_of(&x).is_ok()
        );
    }
    assert!(matches!(noise(fine, 0.25), Noise::Lattice(_)));
}

proptest! {
    #[test]
    fn the_same_word_gives_more_at_a_larger_sigma(word: u64, at in 0..5_usize) {
        let laws = [0.01, 0.12, 0.25, 0.7, 1.0].map(|level| thresholds((level, Lattice::Bytes)));
        let [less, more] = [&laws[at], &laws[(at + 1).min(4)]].map(|all| integer(all, word).abs());
        prop_assert!(less <= more);
    }

    #[test]
    fn a_value_does_not_depend_on_the_length(len in 0_usize..200, draw: u32) {
        let law = (0.25, Lattice::Bytes);
        let long = drawn(pulp::Arch::new(), law, draw, &[3; 256]);
        prop_assert_eq!(&drawn(pulp::Arch::new(), law, draw, &vec![3; len]), &long[..len]);
    }

    #[test]
    fn rounding_moves_a_pixel_by_half_a_step_at_most(pixel in 0.0_f32..=1.0) {
        for lattice in Lattice::ALL {
            let nearest = lattice.nearest(pixel);
            prop_assert!((nearest - pixel).abs() <= 0.500_001 / lattice.steps() as f32);
            prop_assert!(lattice.in_steps(&[nearest]).is_ok());
        }
    }
}
