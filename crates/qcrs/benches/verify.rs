//! How long does it take to verify 10,000 records against their votes? `cargo bench -p qcrs --bench verify`

#[path = "../tests/common/mod.rs"]
mod common;

use common::{DIM, alpha, budget, cohen, sigma, spec};
use criterion::{Criterion, criterion_group, criterion_main};
use qcrs::data::Example;
use qcrs::method::{AnyMethod, Qcrs};
use qcrs::noise::NoiseKind;
use qcrs::run::{self, Checked, Record, Stored};
use qcrs::sample::MonteCarlo;
use qcrs::testing::HalfSpace;

/// Certified once each; the 10,000 records repeat their votes.
const DISTINCT: u32 = 10;

fn stored(search: AnyMethod) -> Stored {
    let mut spec = spec(search, budget(100, 100_000, alpha(0.001)), 10_000);
    spec.data.shape = [3, 224, 224];
    let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 256).under(NoiseKind::Float);
    let inputs = |index: u32| {
        let mut pixels = vec![0.0; DIM];
        pixels[0] = index as f32 * 0.1 - 0.4;
        Ok(Example::new(pixels, Some(usize::from(index > 4))))
    };
    let record = |index| run::record(&spec, &sampler, &inputs, index).unwrap();
    let distinct: Vec<Record> = (0..DISTINCT).map(record).collect();
    let records = (0..10_000).map(|index| Record { index, ..distinct[(index % DISTINCT) as usize].clone() });
    Stored { records: records.collect(), timings: Vec::new(), checked: Checked::Whole, spec }
}

fn verify(criterion: &mut Criterion) {
    let qcrs = Qcrs::paper(sigma(0.5), [sigma(0.12), sigma(1.7)], 0.01, 0.15).repaired();
    let mut group = criterion.benchmark_group("10,000 records");
    group.sample_size(10);
    for (name, search) in [("cohen", cohen(0.5)), ("qcrs", AnyMethod::Qcrs(qcrs))] {
        let stored = stored(search);
        group.bench_function(name, |bencher| bencher.iter(|| run::verify(&stored).unwrap()));
    }
    group.finish();
}

criterion_group!(benches, verify);
criterion_main!(benches);
