//! Can any program ask a bank in a run, with the libraries alone?

#[path = "../../qcrs/tests/common/mod.rs"]
mod common;

use common::{DIM, alpha, budget, cohen, spec};
use qcrs::data::Example;
use qcrs::noise::NoiseKind;
use qcrs::run::{self, BankReason, Depth, Record, Run, Shard, Spec};
use qcrs::sample::MonteCarlo;
use qcrs::testing::HalfSpace;
use qcrs::types::Error;
use qcrs_bank::Teller;
use std::path::Path;

#[allow(clippy::unnecessary_wraps)] // the shape that a run asks for
fn input(index: u32) -> Result<Example, Error> {
    let mut pixels = vec![0.0; DIM];
    pixels[0] = index as f32 * 0.1 - 0.4;
    Ok(Example::new(pixels, None))
}

fn certify(root: &Path, run: &str, spec: &Spec, bank: &str) -> Result<Vec<Record>, Error> {
    let mut teller = Teller::open(&root.join(bank), spec)?;
    let sampler = MonteCarlo::new(&HalfSpace { dim: DIM }, 16).under(NoiseKind::Float);
    let mut run = Run::open(&root.join(run), spec, Shard::WHOLE)?;
    teller.remembers(&run.done)?;
    run.certify(&sampler, &input, 2, |record, pixels| teller.answer(record, pixels).map(Some))?;
    Ok(run.done)
}

#[test]
fn the_records_of_a_run_keep_what_the_bank_says() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let first = Spec { bank: Some("bank".into()), ..spec(cohen(0.5), budget(20, 200, alpha(0.01)), 8) };
    let first = Spec { guarantee: first.promise(), ..first };
    let second = Spec { seed: 1, ..first.clone() };
    let why = |records: Vec<Record>| -> Vec<BankReason> {
        records.into_iter().map(|record| record.bank.unwrap().why).collect()
    };

    let alone = why(certify(root, "first", &first, "bank").unwrap());
    assert!(alone.contains(&BankReason::AsCertified) && !alone.contains(&BankReason::Inside(0)), "{alone:?}");
    let beside = why(certify(root, "second", &second, "bank").unwrap());
    assert!(beside.contains(&BankReason::Inside(0)), "{beside:?}");

    // who reads the run can compare it with the bank
    let stored = run::read(&root.join("second"), Depth::Whole).unwrap();
    Teller::read(&root.join("bank"), &stored.spec).unwrap().remembers(&stored.records).unwrap();
    // a bank keeps certificates of one kind of noise
    let lattice = Spec { noise: NoiseKind::default(), ..first.clone() };
    let error = Teller::open(&root.join("bank"), &lattice).err().unwrap().to_string();
    assert!(error.contains("under noise in steps of 1/255"), "{error}");
    // another bank has not said this, and does not go on with the run
    let error = certify(root, "second", &second, "other").unwrap_err().to_string();
    assert!(error.starts_with("the bank's answer to input 0 is not the one in this run"), "{error}");
}
