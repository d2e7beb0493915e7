//! `qcrs verify`

mod tsv;

use crate::args::{DataArgs, ModelArgs, count};
use crate::output;
use crate::progress::PassesBar;
use crate::setup::Setup;
use anyhow::{Context, bail, ensure};
use qcrs::analysis::TsvSettings;
use qcrs::data::Opened;
use qcrs::run::{self, BankReason, Depth, Finding, Record, ResultFile, Spec, Stored};
use qcrs::types::{Alpha, Sigma};
use qcrs_bank::Teller;
use serde_json::json;
use std::collections::HashSet;
use std::path::PathBuf;

/// What was typed after `qcrs verify`.
#[derive(clap::Args)]
// only --replay needs them
#[command(mut_arg("model", |model| model.required(false).requires("replay")), mut_arg("data", |data| data.required(false)))]
pub struct VerifyArgs {
    /// The run directory, or a published TSV file
    #[arg(value_name = "RUN|FILE")]
    run: PathBuf,
    /// For a TSV file: the probability with which each certificate may be wrong
    #[arg(long, value_name = "A")]
    alpha: Option<f64>,
    /// For a TSV file without the column n: the draws of each certificate
    #[arg(long, alias = "N", value_parser = count(1..))]
    n: Option<u32>,
    /// For a TSV file without the column best_sigma: the noise level
    #[arg(long)]
    sigma: Option<f64>,
    /// Sample K inputs again and compare every vote; needs --model and --data. --data alone compares only
    /// labels and pixels
    #[arg(long, value_name = "K", requires_all = ["model", "data"], value_parser = count(1..))]
    replay: Option<u32>,
    /// The bank of the run: compare its answers with the records
    #[arg(long, value_name = "DIR")]
    bank: Option<PathBuf>,
    #[command(flatten)]
    model: Option<ModelArgs>,
    #[command(flatten)]
    data: Option<DataArgs>,
}

/// Recomputes every verdict from its votes, then samples some inputs again.
pub fn run(args: &VerifyArgs) -> anyhow::Result<()> {
    let about_a_file = TsvSettings {
        alpha: args.alpha.map(Alpha::new).transpose().context("--alpha")?,
        n: args.n.map(u64::from),
        sigma: args.sigma.map(Sigma::new).transpose().context("--sigma")?,
    };
    if args.run.is_file() {
        return tsv::run(&args.run, &about_a_file);
    }
    ensure!(
        args.alpha.is_none() && args.n.is_none() && args.sigma.is_none(),
        "{}: --alpha, --n and --sigma are for TSV files; a run has them in its spec.json",
        args.run.display()
    );
    let read = || run::read(&args.run, Depth::Whole);
    let stored = match &args.model {
        Some(model) => model.settings().pool()?.install(read),
        None => read(),
    }?;
    let (have, owed) = (stored.records.len(), stored.spec.selection.len());
    ensure!(have > 0, "{}: there are no records to verify yet", args.run.display());
    output::print(&format!("{have} of {owed} records: every verdict follows from its votes"))?;
    let there: HashSet<u32> = stored.records.iter().map(|record| record.index).collect();
    if let Some(missing) = stored.spec.selection.ids().find(|id| !there.contains(id)) {
        output::print(&format!("incomplete: the first missing input is {missing}"))?;
    }
    say_what_is_not_shown(&stored.records)?;
    match (&args.bank, &stored.spec.bank) {
        (Some(bank), Some(_)) => {
            Teller::read(bank, &stored.spec)?.remembers(&stored.records)?;
            output::print("the bank's answers match the records")?;
        }
        (Some(_), None) => bail!("{}: this run was made without a bank; remove --bank", args.run.display()),
        (None, Some(_)) => {
            output::print("the bank's answers were not checked; use --bank to compare them with the bank")?;
        }
        (None, None) => {}
    }
    match (&args.model, &args.data) {
        (Some(model), Some(data)) => {
            let setup = Setup::open(model, data, stored.spec.noise.into())?;
            setup.pool.install(|| check_data(args, &setup.data, &stored))?;
            replay(args, &setup, (&stored.spec, &stored.records))?;
        }
        (None, Some(data)) => check_data(args, &data.open()?.under(stored.spec.noise)?, &stored)?,
        _ => {}
    }
    check_results(args, &stored)
}

/// What the votes cannot tell.
fn say_what_is_not_shown(records: &[Record]) -> anyhow::Result<()> {
    let unnamed = records.iter().filter(|record| record.pixels.is_none()).count();
    if unnamed > 0 {
        output::print(&format!(
            "{unnamed} records have no hash of their pixels, like those of qcrs 0.2 and before"
        ))?;
    }
    let failed = records.iter().filter(|record| matches!(record.finding, Finding::Failed { .. })).count();
    if failed > 0 {
        output::print(&format!(
            "{failed} inputs are recorded as failed; their votes cannot show whether they did"
        ))?;
    }
    let inside =
        |record: &&Record| record.bank.as_ref().is_some_and(|from| matches!(from.why, BankReason::Inside(_)));
    let inherited = records.iter().filter(inside).count();
    if inherited > 0 {
        output::print(&format!(
            "{inherited} answers come from other balls of the bank; their own votes do not prove them"
        ))?;
    }
    Ok(())
}

/// Whether results.tsv says what the records say.
fn check_results(args: &VerifyArgs, stored: &Stored) -> anyhow::Result<()> {
    let (have, wrote, here) = (stored.records.len(), &stored.spec.qcrs, env!("CARGO_PKG_VERSION"));
    let compared = run::compare_results(&args.run, stored);
    let other = || format!("qcrs {wrote} made this run, and qcrs {here} may write results.tsv differently");
    match if wrote == here { compared? } else { compared.with_context(other)? } {
        ResultFile::All => output::print("results.tsv matches the records"),
        ResultFile::Some(lines) => output::print(&format!(
            "results.tsv has {lines} of the {have} records; qcrs certify writes the others when it ends"
        )),
        ResultFile::Absent => {
            output::print("there is no results.tsv yet; qcrs certify writes it when it ends")
        }
    }
}

/// Whether every input has the label and the pixels that the data have.
fn check_data(args: &VerifyArgs, opened: &Opened, stored: &Stored) -> anyhow::Result<()> {
    let differences =
        run::differences(&json!({ "data": stored.spec.data }), &json!({ "data": opened.about }))?;
    if let Some(difference) = differences.first() {
        bail!("{}: {difference}; give the data that qcrs certify used", args.run.display());
    }
    let same = run::compare(&stored.spec, &stored.records, &opened.inputs(), false);
    same.with_context(|| args.run.display().to_string())?;
    let labelled = stored.records.iter().any(|record| record.label.is_some());
    output::print(if labelled {
        "every label matches the data"
    } else {
        "neither the run nor the data has labels"
    })?;
    let named = stored.records.iter().filter(|record| record.pixels.is_some()).count();
    if named == stored.records.len() {
        return output::print("every record matches its image in the data");
    }
    if !opened.contents_hashed {
        let unnamed = stored.records.len() - named;
        output::print(&format!(
            "{unnamed} records cannot be matched with their images: they have no hash of their pixels, and the fingerprint \
             of the data covers only names, sizes and labels"
        ))?;
    }
    Ok(())
}

fn replay(args: &VerifyArgs, setup: &Setup, (spec, records): (&Spec, &[Record])) -> anyhow::Result<()> {
    let now = json!({ "model": setup.model_spec(), "data": setup.data.about });
    let differences = run::differences(&json!({ "model": spec.models, "data": spec.data }), &now)?;
    if let Some(difference) = differences.first() {
        bail!("{}: {difference}; give the model and the data that qcrs certify used", args.run.display());
    }
    let chosen = choose(records, args.replay.unwrap_or_default() as usize);
    let sampler = setup.sampler()?;
    let passes = spec.method.passes(spec.budget.n0(), spec.budget.n()) * chosen.len() as u64;
    let inputs = |index| setup.example(index);
    PassesBar::new(passes).watch(&sampler, || {
        for record in &chosen {
            let again = run::record(spec, &sampler, &inputs, record.index)?;
            ensure!(
                again.finding == record.finding,
                "input {}: sampling it again gives other votes",
                record.index
            );
        }
        Ok(())
    })?;
    let inputs = if chosen.len() == 1 { "input" } else { "inputs" };
    output::print(&format!("{} {inputs} sampled again: all votes are the same", chosen.len()))
}

/// `k` records, spread by a hash of the system's randomness, so that they cannot be predicted.
fn choose(records: &[Record], k: usize) -> Vec<&Record> {
    use std::hash::{BuildHasher, RandomState};
    let random = RandomState::new();
    let mut all: Vec<&Record> = records.iter().collect();
    all.sort_by_key(|record| random.hash_one(record.index));
    all.truncate(k);
    all
}
