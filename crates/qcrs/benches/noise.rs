//! How many normals per second on one thread, against rand_distr's ziggurat on ChaCha12?
//!
//! `cargo bench -p qcrs --bench noise`. The rounds of all contestants are interleaved, so that a busy
//! machine slows them alike; the medians are shown.

use qcrs::noise::{Noise, Phase, Stream};
use qcrs::types::Sigma;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use std::hint::black_box;
use std::time::Instant;

const LEN: usize = 3 * 32 * 32;
const DRAWS: u32 = 2_000;
const ROUNDS: usize = 15;

type Contestant = (&'static str, Box<dyn FnMut(&mut [f32])>);

fn main() -> Result<(), qcrs::types::Error> {
    let stream = Stream { seed: 1, input: 0, phase: Phase::Estimate };
    let noise = Noise::Gaussian(Sigma::new(0.25)?);
    let (x, mut draw) = (vec![0.5; LEN], 0);
    let (y, mut rng) = (x.clone(), ChaCha12Rng::seed_from_u64(1));
    let mut contestants: Vec<Contestant> = vec![
        (
            "ziggurat + ChaCha12",
            Box::new(move |out| {
                for (out, x) in out.iter_mut().zip(&y) {
                    let normal: f32 = StandardNormal.sample(&mut rng);
                    *out = x + 0.25 * normal;
                }
            }),
        ),
        (
            Noise::VERSION,
            Box::new(move |out| {
                noise.add(&stream, draw, &x, out);
                draw += 1;
            }),
        ),
    ];

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
    let medians = rates.iter_mut().map(|rates| {
        rates.sort_by(f64::total_cmp);
        rates[ROUNDS / 2]
    });
    let medians: Vec<f64> = medians.collect();
    for ((name, _), rate) in contestants.iter().zip(&medians) {
        println!("{name:28} {rate:7.0} million normals/s   {:5.2} x", rate / medians[0]);
    }
    Ok(())
}
