//! `qcrs certify`

use super::bank::Teller;
use crate::args::{BudgetArgs, DataArgs, MethodArgs, ModelArgs, SelectionArgs};
use crate::output::{self, Format, say};
use crate::progress::Progress;
use crate::setup::Setup;
use anyhow::{Context, bail, ensure};
use qcrs::analysis::{Analysis, Options, Table};
use qcrs::bounds::smallest_n;
use qcrs::report::{self, format::down};
use qcrs::run::{self, Finding, Guarantee, Record, Run, Shard, Spec};
use qcrs::sample::{MonteCarlo, OneClass, SampleUnderNoise};
use qcrs::search::{Probe, SearchSpec};
use qcrs::types::Error;
use std::path::{Path, PathBuf};

/// What was typed after `qcrs certify`.
#[derive(clap::Args)]
pub struct CertifyArgs {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Ask only whether an input is of this class, a name or a number
    #[arg(long, value_name = "CLASS")]
    one_class: Option<String>,
    /// A memory bank that has the last word: answers near earlier ones do not contradict them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["shard", "one_class", "at_radius"])]
    bank: Option<PathBuf>,
    /// The seed of all noise; whoever knows it while choosing the inputs can fool the certificate
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The run directory; give the same again to resume [default: runs/ and a readable name]
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Certify only part i of m, counted from 0
    #[arg(long, default_value = "0/1", value_name = "i/m")]
    shard: Shard,
    /// How to write the summary
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Certifies what is missing and prints the summary.
pub fn run(args: &CertifyArgs) -> anyhow::Result<()> {
    // wrong options are told before model and data are opened
    args.method.search(None)?;
    let budget = args.budget.budget(args.method.method)?;
    let setup = Setup::open(&args.model, &args.data)?;
    let search = args.method.search(Some(setup.data.dataset.shape()))?;
    setup.model.notes.iter().for_each(|note| say!("{note}"));
    args.method.remarks().iter().for_each(|remark| say!("{remark}"));
    let one_class = args.one_class.as_ref().map(|class| setup.class(class)).transpose()?;
    let mut spec = setup.spec(setup.selection(&args.selection)?, search, budget, one_class, args.seed);
    if let Some(bank) = &args.bank {
        spec.bank = Some(crate::setup::file_name(bank));
        spec.guarantee = Guarantee::MemoryBank;
    }
    let classifier = setup.classifier();
    let sampler = setup.sampler(&*classifier)?;
    if let Some(passes) = args.method.passes {
        spec.search = priced(&setup, &sampler, &spec, passes)?;
    }
    let dir = args.run.clone().unwrap_or_else(|| readable_name(&spec, &args.model.model));
    if let Some(bank) = args.bank.as_ref().filter(|bank| !bank.exists() && dir.join("spec.json").exists()) {
        // a new bank has said nothing of what the run has
        let answers = Run::open(&dir, &spec, args.shard)?.done.len();
        let (bank, dir) = (bank.display(), dir.display());
        ensure!(
            answers == 0,
            "{bank}: there is no bank here, but {dir} has {answers} answers of one; give that"
        );
    }
    let mut teller = args.bank.as_ref().map(|bank| Teller::open(bank, &spec)).transpose()?;
    let failed = certify_into(&setup, &sampler, &spec, (&dir, args.shard), teller.as_mut())?;
    summarize(&dir, args.format)?;
    if failed > 0 {
        let notes = dir.join("results.tsv");
        bail!(
            "{failed} inputs have no certificate because their scores are not finite; see the notes in {}",
            notes.display()
        );
    }
    Ok(())
}

/// How many inputs tell the price of a draw.
const PILOTS: usize = 20;

/// [`PILOTS`] of the ids, spread evenly, because data are often sorted by class; all of them if there are fewer.
fn pilots(ids: &[u32]) -> impl Iterator<Item = u32> {
    let count = PILOTS.min(ids.len());
    (0..count).map(move |number| ids[number * ids.len() / count])
}

/// PROBE's search with the λ that takes `passes` per input. The same command finds the same λ again: its
/// draws belong to seed and input like all others.
fn priced(setup: &Setup, sampler: &MonteCarlo, spec: &Spec, passes: u64) -> anyhow::Result<SearchSpec> {
    let SearchSpec::Probe(search) = &spec.search else {
        bail!("only --method probe chooses the number of draws; leave --passes out, or see --n");
    };
    let question = spec.one_class.map(|class| OneClass { inner: sampler, class });
    let asked: &dyn SampleUnderNoise = question.as_ref().map_or(sampler, |question| question);
    let before = sampler.passes();
    let ids: Vec<u32> = spec.selection.ids().collect();
    let pilots = pilots(&ids).map(|id| {
        let example = setup.example(id)?;
        let address = (spec.seed, id);
        let mut probe = Probe::new(asked, &example.pixels, address, spec.budget.alpha, spec.budget.n);
        search.pilot(&mut probe)
    });
    let search = search.clone().for_passes(passes, &pilots.collect::<Result<Vec<_>, Error>>()?)?;
    let spent = sampler.passes() - before;
    say!("{passes} passes per input: λ = {}, found with {spent} passes that no record counts", search.lambda);
    Ok(SearchSpec::Probe(search))
}

/// Certifies what is missing in `dir`, with progress and perhaps a bank that has the last word; how many inputs
/// have scores that cannot vote.
pub fn certify_into(
    setup: &Setup,
    sampler: &MonteCarlo,
    spec: &Spec,
    (dir, shard): (&Path, Shard),
    mut bank: Option<&mut Teller>,
) -> anyhow::Result<u32> {
    ensure!(
        !shard.ids(spec).is_empty(),
        "no input is selected; --skip, --offset, --max, --count, --of-class and --shard leave nothing of {}",
        spec.selection.of
    );
    let mut run = Run::open(dir, spec, shard)?;
    if let Some(bank) = &bank {
        bank.remembers(&run.done).with_context(|| dir.display().to_string())?;
    }
    announce(spec, dir, &run);
    let mut tally = Tally::default();
    run.done.iter().for_each(|record| tally.add(record));
    let todo = run.ids().len() - run.done.len();
    let most = spec.search.passes(spec.budget.n0, spec.budget.n);
    let progress = Progress::new(tally.expects(most) * todo as u64);
    let input = |index| setup.example(index).map(|example| (example.pixels, example.label));
    let in_flight = 2 * setup.args.threads(); // while a search thinks, looks of others wait for its thread
    let result = progress.watch(sampler, || {
        run.certify(sampler, &input, in_flight, |record| {
            if let Some(bank) = &mut bank {
                bank.answer(record, &setup.example(record.index)?.pixels)?;
            }
            tally.add(record);
            progress.expect(tally.expects(most) * todo as u64);
            progress.say(tally.words(spec));
            Ok(())
        })
    });
    if let Err(Error::Interrupted) = result {
        let (done, all) = (run.done.len(), run.ids().len());
        let how = format!(
            "{}: stopped after {done} of {all} inputs; the same command goes on where it was interrupted",
            dir.display()
        );
        return Err(anyhow::Error::from(Error::Interrupted).context(how));
    }
    result?;
    Ok(tally.failed)
}

/// runs/MODEL-METHOD-SIGMA-N-HASH: the same command finds the same directory again.
fn readable_name(spec: &Spec, model: &Path) -> PathBuf {
    let (method, sigma) = match &spec.search {
        SearchSpec::Cohen(search) => ("cohen", search.sigma),
        SearchSpec::Grid(search) => ("grid", search.sigma),
        SearchSpec::Qcrs(search) => ("qcrs", search.sigma),
        SearchSpec::Ddrs(search) => ("ddrs", search.sigma),
        SearchSpec::InstaRs(search) => ("insta-rs", search.ascent.sigma),
        SearchSpec::Iss(search) => ("iss", search.sigma),
        SearchSpec::Dsrs(search) => ("dsrs", search.sigma),
        SearchSpec::Probe(search) => ("probe", search.sigma),
    };
    // many a model is called model.onnx in a folder that has its name
    let folder =
        model.parent().filter(|folder| spec.model.name == "model.onnx" && folder.file_name().is_some());
    let model = folder.map_or_else(|| spec.model.name.clone(), crate::setup::file_name);
    let model = model.trim_end_matches(".onnx");
    let text = serde_json::to_string(spec).unwrap_or_default();
    let hash = &blake3::hash(text.as_bytes()).to_hex()[..6];
    Path::new("runs").join(format!("{model}-{method}-s{}-n{}-{hash}", sigma.get(), spec.budget.n))
}

fn announce(spec: &Spec, dir: &Path, run: &Run) {
    let alpha = spec.budget.alpha.share(spec.search.certificates() as usize);
    let smallest = smallest_n(alpha);
    if u64::from(spec.budget.n) < smallest {
        let (n, alpha) = (spec.budget.n, alpha.get());
        say!(
            "every input will abstain: n = {n} draws prove nothing at α = {alpha}; give --n {smallest} or more"
        );
    }
    let (done, all) = (run.done.len(), run.ids().len());
    let dir = dir.display();
    if done == all {
        say!("{dir}: all {all} inputs are there already");
    } else if done > 0 {
        say!("{dir}: going on after {done} of {all} inputs");
    } else {
        say!("{dir}: {all} inputs of {}", spec.data.name);
    }
}

/// What the progress bar says.
#[derive(Default)]
struct Tally {
    inputs: u32,
    passes: u64,
    labelled: bool,
    radii: f64,
    abstained: u32,
    failed: u32,
}

impl Tally {
    fn add(&mut self, record: &Record) {
        self.inputs += 1;
        self.labelled |= record.label.is_some();
        if let Finding::Outcome(outcome) = &record.finding {
            self.passes += outcome.passes();
        }
        match (&record.finding, record.certified()) {
            (Finding::Failed { .. }, None) => self.failed += 1,
            (_, None) => self.abstained += 1,
            (_, Some(ball)) if record.label == Some(ball.class) => self.radii += ball.radius,
            (_, Some(_)) => {}
        }
    }

    /// The passes that one more input will take, as the others did: PROBE may take many more than it does.
    fn expects(&self, most: u64) -> u64 {
        self.passes.checked_div(self.inputs.into()).unwrap_or(most)
    }

    fn words(&self, spec: &Spec) -> String {
        let Self { inputs, abstained, .. } = self;
        let acr = self.radii / f64::from(*inputs);
        let has_acr = self.labelled && spec.budget.at_radius.is_none();
        let acr = if has_acr { format!(", ACR {}", down(acr, 3)) } else { String::new() };
        format!("{inputs} inputs{acr}, {abstained} abstained")
    }
}

/// Answers that are shown one by one.
const ANSWERS: usize = 10;

fn summarize(dir: &Path, format: Format) -> anyhow::Result<()> {
    let stored = run::read(dir)?;
    let name = crate::setup::file_name(dir);
    let table = Table::of(name, &stored)?;
    let answers =
        (table.rows.len() <= ANSWERS || !table.labelled()).then(|| report::answers(&table, ANSWERS));
    let analysis = Analysis::new(vec![table], &Options::default())?;
    match format {
        Format::Text => {
            answers.map_or(Ok(()), |answers| output::print(&format!("{answers}\n")))?;
            output::print(&report::text(&analysis))?;
            output::print(&format!("every answer: {}", dir.join("results.tsv").display()))?;
            output::print(&format!("next: qcrs report {} --html report.html", dir.display()))
        }
        Format::Json => output::print(&report::json(&analysis)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qcrs::certify::{Outcome, Reason, Verdict};
    use qcrs::search::Look;
    use qcrs::types::Sigma;

    #[test]
    fn pilots_come_from_everywhere() {
        let ids: Vec<u32> = (0..1000).step_by(5).collect();
        let chosen: Vec<u32> = pilots(&ids).collect();
        assert_eq!((chosen.len(), chosen[0], chosen[19]), (20, 0, 950));
        assert_eq!(pilots(&[3, 8, 9]).collect::<Vec<_>>(), [3, 8, 9]);
        assert_eq!(pilots(&[]).next(), None);
    }

    #[test]
    fn the_next_input_is_expected_to_cost_what_the_others_did() {
        let record = |votes| Record {
            index: 0,
            label: None,
            finding: Finding::Outcome(Outcome {
                looks: vec![Look::new(Sigma::new(0.5).unwrap(), votes)],
                selection: None,
                posterior: None,
                estimates: Vec::new(),
                verdict: Verdict::Abstain(Reason::NotTried),
            }),
            bank: None,
        };
        let mut tally = Tally::default();
        assert_eq!(tally.expects(1000), 1000);
        tally.add(&record([(0, 30)].into_iter().collect()));
        tally.add(&record([(0, 5), (1, 15)].into_iter().collect()));
        assert_eq!(tally.expects(1000), 25);
    }
}
