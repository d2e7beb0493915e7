//! `qcrs certify`

use crate::args::{SeedArg, SettingsArgs, TargetArgs};
use crate::output::{self, Format, say};
use crate::setup::Setup;
use anyhow::{bail, ensure};
use qcrs::analysis::{Analysis, Options, Table};
use qcrs::method::{AnyMethod, Method, Probe};
use qcrs::report;
use qcrs::run::{self, Depth, Run, Shard, Spec};
use qcrs::sample::MonteCarlo;
use qcrs_bank::{Teller, run_name};
use qcrs_terminal::certify::{certify_into, ensure_selected};
use std::path::{Path, PathBuf};

/// What was typed after `qcrs certify`.
#[derive(clap::Args)]
pub struct CertifyArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Ask only whether an input belongs to this class, given by name or number
    #[arg(help_heading = "Run", long, value_name = "CLASS")]
    one_class: Option<String>,
    /// Let a memory bank have the last word, so that answers do not contradict earlier ones nearby
    #[arg(help_heading = "Run", long, value_name = "DIR", conflicts_with_all = ["shard", "one_class", "at_radius"])]
    bank: Option<PathBuf>,
    /// The seed of all noise: a number or `secret`. Certificates hold for inputs and models that were chosen
    /// without knowing it. `secret` draws a seed and keeps it in spec.json, where a resumed run and other
    /// shards find it
    #[arg(help_heading = "Run", long, default_value_t = SeedArg::Chosen(0), value_name = "N|secret")]
    seed: SeedArg,
    /// The run directory; use the same one to resume [default: runs/ and a readable name]
    #[arg(help_heading = "Run", long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Certify only part i of m, counted from 0
    #[arg(help_heading = "Run", long, default_value = "0/1", value_name = "i/m")]
    shard: Shard,
    /// The format of the summary
    #[arg(help_heading = "Run", long, value_enum, default_value = "text")]
    format: Format,
}

/// Certifies what is missing and prints the summary.
pub fn run(args: &CertifyArgs) -> anyhow::Result<()> {
    // wrong options are reported before model and data are opened
    let SettingsArgs(settings) = &args.settings;
    settings.check()?;
    let (budget, passes) = (settings.budget()?, settings.passes()?);
    ensure!(
        args.seed != SeedArg::Secret || passes.is_none(),
        "--passes finds λ with draws of the seed, so every --seed secret would find another λ; use --lambda instead"
    );
    let setup = Setup::open(&args.target.model, &args.target.data, settings.noise()?)?;
    let method = settings.method(Some(setup.data.dataset.shape().iter().product()))?;
    setup.model.notes.iter().for_each(|note| say!("{note}"));
    settings.remarks()?.iter().for_each(|remark| say!("{remark}"));
    let one_class = args.one_class.as_ref().map(|class| setup.class(class)).transpose()?;
    let selection = setup.selection(&args.target.selection)?;
    let mut spec = setup.spec(selection, method, budget, one_class).seeded(args.seed.draw()?);
    if let Some(bank) = &args.bank {
        spec = spec.with_bank(crate::setup::file_name(bank));
    }
    let sampler = setup.sampler()?;
    if let Some(dir) = &args.run {
        run::check_place(dir)?;
    }
    if let Some(passes) = passes {
        spec.method = priced(&setup, &sampler, &spec, passes)?;
    }
    let dir = args.run.clone().map_or_else(|| readable_name(&spec, args), Ok)?;
    ensure_selected(&spec, args.shard)?;
    if args.seed == SeedArg::Secret {
        spec.seed = shared_seed(&dir, &spec)?;
    }
    if let Some(bank) = args.bank.as_ref().filter(|bank| !bank.exists() && dir.join("spec.json").exists()) {
        // a new bank has given none of the answers in the run
        let answers = Run::open(&dir, &spec, args.shard)?.done.len();
        let (bank, dir) = (bank.display(), dir.display());
        ensure!(
            answers == 0,
            "{bank}: there is no bank here, but {dir} has {answers} answers from a bank; pass the same bank with --bank"
        );
    }
    let mut teller = args.bank.as_ref().map(|bank| Teller::open(bank, &spec)).transpose()?;
    let failed = certify_into(&setup, &sampler, &spec, (&dir, args.shard), teller.as_mut())?;
    setup.pool.install(|| summarize(&dir, args.format))?;
    if failed > 0 {
        let notes = dir.join("results.tsv");
        bail!(
            "{failed} inputs failed and have no certificate; the notes in {} give the reasons",
            notes.display()
        );
    }
    Ok(())
}

/// PROBE with the λ that takes `passes` per input, and what that cost.
fn priced(setup: &Setup, sampler: &MonteCarlo, spec: &Spec, passes: u64) -> anyhow::Result<Method> {
    setup.check_images(&spec.selection.ids().collect::<Vec<_>>())?;
    let before = sampler.passes();
    let method = run::priced(spec, sampler, &|id| setup.example(id), passes)?;
    if let AnyMethod::Probe(Probe { lambda, .. }) = &*method {
        let spent = sampler.passes() - before;
        say!(
            "{passes} passes per input: λ = {lambda}, found with {spent} passes that are not counted in the records"
        );
    }
    Ok(method)
}

/// The secret seed of the run in `dir`: the one that was drawn first, by this process or another.
fn shared_seed(dir: &Path, spec: &Spec) -> anyhow::Result<u64> {
    let seed = run::claim_seed(dir, spec)?;
    ensure!(
        seed >= qcrs::Seed::FIRST_SECRET,
        "{}: this run used seed {seed}, which is not a secret seed; use another directory, or --seed {seed}",
        dir.join("spec.json").display()
    );
    Ok(seed)
}

/// runs/MODEL-METHOD-SIGMA-N-HASH: the same command finds the same directory again, whatever secret seed it
/// draws.
fn readable_name(spec: &Spec, args: &CertifyArgs) -> anyhow::Result<PathBuf> {
    let model = spec.models.first().shown_name().trim_end_matches(".onnx");
    let (method, sigma, n) = (spec.method.name(), spec.method.facts().sigma.get(), spec.budget.n());
    let (secret, seed) = match args.seed {
        SeedArg::Chosen(seed) => ("", seed),
        SeedArg::Secret => ("secret-", 0),
    };
    let hash = &run_name(&Spec { seed, ..spec.clone() })?[..6];
    Ok(Path::new("runs").join(format!("{model}-{method}-s{sigma}-n{n}-{secret}{hash}")))
}

/// Answers that are shown one by one.
const ANSWERS: usize = 10;
/// Runs with more labelled inputs show only their summary.
const MOST_INPUTS: usize = 100;

fn summarize(dir: &Path, format: Format) -> anyhow::Result<()> {
    let stored = run::read(dir, Depth::Verdicts)?;
    let name = crate::setup::file_name(dir);
    let table = Table::of(name, &stored)?;
    let answers = (table.rows.len() <= MOST_INPUTS || !table.labelled())
        .then(|| report::answers(&table, ANSWERS, &output::terminal()));
    let analysis = Analysis::new(vec![table], &Options::default())?;
    match format {
        Format::Text => {
            answers.map_or(Ok(()), |answers| output::print(&format!("{answers}\n")))?;
            output::print(&report::summary(&analysis, &output::terminal()))?;
            output::print(&output::beside("every answer:", &dir.join("results.tsv")))?;
            let dir = dir.display().to_string();
            output::print(&output::command(&["next: qcrs report", &dir, "--html report.html"]))
        }
        Format::Json => output::print_json_text(&report::json(&analysis)?),
    }
}
