//! How many noisy pixels per second on one thread, and how long does the table of a new σ take?
//!
//! `cargo bench -p qcrs --bench noise`. The rounds of all contestants are interleaved, so that a busy
//! machine slows them alike; the medians are shown. PyTorch takes part where `python3` has it.

use qcrs::noise::{Lattice, NoiseKind, Phase, Stream};
use qcrs::types::Sigma;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

const LEN: usize = 3 * 32 * 32;
const DRAWS: u32 = 2_000;
const ROUNDS: usize = 15;
const SIGMA: f64 = 0.5;

type Contestant = (String, Box<dyn FnMut(&mut [f32])>);

fn main() -> Result<(), qcrs::types::Error> {
    let mut contestants: Vec<Contestant> = vec![ziggurat()];
    for kind in NoiseKind::ALL {
        contestants.push(ours(kind)?);
    }
    let mut rates = vec![Vec::new(); contestants.len()];
    let mut out = vec![0.0; LEN];
    for _ in 0..ROUNDS {
        for ((_, fill), rates) in contestants.iter_mut().zip(&mut rates) {
            let start = Instant::now();
            for _ in 0..DRAWS {
                fill(black_box(&mut out));
            }
            rates.push(f64::from(DRAWS) * LEN as f64 / start.elapsed().as_secs_f64() / 1e6);
        }
    }
    let medians: Vec<f64> = rates.iter_mut().map(|rates| median(rates)).collect();
    for ((name, _), rate) in contestants.iter().zip(&medians) {
        println!("{name:34} {rate:7.0} million pixels/s   {:5.2} x", rate / medians[0]);
    }
    match torch() {
        Some(rate) => println!("{:34} {rate:7.0} million pixels/s", "torch.randn_like, one thread"),
        None => println!("torch.randn_like was not measured: python3 has no torch"),
    }
    for lattice in Lattice::ALL {
        println!("{:34} {:7.3} ms", format!("table of a new σ ≤ 1, 1/{}", lattice.steps()), table(lattice)?);
    }
    Ok(())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn ziggurat() -> Contestant {
    let (x, mut rng) = (vec![0.5; LEN], ChaCha12Rng::seed_from_u64(1));
    let fill = move |out: &mut [f32]| {
        for (out, x) in out.iter_mut().zip(&x) {
            let normal: f32 = StandardNormal.sample(&mut rng);
            *out = x + SIGMA as f32 * normal;
        }
    };
    ("ziggurat + ChaCha12".into(), Box::new(fill))
}

fn ours(kind: NoiseKind) -> Result<Contestant, qcrs::types::Error> {
    let stream = Stream { seed: 1, input: 0, phase: Phase::Estimate };
    let noise = kind.at(Sigma::new(SIGMA)?, LEN);
    let x: &'static [f32] = vec![0.0; LEN].leak();
    let (copies, mut draw) = (noise.copies_of(x)?, 0);
    let fill = move |out: &mut [f32]| {
        copies.write(&stream, draw, out);
        draw += 1;
    };
    Ok((kind.generator().into(), Box::new(fill)))
}

/// Milliseconds until an input is ready for noise of a σ that was not asked for before: the median over σ up
/// to 1, the most that published searches look at.
fn table(lattice: Lattice) -> Result<f64, qcrs::types::Error> {
    let mut times = Vec::new();
    for k in 0..200 {
        let noise = NoiseKind::Lattice(lattice).at(Sigma::new(1.0 - f64::from(k) * 1e-4)?, 1);
        let start = Instant::now();
        black_box(noise.copies_of(&[0.0])?);
        times.push(1e3 * start.elapsed().as_secs_f64());
    }
    Ok(median(&mut times))
}

/// Million pixels per second of x + σ·randn in PyTorch, if there is one.
fn torch() -> Option<f64> {
    const PROGRAM: &str = "
import time, torch
torch.set_num_threads(1)
x, rates = torch.full((2000, 3072), 0.5), []
for _ in range(9):
    start = time.perf_counter()
    x + 0.5 * torch.randn_like(x)
    rates.append(x.numel() / (time.perf_counter() - start) / 1e6)
print(sorted(rates)[4])";
    let output = Command::new("python3").args(["-c", PROGRAM]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
