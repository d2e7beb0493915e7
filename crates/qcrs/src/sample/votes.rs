//! Which class got how many votes?

use crate::noise::Draws;
use crate::types::Error;
use serde::de::{self, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// How many noisy copies of an input each class won; classes without a vote are absent. A copy about which
/// the classifier was not sure enough is rejected: it counts as a draw, but for no class.
///
/// Merging is exact, so a tally never depends on batch size, thread count or shard layout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(into = "BTreeMap<Ballot, u64>")]
pub struct Votes {
    classes: BTreeMap<usize, u64>,
    rejected: u64,
}

/// What a copy says, as files have it: `"3"` or `"rejected"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ballot {
    Class(usize),
    Rejected,
}

impl Serialize for Ballot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Class(class) => serializer.collect_str(class),
            Self::Rejected => serializer.serialize_str("rejected"),
        }
    }
}

impl<'de> Deserialize<'de> for Ballot {
    fn deserialize<D: Deserializer<'de>>(file: D) -> Result<Self, D::Error> {
        file.deserialize_str(ReadBallot)
    }
}

struct ReadBallot;

impl Visitor<'_> for ReadBallot {
    type Value = Ballot;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number of a class, or \"rejected\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Ballot, E> {
        match text {
            "rejected" => Ok(Ballot::Rejected),
            digits => {
                let class = digits.parse().ok().filter(|class: &usize| class.to_string() == digits); // not +3 or 03
                class.map(Ballot::Class).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Votes {
    fn deserialize<D: Deserializer<'de>>(file: D) -> Result<Self, D::Error> {
        file.deserialize_map(ReadVotes)
    }
}

/// Reads what is written and nothing else: a tally that two programs read in two ways would prove two things.
struct ReadVotes;

impl<'de> Visitor<'de> for ReadVotes {
    type Value = Votes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the votes of each class")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut written: A) -> Result<Votes, A::Error> {
        let mut all = BTreeMap::new();
        while let Some((ballot, count)) = written.next_entry::<Ballot, u64>()? {
            if count == 0 || all.insert(ballot, count).is_some() {
                return Err(de::Error::custom(format!(
                    "the votes of {ballot:?} are none, or are there twice"
                )));
            }
        }
        let rejected = all.remove(&Ballot::Rejected).unwrap_or(0);
        let classes = all.into_iter().filter_map(|(ballot, count)| match ballot {
            Ballot::Class(class) => Some((class, count)),
            Ballot::Rejected => None,
        });
        Ok(Votes { classes: classes.collect(), rejected })
    }
}

impl From<Votes> for BTreeMap<Ballot, u64> {
    fn from(votes: Votes) -> Self {
        let classes = votes.classes.into_iter().map(|(class, count)| (Ballot::Class(class), count));
        let rejected = (votes.rejected > 0).then_some((Ballot::Rejected, votes.rejected));
        classes.chain(rejected).collect()
    }
}

impl Votes {
    /// Counts one copy: a vote for a class, or for none.
    pub fn count(&mut self, vote: Option<usize>) {
        match vote {
            Some(class) => *self.classes.entry(class).or_default() += 1,
            None => self.rejected += 1,
        }
    }

    /// The same, with this many more copies that vote for no class.
    #[must_use]
    pub fn rejecting(self, copies: u64) -> Self {
        Self { rejected: self.rejected.saturating_add(copies), ..self }
    }

    /// Adds another tally of the same election.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        for (class, count) in other.classes {
            *self.classes.entry(class).or_default() += count;
        }
        Self { rejected: self.rejected.saturating_add(other.rejected), ..self }
    }

    /// The votes for `class`.
    pub fn of(&self, class: usize) -> u64 {
        self.classes.get(&class).copied().unwrap_or(0)
    }

    /// The copies that voted for no class.
    pub fn rejected(&self) -> u64 {
        self.rejected
    }

    /// All draws, including rejected ones; at most `u64::MAX`, even for a forged tally.
    pub fn total(&self) -> u64 {
        self.classes.values().fold(self.rejected, |sum, votes| sum.saturating_add(*votes))
    }

    /// These votes, if each of the `draws` has one: a sampler that loses votes would change the shares of the
    /// others.
    pub fn for_each_of(self, draws: &Draws) -> Result<Self, Error> {
        let (cast, asked) = (self.total(), draws.range.len() as u64);
        if cast == asked {
            return Ok(self);
        }
        Err(Error::Engine(format!("{cast} votes were cast for {asked} draws")))
    }

    /// The class with most votes, ties to the lowest; `None` when there are no votes.
    pub fn winner(&self) -> Option<usize> {
        self.ranked().first().map(|&(class, _)| class)
    }

    /// The winner; an error when there are no votes.
    pub fn elected(&self) -> Result<usize, Error> {
        self.winner().ok_or(Error::NoVotes)
    }

    /// The most votes that any class but `class` has.
    pub fn most_besides(&self, class: usize) -> u64 {
        let others = self.classes.iter().filter(|(other, _)| **other != class);
        others.map(|(_, votes)| *votes).max().unwrap_or(0)
    }

    /// Classes with their votes, most first, ties to the lowest class.
    pub fn ranked(&self) -> Vec<(usize, u64)> {
        let mut all: Vec<_> = self.classes.iter().map(|(&class, &count)| (class, count)).collect();
        all.sort_by_key(|&(class, count)| (std::cmp::Reverse(count), class));
        all
    }
}

impl FromIterator<(usize, u64)> for Votes {
    fn from_iter<I: IntoIterator<Item = (usize, u64)>>(counts: I) -> Self {
        Self { classes: counts.into_iter().filter(|&(_, count)| count > 0).collect(), rejected: 0 }
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
        for forged in [r#"{"cat":1}"#, r#"{"-1":1}"#, r#"{"3":-1}"#, r#"{"3":0.5}"#] {
            assert!(serde_json::from_str::<Votes>(forged).is_err(), "{forged}");
        }
    }

    #[test]
    fn rejected_copies_are_draws_and_votes_for_no_class() {
        let votes = Votes::from_iter([(3, 5), (10, 2)]).rejecting(4);
        assert_eq!((votes.total(), votes.rejected(), votes.winner()), (11, 4, Some(3)));
        assert_eq!((votes.most_besides(3), votes.ranked().len()), (2, 2));
        let text = serde_json::to_string(&votes).unwrap();
        assert_eq!(text, r#"{"3":5,"10":2,"rejected":4}"#);
        assert_eq!(serde_json::from_str::<Votes>(&text).unwrap(), votes);
        assert_eq!(votes.clone().merge(votes).rejected(), 8);
    }
}
