//! How long does a radius of generalized Gaussian noise take, and how long its noise?
//! `cargo bench -p qcrs --bench dsrs`

use criterion::{Criterion, criterion_group, criterion_main};
use qcrs::noise::{GeneralizedGaussian, Noise, Phase, Stream};
use qcrs::radius::dsrs::{DoubleSampling, Shares, generalized_gaussian};
use qcrs::types::Sigma;
use std::hint::black_box;

fn radii(c: &mut Criterion) {
    let law = |sigma: f64, (d, k)| {
        GeneralizedGaussian::new(Sigma::new(sigma).expect("positive"), k, d).expect("a valid law")
    };
    let shares = Shares {
        first: [0.9948986110824958, 0.9968922334240068],
        second: [0.9991579479265237, 0.999827728109528],
    };
    for (name, shape) in [("cifar", (3072, 1530)), ("imagenet", (150_528, 75_260))] {
        let first = law(0.5, shape);
        c.bench_function(&format!("one law/{name}"), |b| {
            b.iter(|| generalized_gaussian(black_box(shares.first[0]), &first));
        });
        let truncated = first.truncated(0.6223).expect("a valid share");
        for (kind, second) in [("variance", law(0.4, shape)), ("threshold", truncated)] {
            let double = DoubleSampling::new(&first, &second).expect("two laws that go together");
            c.bench_function(&format!("two laws/{name}/{kind}"), |b| {
                b.iter(|| double.radius(black_box(&shares)));
            });
        }
        let (x, mut out) = (vec![0.5; shape.0], vec![0.0; shape.0]);
        let stream = Stream { seed: 1, input: 0, phase: Phase::Estimate };
        for (kind, noise) in
            [("gaussian", Noise::Gaussian(first.sigma())), ("generalized", Noise::GeneralizedGaussian(first))]
        {
            let (mut draw, copies) = (0, noise.copies_of(&x).unwrap());
            c.bench_function(&format!("noise/{name}/{kind}"), |b| {
                b.iter(|| {
                    copies.write(&stream, draw, black_box(&mut out));
                    draw += 1;
                });
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = radii
}
criterion_main!(benches);
