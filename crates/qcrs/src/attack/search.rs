//! Where in the ball does the class have its smallest lead, as far as a few votes tell?
//!
//! Nothing that is found here is proved; [`judgement`](super::judgement) decides on draws of its own.

use super::Strategy;
use super::ball::InputsNear;
use super::directions::{coarse, plus, rival, unit, where_votes_are_lost};
use super::questions::Questions;
use crate::types::Error;

/// Values that are changed together by the search of coordinates; short inputs have a value in each group.
const GROUPS: usize = 64;
/// How often that search passes over all groups in both directions, if the passes last.
const ROUNDS: usize = 4;
/// Votes tell most about directions where neither side has nearly all of them: a line is followed until the
/// class has a smaller share than this, in at most so many steps.
const SHAKY: f64 = 0.9;
const OUTWARDS: u32 = 10;
/// The squares of pixels that move together in coarser forms of a direction.
const SIDES: [usize; 2] = [2, 4];

/// A point inside the ball that deserves a judgement.
pub(super) struct Candidate {
    pub strategy: Strategy,
    pub point: Vec<f32>,
    /// The class that is most likely to win there.
    pub rival: usize,
    /// The lead of the certified class over it, in shares of the votes that were seen.
    pub lead: f64,
}

/// The search of one ball.
pub(super) struct BallSearch<'a, 'b> {
    questions: &'b mut Questions<'a>,
    ball: &'b InputsNear<'a>,
    x: &'a [f32],
    class: usize,
    shape: Option<[usize; 3]>,
    /// Draws of a look at one point, and of a look for a direction.
    look: u32,
    turn: u32,
    /// The passes that this strategy leaves.
    reserve: u32,
    /// The direction with the smallest lead so far, of any strategy.
    best: Option<(Vec<f32>, f64)>,
}

impl<'a, 'b> BallSearch<'a, 'b> {
    pub fn new(
        questions: &'b mut Questions<'a>,
        ball: &'b InputsNear<'a>,
        (x, class): (&'a [f32], usize),
        shape: Option<[usize; 3]>,
    ) -> Self {
        let passes = questions.left;
        let (look, turn) = ((passes / 120).clamp(10, 500), (passes / 12).max(1));
        Self { questions, ball, x, class, shape, look, turn, reserve: 0, best: None }
    }

    /// The best point of each strategy, the most promising first.
    pub fn run(mut self, others: &[Vec<f32>]) -> Result<Vec<Candidate>, Error> {
        let (passes, mut found) = (self.questions.left, Vec::new());
        if !self.ball.has_another_input() {
            return Ok(found);
        }
        for strategy in Strategy::ALL {
            self.reserve = passes - strategy.may_spend(passes);
            let best = match strategy {
                Strategy::Random => self.random(),
                Strategy::NearestImages => self.nearest_images(others),
                Strategy::Coordinates => self.coordinates(),
                Strategy::Boundary => self.boundary(),
            }?;
            found.extend(best.map(|best| Candidate { strategy, ..best }));
        }
        found.sort_by(|a, b| a.lead.total_cmp(&b.lead));
        Ok(found)
    }

    fn may_ask(&self) -> bool {
        self.questions.left > self.reserve
    }

    fn random(&mut self) -> Result<Option<Candidate>, Error> {
        let mut best = None;
        while self.may_ask() {
            let direction = self.questions.random_direction(self.x.len())?;
            if !self.try_direction(direction, &mut best)? {
                break;
            }
        }
        Ok(best)
    }

    fn nearest_images(&mut self, others: &[Vec<f32>]) -> Result<Option<Candidate>, Error> {
        let mut best = None;
        for other in others {
            if self.may_ask() {
                self.try_direction(plus(other, -1.0, self.x), &mut best)?;
            }
        }
        Ok(best)
    }

    fn coordinates(&mut self) -> Result<Option<Candidate>, Error> {
        let (dim, mut best) = (self.x.len(), None);
        let (size, groups) = (dim.div_ceil(GROUPS), dim.div_ceil(dim.div_ceil(GROUPS)));
        let mut from = self.best.as_ref().map_or_else(|| vec![0.0; dim], |(direction, _)| direction.clone());
        let mut least = f64::INFINITY;
        let each = (0..groups).flat_map(|group| [(group, 1.0), (group, -1.0)]);
        for (group, sign) in std::iter::repeat_n(each, ROUNDS).flatten() {
            if !self.may_ask() {
                break;
            }
            let mut direction = from.clone();
            let step = sign / (2.0 * (size as f32).sqrt());
            direction[group * size..dim.min((group + 1) * size)].iter_mut().for_each(|value| *value += step);
            self.try_direction(direction.clone(), &mut best)?;
            if let Some(found) = best.as_ref().filter(|found| found.lead < least) {
                (least, from) = (found.lead, unit(direction).unwrap_or(from));
            }
        }
        Ok(best)
    }

    fn boundary(&mut self) -> Result<Option<Candidate>, Error> {
        let mut best = None;
        let mut sum = match self.best.take() {
            Some((direction, _)) => direction,
            None => self.questions.random_direction(self.x.len())?,
        };
        let mut line = unit(sum.clone());
        while let Some(direction) = line.filter(|_| self.may_ask()) {
            let length = self.boundary_on(&direction)?;
            let point = self.ball.at(&direction, length);
            // all turns count alike: each is a noisy estimate of nearly the same gradient
            sum = match where_votes_are_lost(self.questions, &point, self.class, self.turn)? {
                Some(turn) => plus(&sum, 1.0, &turn),
                None => self.questions.random_direction(self.x.len())?,
            };
            line = self.fine_or_coarse(&sum, length)?;
            if let Some(direction) = &line {
                self.try_direction(direction.clone(), &mut best)?;
            }
        }
        Ok(best)
    }

    /// A direction, or the coarser form of it in which the class has fewer votes at this distance.
    fn fine_or_coarse(&mut self, direction: &[f32], length: f64) -> Result<Option<Vec<f32>>, Error> {
        let coarse =
            self.shape.into_iter().flat_map(|shape| SIDES.map(|side| coarse(direction, shape, side)));
        let mut best: Option<(f64, Vec<f32>)> = None;
        for form in std::iter::once(direction.to_vec()).chain(coarse).filter_map(unit) {
            let share = self.share_at(&form, length)?;
            if best.as_ref().is_none_or(|(least, _)| share < *least) {
                best = Some((share, form));
            }
        }
        Ok(best.map(|(_, form)| form))
    }

    /// How far to go on a line, beginning at the border of the ball, until the class is no longer sure to win;
    /// a long way if it always is.
    fn boundary_on(&mut self, line: &[f32]) -> Result<f64, Error> {
        let mut length = self.ball.radius();
        for _ in 0..OUTWARDS {
            if self.share_at(line, length)? < SHAKY {
                break;
            }
            length *= 1.5;
        }
        Ok(length)
    }

    /// The share of the class at this distance; 1 if no pass is left.
    fn share_at(&mut self, line: &[f32], length: f64) -> Result<f64, Error> {
        let votes = self.questions.votes(&self.ball.at(line, length), self.look)?;
        Ok(votes.map_or(1.0, |(_, votes)| votes.of(self.class) as f64 / votes.total() as f64))
    }

    /// Looks at the farthest point in a direction and keeps it if the class has a smaller lead there; false
    /// if there is no such point, or no pass left.
    fn try_direction(&mut self, direction: Vec<f32>, best: &mut Option<Candidate>) -> Result<bool, Error> {
        let Some(direction) = unit(direction) else { return Ok(false) };
        let Some(point) = self.ball.farthest(&direction) else { return Ok(false) };
        let Some((_, votes)) = self.questions.votes(&point, self.look)? else { return Ok(false) };
        // where all votes are for the class, no other can win
        let Some(rival) = rival(&votes, self.class) else { return Ok(true) };
        let lead = (votes.of(self.class) as f64 - votes.of(rival) as f64) / votes.total() as f64;
        if best.as_ref().is_none_or(|best| lead < best.lead) {
            *best = Some(Candidate { strategy: Strategy::Random, point, rival, lead });
        }
        if self.best.as_ref().is_none_or(|(_, least)| lead < *least) {
            self.best = Some((direction, lead));
        }
        Ok(true)
    }
}
