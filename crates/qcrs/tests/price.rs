//! A price for PROBE's draws that spends as many passes as were asked for.

mod common;

use common::{DIM, alpha, budget, cohen, sigma, spec};
use qcrs::certify::Outcome;
use qcrs::data::Example;
use qcrs::method::{AnyMethod, Probe};
use qcrs::noise::NoiseKind;
use qcrs::run::{Finding, Spec, priced, record};
use qcrs::sample::MonteCarlo;
use qcrs::testing::HalfSpace;
use qcrs::types::Error;

#[allow(clippy::unnecessary_wraps)] // the shape that a run asks for
fn input(index: u32) -> Result<Example, Error> {
    let mut pixels = vec![0.0; DIM];
    pixels[0] = 0.3 + index as f32 * 0.05;
    Ok(Example::new(pixels, Some(1)))
}

#[test]
fn the_inputs_of_a_run_take_about_the_passes_that_were_asked_for() {
    let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 64).under(NoiseKind::Float);
    let probe = AnyMethod::Probe(Probe::new(sigma(0.5), [sigma(0.12), sigma(1.7)], 1e-6));
    let spec = spec(probe, budget(100, 100_000, alpha(0.001)), 12);
    let mut last = f64::INFINITY;
    for passes in [15_000, 40_000] {
        let method = priced(&spec, &sampler, &input, passes).unwrap();
        assert_eq!(method, priced(&spec, &sampler, &input, passes).unwrap(), "the same λ again");
        let AnyMethod::Probe(Probe { lambda, .. }) = *method else { panic!("not PROBE") };
        assert!(0.0 < lambda && lambda < last, "{lambda} for {passes} passes, {last} for fewer");
        last = lambda;
        let priced = Spec { method, ..spec.clone() };
        let spent: u64 = (0..12).map(|index| outcome(&priced, &sampler, index).passes()).sum();
        let share = spent as f64 / (12 * passes) as f64;
        assert!((0.7..1.3).contains(&share), "{share} of {passes} passes");
    }
}

fn outcome(spec: &Spec, sampler: &MonteCarlo, index: u32) -> Outcome {
    let Finding::Outcome(outcome) = record(spec, sampler, &input, index).unwrap().finding else {
        panic!("input {index} failed");
    };
    outcome
}

#[test]
fn other_methods_have_no_price() {
    let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 64).under(NoiseKind::Float);
    let spec = spec(cohen(0.5), budget(100, 1000, alpha(0.001)), 12);
    let error = priced(&spec, &sampler, &input, 15_000).unwrap_err();
    assert!(matches!(error, Error::Setting { name: "passes", .. }), "{error}");
}
