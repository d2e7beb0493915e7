//! How long does a bank of 100,000 CIFAR-sized images take to answer, on one core?
//!
//! `cargo bench -p qcrs-bank --bench ask [-- ENTRIES]`. Images are made by a formula: a colour, a few slow
//! waves and a grain, in bytes. Queries are new images, copies of stored ones under noise, and a crowd:
//! images that differ from one another by grain only, for which shadows are of no use.

use qcrs::types::Alpha;
use qcrs_bank::{Bank, Claim, Error};
use std::hint::black_box;
use std::time::Instant;

const SIDE: usize = 32;
const ROUNDS: usize = 101;
const CROWD: usize = 1_000;

fn main() -> Result<(), Error> {
    let entries: usize = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(100_000);
    let dir = tempfile::tempdir().expect("a folder for a while");
    let mut bank = Bank::open(dir.path(), [3, SIDE, SIDE])?;
    bank.sync_by_hand();
    let alpha = Alpha::new(0.001).expect("0.001 is a probability");
    let start = now();
    for number in 0..entries as u64 {
        bank.add(&image(number, number), alpha, Some(certificate(number)))?;
    }
    report_time(&format!("{entries} images added"), start);
    println!("{} balls, {} MB on disk, peak of memory {:?} kB", bank.len(), bank.bytes() >> 20, peak_kib());

    let fresh = |round: u64| image(1 << 40 | round, round);
    time(&bank, "a new image", fresh)?;
    let near = |round: u64| {
        let number = round * 977 % entries as u64;
        let grain = image(number, 1 << 41 | round);
        image(number, number).iter().zip(grain).map(|(x, g)| 0.97 * x + 0.03 * g).collect()
    };
    time(&bank, "a stored one under noise", near)?;

    for number in 0..CROWD as u64 {
        bank.add(&image(1 << 42, 1 << 43 | number), alpha, Some(certificate(number)))?;
    }
    time(&bank, &format!("an image in a crowd of {CROWD}"), |round| image(1 << 42, 1 << 44 | round))?;

    drop(bank);
    let start = now();
    let bank = Bank::read(dir.path())?;
    report_time("opened", start);
    let start = now();
    let checked = bank.check()?;
    report_time(&format!("{checked:?}"), start);
    Ok(())
}

/// The time of so many answers: what the processor spent on one, and by the clock on the wall.
fn time(bank: &Bank, what: &str, query: impl Fn(u64) -> Vec<f32>) -> Result<(), Error> {
    let queries: Vec<Vec<f32>> = (0..ROUNDS as u64).map(query).collect();
    let (mut times, busy) = (Vec::new(), busy_seconds());
    for (round, x) in queries.iter().enumerate() {
        let start = Instant::now();
        black_box(bank.ask(x, Some(certificate(round as u64)))?);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let mean = busy.and_then(|busy| Some((busy_seconds()? - busy) * 1e3 / ROUNDS as f64));
    let mean = mean.map_or(String::new(), |mean| format!("{mean:6.2} ms of the processor, "));
    times.sort_by(f64::total_cmp);
    let (median, worst) = (times[ROUNDS / 2], times[ROUNDS - 1]);
    println!("{what:32} {mean}by the clock median {median:6.2} ms, worst {worst:6.2} ms");
    Ok(())
}

fn report_time(what: &str, (start, busy): (Instant, Option<f64>)) {
    let spent = busy.and_then(|busy| Some(format!(", {:.1} s of the processor", busy_seconds()? - busy)));
    println!("{what}: {:.1} s{}", start.elapsed().as_secs_f64(), spent.unwrap_or_default());
}

fn now() -> (Instant, Option<f64>) {
    (Instant::now(), busy_seconds())
}

/// What the processor spent on this thread so far, where the system tells (to a few milliseconds).
fn busy_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// Radii as a run of CIFAR-10 has them: up to 1.5, most of them small.
fn certificate(number: u64) -> Claim {
    let share = uniform(number, 9);
    Claim { class: (number % 10) as usize, radius: 0.01 + 1.5 * share * share }
}

/// Image `number` with the grain of `grain`.
fn image(number: u64, grain: u64) -> Vec<f32> {
    let wave = |k: u64| {
        let [amplitude, x, y, phase] = [0, 1, 2, 3].map(|part| uniform(number, 100 + 4 * k + part));
        move |at: (f64, f64)| 0.2 * amplitude * (6.0 * (x * at.0 + (y - 0.5) * at.1) + 6.3 * phase).sin()
    };
    let waves: Vec<_> = (0..5).map(wave).collect();
    let slow = (0..SIDE * SIDE).map(|at| {
        let place = ((at % SIDE) as f64 / SIDE as f64, (at / SIDE) as f64 / SIDE as f64);
        waves.iter().map(|wave| wave(place)).sum::<f64>()
    });
    let slow: Vec<f64> = slow.collect();
    let pixel = |at: usize| {
        let colour = 0.2 + 0.6 * uniform(number, (at / slow.len()) as u64);
        let value = colour + slow[at % slow.len()] + 0.1 * (uniform(grain, 1000 + at as u64) - 0.5);
        (value.clamp(0.0, 1.0) * 255.0).round() as f32 / 255.0
    };
    (0..3 * slow.len()).map(pixel).collect()
}

/// A number in [0, 1) for an address, by SplitMix64.
fn uniform(a: u64, b: u64) -> f64 {
    let mut z = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_mul(0xd1b5_4a32_d192_ed03);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// The largest resident set of this process so far, where the system tells.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
