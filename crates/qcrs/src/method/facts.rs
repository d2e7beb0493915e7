//! What does the rest of the library have to know about a method, besides its plans?

use crate::noise::NoiseKind;
use crate::types::Sigma;

/// What holds for a method with its settings. [`Facts::about`] gives what holds for most methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// σ₀: the noise that the classifier was trained with.
    pub sigma: Sigma,
    /// Where it looks for σ, if it looks for it.
    pub region: Option<[Sigma; 2]>,
    /// The most draws that its search takes.
    pub search: u64,
    /// Whether the draws of its search name the class, so that none are spent on that.
    pub names_the_class: bool,
    /// K: how many certificates one input gets, each made at α/K.
    pub certificates: u32,
    /// The smallest n that it can work with.
    pub least_n: u32,
    /// Whether every input gets the same σ, chosen beforehand: then the radius holds for a classifier that
    /// can be deployed, else only for the one with that σ, frozen.
    pub has_one_sigma: bool,
    /// The law of the noise, where it is not Gaussian.
    pub other_law: Option<&'static str>,
    /// Settings of the certificate that it does not take, each with the reason.
    pub refuses: &'static [(&'static str, &'static str)],
    /// What takes long to compute again when a run is verified.
    pub slow: Slow,
}

/// What takes long to compute again from the votes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slow {
    /// Nothing.
    Nothing,
    /// The search, which looks within this region.
    Search([Sigma; 2]),
    /// The radii.
    Radii,
}

impl Facts {
    /// A method that spends no draws on its search, makes one certificate under Gaussian noise, takes every
    /// setting, and chooses σ per input unless it says otherwise.
    pub fn about(sigma: Sigma) -> Self {
        Self {
            sigma,
            region: None,
            search: 0,
            names_the_class: false,
            certificates: 1,
            least_n: 1,
            has_one_sigma: false,
            other_law: None,
            refuses: &[],
            slow: Slow::Nothing,
        }
    }

    /// How its noise is drawn where `wanted` is asked for: a law of its own is drawn in floats.
    pub fn noise(&self, wanted: NoiseKind) -> NoiseKind {
        if self.other_law.is_some() { NoiseKind::Float } else { wanted }
    }

    /// The forward passes that one input will take, or may take at most.
    pub fn passes(&self, n0: u32, n: u32) -> u64 {
        let n0 = if self.names_the_class { 0 } else { n0 };
        self.search.saturating_add(u64::from(n0)).saturating_add(u64::from(self.certificates) * u64::from(n))
    }
}
