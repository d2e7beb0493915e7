//! The radii of generalized Gaussian noise against published and independently computed values.

use qcrs::noise::GeneralizedGaussian;
use qcrs::radius::dsrs::{DoubleSampling, Shares, generalized_gaussian};
use qcrs::types::Sigma;

const CIFAR: (usize, u32) = (3072, 1530);
const IMAGENET: (usize, u32) = (150_528, 75_260);

fn law(sigma: f64, (d, k): (usize, u32)) -> GeneralizedGaussian {
    GeneralizedGaussian::new(Sigma::new(sigma).unwrap(), k, d).unwrap()
}

/// Radii of one law at σ = 0.5; the first three were published with DSRS.
#[test]
fn one_law() {
    let cases = [
        (CIFAR, 0.8860526292913355, 0.565572, 1e-6),
        (CIFAR, 0.6415558657271313, 0.16977, 5e-6),
        (CIFAR, 0.9896732402269077, 1.090185, 1e-6),
        (CIFAR, 0.9, 0.60125, 5e-6),
        (CIFAR, 0.99, 1.09594, 5e-6),
        (CIFAR, 0.999, 1.46083, 5e-6),
        (IMAGENET, 0.9, 0.58164, 5e-6),
        (IMAGENET, 0.99, 1.06463, 5e-6),
    ];
    for (shape, p, want, tolerance) in cases {
        let found = generalized_gaussian(p, &law(0.5, shape)).unwrap().unwrap();
        assert!((found - want).abs() <= tolerance, "{shape:?}, p = {p}: {found}, not {want}");
    }
}

/// Radii of two laws; a grid of 0.05 found 1.35 and 0.85, one of 0.01 found 1.31.
#[test]
fn two_laws() {
    let first = [0.9948986110824958, 0.9968922334240068];
    let smaller = law(0.4, CIFAR);
    let cases = [
        (first, [0.9991579479265237, 0.999827728109528], smaller, 1.3633),
        ([0.9580848284638546, 0.9641193028067545], [0.9836311278227061, 0.9873642931515865], smaller, 0.8702),
        // 1.31821 by 2,800 panels; a rule that does not see the edge at T gives 1.3199 with 40 panels
        (first, [0.9991306438647725, 0.9998151511351706], law(0.5, CIFAR).truncated(0.6223).unwrap(), 1.3182),
    ];
    for (first, second, law_2, want) in cases {
        let shares = Shares { first, second };
        let found = DoubleSampling::new(&law(0.5, CIFAR), &law_2).unwrap().radius(&shares).unwrap().unwrap();
        assert!((found - want).abs() <= 1e-4, "{shares:?}: {found}, not {want}");
    }
}
