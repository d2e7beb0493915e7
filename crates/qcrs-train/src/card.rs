//! What should the user of a model know?

use crate::evaluate::{self, CorrectCount, Under};
use crate::images::Images;
use crate::network::Network;
use crate::recipe::TrainingSettings;
use qcrs::files;
use qcrs::types::Error;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A model card: how a model came to be, and how good it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The program and its version.
    pub program: String,
    /// The commit it was built from, where known.
    pub commit: Option<String>,
    /// How many numbers training changed.
    pub parameters: i64,
    /// The number of classes.
    pub classes: usize,
    /// What it was trained on.
    pub data: Data,
    /// Everything else the weights depend on.
    pub settings: TrainingSettings,
    /// How many of the epochs had passed.
    pub trained_epochs: usize,
    /// Images of the training set that were held out.
    pub held_out: Option<Accuracy>,
    /// The test set, looked at once, after training.
    pub test: Option<Accuracy>,
}

/// Which images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data {
    /// Their name, for people.
    pub name: String,
    /// The hash of images and labels.
    pub blake3: String,
}

/// How good a model is on some images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// Which images.
    pub data: Data,
    /// Without noise.
    pub clean: CorrectCount,
    /// Under the noise it was trained with, one draw per image.
    pub noisy: CorrectCount,
}

/// This program and its version.
pub(crate) fn program() -> String {
    concat!("qcrs-train ", env!("CARGO_PKG_VERSION")).into()
}

/// The commit it was built from, where known.
pub(crate) fn commit() -> Option<String> {
    option_env!("QCRS_COMMIT").map(Into::into)
}

impl Data {
    /// What a card says of these images.
    pub fn of(images: &Images) -> Self {
        Self { name: images.about.name.clone(), blake3: images.about.blake3.clone() }
    }
}

impl Accuracy {
    /// Looks at the images `ids`.
    pub fn measure(
        network: &Network,
        images: &Images,
        ids: &[usize],
        settings: &TrainingSettings,
    ) -> Result<Self, Error> {
        let TrainingSettings { noise, sigma, seed, .. } = *settings;
        let count = |sigma| evaluate::count(network, images, ids, Under { noise, sigma, seed });
        Ok(Self { data: Data::of(images), clean: count(0.0)?, noisy: count(sigma)? })
    }
}

impl Card {
    /// The card of a network before anyone has judged it.
    pub fn new(network: &Network, data: Data, settings: &TrainingSettings, trained_epochs: usize) -> Self {
        Self {
            program: program(),
            commit: commit(),
            parameters: network.parameters(),
            classes: network.classes,
            data,
            settings: settings.clone(),
            trained_epochs,
            held_out: None,
            test: None,
        }
    }

    /// The card as the metadata of an ONNX file: the main facts each on its own, and the whole as JSON.
    pub fn metadata(&self) -> Result<Vec<(String, String)>, Error> {
        let TrainingSettings { architecture, method, sigma, seed, .. } = &self.settings;
        let broken = |error: serde_json::Error| Error::Invalid(error.to_string());
        let mut pairs = vec![
            ("qcrs.architecture".to_owned(), architecture.to_string()),
            ("qcrs.recipe".into(), serde_json::to_string(method).map_err(broken)?),
            ("qcrs.data".into(), self.data.name.clone()),
            ("qcrs.sigma".into(), sigma.to_string()),
            ("qcrs.epochs".into(), self.trained_epochs.to_string()),
            ("qcrs.seed".into(), seed.to_string()),
            ("qcrs.card".into(), serde_json::to_string(self).map_err(broken)?),
        ];
        for (images, accuracy) in [("held_out", &self.held_out), ("test", &self.test)] {
            let Some(Accuracy { clean, noisy, .. }) = accuracy else { continue };
            for (kind, count) in [("clean", clean), ("noisy", noisy)] {
                let share = count.share().map(|share| format!("{share:.4}"));
                pairs.extend(share.map(|share| (format!("qcrs.accuracy.{images}.{kind}"), share)));
            }
        }
        Ok(pairs)
    }

    /// Writes the card as JSON.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Error::Invalid(error.to_string()))?;
        files::write(path, (text + "\n").as_bytes())
    }
}
