//! Where an experiment is carried out: a model, images, a budget, and runs that are kept.

use crate::args::SelectionArgs;
use crate::certify::certify_into;
use crate::setup::Setup;
use anyhow::Context;
use qcrs::analysis::Table;
use qcrs::certify::Budget;
use qcrs::method::{AnyMethod, Method, Qcrs};
use qcrs::run::{self, Depth, Record, Selection, Shard};
use qcrs::sample::MonteCarlo;
use qcrs::types::{Alpha, Sigma};
use std::path::PathBuf;

/// How much may be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Effort {
    /// 20 inputs, n = 1,000: minutes on a laptop, to see that it works
    Small,
    /// Ids divisible by 50, n = 10,000: about an hour on two cores for a ResNet-20
    Medium,
    /// The paper's: ids divisible by 20 (ImageNet: 100), n = 100,000
    Full,
}

/// A model and images with a place for runs.
pub struct Lab<'a> {
    pub setup: &'a Setup,
    pub sampler: &'a MonteCarlo<'a>,
    /// Every run and result of the experiments.
    pub dir: PathBuf,
    /// The published search for this model: σ₀, region, ε and τ.
    pub published: Qcrs,
    /// The name of the preset, where one was given or fits.
    pub preset: Option<String>,
    pub budget: Budget,
    pub selection: Selection,
    pub effort: Effort,
    pub seed: u64,
}

impl Lab<'_> {
    /// The noise of the training.
    pub fn sigma(&self) -> Sigma {
        self.published.sigma
    }

    /// Whether the model was trained with the noise that a number in the paper belongs to.
    pub fn has_sigma(&self, sigma: f64) -> bool {
        (self.sigma().get() - sigma).abs() < 1e-9
    }

    /// The same experiment on another model.
    pub fn with_model<'b>(&self, setup: &'b Setup, sampler: &'b MonteCarlo<'b>) -> Lab<'b> {
        let (dir, published, preset) = (self.dir.clone(), self.published.clone(), self.preset.clone());
        let &Self { budget, effort, seed, .. } = self;
        Lab {
            setup,
            sampler,
            dir,
            published,
            preset,
            selection: self.selection.clone(),
            budget,
            effort,
            seed,
        }
    }

    /// The run called `name`; missing inputs are certified now.
    pub fn run(&self, name: &str, search: AnyMethod) -> anyhow::Result<Table> {
        self.run_on(name, search, self.selection.clone(), None)
    }

    /// The same for chosen inputs, and perhaps a question about one class.
    pub fn run_on(
        &self,
        name: &str,
        search: AnyMethod,
        selection: Selection,
        one_class: Option<usize>,
    ) -> anyhow::Result<Table> {
        let spec = self.setup.spec(selection, Method::new(search)?, self.budget, one_class).seeded(self.seed);
        let dir = self.run_dir(name);
        certify_into(self.setup, self.sampler, &spec, (&dir, Shard::WHOLE), None)?;
        let stored = self.setup.pool.install(|| run::read(&dir, Depth::Verdicts))?;
        Ok(Table::of(name.into(), &stored)?)
    }

    /// The records of an existing run.
    pub fn records(&self, name: &str) -> anyhow::Result<Vec<Record>> {
        Ok(run::read(&self.run_dir(name), Depth::Verdicts)?.records)
    }

    /// What `compute` answers to the question `key`, computed once and then kept; for results that are not
    /// runs.
    pub fn remember<T: serde::Serialize + serde::de::DeserializeOwned>(
        &self,
        name: &str,
        key: &impl serde::Serialize,
        compute: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let versions = (env!("CARGO_PKG_VERSION"), self.setup.noise.generator());
        let question = (versions, self.setup.model_spec(), &self.setup.data.about, self.seed, key);
        let hash = blake3::hash(serde_json::to_string(&question)?.as_bytes()).to_hex();
        let path = self.dir.join("runs").join(format!("{name}-{}.json", &hash[..8]));
        if let Ok(text) = std::fs::read_to_string(&path) {
            return serde_json::from_str(&text)
                .with_context(|| format!("{}: not what this version writes; remove it", path.display()));
        }
        let value = compute()?;
        crate::output::write_file(&path, &serde_json::to_string(&value)?)?;
        Ok(value)
    }

    fn run_dir(&self, name: &str) -> PathBuf {
        self.dir.join("runs").join(name)
    }
}

/// The inputs of an experiment: those asked for, or as many as the effort allows, spread evenly.
pub fn selection(setup: &Setup, args: &SelectionArgs, effort: Effort) -> anyhow::Result<Selection> {
    let asked = setup.selection(args)?;
    if asked.skip > 1
        || asked.offset > 0
        || asked.max.is_some()
        || asked.count.is_some()
        || asked.listed.is_some()
    {
        return Ok(asked);
    }
    let large = setup.data.about.shape.iter().product::<usize>() > 10_000;
    Ok(match effort {
        Effort::Small => Selection { skip: (asked.of / 20).max(1), count: Some(20), ..asked },
        Effort::Medium => Selection { skip: 50.min(asked.of), ..asked },
        Effort::Full => Selection { skip: if large { 100 } else { 20 }, ..asked },
    })
}

/// The budget of an experiment: the effort's, or `n` draws where they were asked for.
pub fn budget(effort: Effort, n: Option<u32>, alpha: f64) -> anyhow::Result<Budget> {
    let usual = match effort {
        Effort::Small => 1000,
        Effort::Medium => 10_000,
        Effort::Full => 100_000,
    };
    Ok(Budget::new(100, n.unwrap_or(usual), Alpha::new(alpha)?)?)
}
