//! Where do new answers come from? A model, images, and runs that resume.

use crate::args::SelectionArgs;
use crate::certify::certify_into;
use crate::setup::Setup;
use anyhow::Context;
use qcrs::run::{self, Depth, Selection, Shard, Spec, Stored};
use qcrs::sample::MonteCarlo;
use std::path::PathBuf;

/// A model and images, with a place for runs under way.
pub struct AnswerSource<'a> {
    pub setup: &'a Setup,
    pub sampler: &'a MonteCarlo<'a>,
    /// The inputs of an experiment that does not choose its own.
    pub selection: Selection,
    /// One directory per run.
    pub runs: PathBuf,
    pub seed: u64,
    /// Whether answers keep the seconds per input.
    pub has_times: bool,
}

impl AnswerSource<'_> {
    /// The same on another model.
    pub fn with_model<'b>(&self, setup: &'b Setup, sampler: &'b MonteCarlo<'b>) -> AnswerSource<'b> {
        let (selection, runs) = (self.selection.clone(), self.runs.clone());
        AnswerSource { setup, sampler, selection, runs, seed: self.seed, has_times: self.has_times }
    }

    /// The run called `name`; missing inputs are certified now.
    pub fn certify(&self, name: &str, spec: &Spec) -> anyhow::Result<Stored> {
        let dir = self.runs.join(name);
        certify_into(self.setup, self.sampler, spec, (&dir, Shard::WHOLE), None)?;
        let mut stored = self.setup.pool.install(|| run::read(&dir, Depth::Verdicts))?;
        if !self.has_times {
            stored.timings.clear();
        }
        Ok(stored)
    }

    /// What `compute` answers to the question `key`, computed once and then kept beside the runs, so that an
    /// experiment in many parts resumes.
    pub fn remember<T: serde::Serialize + serde::de::DeserializeOwned>(
        &self,
        name: &str,
        key: &impl serde::Serialize,
        compute: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let versions = (env!("CARGO_PKG_VERSION"), self.setup.noise.generator());
        let question = (versions, self.setup.model_spec(), &self.setup.data.about, self.seed, key);
        let hash = blake3::hash(serde_json::to_string(&question)?.as_bytes()).to_hex();
        let path = self.runs.join(format!("{name}-{}.json", &hash[..8]));
        if let Ok(text) = std::fs::read_to_string(&path) {
            return serde_json::from_str(&text)
                .with_context(|| format!("{}: not what this version writes; remove it", path.display()));
        }
        let value = compute()?;
        crate::output::write_file(&path, &serde_json::to_string(&value)?)?;
        Ok(value)
    }
}

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

impl Effort {
    /// Draws per certificate.
    pub fn n(self) -> u32 {
        match self {
            Self::Small => 1000,
            Self::Medium => 10_000,
            Self::Full => 100_000,
        }
    }

    /// The inputs of an experiment: those asked for, or as many as the effort allows, spread evenly.
    pub fn selection(self, setup: &Setup, args: &SelectionArgs) -> anyhow::Result<Selection> {
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
        Ok(match self {
            Self::Small => Selection { skip: (asked.of / 20).max(1), count: Some(20), ..asked },
            Self::Medium => Selection { skip: 50.min(asked.of), ..asked },
            Self::Full => Selection { skip: if large { 100 } else { 20 }, ..asked },
        })
    }
}
