//! Which class got how many votes?

use crate::noise::Draws;
use crate::types::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many noisy copies of an input each class won; classes without a vote are absent.
///
/// Merging is exact, so a tally never depends on batch size, thread count or shard layout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Votes(BTreeMap<usize, u64>);

impl Votes {
    /// Counts one vote.
    pub fn add(&mut self, class: usize) {
        *self.0.entry(class).or_default() += 1;
    }

    /// Adds another tally of the same election.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        for (class, count) in other.0 {
            *self.0.entry(class).or_default() += count;
        }
        self
    }

    /// The votes for `class`.
    pub fn of(&self, class: usize) -> u64 {
        self.0.get(&class).copied().unwrap_or(0)
    }

    /// All votes cast; of a forged tally at most `u64::MAX`.
    pub fn total(&self) -> u64 {
        self.0.values().fold(0, |sum, votes| sum.saturating_add(*votes))
    }

    /// These votes, if each of the `draws` has one: what a sampler loses would change the shares of the rest.
    pub fn for_each_of(self, draws: &Draws) -> Result<Self, Error> {
        let (cast, asked) = (self.total(), draws.range.len() as u64);
        if cast == asked {
            return Ok(self);
        }
        Err(Error::Engine(format!("{cast} votes were cast for {asked} draws")))
    }

    /// The class with most votes, ties to the lowest; `None` when nobody voted.
    pub fn winner(&self) -> Option<usize> {
        self.ranked().first().map(|&(class, _)| class)
    }

    /// The winner; an error when nobody voted.
    pub fn elected(&self) -> Result<usize, Error> {
        let nobody = || Error::Invalid("nobody voted, so no class is ahead; ask for more draws".into());
        self.winner().ok_or_else(nobody)
    }

    /// The most votes that any class but `class` has.
    pub fn most_besides(&self, class: usize) -> u64 {
        let others = self.0.iter().filter(|(other, _)| **other != class);
        others.map(|(_, votes)| *votes).max().unwrap_or(0)
    }

    /// Classes with their votes, most first, ties to the lowest class.
    pub fn ranked(&self) -> Vec<(usize, u64)> {
        let mut all: Vec<_> = self.0.iter().map(|(&class, &count)| (class, count)).collect();
        all.sort_by_key(|&(class, count)| (std::cmp::Reverse(count), class));
        all
    }
}

impl FromIterator<(usize, u64)> for Votes {
    fn from_iter<I: IntoIterator<Item = (usize, u64)>>(counts: I) -> Self {
        Self(counts.into_iter().filter(|&(_, count)| count > 0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lowest_class() {
        let votes = Votes::from_iter([(7, 3), (2, 3), (1, 2)]);
        assert_eq!(votes.ranked(), [(2, 3), (7, 3), (1, 2)]);
        assert_eq!(votes.winner(), Some(2));
        assert_eq!(votes.elected().unwrap(), 2);
        assert_eq!(Votes::default().winner(), None);
        assert!(Votes::default().elected().is_err());
        assert_eq!([2, 7, 9].map(|class| votes.most_besides(class)), [3, 3, 3]);
        assert_eq!(Votes::from_iter([(2, 3)]).most_besides(2), 0);
    }

    #[test]
    fn a_forged_tally_does_not_begin_anew_at_zero() {
        assert_eq!(Votes::from_iter([(0, u64::MAX), (1, 2)]).total(), u64::MAX);
    }

    #[test]
    fn a_tally_reads_back_from_json() {
        let votes = Votes::from_iter([(3, 98_625), (9, 1_375), (4, 0)]);
        let text = serde_json::to_string(&votes).unwrap();
        assert_eq!(text, r#"{"3":98625,"9":1375}"#);
        assert_eq!(serde_json::from_str::<Votes>(&text).unwrap(), votes);
    }
}
