//! How far is a request, and how does it stand?

use super::monte_carlo::cut;
use super::{SampleUnderNoise, Smoothed, SoftVotes, Votes};
use crate::noise::Draws;
use crate::types::{Error, Sigma};

/// Cuts every request into pieces and reports each as soon as it is counted: live progress for whatever asks
/// `inner`.
///
/// The votes are those of `inner` for every size of the pieces. With an engine whose last bits depend on the
/// batch, choose a multiple of the batch size: then the batches are the same as without pieces.
pub struct Watched<'a> {
    /// The sampler that is asked.
    pub inner: &'a dyn SampleUnderNoise,
    /// The most draws of a piece; at least one.
    pub piece: u32,
    /// Is told about every piece: which smoothed classifier, the draws of the piece, and all its votes so far
    /// in the request. A request for several may end one and begin the next within a piece; each is reported
    /// separately.
    pub on: &'a (dyn Fn(Smoothed, &Draws, &Votes) + Sync),
}

impl Watched<'_> {
    /// The pieces of a request, at least one; each has all the `parts`, most of them without draws.
    fn pieces(&self, parts: &[(Smoothed, Draws)]) -> impl Iterator<Item = Vec<(Smoothed, Draws)>> {
        let (all, piece) = (parts.iter().map(len).sum::<u64>(), u64::from(self.piece.max(1)));
        (0..all.div_ceil(piece).max(1)).map(move |number| cut(parts, number * piece..(number + 1) * piece))
    }

    /// Adds the votes for a piece of one of the parts to those before it, and reports it.
    fn count(&self, so_far: &mut Votes, (g, draws): &(Smoothed, Draws), votes: Votes) -> Result<(), Error> {
        *so_far = std::mem::take(so_far).merge(votes.for_each_of(draws)?);
        if !draws.range.is_empty() {
            (self.on)(*g, draws, so_far);
        }
        Ok(())
    }
}

fn len((_, draws): &(Smoothed, Draws)) -> u64 {
    draws.range.len() as u64
}

impl SampleUnderNoise for Watched<'_> {
    fn sample_under_noise(&self, x: &[f32], g: Smoothed, draws: &Draws) -> Result<Votes, Error> {
        let mut so_far = Votes::default();
        for piece in self.pieces(&[(g, draws.clone())]).flatten() {
            let votes = self.inner.sample_under_noise(x, g, &piece.1)?;
            self.count(&mut so_far, &piece, votes)?;
        }
        Ok(so_far)
    }

    fn sample_each(&self, x: &[f32], parts: &[(Smoothed, Draws)]) -> Result<Vec<Votes>, Error> {
        let mut so_far = vec![Votes::default(); parts.len()];
        for piece in self.pieces(parts) {
            let each = self.inner.sample_each(x, &piece)?;
            if each.len() != parts.len() {
                return Err(Error::Engine(format!("{} tallies for {} parts", each.len(), parts.len())));
            }
            for ((so_far, part), votes) in so_far.iter_mut().zip(&piece).zip(each) {
                self.count(so_far, part, votes)?;
            }
        }
        Ok(so_far)
    }

    fn soft_sample(&self, x: &[f32], g: Smoothed, draws: &Draws) -> Result<(Votes, SoftVotes), Error> {
        let (mut so_far, mut soft_so_far) = (Votes::default(), SoftVotes::default());
        for piece in self.pieces(&[(g, draws.clone())]).flatten() {
            let (votes, soft) = self.inner.soft_sample(x, g, &piece.1)?;
            self.count(&mut so_far, &piece, votes)?;
            soft_so_far = soft_so_far.merge(soft);
        }
        Ok((so_far, soft_so_far))
    }

    fn at(&self, sigma: Sigma) -> Smoothed {
        self.inner.at(sigma)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Phase, Stream};
    use crate::sample::MonteCarlo;
    use crate::testing::Cells;
    use crate::types::Sigma;
    use std::sync::Mutex;

    const X: [f32; 1] = [0.4];
    const SIZES: [u32; 7] = [0, 1, 7, 16, 33, 1000, u32::MAX];

    fn draws(input: u32, range: std::ops::Range<u32>) -> Draws {
        Draws { stream: Stream { seed: 5, input, phase: Phase::Search }, range }
    }

    fn noise(sigma: f64) -> Smoothed {
        Smoothed::gaussian(Sigma::new(sigma).unwrap())
    }

    /// Asks with pieces of every size, and checks that what was told adds up to `parts` and `expected`.
    fn the_same_in_pieces<T: PartialEq + std::fmt::Debug>(
        parts: &[(Smoothed, Draws)],
        ask: impl Fn(&dyn SampleUnderNoise) -> T,
        votes: impl Fn(&T) -> Vec<Votes>,
    ) {
        let plain = MonteCarlo::new(&Cells, 16);
        let expected = ask(&plain);
        for piece in SIZES {
            let told: Mutex<Vec<(Smoothed, Draws, Votes)>> = Mutex::default();
            let on = |noise, draws: &Draws, votes: &Votes| {
                told.lock().unwrap().push((noise, draws.clone(), votes.clone()));
            };
            let watched = Watched { inner: &plain, piece, on: &on };
            assert_eq!(ask(&watched), expected, "pieces of {piece}");
            let told = told.into_inner().unwrap();
            assert!(told.iter().all(|(_, draws, _)| draws.range.len() <= piece.max(1) as usize));
            for ((noise, draws), expected) in parts.iter().zip(votes(&expected)) {
                let mut of_it = told.iter().filter(|(n, d, _)| n == noise && d.stream == draws.stream);
                let heard: Vec<u32> = of_it.clone().flat_map(|(_, draws, _)| draws.range.clone()).collect();
                assert_eq!(heard, draws.range.clone().collect::<Vec<_>>(), "pieces of {piece}");
                let last = of_it.next_back().map(|(.., votes)| votes.clone());
                assert_eq!(last.unwrap_or_default(), expected, "pieces of {piece}");
            }
        }
    }

    #[test]
    fn votes_are_the_same_in_pieces_of_every_size_and_all_are_told() {
        let one = [(noise(0.7), draws(3, 11..345))];
        let ask = |sampler: &dyn SampleUnderNoise| sampler.sample_under_noise(&X, one[0].0, &one[0].1);
        the_same_in_pieces(&one, |sampler| ask(sampler).unwrap(), |votes| vec![votes.clone()]);
    }

    #[test]
    fn soft_votes_are_the_same_too() {
        let one = [(noise(0.7), draws(3, 11..345))];
        let ask = |sampler: &dyn SampleUnderNoise| sampler.soft_sample(&X, one[0].0, &one[0].1);
        the_same_in_pieces(&one, |sampler| ask(sampler).unwrap(), |(votes, _)| vec![votes.clone()]);
    }

    #[test]
    fn each_of_several_parts_has_its_own_votes() {
        let parts = [
            (noise(0.7), draws(1, 0..100)),
            (noise(0.2), draws(2, 9..9)),
            (noise(1.5), draws(3, 4..27)),
            (noise(0.3), draws(4, 0..64)),
        ];
        let ask = |sampler: &dyn SampleUnderNoise| sampler.sample_each(&X, &parts).unwrap();
        the_same_in_pieces(&parts, ask, Clone::clone);
    }

    /// A wrong request is wrong with no draws as well.
    #[test]
    fn errors_of_the_inner_sampler_come_through() {
        let plain = MonteCarlo::new(&Cells, 16);
        let watched = Watched { inner: &plain, piece: 7, on: &|_, _, _| {} };
        for range in [0..0, 0..100] {
            assert!(watched.sample_under_noise(&[0.0; 2], noise(0.5), &draws(0, range)).is_err());
        }
    }

    /// Loses a vote of the first draw and counts the second twice: the sum looks right.
    struct Shifty;

    impl SampleUnderNoise for Shifty {
        fn sample_under_noise(&self, _: &[f32], _: Smoothed, draws: &Draws) -> Result<Votes, Error> {
            let votes = draws.range.clone().map(|draw| [0, 2, 1][draw.min(2) as usize]).sum();
            Ok(Votes::from_iter([(0, votes)]))
        }
    }

    #[test]
    fn a_piece_that_loses_votes_is_an_error_even_if_the_next_makes_up_for_it() {
        let ask = |piece| {
            Watched { inner: &Shifty, piece, on: &|_, _, _| {} }.sample_under_noise(
                &X,
                noise(0.5),
                &draws(0, 0..9),
            )
        };
        assert_eq!(ask(9).unwrap().total(), 9);
        assert!(ask(1).unwrap_err().to_string().contains("0 votes were cast for 1 draws"));
    }
}
