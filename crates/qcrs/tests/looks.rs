//! Looks at several σ share the classifier's batches, and nobody can tell from the votes.

mod common;

use common::{alpha, budget, sigma};
use qcrs::certify::certify;
use qcrs::method::{Probe, Scout};
use qcrs::noise::{Draws, NoiseKind, Phase, Stream};
use qcrs::sample::{Classifier, Input, MonteCarlo, OneClass, SampleUnderNoise, Smoothed, Votes};
use qcrs::testing::Cells;
use qcrs::types::Error;
use std::sync::Mutex;

const STREAM: Stream = Stream { seed: 7, input: 3, phase: Phase::Search };
const X: [f32; 1] = [0.3];

/// A request of three laws, of which one has no draws, and of other draws of the first.
fn request() -> Vec<(Smoothed, Draws)> {
    let part = |level, range| (Smoothed::gaussian(sigma(level)), Draws { stream: STREAM, range });
    vec![part(0.5, 3..27), part(1.1, 27..27), part(2.0, 27..67), part(0.5, 90..131)]
}

/// What `ask` gives with any batch, on one thread and on many.
fn any_way<T: Send>(classifier: &dyn Classifier, ask: impl Fn(&MonteCarlo) -> T + Sync) -> Vec<T> {
    let mut all = Vec::new();
    for threads in [1, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for batch in [1, 7, 16, 32, 1000] {
            all.push(pool.install(|| ask(&MonteCarlo::new(classifier, batch).under(NoiseKind::Float))));
        }
    }
    all
}

#[test]
fn a_request_is_its_parts_in_any_batch_on_any_number_of_threads() {
    let one_by_one = |sampler: &dyn SampleUnderNoise| -> Vec<Votes> {
        let ask = |(g, draws): &(Smoothed, Draws)| sampler.sample_under_noise(&X, *g, draws);
        request().iter().map(ask).collect::<Result<_, Error>>().unwrap()
    };
    let whole = MonteCarlo::new(&Cells, 1000).under(NoiseKind::Float);
    let expected = one_by_one(&whole);
    assert_eq!(expected.iter().map(Votes::total).collect::<Vec<_>>(), [24, 0, 40, 41]);
    for found in any_way(&Cells, |sampler| sampler.sample_each(&X, &request()).unwrap()) {
        assert_eq!(found, expected);
    }
    let expected = one_by_one(&OneClass { inner: &whole, class: 2 });
    for found in any_way(&Cells, |inner| OneClass { inner, class: 2 }.sample_each(&X, &request()).unwrap()) {
        assert_eq!(found, expected);
    }
    assert_eq!(whole.sample_each(&X, &[]).unwrap(), []);
}

/// Notes how many copies it is asked about at a time.
struct Counting(Mutex<Vec<usize>>);

impl Classifier for Counting {
    fn input_len(&self) -> usize {
        1
    }
    fn num_classes(&self) -> usize {
        3
    }
    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
        self.0.lock().unwrap().push(batch.len());
        Cells.logits(batch, out)
    }
}

impl Counting {
    fn new() -> Self {
        Self(Mutex::default())
    }

    fn calls(self) -> Vec<usize> {
        self.0.into_inner().unwrap()
    }
}

#[test]
fn looks_of_one_request_share_batches() {
    let round = [0.2, 0.5, 1.1, 1.3].map(|level| (sigma(level), 24));
    let (apart, together) = (Counting::new(), Counting::new());
    let sampler = MonteCarlo::new(&apart, 32).under(NoiseKind::Float);
    let mut scout = Scout::new(&sampler, &Input { pixels: &X, seed: 7, index: 3 }, alpha(0.001), 1000);
    let looks = round.map(|(level, n)| scout.look(level, n).unwrap());
    let sampler = MonteCarlo::new(&together, 32).under(NoiseKind::Float);
    let mut other = Scout::new(&sampler, &Input { pixels: &X, seed: 7, index: 3 }, alpha(0.001), 1000);
    assert_eq!(other.looks(&round).unwrap(), looks);
    assert_eq!(other.into_evidence(), scout.into_evidence());
    assert_eq!((apart.calls(), together.calls()), (vec![24; 4], vec![32; 3]));
}

/// Every round of PROBE is one request: the first of eight looks of 16 and one of 64, the others of up to four.
#[test]
fn a_round_of_probe_is_one_request() {
    let search = Probe { most: 400, ..Probe::new(sigma(0.5), [sigma(0.12), sigma(1.7)], 0.0) };
    let classifier = Counting::new();
    let sampler = MonteCarlo::new(&classifier, 10_000).under(NoiseKind::Float);
    let outcome =
        certify(&search, &budget(1, 50, alpha(0.001)), &sampler, &Input { pixels: &X, seed: 7, index: 3 })
            .unwrap();
    let calls = classifier.calls();
    assert_eq!((calls[0], calls.last()), (192, Some(&50)), "{calls:?}");
    assert!(calls.len() > 3 && outcome.looks.len() > calls.len() + 8, "{calls:?}");
    assert_eq!(calls.iter().sum::<usize>() as u64, outcome.passes());
}

/// Fails where the noise is strong.
struct Fragile;

impl Classifier for Fragile {
    fn input_len(&self) -> usize {
        1
    }
    fn num_classes(&self) -> usize {
        2
    }
    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
        for (&x, row) in batch.iter().zip(out.chunks_mut(2)) {
            row.copy_from_slice(&[0.0, if x > 2.5 { f32::NAN } else { x }]);
        }
        Ok(())
    }
}

/// Of several draws that fail, the first is named, whichever thread met its own first.
#[test]
fn the_first_draw_that_fails_is_named() {
    let fails = |(Smoothed { noise, .. }, draws): (Smoothed, Draws)| {
        draws.range.filter(move |&draw| {
            let mut copy = [0.0];
            noise.copies_of(&X).unwrap().write(&STREAM, draw, &mut copy);
            copy[0] > 2.5
        })
    };
    let failing: Vec<u32> = request().into_iter().flat_map(fails).collect();
    assert!(failing.len() > 3 && failing[0] >= 27, "{failing:?}");
    for found in any_way(&Fragile, |sampler| sampler.sample_each(&X, &request())) {
        assert!(matches!(found, Err(Error::NotFinite { draw, .. }) if draw == failing[0]), "{found:?}");
    }
}
