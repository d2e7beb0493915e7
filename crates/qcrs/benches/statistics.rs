//! How long does a bound take? A certificate needs one, a σ-search a few dozen.

use criterion::{Criterion, criterion_group, criterion_main};
use qcrs::bounds::clopper_pearson_lower;
use qcrs::math::normal_quantile;
use qcrs::types::Alpha;
use std::hint::black_box;

fn statistics(c: &mut Criterion) {
    let alpha = Alpha::new(0.001).expect("a valid alpha");
    for n in [500_u64, 100_000, 10_000_000] {
        for (name, k) in [("half", n / 2), ("nine tenths", n / 10 * 9), ("all but one", n - 1)] {
            c.bench_function(&format!("clopper_pearson_lower/{n}/{name}"), |b| {
                b.iter(|| clopper_pearson_lower(black_box(k), n, alpha));
            });
        }
    }
    for p in [0.7, 0.9, 0.9999] {
        c.bench_function(&format!("normal_quantile/{p}"), |b| b.iter(|| normal_quantile(black_box(p))));
    }
}

criterion_group!(benches, statistics);
criterion_main!(benches);
