//! Where are the answers of an experiment? In files that are kept, or in a model that is asked now.

use super::published::PaperData;
use super::source::{AnswerSource, Effort};
use crate::output::write_file;
use crate::setup::Setup;
use anyhow::{Context, bail, ensure};
use qcrs::analysis::Table;
use qcrs::certify::Budget;
use qcrs::data::About;
use qcrs::method::{AnyMethod, Method, Qcrs};
use qcrs::noise::NoiseKind;
use qcrs::run::{self, Models, Selection, Spec, Stored};
use qcrs::sample::MonteCarlo;
use qcrs::types::Sigma;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Answers that are kept, and where new ones come from.
///
/// A table is always made from the files in `answers`: what is not there is sampled first and written there. So the
/// tables can be made again without the model, from the files alone.
pub struct Lab<'a> {
    /// Where new answers come from; without it, all of them must be there already.
    pub source: Option<AnswerSource<'a>>,
    /// One file per run (`NAME.tsv`) or other result (`NAME.json`).
    pub answers: PathBuf,
    /// The published search for this model: σ₀, region, ε and τ.
    pub published: Qcrs,
    /// The name of the preset, where one was given or fits.
    pub preset: Option<String>,
    pub budget: Budget,
    pub effort: Effort,
    pub seed: u64,
}

/// What answers depend on besides the question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MadeWith {
    pub noise: NoiseKind,
    pub model: Models,
    pub data: About,
    /// How many inputs were asked about.
    pub inputs: usize,
    pub seed: u64,
}

/// A result that is not a run.
#[derive(Serialize, Deserialize)]
struct Kept<T> {
    made_with: MadeWith,
    question: serde_json::Value,
    answer: T,
}

impl Lab<'_> {
    /// The noise of the training.
    pub fn sigma(&self) -> Sigma {
        self.published.sigma
    }

    /// Whether the paper's numbers for this data and this noise level belong beside ours: the data are the same,
    /// and the search has the published settings for them.
    pub fn is_published(&self, data: PaperData, sigma: f64) -> anyhow::Result<bool> {
        let fits = self.preset.as_ref().is_some_and(|preset| preset.starts_with(data.presets()));
        let same = (self.sigma().get() - sigma).abs() < 1e-9;
        Ok(fits && same && PaperData::of(&self.made_with()?.data) == Some(data))
    }

    /// The same experiment on another model, whose answers have names of their own.
    pub fn with_model<'b>(&self, other: Option<(&'b Setup, &'b MonteCarlo<'b>)>) -> Lab<'b> {
        let source = self.source.as_ref().zip(other);
        let source = source.map(|(source, (setup, sampler))| source.with_model(setup, sampler));
        let (answers, published) = (self.answers.clone(), self.published.clone());
        let (preset, &Self { budget, effort, seed, .. }) = (self.preset.clone(), self);
        Lab { source, answers, published, preset, budget, effort, seed }
    }

    /// The same experiment with another budget.
    pub fn with_budget(&self, budget: Budget) -> Lab<'_> {
        let source = self.source.as_ref().map(|source| (source.setup, source.sampler));
        Lab { budget, ..self.with_model(source) }
    }

    /// Whether there are answers of a run called `name`.
    pub fn has(&self, name: &str) -> bool {
        self.file(name, "tsv").exists()
    }

    /// The run called `name`, on the inputs of the experiment.
    pub fn run(&self, name: &str, method: AnyMethod) -> anyhow::Result<Table> {
        self.run_on(name, method, None, |source| Ok(source.selection.clone()))
    }

    /// The same for chosen inputs, and perhaps a question about one class.
    pub fn run_on(
        &self,
        name: &str,
        method: AnyMethod,
        one_class: Option<usize>,
        inputs: impl FnOnce(&AnswerSource<'_>) -> anyhow::Result<Selection>,
    ) -> anyhow::Result<Table> {
        let (path, method) = (self.file(name, "tsv"), Method::new(method)?);
        let spec = match &self.source {
            None => None,
            Some(source) => {
                let spec = source.setup.spec(inputs(source)?, method.clone(), self.budget, one_class);
                Some(spec.seeded(self.seed))
            }
        };
        if !path.exists() {
            let spec = spec.as_ref().with_context(|| missing(&path))?;
            self.keep(name, &self.source()?.certify(name, spec)?)?;
        }
        let text = read(&path)?;
        let table = Table::from_tsv(name.to_owned(), &text)
            .with_context(|| format!("{}: remove it to sample it again", path.display()))?;
        let found = table.spec.as_ref().with_context(|| {
            format!("{}: the file does not say how it was made; write it with qcrs export", path.display())
        })?;
        match &spec {
            // the same question to another version is the same question
            Some(asked) => agree(&path, &Spec { qcrs: asked.qcrs.clone(), ..found.clone() }, asked)?,
            None => agree(
                &path,
                &json!({ "search": found.method, "budget": found.budget, "seed": found.seed, "one_class": found.one_class }),
                &json!({ "search": method, "budget": self.budget, "seed": self.seed, "one_class": one_class }),
            )?,
        }
        let (have, owed) = (table.rows.len(), found.selection.len());
        ensure!(
            have == owed,
            "{}: only {have} of {owed} inputs; remove it to sample it again",
            path.display()
        );
        Ok(table)
    }

    /// The answers that are kept under `name`, whatever they were asked.
    pub fn kept(&self, name: &str) -> anyhow::Result<Table> {
        Ok(Table::from_tsv(name.to_owned(), &read(&self.file(name, "tsv"))?)?)
    }

    /// Keeps the answers of a finished run under `name`.
    pub fn keep(&self, name: &str, stored: &Stored) -> anyhow::Result<()> {
        write_file(&self.file(name, "tsv"), &run::answers_file(stored)?)
    }

    /// The answer to `question`, which is not a run: as it is kept, or sampled now.
    pub fn answer<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        question: &impl Serialize,
        sample: impl FnOnce(&AnswerSource<'_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let (path, question) = (self.file(name, "json"), serde_json::to_value(question)?);
        if !path.exists() {
            let source = self.source.as_ref().with_context(|| missing(&path))?;
            let (made_with, answer) = (made_now(source), sample(source)?);
            let kept = Kept { made_with, question: question.clone(), answer };
            write_file(&path, &(serde_json::to_string(&kept)? + "\n"))?;
        }
        let kept: Kept<T> = serde_json::from_str(&read(&path)?)
            .with_context(|| format!("{}: not what this version writes; remove it", path.display()))?;
        agree(&path, &kept.question, &question)?;
        if let Some(source) = &self.source {
            agree(&path, &kept.made_with, &made_now(source))?;
        }
        Ok(kept.answer)
    }

    /// What new answers come from, or the reason why there are none.
    pub fn source(&self) -> anyhow::Result<&AnswerSource<'_>> {
        self.source.as_ref().context("this needs the model and its images; give --model and --data")
    }

    /// What all answers were made with: the model and the images at hand, or those of the first file.
    pub fn made_with(&self) -> anyhow::Result<MadeWith> {
        if let Some(source) = &self.source {
            return Ok(made_now(source));
        }
        let here = || self.answers.display().to_string();
        let entries = std::fs::read_dir(&self.answers).with_context(here)?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
        paths.sort();
        for path in paths {
            let is = |ending: &str| path.extension().is_some_and(|end| end == ending);
            if is("tsv") {
                if let Some(Spec { noise, models, data, selection, seed, .. }) =
                    run::spec_of_answers(&read(&path)?)?
                {
                    return Ok(MadeWith { noise, model: models, data, inputs: selection.len(), seed });
                }
            } else if is("json") {
                return Ok(serde_json::from_str::<Kept<serde_json::Value>>(&read(&path)?)?.made_with);
            }
        }
        bail!("{}: there are no answers; give --model and --data to sample them", here())
    }

    /// The number of the class with this name.
    pub fn class(&self, name: &str) -> anyhow::Result<usize> {
        if let Some(source) = &self.source {
            return source.setup.class(name);
        }
        let classes = self.made_with()?.data.classes.unwrap_or_default();
        let number = classes.iter().position(|class| class == name).or_else(|| name.parse().ok());
        number.with_context(|| format!("there is no class {name}; there are {}", classes.join(", ")))
    }

    /// How many values an image has.
    pub fn values(&self) -> anyhow::Result<usize> {
        Ok(self.made_with()?.data.shape.iter().product())
    }

    fn file(&self, name: &str, ending: &str) -> PathBuf {
        self.answers.join(format!("{name}.{ending}"))
    }
}

fn made_now(source: &AnswerSource<'_>) -> MadeWith {
    let Setup { noise, data, .. } = source.setup;
    MadeWith {
        noise: *noise,
        model: source.setup.model_spec().into(),
        data: data.about.clone(),
        inputs: source.selection.len(),
        seed: source.seed,
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}

fn missing(path: &Path) -> String {
    format!("{}: there is no such file; give --model and --data to sample it", path.display())
}

/// Refuses answers to another question.
fn agree(path: &Path, found: &impl Serialize, asked: &impl Serialize) -> anyhow::Result<()> {
    match run::differences(found, asked)?.first() {
        Some(difference) => bail!("{}: {difference}; choose another folder with --answers", path.display()),
        None => Ok(()),
    }
}
