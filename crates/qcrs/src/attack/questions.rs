//! What does the smoothed classifier answer at a point, as long as the passes last?

use crate::noise::{Draws, Fresh, Noise};
use crate::sample::{SampleUnderNoise, Smoothed, Votes, ask, ask_each};
use crate::types::{Error, Sigma};

/// The most draws whose votes are asked for one by one at a time.
const AT_ONCE: u32 = 1024;

/// Asks one smoothed classifier at many points. Every draw is used once, so that what one draw selected is
/// never judged by the same draw.
pub(super) struct Questions<'a> {
    pub sampler: &'a dyn SampleUnderNoise,
    pub g: Smoothed,
    pub fresh: Fresh,
    /// The passes that are left.
    pub left: u32,
    /// The points that were asked about.
    pub points: u64,
}

impl Questions<'_> {
    /// The votes of `n` fresh draws at `point`, or of as many as are left; `None` if none are.
    pub fn votes(&mut self, point: &[f32], n: u32) -> Result<Option<(Draws, Votes)>, Error> {
        let Some(draws) = self.spend(n)? else { return Ok(None) };
        self.points += 1;
        let votes = ask(self.sampler, point, self.g, &draws)?;
        Ok(Some((draws, votes)))
    }

    /// The same with the vote of every draw by itself.
    pub fn each_vote(&mut self, point: &[f32], n: u32) -> Result<Vec<(Draws, Votes)>, Error> {
        let mut all = Vec::new();
        while let Some(draws) = self.spend((n - all.len() as u32).min(AT_ONCE))? {
            let one = |draw| Draws { stream: draws.stream, range: draw..draw + 1 };
            let parts: Vec<_> = draws.range.clone().map(|draw| (self.g, one(draw))).collect();
            let votes = ask_each(self.sampler, point, &parts)?;
            all.extend(parts.into_iter().map(|(_, draws)| draws).zip(votes));
        }
        self.points += u64::from(!all.is_empty());
        Ok(all)
    }

    fn spend(&mut self, n: u32) -> Result<Option<Draws>, Error> {
        let n = n.min(self.left);
        if n == 0 {
            return Ok(None);
        }
        self.left -= n;
        self.fresh.take(n).map(Some)
    }

    /// A random vector of `dim` normals. It takes a draw, but no pass.
    pub fn random_direction(&mut self, dim: usize) -> Result<Vec<f32>, Error> {
        let Draws { stream, range } = self.fresh.take(1)?;
        let mut direction = vec![0.0; dim];
        let zeros = vec![0.0; dim];
        Noise::Gaussian(Sigma::new(1.0)?).copies_of(&zeros)?.write(&stream, range.start, &mut direction);
        Ok(direction)
    }
}
