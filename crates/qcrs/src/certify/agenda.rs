//! Which certificates does a plan make, one after the other?

use super::sides::choose_sides;
use super::{Bound, Budget, Estimate, is_decided};
use crate::method::{BestOf, Look, OneCertificate, Plan, Sides};
use crate::noise::{Draws, Phase};
use crate::radius;
use crate::sample::{Input, SampleUnderNoise, Smoothed, Votes, ask};
use crate::types::{Alpha, Error};
use std::ops::Range;

/// A plan with the class that it is about.
pub(crate) struct Agenda<'a> {
    plan: Plan,
    budget: &'a Budget,
    /// The class to certify; without one, nothing is certified.
    class: Option<usize>,
    /// All looks before the certificates.
    looks: Vec<&'a Look>,
}

/// A certificate that is still to be made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    pub smoothed: Smoothed,
    pub class: usize,
    pub sides: Sides,
    /// Which draws of the estimating phase: no two certificates of a plan share any.
    pub range: Range<u32>,
    /// Its share of the failure probability.
    pub alpha: Alpha,
}

impl<'a> Agenda<'a> {
    /// The agenda of `plan`, after the looks of the search and the one that named the class.
    pub fn new(
        plan: Plan,
        budget: &'a Budget,
        looks: &'a [Look],
        selection: Option<&'a Look>,
    ) -> Result<Self, Error> {
        let class = match (&plan, selection) {
            (Plan::Nothing, _) => None,
            (Plan::One(OneCertificate { class: Some(class), .. }), _) => Some(*class),
            (_, Some(selection)) => Some(selection.votes.elected()?),
            (_, None) => return Err(Error::Invalid("no draws named the class of this plan".into())),
        };
        Ok(Self { plan, budget, class, looks: looks.iter().chain(selection).collect() })
    }

    /// The next certificate after those in `made`; `None` when the plan is done. Only the second of two laws
    /// may depend on votes that were cast, those under the first: its own draws are different ones.
    pub fn next(&self, made: &[Estimate]) -> Result<Option<Draft>, Error> {
        let (number, n, alpha) = (made.len(), self.budget.n(), self.budget.alpha());
        let Some(class) = self.class else { return Ok(None) };
        let draft = |smoothed: Smoothed, sides: Option<Sides>, range: Range<u32>, alpha| {
            let sides = match sides {
                Some(sides) => sides,
                None => self.sides(smoothed, class, range.len() as u32)?,
            };
            Ok(Some(Draft { smoothed, class, sides, range, alpha }))
        };
        match (&self.plan, made) {
            (Plan::One(OneCertificate { smoothed, n: planned, sides, .. }), []) => {
                draft(*smoothed, *sides, 0..planned.unwrap_or(n), alpha)
            }
            (Plan::BestOf(BestOf { candidates, .. }), _) if number < candidates.len() => {
                draft(candidates[number], None, nth_range(number, n)?, alpha.share(candidates.len()))
            }
            (Plan::TwoLaws(laws), []) => {
                draft(laws.smoothed(laws.first), Some(Sides::One), 0..n.div_ceil(2), alpha)
            }
            (Plan::TwoLaws(laws), [first]) => {
                let votes = (first.votes.of(first.class), first.votes.total());
                let second = laws
                    .second
                    .law(&laws.first, votes, alpha)?
                    .map(|law| draft(laws.smoothed(law), Some(Sides::One), n.div_ceil(2)..n, alpha));
                second.unwrap_or(Ok(None))
            }
            _ => Ok(None),
        }
    }

    /// The bound that the budget asks for, or the one that promises more, judging by the looks so far.
    fn sides(&self, g: Smoothed, class: usize, n: u32) -> Result<Sides, Error> {
        let here = self.looks.iter().filter(|look| look.smoothed == g);
        let seen = here.fold(Votes::default(), |votes, look| votes.merge(look.votes.clone()));
        choose_sides(self.budget, class, &seen, &g.noise, n)
    }
}

/// The draws of certificate `number`, `n` each.
fn nth_range(number: usize, n: u32) -> Result<Range<u32>, Error> {
    let at = |number: usize| u32::try_from(number as u64 * u64::from(n));
    match (at(number), at(number + 1)) {
        (Ok(start), Ok(end)) => Ok(start..end),
        _ => Err(Error::Invalid(format!("{} certificates of {n} draws are too many", number + 1))),
    }
}

/// The smoothed classifier whose n0 draws name the class, where the plan does not.
pub(super) fn names_by(plan: &Plan) -> Option<Smoothed> {
    match plan {
        Plan::Nothing | Plan::One(OneCertificate { class: Some(_), .. }) => None,
        Plan::One(OneCertificate { smoothed, .. }) => Some(*smoothed),
        Plan::BestOf(BestOf { select, .. }) => Some(*select),
        Plan::TwoLaws(laws) => Some(laws.smoothed(laws.first)),
    }
}

/// Refuses a plan that does not fit the budget or the input, before any draw is spent on it.
pub(super) fn check(plan: &Plan, budget: &Budget, input: &Input) -> Result<(), Error> {
    if let Plan::One(OneCertificate { n: Some(asked), .. }) = plan
        && *asked > budget.n()
    {
        let most = budget.n();
        return Err(Error::Invalid(format!("the search planned {asked} draws, but the budget has {most}")));
    }
    if let Plan::BestOf(BestOf { candidates, .. }) = plan {
        nth_range(candidates.len() - 1, budget.n())?;
    }
    if let Plan::TwoLaws(_) = plan
        && budget.n() < 2
    {
        return Err(Error::Invalid("two laws of noise need at least 2 draws, and the budget has 1".into()));
    }
    if let Plan::TwoLaws(_) = plan
        && budget.at_radius().is_some()
    {
        // its bound holds for a number of draws that is fixed beforehand
        return Err(Error::Invalid("two laws of noise cannot answer a question about one radius".into()));
    }
    let planned = match plan {
        Plan::One(OneCertificate { sides, .. }) => *sides,
        Plan::TwoLaws(_) => Some(Sides::One),
        Plan::Nothing | Plan::BestOf(_) => None,
    };
    if planned == Some(Sides::Two) && budget.at_radius().is_some() {
        let problem = "a question about one radius is answered by the one-sided bound; plan with that one";
        return Err(Error::Invalid(problem.into()));
    }
    for Smoothed { noise, .. } in plan.candidates() {
        noise.fits(input.pixels.len())?;
        // a law that has no such radius fails here
        if planned == Some(Sides::Two) || (planned.is_none() && budget.bound() != Bound::OneSided) {
            radius::two_sided(&noise, 0.9, 0.9)?;
        }
        if let Some(radius) = budget.at_radius() {
            radius::share(&noise, radius)?;
        }
    }
    Ok(())
}

impl Draft {
    /// The certificate with the votes of its own draws: all of them, or as few as decide the question about
    /// one radius.
    pub fn vote(
        self,
        budget: &Budget,
        sampler: &dyn SampleUnderNoise,
        input: &Input,
    ) -> Result<Estimate, Error> {
        let (g, alpha, stream) = (self.smoothed, self.alpha, input.stream(Phase::Estimate));
        let sample = |range| ask(sampler, input.pixels, g, &Draws { stream, range });
        let range = self.range.clone();
        let blank = Estimate::from(self);
        let votes = match budget.at_radius() {
            None => sample(range)?,
            Some(radius) => until_decided(&blank, radius, alpha, range, sample)?,
        };
        Ok(Estimate { votes, ..blank })
    }
}

impl From<Draft> for Estimate {
    /// The certificate before anything was drawn.
    fn from(Draft { smoothed, class, sides, .. }: Draft) -> Self {
        Self { smoothed, class, sides, votes: Votes::default() }
    }
}

/// The first votes that decide whether `radius` holds, or all of them.
fn until_decided(
    estimate: &Estimate,
    radius: f64,
    alpha: Alpha,
    mut left: Range<u32>,
    sample: impl Fn(Range<u32>) -> Result<Votes, Error>,
) -> Result<Votes, Error> {
    let mut so_far = estimate.clone();
    while !left.is_empty() && !is_decided(&so_far, radius, alpha)? {
        let end = left.start.saturating_add(step_after(so_far.votes.total() as u32)).min(left.end);
        so_far.votes = so_far.votes.merge(sample(left.start..end)?);
        left.start = end;
    }
    Ok(so_far.votes)
}

/// How many draws follow the first `drawn` before the votes are looked at again: a tenth more each time, so that at most a
/// tenth is drawn in vain and looks stay rare.
fn step_after(drawn: u32) -> u32 {
    (drawn / 10).next_multiple_of(16).max(64)
}

/// Whether the votes are looked at after the first `n` draws.
pub(crate) fn is_looked_at(n: u64) -> bool {
    let mut drawn = 0;
    while u64::from(drawn) < n {
        let Some(more) = u32::checked_add(drawn, step_after(drawn)) else { return false };
        drawn = more;
    }
    u64::from(drawn) == n
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{GeneralizedGaussian, Noise};
    use crate::types::Sigma;

    fn sigma(value: f64) -> Sigma {
        Sigma::new(value).unwrap()
    }

    fn budget(bound: Bound) -> Budget {
        Budget::new(100, 1000, Alpha::USUAL).unwrap().with_bound(bound).unwrap()
    }

    #[test]
    fn a_bound_is_judged_by_looks_at_the_same_classifier() {
        let [here, elsewhere] = [0.25, 0.5].map(|level| Smoothed::gaussian(sigma(level)));
        let few = Votes::from_iter([(0, 700), (1, 300)]);
        let many = Votes::from_iter([(0, 450), (1, 200), (2, 200), (3, 150)]);
        for (bound, seen, seen_elsewhere, expected) in [
            (Bound::OneSided, &many, &many, Sides::One),
            (Bound::TwoSided, &few, &few, Sides::Two),
            (Bound::Auto, &few, &many, Sides::One),
            (Bound::Auto, &many, &few, Sides::Two),
        ] {
            let (looks, selection) =
                ([Look::new(elsewhere, seen_elsewhere.clone())], Look::new(here, seen.clone()));
            let budget = budget(bound);
            let agenda = Agenda::new(Plan::certify(here).into(), &budget, &looks, Some(&selection)).unwrap();
            assert_eq!(agenda.next(&[]).unwrap().unwrap().sides, expected, "{bound:?}, {seen:?}");
        }
    }

    #[test]
    fn a_law_is_refused_where_its_bound_would_be_two_sided() {
        let law = GeneralizedGaussian::new(sigma(0.5), 26, 64).unwrap();
        let g = Smoothed::from(Noise::GeneralizedGaussian(law));
        let input = Input { pixels: &[0.5; 64], seed: 1, index: 0 };
        for (sides, bound, is_allowed) in [
            (None, Bound::OneSided, true),
            (None, Bound::TwoSided, false),
            (None, Bound::Auto, false),
            (Some(Sides::One), Bound::TwoSided, true),
            (Some(Sides::Two), Bound::OneSided, false),
        ] {
            let plan = Plan::One(OneCertificate { sides, ..Plan::certify(g) });
            assert_eq!(check(&plan, &budget(bound), &input).is_ok(), is_allowed, "{sides:?}, {bound:?}");
        }
    }

    #[test]
    fn votes_are_looked_at_after_a_tenth_more_draws() {
        for (drawn, more) in [(0, 64), (649, 64), (650, 80), (1000, 112), (99_999, 10_000)] {
            assert_eq!(step_after(drawn), more, "{drawn}");
        }
        for n in [0, 64, 128, 640, 704, 784] {
            assert!(is_looked_at(n), "{n}");
        }
        for n in [1, 63, 65, 720, 768, 1 << 40] {
            assert!(!is_looked_at(n), "{n}");
        }
    }
}
