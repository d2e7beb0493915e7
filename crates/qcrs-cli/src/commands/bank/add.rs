//! `qcrs bank add`

use crate::args::DataArgs;
use crate::output::{self, say};
use anyhow::{Context, bail, ensure};
use qcrs::data::{self, Opened};
use qcrs::noise::NoiseKind;
use qcrs::run::{self, Depth, Difference, Spec, Stored};
use qcrs_bank::{Bank, BankAnswer, CertificateName, Why, certificate, classifier, run_name};
use std::path::PathBuf;

/// What was typed after `qcrs bank add`.
#[derive(clap::Args)]
pub struct AddArgs {
    /// The directory of the bank; it is created if it does not exist
    #[arg(value_name = "BANK")]
    bank: PathBuf,
    /// Run directories, in the order in which they are added
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    #[command(flatten)]
    data: DataArgs,
}

/// Adds the new records and says what became of them.
pub fn run(args: &AddArgs) -> anyhow::Result<()> {
    let runs = args.runs.iter().map(|dir| run::read(dir, Depth::Whole)).collect::<Result<Vec<_>, _>>()?;
    let noise = runs.first().map_or_else(NoiseKind::default, |run| run.spec.noise);
    let opened = args.data.open()?.under(noise)?;
    for (dir, run) in args.runs.iter().zip(&runs) {
        ensure!(
            run.spec.one_class.is_none(),
            "{}: this run answers yes or no about one class, and a bank needs classes; give another run",
            dir.display()
        );
        fits(&run.spec, &opened).with_context(|| dir.display().to_string())?;
        let same = run::compare(&run.spec, &run.records, &opened.inputs(), !opened.contents_hashed);
        same.with_context(|| dir.display().to_string())?;
    }
    let mut bank = Bank::open(&args.bank, opened.dataset.shape())?;
    // a killed process loses nothing; the disk is waited for once per run
    bank.sync_by_hand();
    for (dir, run) in args.runs.iter().zip(&runs) {
        let mut tally = AddTally::default();
        bank.belong_to(&classifier(&run.spec)?).with_context(|| dir.display().to_string())?;
        let added = add(&mut bank, run, &opened, &mut tally);
        bank.sync()?;
        added.with_context(|| dir.display().to_string())?;
        output::print(&format!("{}: {}", dir.display(), tally.words()))?;
    }
    say!("{}: {} balls; next: qcrs bank check {0}", args.bank.display(), bank.len());
    Ok(())
}

/// Whether the images are those of the run, whatever their file is called today.
fn fits(spec: &Spec, opened: &Opened) -> anyhow::Result<()> {
    let here = data::About { name: spec.data.name.clone(), ..opened.about.clone() };
    if let Some(difference) = run::differences(&spec.data, &here)?.first() {
        let Difference { place, used, wanted } = difference;
        bail!(
            "this run is not about --data: its {place} is {used}, that of --data is {wanted}; give the data that qcrs certify used"
        );
    }
    Ok(())
}

fn add(bank: &mut Bank, run: &Stored, opened: &Opened, tally: &mut AddTally) -> anyhow::Result<()> {
    let name = run_name(&run.spec)?;
    for record in &run.records {
        let source = CertificateName { run: name.clone(), input: record.index };
        if bank.said(&source).is_some() {
            tally.known += 1;
            continue;
        }
        let x = opened.dataset.get(record.index as usize)?.pixels;
        let answer = bank.add_once(source, &x, run.spec.budget.alpha(), certificate(record))?;
        tally.count(answer);
    }
    Ok(())
}

/// What became of the records of a run.
#[derive(Default)]
struct AddTally {
    known: u32,
    whole: u32,
    cut: u32,
    inherited: u32,
    abstained: u32,
}

impl AddTally {
    fn count(&mut self, answer: BankAnswer) {
        let counter = match answer {
            BankAnswer::Class { why: Why::Own, .. } => &mut self.whole,
            BankAnswer::Class { why: Why::Cut(_), .. } => &mut self.cut,
            BankAnswer::Class { why: Why::Inherited(_), .. } => &mut self.inherited,
            BankAnswer::Abstain(_) => &mut self.abstained,
        };
        *counter += 1;
    }

    fn words(&self) -> String {
        let Self { known, whole, cut, inherited, abstained } = self;
        let new = whole + cut + inherited + abstained;
        format!(
            "{new} records are new ({whole} balls as certified, {cut} cut, {inherited} inside another ball, \
             {abstained} abstentions), {known} were in the bank before"
        )
    }
}
