//! Does the smoothed classifier answer otherwise somewhere inside a certified ball?
//!
//! An [`Attack`] searches the ball for a point where the certified class has few votes, with votes only, and
//! then judges the best points on draws of their own. A certificate that holds is reported with probability
//! at most α in a whole attack; one that does not hold may be missed.
//!
//! | file         | question it answers                                                     |
//! |--------------|-------------------------------------------------------------------------|
//! | `target`     | what does a certificate claim?                                          |
//! | `ball`       | which points lie strictly inside a certified ball, and are inputs?      |
//! | `questions`  | what does the smoothed classifier answer there, while the passes last?  |
//! | `directions` | in which direction may the answer change?                               |
//! | `strategy`   | which kinds of search are there?                                        |
//! | `search`     | where in the ball does the class have its smallest lead?                |
//! | `judgement`  | is it proved that the answer is another one at this point?              |
//! | `summary`    | what was found, and how much of that is chance?                         |
//! | `gallery`    | which images of other classes are near?                                 |
//! | `npy`        | how is a point written so that other programs can read it?              |
//! | `store`      | where is kept what an attack found, so that it can be resumed?          |

mod ball;
mod directions;
mod gallery;
mod judgement;
mod npy;
mod questions;
mod search;
mod store;
mod strategy;
mod summary;
mod target;

pub use gallery::Gallery;
pub use judgement::Judgement;
pub use store::{AttackSpec, Attacks, violation_file};
pub use strategy::Strategy;
pub use summary::{AttackSummary, ClosestCall};
pub use target::Target;

use crate::noise::{Fresh, Phase, Stream};
use crate::sample::SampleUnderNoise;
use crate::types::{Alpha, Error};
use ball::InputsNear;
use questions::Questions;
use search::{BallSearch, Candidate};
use serde::{Deserialize, Serialize};

/// How certificates are attacked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attack {
    passes: u32,
    alpha: Alpha,
    certificates: u32,
    seed: u64,
    shape: Option<[usize; 3]>,
}

/// What an attack on one certificate found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The index of the input in its dataset.
    pub index: u32,
    /// The certified class.
    pub class: usize,
    /// The certified radius.
    pub radius: f64,
    /// The points that the search asked about.
    pub points: u64,
    /// The forward passes of search and judgement.
    pub passes: u64,
    /// The points that were judged, up to the first violation; none if no other input lies in the ball, or
    /// if no draw of the search voted for another class.
    pub judged: Vec<Judgement>,
    /// The point of the last judgement, if it is a violation.
    #[serde(skip)]
    pub violation: Option<Vec<f32>>,
    /// Why the certificate could not be attacked: a noisy copy got a score that cannot vote.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failed: Option<String>,
}

impl Attempt {
    fn failed(&Target { index, class, radius, .. }: &Target, why: String) -> Self {
        let (judged, violation) = (Vec::new(), None);
        Self { index, class, radius, points: 0, passes: 0, judged, violation, failed: Some(why) }
    }
}

impl Attack {
    /// The most passes per certificate that are usual.
    pub const PASSES: u32 = 150_000;
    /// Passes for a quick look.
    pub const QUICK: u32 = 10_000;
    /// The fewest passes with which something can be found.
    pub const LEAST: u32 = 200;

    /// Spends at most `passes` on each of so many `certificates`, and reports sound ones with probability at
    /// most `alpha` in all.
    pub fn new(passes: u32, alpha: Alpha, certificates: u32, seed: u64) -> Result<Self, Error> {
        if passes < Self::LEAST {
            let problem = format!("must be at least {}, got {passes}", Self::LEAST);
            return Err(Error::setting("passes", problem));
        }
        Ok(Self { passes, alpha, certificates, seed, shape: None })
    }

    /// The same for images of this shape (channels, height, width), in which neighbours are tried together.
    #[must_use]
    pub fn of_images(self, shape: [usize; 3]) -> Self {
        Self { shape: Some(shape), ..self }
    }

    /// The failure probability of each judgement: an equal share of α for every strategy and certificate.
    pub fn alpha_of_each(&self) -> Alpha {
        self.alpha.share(self.certificates.max(1) as usize * Strategy::ALL.len())
    }

    /// Attacks the certificate of the input with these `pixels`. `others` are images of other classes, the
    /// nearest first.
    pub fn on(
        &self,
        sampler: &dyn SampleUnderNoise,
        target: &Target,
        pixels: &[f32],
        others: &[Vec<f32>],
    ) -> Result<Attempt, Error> {
        let &Target { index, class, radius, smoothed } = target;
        let stream = Stream { seed: self.seed, input: index, phase: Phase::Attack };
        let for_judgement = self.passes / 5 * 2;
        let left = self.passes - for_judgement;
        let mut questions = Questions { sampler, g: smoothed, fresh: Fresh::of(stream), left, points: 0 };
        let ball = InputsNear::new(pixels, radius, smoothed.noise);
        let shape = self.shape.filter(|shape| shape.iter().product::<usize>() == pixels.len());
        let candidates = BallSearch::new(&mut questions, &ball, (pixels, class), shape).run(others)?;
        let points = questions.points;
        questions.left += for_judgement;
        let (mut judged, mut violation) = (Vec::new(), None);
        let mut to_judge = candidates.len() as u32;
        for Candidate { strategy, point, rival, .. } in candidates {
            // fresh draws: those of the search chose the point and the rival
            let Some((draws, votes)) = questions.votes(&point, questions.left / to_judge)? else { break };
            to_judge -= 1;
            let distance = ball.distance(&point);
            let judgement = Judgement { strategy, distance, rival, draws: draws.range, votes };
            let lead = judgement.lead_at_most(class, self.alpha_of_each())?;
            judged.push(judgement);
            if lead < 0.0 {
                violation = Some(point);
                break;
            }
        }
        let passes = u64::from(self.passes - questions.left);
        Ok(Attempt { index, class, radius, points, passes, judged, violation, failed: None })
    }
}
