//! Where to look next, and when is enough known?

use super::super::Scout;
use super::belief::{Belief, Priors};
use super::forecast::Forecast;
use super::planner::{self, Planner};
use super::{ANCHOR, POINTS, Probe, SHORT, STRIDE, acquire};
use crate::sample::Votes;
use crate::types::{Error, Sigma};

/// A search continues while knowing the whole curve would bring at least this many times what the search has
/// cost. What it has cost measures what is to come: to halve what is unknown, it must become about four times
/// as long.
const PATIENCE: f64 = 2.0;

/// The tolerance is a share of the radius, but of at least this share of σ₀.
const SMALL: f64 = 0.2;

/// Beyond [`SHORT`] a search takes at most the draws of its certificate divided by this.
const SEARCH_SHARE: u32 = 12;

/// What was seen at each σ of the grid.
struct SeenVotes<'p, 'a> {
    scout: &'p mut Scout<'a>,
    grid: Vec<Sigma>,
    votes: Vec<Votes>,
    spent: u32,
}

impl SeenVotes<'_, '_> {
    /// One round: a number of draws at each of these points.
    fn look(&mut self, shares: &[(usize, u32)]) -> Result<(), Error> {
        let round: Vec<(Sigma, u32)> = shares.iter().map(|&(at, n)| (self.grid[at], n)).collect();
        for (&(at, n), look) in shares.iter().zip(self.scout.looks(&round)?) {
            self.votes[at] = std::mem::take(&mut self.votes[at]).merge(look.votes);
            self.spent += n;
        }
        Ok(())
    }
}

/// What a search knows when it ends.
pub(super) struct Explored {
    /// How plans are made.
    pub planner: Planner,
    /// What is believed at the points of the grid.
    pub belief: Belief,
    /// The votes at each of them.
    pub votes: Vec<Votes>,
    /// The draws that the search took.
    pub spent: u32,
}

impl Probe {
    /// Looks until enough is known.
    pub(super) fn explore(&self, scout: &mut Scout<'_>) -> Result<Explored, Error> {
        self.check()?;
        let (grid, start) = (self.grid(1)?, self.sigma.get());
        let sigmas: Vec<f64> = grid.iter().map(|sigma| sigma.get()).collect();
        let priors = Priors::new(&sigmas, start);
        let planner = Planner {
            forecast: Forecast::new(scout.alpha())?,
            price: self.lambda * self.unit(),
            sizes: planner::sizes(scout.n()),
            reference: scout.n().min(2000),
        };
        let most = self.most.min(SHORT.max(scout.n() / SEARCH_SHARE));
        let normals = acquire::normals(POINTS)?;
        let mut tally = SeenVotes { scout, grid, votes: vec![Votes::default(); POINTS], spent: 0 };

        let mut first: Vec<(usize, u32)> = (0..POINTS).step_by(STRIDE).map(|at| (at, self.first)).collect();
        first.push((nearest(&sigmas, start), ANCHOR * self.first));
        tally.look(&first)?;
        loop {
            let belief = Belief::new(&priors, &sigmas, &tally.votes, start)?;
            let choice = planner.best(&belief);
            let n = choice.map_or(planner.reference, |choice| choice.n);
            let outlook = acquire::outlook(&planner.forecast, &belief, n, &normals)?;
            let hopeless = choice.is_none() && outlook.best_known < planner.price * f64::from(n);
            let too_little = self.tolerance * outlook.best_now.max(SMALL * start);
            let too_dear = PATIENCE * planner.price * f64::from(tally.spent);
            let known = outlook.best_known - outlook.best_now < too_little.max(too_dear);
            let shares = acquire::shares(&outlook.wins, self.round(tally.spent));
            if hopeless || known || shares.is_empty() || tally.spent >= most {
                let SeenVotes { votes, spent, .. } = tally;
                return Ok(Explored { planner, belief, votes, spent });
            }
            tally.look(&shares)?;
        }
    }
}

/// The grid point nearest to `sigma` in ratio.
fn nearest(sigmas: &[f64], sigma: f64) -> usize {
    let distance = |at: usize| (sigmas[at] / sigma).ln().abs();
    (0..sigmas.len()).fold(0, |best, at| if distance(at) < distance(best) { at } else { best })
}
