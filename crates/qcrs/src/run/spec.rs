//! What do the answers depend on?

use super::{Guarantee, Models, Selection};
use crate::certify::{Budget, Rounding};
use crate::data::About;
use crate::method::Method;
use crate::noise::{Noise, NoiseKind};
use crate::sample::Smoothed;
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// What a run was asked: the same spec, model and data always give the same records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// The version of qcrs that wrote it.
    pub qcrs: String,
    /// How noise is drawn: another way draws other vectors from the same seed.
    pub noise: NoiseKind,
    /// τ at σ₀, where noise is drawn on a lattice: how far the law of one value may be from the exact one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tau: Option<f64>,
    /// The classifiers, by their numbers in this list; most runs have one.
    #[serde(rename = "model")]
    pub models: Models,
    /// The images.
    pub data: About,
    /// Which of them.
    pub selection: Selection,
    /// How σ is chosen.
    #[serde(rename = "search")]
    pub method: Method,
    /// How many draws, how sure.
    pub budget: Budget,
    /// Ask only whether an input is of this class; then 1 is yes and 0 is no.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub one_class: Option<usize>,
    /// The memory bank that has the last word, by the name of its directory.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bank: Option<String>,
    /// The seed of all noise.
    pub seed: u64,
    /// What kind of promise the certificates make.
    pub guarantee: Guarantee,
}

impl Spec {
    /// What a run of this version asks: `method` on these inputs under noise of this kind, about all classes,
    /// with the seed 0 and without a bank.
    pub fn new(
        models: impl Into<Models>,
        data: About,
        selection: Selection,
        noise: NoiseKind,
        method: Method,
        budget: Budget,
    ) -> Self {
        Self {
            qcrs: env!("CARGO_PKG_VERSION").into(),
            noise,
            tau: tau(noise, &method),
            models: models.into(),
            data,
            selection,
            guarantee: Guarantee::of(&method, None),
            one_class: None,
            bank: None,
            method,
            budget,
            seed: 0,
        }
    }

    /// The same with another seed.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The same, asked only whether inputs are of `class`.
    #[must_use]
    pub fn asking_whether(self, class: usize) -> Self {
        Self { one_class: Some(class), ..self }.labelled()
    }

    /// The same with a memory bank, called by its name, that has the last word.
    #[must_use]
    pub fn with_bank(self, name: String) -> Self {
        Self { bank: Some(name), ..self }.labelled()
    }

    fn labelled(self) -> Self {
        Self { guarantee: self.promise(), ..self }
    }

    /// What the certificates of such a run promise, by its method, its question and its bank.
    pub fn promise(&self) -> Guarantee {
        if self.bank.is_some() { Guarantee::MemoryBank } else { Guarantee::of(&self.method, self.one_class) }
    }

    /// The name of `class`: from the data where it has names, else its number.
    pub fn class_name(&self, class: usize) -> String {
        let names = self.data.classes.as_ref();
        let name = |class: usize| {
            names.and_then(|names| names.get(class)).map_or_else(|| format!("class {class}"), Clone::clone)
        };
        match self.one_class {
            Some(asked) if class == 1 => name(asked),
            Some(asked) => format!("not {}", name(asked)),
            None => name(class),
        }
    }

    /// The smoothed classifier that σ stands for in this run.
    pub fn at(&self, sigma: Sigma) -> Smoothed {
        let dim = self.data.shape.iter().product();
        Smoothed { model: self.models.told(sigma), noise: self.noise.at(sigma, dim) }
    }

    /// Whether its certificates hold for what a computer computes.
    pub fn rounding(&self) -> Rounding {
        Rounding::of(self.noise, self.models.iter().all(|model| model.batch.is_none()))
    }

    /// Refuses what cannot work, before any draw is spent.
    pub fn check(&self) -> Result<(), Error> {
        self.selection.check()?;
        self.check_question()?;
        self.check_noise()?;
        self.budget.suits(&self.method, self.one_class)
    }

    /// Refuses noise that the method does not take, a σ₀ that the lattice is too coarse for, and a wrong τ.
    fn check_noise(&self) -> Result<(), Error> {
        let facts = self.method.facts();
        let is_lattice = self.noise.lattice().is_some();
        if let Some(law) = facts.other_law.filter(|_| is_lattice) {
            return Err(Error::setting(
                "noise",
                format!("{law} noise is drawn in floats only; choose float"),
            ));
        }
        if let Noise::Lattice(law) = self.at(facts.sigma).noise {
            law.check()?;
        }
        if self.tau == tau(self.noise, &self.method) {
            return Ok(());
        }
        Err(Error::Invalid("τ is not that of its noise; the spec was changed".into()))
    }

    /// Refuses a question about a class that no model has, or whose answers a bank would take for classes.
    fn check_question(&self) -> Result<(), Error> {
        let classes = self.models.first().classes;
        match self.one_class {
            Some(class) if class >= classes => {
                let problem = format!("must be below {classes}, the number of classes, got {class}");
                Err(Error::setting("one_class", problem))
            }
            Some(_) if self.bank.is_some() => {
                let problem =
                    "a memory bank keeps classes, not answers of yes and no; leave one of the two out";
                Err(Error::setting("one_class", problem))
            }
            _ => Ok(()),
        }
    }
}

/// τ at σ₀.
fn tau(noise: NoiseKind, method: &Method) -> Option<f64> {
    match noise.at(method.facts().sigma, 0) {
        Noise::Lattice(law) => Some(law.tau()),
        Noise::Gaussian(_) | Noise::GeneralizedGaussian(_) => None,
    }
}
