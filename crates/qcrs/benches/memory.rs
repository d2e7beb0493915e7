//! Does memory grow with the number of draws? `cargo bench -p qcrs --bench memory` (Linux).
//!
//! The peak of this process after a certificate of 1,000 draws and after one of 1,000,000.

use qcrs::certify::{Budget, certify};
use qcrs::method::Cohen;
use qcrs::noise::NoiseKind;
use qcrs::sample::{Input, MonteCarlo};
use qcrs::testing::HalfSpace;
use qcrs::types::{Alpha, Error, Sigma};

const CIFAR: usize = 3 * 32 * 32;

fn main() -> Result<(), Error> {
    let classifier = HalfSpace { dim: CIFAR };
    let sampler = MonteCarlo::new(&classifier, 16).under(NoiseKind::Float);
    let search = Cohen { sigma: Sigma::new(0.5)? };
    let mut peaks = Vec::new();
    for n in [1_000, 1_000_000] {
        let budget = Budget::new(100, n, Alpha::new(0.001)?)?;
        certify(&search, &budget, &sampler, &Input { pixels: &[0.5; CIFAR], seed: 0, index: 0 })?;
        peaks.push(peak_kib());
        println!("n = {n:>9}: peak {:?} kB", peaks[peaks.len() - 1]);
    }
    if let [Some(small), Some(large)] = peaks[..] {
        println!("difference: {} kB", large - small);
    }
    Ok(())
}

/// The largest resident set of this process so far, where the system tells.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
