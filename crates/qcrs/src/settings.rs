//! Which method, with which settings, and how many draws?
//!
//! Command line, files, JSON and Python all go through [`Settings`]: one list of names, one set of defaults,
//! one set of refusals. The settings of a method stand with the method ([`METHODS`]), those of the
//! certificate here.

pub use crate::method::parse_count;

use crate::certify::{Bound, Budget};
use crate::method::{COMMON, Descriptor, Given, METHODS, Method, Setting};
use crate::noise::NoiseChoice;
use crate::types::{Alpha, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The settings of the certificate, whatever the method.
pub const CERTIFICATE: [Setting; 6] = [
    Setting { name: "n0", value: "N0", about: "draws that guess the class", default: "100" },
    Setting { name: "n", value: "N", about: "draws that certify it", default: "100000" },
    Setting {
        name: "alpha",
        value: "ALPHA",
        about: "the probability with which a certificate may be wrong",
        default: "0.001",
    },
    BOUND,
    Setting {
        name: "at_radius",
        value: "R",
        about: "ask only whether the radius is at least this, and stop as soon as that is decided",
        default: "the largest radius",
    },
    Setting {
        name: "noise",
        value: "lattice|float",
        about: "how noise is drawn: in whole steps of the pixels, so that certificates hold for what computers compute, or \
                in floats, where they do not cover rounding",
        default: "lattice; dsrs float",
    },
];

const BOUND: Setting = Setting {
    name: "bound",
    value: "one-sided|two-sided|auto",
    about: "what is bounded: the class alone, the class and the others apart, or what promises more for the input; probe and \
            dsrs have their own",
    default: "one-sided",
};

/// What a user asked for, by the names of settings. Values may be numbers, or text as it is typed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Settings(BTreeMap<String, Value>);

impl Settings {
    /// The method where none is named.
    pub const DEFAULT_METHOD: &str = "qcrs";

    /// Nothing but defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.set(name, value);
        self
    }

    /// Gives one more; a later value replaces an earlier one.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Whether `name` was given.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Refuses what cannot work, as far as that can be told before the inputs are known.
    pub fn check(&self) -> Result<(), Error> {
        self.method(None)?;
        self.passes()?;
        self.noise()?;
        self.budget().map(drop)
    }

    /// The method, for inputs of `dim` values where that is known.
    pub fn method(&self, dim: Option<usize>) -> Result<Method, Error> {
        let method = self.descriptor()?;
        self.check_names(method)?;
        Method::new(method.read(&self.given(dim))?)
    }

    /// How many draws, how sure, and what is asked of them.
    pub fn budget(&self) -> Result<Budget, Error> {
        let given = self.given(None);
        let usual = Budget::default();
        let alpha = given.number("alpha")?.map_or(Ok(usual.alpha()), Alpha::new);
        let alpha = alpha.map_err(|error| Error::setting("alpha", error.to_string()))?;
        let bound = given.word::<Bound>(&BOUND)?;
        let budget = Budget::new(
            given.count("n0")?.unwrap_or(usual.n0()),
            given.count("n")?.unwrap_or(usual.n()),
            alpha,
        )?
        .with_bound(bound.unwrap_or_default())?;
        given.number("at_radius")?.map_or(Ok(budget), |radius| budget.asking_about(radius))
    }

    /// How noise is drawn; a method with a law of its own draws it in floats.
    pub fn noise(&self) -> Result<NoiseChoice, Error> {
        let law = self.method(None)?.facts().other_law;
        match (self.given(None).text("noise")?.map(str::parse).transpose()?, law) {
            (Some(NoiseChoice::Lattice), Some(law)) => {
                Err(Error::setting("noise", format!("{law} noise is drawn in floats only; choose float")))
            }
            (Some(choice), _) => Ok(choice),
            (None, Some(_)) => Ok(NoiseChoice::Float),
            (None, None) => Ok(NoiseChoice::Lattice),
        }
    }

    /// The passes per input that a search should aim at, where that was asked.
    pub fn passes(&self) -> Result<Option<u64>, Error> {
        self.given(None).large_count("passes")
    }

    /// Warnings about suspicious settings.
    pub fn remarks(&self) -> Result<Vec<String>, Error> {
        let given = self.given(None);
        let (preset, sigma) = (given.text("preset")?, given.number("sigma")?);
        let mut remarks = Vec::new();
        if let (Some(name), Some(sigma)) = (preset, sigma) {
            remarks.push(format!("region, ε and τ are those of {name}, σ is {sigma} as given"));
        }
        if let Some(sigma) = sigma.filter(|sigma| *sigma > 3.0) {
            let unit = sigma / 255.0;
            remarks.push(format!(
                "σ = {sigma} drowns pixels between 0 and 1; did you mean {sigma}/255 = {unit:.4}?"
            ));
        }
        Ok(remarks)
    }

    fn given(&self, dim: Option<usize>) -> Given<'_> {
        Given { values: &self.0, dim }
    }

    fn descriptor(&self) -> Result<&'static Descriptor, Error> {
        let given = self.given(None);
        let name = given.text("method")?.unwrap_or(Self::DEFAULT_METHOD);
        METHODS.iter().find(|method| method.name == name).ok_or_else(|| {
            let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
            Error::setting("method", format!("there is no {name}; there are {}", names.join(", ")))
        })
    }

    /// Refuses settings that do not exist, or that this method would ignore.
    fn check_names(&self, method: &Descriptor) -> Result<(), Error> {
        let is_in = |settings: &[Setting], name: &str| settings.iter().any(|setting| setting.name == name);
        for name in self.0.keys() {
            if name == "method"
                || is_in(&COMMON, name)
                || is_in(&CERTIFICATE, name)
                || is_in(method.settings, name)
            {
                continue;
            }
            let others: Vec<&Descriptor> =
                METHODS.iter().filter(|other| is_in(other.settings, name)).collect();
            let setting = others.iter().flat_map(|other| other.settings).find(|setting| setting.name == name);
            let Some(setting) = setting else {
                return Err(Error::Invalid(format!(
                    "there is no setting {name}; {} has {}",
                    method.name,
                    names_of(method).join(", ")
                )));
            };
            let others: Vec<&str> = others.iter().map(|other| other.name).collect();
            let problem =
                format!("is for {} only, and the method is {}; leave it out", others.join(", "), method.name);
            return Err(Error::setting(setting.name, problem));
        }
        // a setting that the method decides itself would seem to do something
        let refused = method.read(&self.given(None))?.facts().refuses;
        match refused.iter().find(|(name, _)| self.has(name)) {
            Some((name, why)) => Err(Error::setting(name, *why)),
            None => Ok(()),
        }
    }
}

fn names_of(method: &Descriptor) -> Vec<&'static str> {
    let all = COMMON.iter().chain(method.settings).chain(&CERTIFICATE);
    all.map(|setting| setting.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Sigma;
    use serde_json::json;

    #[test]
    fn typed_text_and_json_mean_the_same() {
        let typed =
            [("method", "grid"), ("sigma", "0.5"), ("points", "12"), ("n", "10,000"), ("winner", "fresh")];
        let typed = typed.iter().fold(Settings::new(), |all, (name, value)| all.with(name, *value));
        let json = json!({"method": "grid", "sigma": 0.5, "points": 12, "n": 1e4, "winner": "fresh"});
        let json: Settings = serde_json::from_value(json).unwrap();
        assert_eq!(typed.method(None).unwrap(), json.method(None).unwrap());
        assert_eq!(typed.budget().unwrap(), json.budget().unwrap());
        assert_eq!(typed.budget().unwrap().n(), 10_000);
    }

    #[test]
    fn defaults_are_those_of_the_certificate() {
        let budget = Settings::new().budget().unwrap();
        assert_eq!((budget.n0(), budget.n(), budget.bound()), (100, 100_000, Bound::OneSided));
        for setting in &CERTIFICATE[..4] {
            assert_eq!(
                Settings::new().with(setting.name, setting.default).budget().unwrap(),
                budget,
                "{}",
                setting.name
            );
        }
        let method = Settings::new().with("sigma", 0.25).method(None).unwrap();
        assert_eq!((method.name(), method.facts().sigma), ("qcrs", Sigma::new(0.25).unwrap()));
    }

    #[test]
    fn what_would_be_ignored_or_cannot_work_is_refused_by_name() {
        let of = |method: &str| Settings::new().with("method", method).with("sigma", 0.5);
        for (settings, words) in [
            (
                of("cohen").with("points", 3),
                "points: is for grid only, and the method is cohen; leave it out",
            ),
            (of("qcrs").with("colour", "red"), "there is no setting colour; qcrs has sigma, preset, left"),
            (of("newton"), "method: there is no newton; there are cohen, grid, qcrs"),
            (of("probe").with("bound", "one-sided"), "bound: probe chooses the bound itself"),
            (of("probe").with("lambda", 0).with("passes", 5), "passes: sets lambda; give one of the two"),
            (of("dsrs").with("at_radius", 0.5), "at_radius: dsrs has a bound of its own"),
            (of("qcrs").with("tau", 0.1).with("epsilon_step", 2), "epsilon_step: is another way to give tau"),
            (of("qcrs").with("pairs", "twins"), "pairs: must be common or independent, got twins"),
            (of("qcrs").with("sigma", "half"), "sigma: must be a number, got half"),
            (of("qcrs").with("left", 9), "left: must be below the right end"),
            (of("iss").with("loss", "x%"), "loss: x is not a number"),
            (of("cohen").with("n", 0), "n: must be at least 1, got 0"),
            (of("cohen").with("alpha", 2), "alpha: alpha must lie strictly between 0 and 1, got 2"),
            (of("cohen").with("bound", "both"), "bound: must be one-sided or two-sided or auto, got both"),
            (Settings::new().with("method", "cohen"), "sigma: missing; give the noise"),
        ] {
            let error = settings.check().unwrap_err().to_string();
            assert!(error.contains(words), "{words}: {error}");
        }
    }
}
