//! What several tests need.
#![allow(dead_code, missing_docs, unused_imports, unused_macros)]

use qcrs::bounds::clopper_pearson_lower;
use qcrs::certify::Budget;
use qcrs::data::About;
use qcrs::method::{AnyMethod, Cohen, Ddrs, Dsrs, Grid, InstaRs, Iss, Method, Probe, Qcrs, Winner};
use qcrs::run::{Guarantee, ModelSpec, Selection, Spec};
use qcrs::sample::Input;
use qcrs::types::{Alpha, Sigma};

pub fn sigma(value: f64) -> Sigma {
    Sigma::new(value).unwrap()
}

pub fn alpha(value: f64) -> Alpha {
    Alpha::new(value).unwrap()
}

pub fn budget(n0: u32, n: u32, alpha: Alpha) -> Budget {
    Budget::new(n0, n, alpha).unwrap()
}

/// The first input of the run with this seed.
pub fn input(pixels: &[f32], seed: u64) -> Input<'_> {
    Input { pixels, seed, index: 0 }
}

/// Trials of each case of a guarantee in `cargo test`.
pub const FEW: u64 = 2_000;

/// Trials of each case of a guarantee in `cargo slow`.
pub const MANY: u64 = 20_000;

/// Makes two tests of each function of a number of trials: `few::NAME`, and `slow::NAME`, which `cargo slow` runs.
macro_rules! few_and_many {
    ($($guarantee:ident),+ $(,)?) => {
        mod few {
            $(#[test]
            fn $guarantee() {
                super::$guarantee(crate::common::FEW);
            })+
        }
        mod slow {
            $(#[test]
            #[ignore = "slow: many trials"]
            fn $guarantee() {
                super::$guarantee(crate::common::MANY);
            })+
        }
    };
}
pub(crate) use few_and_many;

/// Whether so many wrong certificates are more than α explains: the lower 99.9 % limit of their rate exceeds it.
pub fn too_many(wrong: u64, trials: u64, level: Alpha) -> bool {
    clopper_pearson_lower(wrong, trials, alpha(0.001)).unwrap() > level.get()
}

pub fn cohen(value: f64) -> AnyMethod {
    AnyMethod::Cohen(Cohen { sigma: sigma(value) })
}

/// Every search, around σ₀ = 0.5, with small looks, for inputs of `DIM` values or more.
pub fn every_search() -> Vec<(&'static str, AnyMethod)> {
    let mut all = searches();
    let region = [sigma(0.12), sigma(1.7)];
    all.push(("probe", AnyMethod::Probe(Probe::new(sigma(0.5), region, 1e-4))));
    all.push(("dsrs", AnyMethod::Dsrs(Dsrs::published(sigma(0.5), DIM).unwrap())));
    all
}

/// The fewest values of an input that DSRS has a radius for.
pub const DIM: usize = 64;

/// The searches that are quick enough for tens of thousands of certificates: all but PROBE and DSRS, which have
/// tests of their own (`guarantees_probe.rs`, `guarantees_dsrs.rs`).
pub fn searches() -> Vec<(&'static str, AnyMethod)> {
    let region = [sigma(0.12), sigma(1.7)];
    let grid = |winner| Grid { sigma: sigma(0.5), low: region[0], high: region[1], points: 6, winner };
    let paper = Qcrs { draws: 100, ..Qcrs::paper(sigma(0.5), region, 0.1, 0.15) };
    let ddrs = Ddrs { iterations: 12, draws: 16, rate: 0.1, ..Ddrs::sane(sigma(0.5), region) };
    vec![
        ("cohen", cohen(0.5)),
        ("grid", AnyMethod::Grid(grid(Winner::Fresh { draws: 100 }))),
        ("grid, max of certificates", AnyMethod::Grid(grid(Winner::MaxOfCertificates))),
        ("qcrs", AnyMethod::Qcrs(paper.clone().repaired())),
        ("qcrs, paper", AnyMethod::Qcrs(paper)),
        ("ddrs", AnyMethod::Ddrs(ddrs.clone())),
        ("insta-rs", AnyMethod::InstaRs(InstaRs::around(&ddrs).unwrap())),
        ("iss", AnyMethod::Iss(Iss { draws: 100, unit: 20, ..Iss::published(sigma(0.5)) })),
    ]
}

pub fn spec(search: AnyMethod, budget: Budget, inputs: u32) -> Spec {
    let guarantee = Guarantee::of(&search, None);
    Spec {
        qcrs: env!("CARGO_PKG_VERSION").into(),
        noise: "test".into(),
        models: ModelSpec {
            name: "half-space".into(),
            blake3: String::new(),
            engine: "closed form".into(),
            device: "cpu".into(),
            precision: "f32".into(),
            output: "logits".into(),
            transform: None,
            classes: 2,
            batch: None,
            told: None,
            confidence: None,
            not_followed: None,
        }
        .into(),
        data: About {
            name: "points".into(),
            blake3: String::new(),
            shape: [1, 8, DIM / 8],
            preprocess: "none".into(),
            classes: None,
        },
        selection: Selection { of: inputs, skip: 1, offset: 0, max: None, listed: None, count: None },
        method: Method::new(search).unwrap(),
        budget,
        one_class: None,
        bank: None,
        seed: 9,
        guarantee,
    }
}
