//! Which classifiers, run how?

use crate::sample::{InputTransform, check_confidence, nearest_told};
use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// Which classifier, run how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// The file's name, for people.
    pub name: String,
    /// The file's BLAKE3 hash, for certainty.
    pub blake3: String,
    /// The engine and its version, such as `rten 0.27.0`.
    pub engine: String,
    /// Where it runs, such as `cpu`.
    pub device: String,
    /// The arithmetic, such as `f32`.
    pub precision: String,
    /// Whether the model gives `logits` or `probs`.
    pub output: String,
    /// What is done to the pixels after the noise, where the model does not do it itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub transform: Option<InputTransform>,
    /// The number of classes.
    pub classes: usize,
    /// The σ that the network was told, if it was made for one of several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub told: Option<Sigma>,
    /// Copies whose likeliest class has a smaller probability than this are rejected; without it every copy
    /// votes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<f64>,
    /// The batch size, for an engine whose scores depend on it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub batch: Option<u32>,
    /// Why the network's graph does not prove that a row of scores depends on one image only, if it does not;
    /// then that was only measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_followed: Option<String>,
}

impl ModelSpec {
    /// What the exporters of many programs call every model; its folder says more.
    pub const USUAL_NAME: &'static str = "model.onnx";

    /// Its name without what says nothing: the name of its folder where the file is called `model.onnx`.
    pub fn shown_name(&self) -> &str {
        let folder = self.name.strip_suffix(Self::USUAL_NAME).and_then(|name| name.strip_suffix('/'));
        folder.unwrap_or(&self.name)
    }
}

/// The classifiers of a run, at least one, all with the same classes. A file has a single one by itself, and
/// several as a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "OneOrMore", into = "OneOrMore")]
pub struct Models(Vec<ModelSpec>);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(Box<ModelSpec>),
    More(Vec<ModelSpec>),
}

impl From<Models> for OneOrMore {
    fn from(Models(mut all): Models) -> Self {
        if all.len() == 1 { Self::One(Box::new(all.remove(0))) } else { Self::More(all) }
    }
}

impl TryFrom<OneOrMore> for Models {
    type Error = Error;

    fn try_from(written: OneOrMore) -> Result<Self, Error> {
        match written {
            OneOrMore::One(model) => Self::new(vec![*model]),
            OneOrMore::More(all) => Self::new(all),
        }
    }
}

impl From<ModelSpec> for Models {
    fn from(model: ModelSpec) -> Self {
        Self(vec![model])
    }
}

impl Models {
    /// The classifiers of a run: their number in this list is what looks and certificates name them by.
    pub fn new(all: Vec<ModelSpec>) -> Result<Self, Error> {
        let Some(first) = all.first() else { return Err(Error::Invalid("a run needs a model".into())) };
        if let Some(other) = all.iter().find(|model| model.classes != first.classes) {
            return Err(Error::Invalid(format!(
                "{} has {} classes and {} has {}; the models of a run must have the same",
                first.name, first.classes, other.name, other.classes
            )));
        }
        if all.iter().any(|model| model.told.is_some() != first.told.is_some()) {
            return Err(Error::Invalid("either every model was told its sigma, or none".into()));
        }
        all.iter().try_for_each(|model| check_confidence(model.confidence))?;
        Ok(Self(all))
    }

    /// The first of them: the only one of most runs.
    #[allow(clippy::missing_panics_doc)] // there is at least one
    pub fn first(&self) -> &ModelSpec {
        &self.0[0]
    }

    /// The one with this number.
    pub fn get(&self, number: u32) -> Option<&ModelSpec> {
        self.0.get(number as usize)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &ModelSpec> {
        self.0.iter()
    }

    /// The number of the model that was told the σ nearest to this one, as the sampler of such a run has it.
    pub fn told(&self, sigma: Sigma) -> u32 {
        nearest_told(self.0.iter().map(|model| model.told), sigma)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str, told: Option<f64>, classes: usize) -> ModelSpec {
        ModelSpec {
            name: name.into(),
            blake3: String::new(),
            engine: "closed form".into(),
            device: "cpu".into(),
            precision: "f32".into(),
            output: "logits".into(),
            transform: None,
            classes,
            told: told.map(|sigma| Sigma::new(sigma).unwrap()),
            confidence: None,
            batch: None,
            not_followed: None,
        }
    }

    #[test]
    fn one_model_is_written_by_itself_and_several_as_a_list() {
        let one = Models::from(model("a", None, 2));
        let text = serde_json::to_string(&one).unwrap();
        assert!(text.starts_with('{') && !text.contains("told"), "{text}");
        assert_eq!(serde_json::from_str::<Models>(&text).unwrap(), one);
        let several = Models::new(vec![model("a", Some(0.5), 2), model("b", Some(0.25), 2)]).unwrap();
        let text = serde_json::to_string(&several).unwrap();
        assert!(text.starts_with('['), "{text}");
        assert_eq!(serde_json::from_str::<Models>(&text).unwrap(), several);
        assert_eq!(several.told(Sigma::new(0.3).unwrap()), 1);
    }

    #[test]
    fn models_that_do_not_belong_together_are_refused() {
        for (others, words) in [
            (vec![], "needs a model"),
            (vec![model("a", None, 2), model("b", None, 3)], "a has 2 classes and b has 3"),
            (vec![model("a", None, 2), model("b", Some(0.5), 2)], "told its sigma"),
        ] {
            let text = serde_json::to_string(&others).unwrap();
            let error = Models::new(others).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
            assert!(serde_json::from_str::<Models>(&text).is_err(), "{text}");
        }
    }
}
