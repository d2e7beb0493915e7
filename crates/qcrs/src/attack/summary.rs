//! What did an attack find, and how much of that is chance?

use super::{Attack, Attempt, Judgement};
use crate::math::binomial_upper_tail;
use crate::types::{Alpha, Error};
use serde::Serialize;

/// What an attack on many certificates found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttackSummary {
    /// The certificates that were attacked.
    pub attacked: u32,
    /// Those whose ball holds no other input, because it is smaller than a step of 8-bit pixels.
    pub too_small: u32,
    /// Those that could not be attacked, because a noisy copy got a score that cannot vote.
    pub failed: u32,
    /// The points that the searches asked about.
    pub points: u64,
    /// The forward passes.
    pub passes: u64,
    /// The points that were judged.
    pub judged: u64,
    /// The failure probability of each judgement.
    pub alpha_of_each: Alpha,
    /// The judgement with the smallest upper bound of the lead.
    pub closest: Option<ClosestCall>,
    /// The judgements that prove another answer.
    pub violations: Vec<ClosestCall>,
    /// The wrong certificates that α lets expect at most: α for every input of the run, certified or not.
    pub expected: f64,
    /// The probability of at least as many wrong certificates as were found, if each input has one with
    /// probability α; an upper bound.
    pub chance: f64,
}

/// A judgement and the certificate that it is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClosestCall {
    /// The index of the input in its dataset.
    pub index: u32,
    /// The certified class.
    pub class: usize,
    /// The certified radius.
    pub radius: f64,
    /// The upper bound of the lead of the certified class over its rival; a violation if it is negative.
    pub lead: f64,
    /// The votes.
    pub judgement: Judgement,
}

impl AttackSummary {
    /// What the `attempts` of `attack` found in a run about so many `inputs` at `alpha`.
    ///
    /// Wrong certificates are compared with all inputs of the run, not only with those that were certified:
    /// an input that is rarely certified may be certified wrongly whenever it is.
    pub fn of(attempts: &[Attempt], attack: &Attack, inputs: u32, alpha: Alpha) -> Result<Self, Error> {
        let mut calls = Vec::new();
        for attempt in attempts {
            for judgement in &attempt.judged {
                let &Attempt { index, class, radius, .. } = attempt;
                let lead = judgement.lead_at_most(class, attack.alpha_of_each())?;
                calls.push(ClosestCall { index, class, radius, lead, judgement: judgement.clone() });
            }
        }
        let violations: Vec<_> = calls.iter().filter(|call| call.lead < 0.0).cloned().collect();
        let count = |which: fn(&Attempt) -> bool| attempts.iter().filter(|it| which(it)).count() as u32;
        Ok(Self {
            attacked: attempts.len() as u32,
            too_small: count(|attempt| attempt.passes == 0 && attempt.failed.is_none()),
            failed: count(|attempt| attempt.failed.is_some()),
            points: attempts.iter().map(|attempt| attempt.points).sum(),
            passes: attempts.iter().map(|attempt| attempt.passes).sum(),
            judged: calls.len() as u64,
            alpha_of_each: attack.alpha_of_each(),
            expected: f64::from(inputs) * alpha.get(),
            chance: chance(violations.len() as u64, inputs, alpha)?,
            closest: calls.into_iter().min_by(|a, b| a.lead.total_cmp(&b.lead)),
            violations,
        })
    }
}

/// P(Bin(inputs, α) ≥ wrong).
fn chance(wrong: u64, inputs: u32, alpha: Alpha) -> Result<f64, Error> {
    if wrong == 0 { Ok(1.0) } else { binomial_upper_tail(wrong, inputs.into(), alpha.get()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::Strategy;
    use crate::sample::Votes;

    fn attempt(index: u32, [class, rival]: [u64; 2]) -> Attempt {
        let judgement = Judgement {
            strategy: Strategy::Boundary,
            distance: 0.1,
            rival: 7,
            draws: 0..(class + rival) as u32,
            votes: Votes::from_iter([(3, class), (7, rival)]),
        };
        let (points, passes, judged) = (9, 1000, vec![judgement]);
        Attempt { index, class: 3, radius: 0.2, points, passes, judged, violation: None, failed: None }
    }

    #[test]
    fn votes_decide_what_is_a_violation_and_what_is_chance() {
        let alpha = Alpha::new(0.001).unwrap();
        let attack = Attack::new(1000, alpha, 4, 0).unwrap();
        let mut attempts = vec![attempt(0, [900, 100]), attempt(4, [480, 520]), attempt(6, [300, 700])];
        attempts.push(Attempt { judged: Vec::new(), passes: 0, points: 0, ..attempt(8, [1, 1]) });
        let found = AttackSummary::of(&attempts, &attack, 1000, alpha).unwrap();
        assert_eq!((found.attacked, found.too_small, found.failed, found.judged), (4, 1, 0, 3));
        assert_eq!((found.points, found.passes), (27, 3000));
        // 480 to 520 proves nothing
        assert_eq!(found.violations.iter().map(|call| call.index).collect::<Vec<_>>(), [6]);
        assert_eq!(found.closest.unwrap().index, 6);
        assert!((found.expected - 1.0).abs() < 1e-12);
        assert!((found.chance - (1.0 - 0.999_f64.powi(1000))).abs() < 1e-12, "{}", found.chance);
        let sound = AttackSummary::of(&attempts[..2], &attack, 1000, alpha).unwrap();
        assert!(sound.violations.is_empty() && (sound.chance - 1.0).abs() <= 0.0);
        assert_eq!(sound.closest.unwrap().index, 4);
    }
}
