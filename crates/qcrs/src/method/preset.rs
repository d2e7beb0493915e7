//! The settings QCRS was published with, by name.

use super::Qcrs;
use crate::types::{Error, Sigma};

/// σ₀, search region, ε and τ of one published experiment.
struct Preset {
    name: &'static str,
    sigma: f64,
    region: [f64; 2],
    tolerance: f64,
    step: f64,
}

/// The preset that settings for other σ are scaled from.
const REFERENCE: Preset = preset("cifar10-0.50", 0.50, [0.12, 1.7], 0.03, 0.15);

/// Values of the released program's instructions (its τ is ε / `epsilon_step`), and under `-appendix` those
/// of the paper's appendix E, which differ. The instructions give none for cifar10-0.12, so those of the
/// appendix are used. (The program's own defaults have τ = 0.0005: 500 votes do not change over so small a
/// step, so the sign of the difference says nothing.)
const PRESETS: [Preset; 8] = [
    preset("cifar10-0.12", 0.12, [0.08, 0.50], 0.01, 0.05),
    preset("cifar10-0.25", 0.25, [0.08, 0.90], 0.03, 0.075),
    REFERENCE,
    preset("imagenet-0.25", 0.25, [0.15, 0.40], 0.01, 0.0125),
    preset("imagenet-0.50", 0.50, [0.40, 0.60], 0.01, 0.025),
    preset("macer-0.50", 0.50, [0.12, 1.9], 0.03, 0.15),
    preset("cifar10-0.25-appendix", 0.25, [0.15, 0.70], 0.01, 0.05),
    preset("cifar10-0.50-appendix", 0.50, [0.25, 1.0], 0.01, 0.05),
];

const fn preset(name: &'static str, sigma: f64, region: [f64; 2], tolerance: f64, step: f64) -> Preset {
    Preset { name, sigma, region, tolerance, step }
}

impl Qcrs {
    /// The paper's search with the settings published under `name`.
    pub fn preset(name: &str) -> Result<Self, Error> {
        let Some(preset) = PRESETS.iter().find(|preset| preset.name == name) else {
            let names: Vec<_> = Self::presets().collect();
            return Err(Error::setting(
                "preset",
                format!("there is no {name}; there are {}", names.join(", ")),
            ));
        };
        let region = [Sigma::new(preset.region[0])?, Sigma::new(preset.region[1])?];
        Ok(Self::paper(Sigma::new(preset.sigma)?, region, preset.tolerance, preset.step))
    }

    /// The names of all presets.
    pub fn presets() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|preset| preset.name)
    }

    /// The paper's search for a classifier trained with any σ₀: the preset cifar10-0.50, scaled.
    pub fn scaled_to(sigma: Sigma) -> Result<Self, Error> {
        let Preset { sigma: of, region, tolerance, step, .. } = REFERENCE;
        let scale = sigma.get() / of;
        // of a small σ₀, what is left of the region
        let region = [Sigma::new((region[0] * scale).max(Sigma::LEAST))?, Sigma::new(region[1] * scale)?];
        Ok(Self::paper(sigma, region, tolerance * scale, step * scale))
    }
}
