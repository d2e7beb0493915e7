//! What does the bank say about each record of a run?

use crate::{Abstention, Bank, BankAnswer, CertificateName, Claim, Why};
use qcrs::run::{Ball, BankReason, FromBank, ModelSpec, Record, Spec};
use qcrs::types::Error;
use std::path::Path;

/// A bank that has the last word on every record of a run.
pub struct Teller {
    bank: Bank,
    spec: Spec,
    run: String,
}

impl Teller {
    /// Opens the bank in `dir` for the run with this spec; makes one if there is none.
    pub fn open(dir: &Path, spec: &Spec) -> Result<Self, Error> {
        let mut bank = Bank::open(dir, spec.data.shape)?;
        bank.belong_to(&classifier(spec)?)?;
        Ok(Self { bank, run: run_name(spec)?, spec: spec.clone() })
    }

    /// The same for reading: nothing is added.
    pub fn read(dir: &Path, spec: &Spec) -> Result<Self, Error> {
        Ok(Self { bank: Bank::read(dir)?, run: run_name(spec)?, spec: spec.clone() })
    }

    /// What the bank says about a record of the input `x`, for [`Run::certify`](qcrs::run::Run::certify). A
    /// record that was lost in a crash gets the same answer when it is made again.
    pub fn answer(&mut self, record: &Record, x: &[f32]) -> Result<FromBank, Error> {
        let (source, alpha) = (self.source(record), self.spec.budget.alpha());
        Ok(recorded(self.bank.add_once(source, x, alpha, certificate(record))?))
    }

    /// Makes sure that this bank gave the answers in the records of a run: another one would contradict them.
    pub fn remembers(&self, done: &[Record]) -> Result<(), Error> {
        for record in done {
            let said = self.bank.said(&self.source(record)).map(recorded);
            if said != record.bank {
                return Err(Error::Invalid(format!(
                    "the bank's answer to input {} is not the one in this run; give the bank that the run began with, or \
                     begin another run",
                    record.index
                )));
            }
        }
        Ok(())
    }

    fn source(&self, record: &Record) -> CertificateName {
        CertificateName { run: self.run.clone(), input: record.index }
    }
}

/// An answer as records keep it.
fn recorded(answer: BankAnswer) -> FromBank {
    let (ball, why) = match answer {
        BankAnswer::Class { class, radius, why } => {
            let why = match why {
                Why::Own => BankReason::AsCertified,
                Why::Cut(entry) => BankReason::CutBy(entry),
                Why::Inherited(entry) => BankReason::Inside(entry),
            };
            (Some(Ball { class, radius }), why)
        }
        BankAnswer::Abstain(Abstention::Own) => (None, BankReason::NoCertificate),
        BankAnswer::Abstain(Abstention::NothingLeft(entry)) => (None, BankReason::Touches(entry)),
    };
    FromBank { ball, why }
}

/// What a run proves about an input; an input whose scores could not vote proves nothing.
pub fn certificate(record: &Record) -> Option<Claim> {
    let own = record.own().filter(|own| own.radius > 0.0)?;
    Some(Claim { class: own.class, radius: own.radius })
}

/// The name of a run in a bank.
pub fn run_name(spec: &Spec) -> Result<String, Error> {
    Ok(blake3::hash(json(spec)?.as_bytes()).to_string())
}

/// What the certificates of a bank have in common, in words.
pub fn classifier(spec: &Spec) -> Result<String, Error> {
    let all = spec.models.iter().map(one_classifier).collect::<Result<Vec<_>, _>>()?.join(" and ");
    // banks of version 0.2 know float noise only, and do not name it
    Ok(match spec.noise.lattice() {
        Some(lattice) => format!("{all} under noise in steps of 1/{}", lattice.steps()),
        None => all,
    })
}

fn one_classifier(model: &ModelSpec) -> Result<String, Error> {
    // name: for people; not_followed: a function of the file that blake3 names
    let ModelSpec {
        name: _,
        blake3,
        engine,
        device,
        precision,
        output,
        transform,
        classes,
        told,
        confidence,
        batch,
        not_followed: _,
    } = model;
    let transform = match transform {
        None => String::new(),
        Some(transform) => format!(" after {}", json(transform)?),
    };
    let batch = batch.map_or(String::new(), |batch| format!(" in batches of {batch}"));
    let told = told.map_or(String::new(), |sigma| format!(" told σ = {}", sigma.get()));
    let confidence = confidence.map_or(String::new(), |least| format!(" where it is {least} sure"));
    Ok(format!(
        "the classifier {blake3} with {classes} {output}{transform}{told}{confidence}, by {engine} on {device} in \
         {precision}{batch}"
    ))
}

fn json(value: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Invalid(format!("cannot write JSON: {error}")))
}
