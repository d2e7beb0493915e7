//! What does the bank answer?

use crate::answer::{Abstention, BankAnswer, Claim, Why};
use crate::bank::Bank;
use crate::error::{Error, Problem};
use crate::shadow::{self, Shadow};

/// Pixels lie in [0, 1], attacked ones not far outside; beyond this a query is a mistake.
const LARGEST_PIXEL: f32 = 1e6;

impl Bank {
    /// What the bank would answer to `x`, about which the classifier itself proves `own`.
    ///
    /// 1. In a ball of another class, or in any ball without a certificate of its own, `x` gets the
    ///    ball's class and the largest ball around `x` inside it. In a ball of its own class it gets the
    ///    larger of this and its own.
    /// 2. Elsewhere its own radius is cut so that it meets no ball of another class.
    ///
    /// A query at the very centre of a ball is not a special case: its class stays, its radius may grow. A
    /// query so near the rim of a ball that rounding hides on which side it is counts as inside; balls of
    /// different classes are kept so far apart that no query is that near to two of them.
    pub fn ask(&self, x: &[f32], own: Option<Claim>) -> Result<BankAnswer, Error> {
        self.check_query(x, own)?;
        let mut home: Option<(usize, f64)> = None;
        let (mut left, mut cut) = (own.map_or(0.0, |own| own.radius), None);
        for id in self.candidates(&self.blocks.shadow(x), own) {
            let ball = &self.balls[id];
            let distance = self.ruler.measure(x, &self.pixels(id)?.values());
            if distance.may_be_within(ball.radius) {
                let room = distance.room_within(ball.radius);
                match home {
                    Some((other, _)) if self.balls[other].class != ball.class => {
                        return Err(self.overlap(other, id));
                    }
                    Some((_, most)) if most >= room => {}
                    _ => home = Some((id, room)),
                }
            } else if own.is_some_and(|own| own.class != ball.class) {
                let room = distance.room_beside(ball.radius).unwrap_or(0.0);
                if room < left {
                    (left, cut) = (room, Some(id as u64));
                }
            }
        }
        if let Some((id, radius)) = home {
            let class = self.balls[id].class;
            if own.is_none_or(|own| own.class != class || left <= radius) {
                return Ok(BankAnswer::Class { class, radius, why: Why::Inherited(id as u64) });
            }
        }
        Ok(match (own, cut) {
            (None, _) => BankAnswer::Abstain(Abstention::Own),
            (Some(_), Some(id)) if left == 0.0 => BankAnswer::Abstain(Abstention::NothingLeft(id)),
            (Some(own), cut) => {
                BankAnswer::Class { class: own.class, radius: left, why: cut.map_or(Why::Own, Why::Cut) }
            }
        })
    }

    /// The balls that may contain the query or cut its radius; none that does so is missing.
    fn candidates(&self, query: &Shadow, own: Option<Claim>) -> impl Iterator<Item = usize> {
        let shadows = self.shadows.chunks_exact(self.blocks.len());
        self.balls.iter().zip(shadows).enumerate().filter_map(move |(id, (ball, at))| {
            let reach = own.filter(|own| own.class != ball.class).map_or(0.0, |own| own.radius);
            let slack = f64::from(query.slack) + f64::from(ball.slack);
            let apart = shadow::surely_apart(self.ruler, &query.at, at, slack, (ball.radius, reach));
            (!apart).then_some(id)
        })
    }

    fn check_query(&self, x: &[f32], own: Option<Claim>) -> Result<(), Error> {
        let problem = if x.len() != self.dim() {
            format!("a query must have {} pixels, got {}", self.dim(), x.len())
        } else if let Some(value) = x.iter().find(|value| !(-LARGEST_PIXEL..=LARGEST_PIXEL).contains(*value))
        {
            format!("a query has the pixel {value}; pixels must be numbers near [0, 1]")
        } else if let Some(own) = own.filter(|own| !(own.radius > 0.0 && own.radius.is_finite())) {
            format!("a radius must be finite and positive, got {}", own.radius)
        } else {
            return Ok(());
        };
        Err(Error::at(self.file.path(), Problem::Query(problem)))
    }
}
