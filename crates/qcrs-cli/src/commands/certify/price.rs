//! Which λ takes so many passes?

use crate::output::say;
use crate::setup::Setup;
use anyhow::bail;
use qcrs::method::{AnyMethod, Scout};
use qcrs::run::Spec;
use qcrs::sample::{Input, MonteCarlo, OneClass, SampleUnderNoise};
use qcrs::types::Error;

/// How many inputs tell the price of a draw.
const PILOTS: usize = 20;

/// [`PILOTS`] of the ids, spread evenly, because data are often sorted by class; all of them if there are fewer.
fn pilots(ids: &[u32]) -> impl Iterator<Item = u32> {
    let count = PILOTS.min(ids.len());
    (0..count).map(move |number| ids[number * ids.len() / count])
}

/// PROBE's search with the λ that takes `passes` per input. The same command finds the same λ again: its
/// draws belong to seed and input like all others.
pub fn priced(setup: &Setup, sampler: &MonteCarlo, spec: &Spec, passes: u64) -> anyhow::Result<AnyMethod> {
    let AnyMethod::Probe(search) = &*spec.method else {
        bail!("only --method probe chooses the number of draws; leave --passes out, or see --n");
    };
    let question = spec.one_class.map(|class| OneClass { inner: sampler, class });
    let asked: &dyn SampleUnderNoise = question.as_ref().map_or(sampler, |question| question);
    let before = sampler.passes();
    let ids: Vec<u32> = spec.selection.ids().collect();
    let pilots = pilots(&ids).map(|id| {
        let example = setup.example(id)?;
        let input = Input { pixels: &example.pixels, seed: spec.seed, index: id };
        let mut scout = Scout::new(asked, &input, spec.budget.alpha(), spec.budget.n());
        search.pilot(&mut scout)
    });
    let search = search.clone().for_passes(passes, &pilots.collect::<Result<Vec<_>, Error>>()?)?;
    let spent = sampler.passes() - before;
    say!("{passes} passes per input: λ = {}, found with {spent} passes that no record counts", search.lambda);
    Ok(AnyMethod::Probe(search))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pilots_come_from_everywhere() {
        let ids: Vec<u32> = (0..1000).step_by(5).collect();
        let chosen: Vec<u32> = pilots(&ids).collect();
        assert_eq!((chosen.len(), chosen[0], chosen[19]), (20, 0, 950));
        assert_eq!(pilots(&[3, 8, 9]).collect::<Vec<_>>(), [3, 8, 9]);
        assert_eq!(pilots(&[]).next(), None);
    }
}
