//! What several tests need.
#![allow(dead_code, missing_docs, unused_imports, unused_macros)]

use qcrs::Settings;
use qcrs::bounds::clopper_pearson_lower;
use qcrs::certify::Budget;
use qcrs::data::About;
use qcrs::method::{AnyMethod, Cohen, Iss, METHODS, Method};
use qcrs::noise::NoiseKind;
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

/// The fewest values of an input that DSRS has a radius for.
pub const DIM: usize = 64;

/// σ₀ of the methods below.
const SIGMA: f64 = 0.5;

/// Settings by name.
type Chosen = &'static [(&'static str, &'static str)];

/// Settings that make a method cheap. A method without an entry has its defaults.
pub const CHEAP: [(&str, Chosen); 6] = [
    ("grid", &[("points", "6"), ("gradient_n", "100")]),
    ("qcrs", &[("gradient_n", "100"), ("epsilon", "0.1"), ("tau", "0.15")]),
    ("probe", &[("lambda", "1e-4")]),
    ("ddrs", &[("iterations", "12"), ("gradient_n", "16"), ("rate", "0.1")]),
    ("insta-rs", &[("iterations", "12"), ("gradient_n", "16"), ("rate", "0.1")]),
    ("iss", &[("gradient_n", "100")]),
];

/// Other settings with which a method makes its certificates in another way.
pub const VARIANTS: [(&str, &str, Chosen); 2] = [
    ("grid, max of certificates", "grid", &[("winner", "max-of-certificates")]),
    ("qcrs, paper", "qcrs", &[("mode", "paper")]),
];

/// Methods that are too slow for tens of thousands of certificates, and the tests of their guarantees.
pub const SLOW: [(&str, &str); 2] = [("probe", "guarantees_probe.rs"), ("dsrs", "guarantees_dsrs.rs")];

/// Every method of the library, and the variants, around σ₀ = 0.5, with small looks, for inputs of `DIM` values or more.
/// A method is here as soon as it stands in the library's table.
pub fn every_method() -> Vec<(&'static str, AnyMethod)> {
    let mut all = Vec::new();
    for method in METHODS {
        all.push((method.name, cheap(method.name, &[])));
        let variants = VARIANTS.iter().filter(|(_, name, _)| *name == method.name);
        all.extend(variants.map(|(what, name, settings)| (*what, cheap(name, settings))));
    }
    all
}

/// Those that are quick enough for tens of thousands of certificates.
pub fn methods() -> Vec<(&'static str, AnyMethod)> {
    let quick = |method: &AnyMethod| SLOW.iter().all(|(name, _)| *name != method.name());
    every_method().into_iter().filter(|(_, method)| quick(method)).collect()
}

fn cheap(name: &str, variant: Chosen) -> AnyMethod {
    let mut settings = Settings::new().with("method", name).with("sigma", SIGMA);
    let chosen = CHEAP.iter().filter(|(method, _)| *method == name).flat_map(|(_, chosen)| *chosen);
    for (setting, value) in chosen.chain(variant) {
        settings.set(setting, *value);
    }
    let method = settings.method(Some(DIM)).unwrap_or_else(|error| panic!("{name}: {error}"));
    match AnyMethod::from(method) {
        // so that a few hundred draws are several units
        AnyMethod::Iss(iss) => AnyMethod::Iss(Iss { unit: 20, ..iss }),
        method => method,
    }
}

pub fn spec(search: AnyMethod, budget: Budget, inputs: u32) -> Spec {
    let guarantee = Guarantee::of(&search, None);
    Spec {
        qcrs: env!("CARGO_PKG_VERSION").into(),
        noise: NoiseKind::Float,
        tau: None,
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
