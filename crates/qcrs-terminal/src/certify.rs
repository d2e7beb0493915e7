//! How is a run certified with its progress on a terminal?

mod tally;

use crate::output::say;
use crate::progress::{PassesBar, patiently};
use crate::setup::Setup;
use anyhow::{Context, ensure};
use qcrs::bounds::smallest_n;
use qcrs::certify::Bound;
use qcrs::run::{Record, Run, Shard, Spec};
use qcrs::sample::MonteCarlo;
use qcrs::text::counted;
use qcrs::types::Error;
use qcrs_bank::Teller;
use std::path::Path;
use std::sync::Arc;
use tally::RunTally;

/// Certifies what is missing in `dir`, with progress, and with a bank that has the last word if there is one;
/// returns how many inputs failed.
pub fn certify_into(
    setup: &Setup,
    sampler: &MonteCarlo,
    spec: &Spec,
    (dir, shard): (&Path, Shard),
    mut bank: Option<&mut Teller>,
) -> anyhow::Result<u32> {
    ensure_selected(spec, shard)?;
    let here = dir.display();
    let is_new = !dir.join("spec.json").exists();
    if is_new {
        setup.check_images(&shard.ids(spec))?;
    }
    let opened = || setup.pool.install(|| Run::open(dir, spec, shard));
    let run = patiently(&format!("{here}: verifying the existing records"), opened)?;
    let mut run = run.on(Arc::clone(&setup.pool));
    let inputs = |index| setup.example(index);
    patiently(&format!("{here}: comparing the existing records with the data"), || run.compare(&inputs))?;
    if !is_new {
        setup.check_images(&run.todo())?;
    }
    if let Some(bank) = &bank {
        bank.remembers(&run.done).with_context(|| dir.display().to_string())?;
    }
    announce(spec, dir, &run);
    let mut tally = RunTally::default();
    run.known().for_each(|record| tally.add(record));
    let todo = run.todo().len();
    let most = spec.method.passes(spec.budget.n0(), spec.budget.n());
    let progress = PassesBar::new(tally.expects(most) * todo as u64);
    let in_flight = 2 * setup.settings.options.threads; // searches think between their looks, and others fill the gap
    let result = progress.watch(sampler, || {
        run.certify(sampler, &inputs, in_flight, |record, pixels| {
            let bank = bank.as_mut().map(|bank| bank.answer(record, pixels)).transpose()?;
            tally.add(&Record { bank: bank.clone(), ..record.clone() });
            progress.expect(tally.expects(most) * todo as u64);
            progress.say(&tally.words(spec));
            Ok(bank)
        })
    });
    if let Err(Error::Interrupted | Error::Io { .. }) = result {
        let (done, all) = (run.known().count(), run.ids().len());
        return result.map(|()| 0).with_context(|| {
            format!("{here}: stopped after {done} of {all} inputs; run the same command again to resume")
        });
    }
    result?;
    Ok(tally.failed)
}

/// Makes sure that the shard has at least one input.
pub fn ensure_selected(spec: &Spec, shard: Shard) -> anyhow::Result<()> {
    ensure!(
        !shard.ids(spec).is_empty(),
        "no input is selected; --skip, --offset, --max, --count, --of-class and --shard exclude all {} inputs",
        spec.selection.of
    );
    Ok(())
}

fn announce(spec: &Spec, dir: &Path, run: &Run) {
    let sides = if spec.budget.bound() == Bound::TwoSided { 2 } else { 1 };
    let alpha = spec.budget.alpha().share(spec.method.facts().certificates as usize).share(sides);
    let smallest = smallest_n(alpha);
    if u64::from(spec.budget.n()) < smallest {
        let (n, alpha) = (spec.budget.n(), alpha.get());
        say!(
            "every input will abstain: n = {n} draws prove nothing at α = {alpha}; use --n {smallest} or more"
        );
    }
    let (done, all) = (run.known().count(), run.ids().len());
    let dir = dir.display();
    if done == all {
        say!("{dir}: all {all} inputs are already done");
    } else if done > 0 {
        say!("{dir}: resuming after {done} of {all} inputs");
    } else {
        say!("{dir}: {} of {}", counted(all, "input"), spec.data.name);
    }
}
