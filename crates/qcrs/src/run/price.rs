//! Which λ takes a given number of passes?

use super::{Inputs, Spec};
use crate::method::{AnyMethod, Method, Scout};
use crate::sample::{Input, OneClass, SampleUnderNoise};
use crate::types::Error;

/// How many inputs tell the price of a draw.
const PILOTS: usize = 20;

/// PROBE with the λ at which the inputs of `spec` take about `passes` each, judged by some of them. The same
/// question gives the same λ again: its draws belong to seed and input like all others, and to the search, so
/// they never certify.
pub fn priced(
    spec: &Spec,
    sampler: &dyn SampleUnderNoise,
    inputs: &Inputs<'_>,
    passes: u64,
) -> Result<Method, Error> {
    let AnyMethod::Probe(probe) = &*spec.method else {
        let problem = "only the method probe chooses the number of draws; leave this out, or set n";
        return Err(Error::setting("passes", problem));
    };
    let question = spec.one_class.map(|class| OneClass { inner: sampler, class });
    let sampler: &dyn SampleUnderNoise = question.as_ref().map_or(sampler, |question| question);
    let ids: Vec<u32> = spec.selection.ids().collect();
    let pilots = pilots(&ids).map(|index| {
        let example = inputs(index)?;
        let input = Input { pixels: &example.pixels, seed: spec.seed, index };
        probe.pilot(&mut Scout::new(sampler, &input, spec.budget.alpha(), spec.budget.n()))
    });
    let pilots = pilots.collect::<Result<Vec<_>, Error>>()?;
    Method::new(AnyMethod::Probe(probe.clone().for_passes(passes, &pilots)?))
}

/// [`PILOTS`] of the ids, spread evenly, because data are often sorted by class; all of them if there are
/// fewer.
fn pilots(ids: &[u32]) -> impl Iterator<Item = u32> {
    let count = PILOTS.min(ids.len());
    (0..count).map(move |number| ids[number * ids.len() / count])
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
