//! `qcrs verify`

use crate::args::{DataArgs, ModelArgs};
use crate::output;
use crate::progress::Progress;
use crate::setup::{Setup, stop_on_ctrl_c};
use anyhow::{bail, ensure};
use qcrs::certify::{Outcome, certify, decide};
use qcrs::run::{self, Finding, Record, Spec};
use qcrs::sample::MonteCarlo;
use std::path::PathBuf;

/// What was typed after `qcrs verify`.
#[derive(clap::Args)]
// only --replay needs them
#[command(mut_arg("model", |model| model.required(false)), mut_arg("data", |data| data.required(false)))]
pub struct VerifyArgs {
    /// The run directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Sample so many of its inputs again and compare every vote; needs --model and --data
    #[arg(long, value_name = "K", default_value_t = 0, requires_all = ["model", "data"])]
    replay: usize,
    #[command(flatten)]
    model: Option<ModelArgs>,
    #[command(flatten)]
    data: Option<DataArgs>,
}

/// Recomputes every verdict from its votes, then samples some inputs again.
pub fn run(args: &VerifyArgs) -> anyhow::Result<()> {
    let stored = run::read(&args.run)?;
    for record in &stored.records {
        if let Finding::Outcome(outcome) = &record.finding {
            if let Err(problem) = check(outcome, &stored.spec) {
                bail!("{}: input {}: {problem}", args.run.display(), record.index);
            }
        }
    }
    let (have, owed) = (stored.records.len(), stored.spec.selection.ids().count());
    output::print(&format!("{have} of {owed} records: every verdict follows from its votes"))?;
    if let (Some(model), Some(data), true) = (&args.model, &args.data, args.replay > 0) {
        replay(args, &Setup::open(model, data)?, (&stored.spec, &stored.records))?;
    }
    Ok(())
}

/// Whether an outcome is what the spec's settings make of its votes.
fn check(outcome: &Outcome, spec: &Spec) -> anyhow::Result<()> {
    let budget = &spec.budget;
    let selected = outcome.selection.votes.total();
    ensure!(selected == u64::from(budget.n0), "{selected} selection votes instead of {}", budget.n0);
    for estimate in &outcome.estimates {
        let total = estimate.votes.total();
        ensure!(total == u64::from(budget.n), "{total} votes instead of {}", budget.n);
        let class = outcome.selection.votes.winner();
        ensure!(class == Some(estimate.class), "class {} was not the one selected", estimate.class);
    }
    let verdict = decide(&outcome.estimates, budget.alpha)?;
    ensure!(verdict == outcome.verdict, "the votes say {verdict:?}, the record says {:?}", outcome.verdict);
    Ok(())
}

fn replay(args: &VerifyArgs, setup: &Setup, (spec, records): (&Spec, &[Record])) -> anyhow::Result<()> {
    ensure!(setup.data.about == spec.data, "the run was made on other data: {:?}", spec.data);
    let model = setup.model_spec()?;
    ensure!(
        model == spec.model,
        "the run was made with another model or engine: {:?}, not {model:?}",
        spec.model
    );
    let chosen = choose(records, args.replay);
    let classifier = setup.classifier();
    let sampler = MonteCarlo::new(&*classifier, setup.args.batch);
    stop_on_ctrl_c(&sampler)?;
    let passes = spec.search.passes(spec.budget.n0, spec.budget.n) * chosen.len() as u64;
    Progress::new(passes).watch(&sampler, || {
        for record in &chosen {
            let example = setup.example(record.index)?;
            let address = (spec.seed, record.index);
            let finding =
                match certify(spec.search.search(), &spec.budget, &sampler, &example.pixels, address) {
                    Ok(outcome) => Finding::Outcome(outcome),
                    Err(error @ qcrs::types::Error::NotFinite { .. }) => {
                        Finding::Failed { error: error.to_string() }
                    }
                    Err(error) => return Err(error.into()),
                };
            let index = record.index;
            ensure!(finding == record.finding, "input {index}: sampled again it gives other votes");
            ensure!(example.label == record.label, "input {index}: the label has changed");
        }
        Ok(())
    })?;
    output::print(&format!("{} inputs sampled again: the same votes, every one", chosen.len()))
}

/// `k` records, spread by a hash of the system's randomness: nobody can prepare for them.
fn choose(records: &[Record], k: usize) -> Vec<&Record> {
    use std::hash::{BuildHasher, RandomState};
    let random = RandomState::new();
    let mut all: Vec<&Record> = records.iter().collect();
    all.sort_by_key(|record| random.hash_one(record.index));
    all.truncate(k);
    all
}
