//! Who asks the bank while a run goes on?

use super::add::{certificate, classifier};
use anyhow::{Context, ensure};
use qcrs::run::{Ball, BankReason, FromBank, Record, Spec};
use qcrs::types::Error;
use qcrs_bank::{Abstention, Answer, Bank, Source, Why};
use std::path::Path;

/// A bank that has the last word on every record of a run.
pub struct Teller {
    bank: Bank,
    spec: Spec,
    run: String,
}

impl Teller {
    /// Opens the bank in `dir` for the run with this spec.
    pub fn open(dir: &Path, spec: &Spec) -> anyhow::Result<Self> {
        let mut bank = Bank::open(dir, spec.data.shape)?;
        bank.belong_to(&classifier(&spec.model)?).with_context(|| dir.display().to_string())?;
        Ok(Self { bank, run: run_name(spec)?, spec: spec.clone() })
    }

    /// The same for reading: nothing is added.
    pub fn read(dir: &Path, spec: &Spec) -> anyhow::Result<Self> {
        Ok(Self { bank: Bank::read(dir)?, run: run_name(spec)?, spec: spec.clone() })
    }

    /// Adds what the bank says of a record about the input `x`. A record that was lost in a crash gets the same
    /// answer when it comes again.
    pub fn answer(&mut self, record: &mut Record, x: &[f32]) -> Result<(), Error> {
        let answer =
            self.bank.add_once(self.source(record), x, self.spec.budget.alpha(), certificate(record))?;
        record.bank = Some(recorded(answer));
        Ok(())
    }

    /// Makes sure that it was this bank that answered to the records of a run: another one would contradict them.
    pub fn remembers(&self, done: &[Record]) -> anyhow::Result<()> {
        for record in done {
            let said = self.bank.said(&self.source(record)).map(recorded);
            ensure!(
                said == record.bank,
                "the bank has not said what this run has about input {}; give the bank that the run began with, or begin \
                 another run",
                record.index
            );
        }
        Ok(())
    }

    fn source(&self, record: &Record) -> Source {
        Source { run: self.run.clone(), input: record.index }
    }
}

/// An answer as records keep it.
fn recorded(answer: Answer) -> FromBank {
    let (ball, why) = match answer {
        Answer::Class { class, radius, why } => {
            let why = match why {
                Why::Own => BankReason::AsCertified,
                Why::Cut(entry) => BankReason::CutBy(entry),
                Why::Inherited(entry) => BankReason::Inside(entry),
            };
            (Some(Ball { class, radius }), why)
        }
        Answer::Abstain(Abstention::Own) => (None, BankReason::NoCertificate),
        Answer::Abstain(Abstention::NothingLeft(entry)) => (None, BankReason::Touches(entry)),
    };
    FromBank { ball, why }
}

/// What names a run in a bank.
pub fn run_name(spec: &Spec) -> anyhow::Result<String> {
    Ok(blake3::hash(serde_json::to_string(spec)?.as_bytes()).to_string())
}
