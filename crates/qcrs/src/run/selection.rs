//! Which inputs of a dataset?

use crate::types::Error;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// Which inputs of a dataset: every `skip`-th id from `offset` on, below `max` and among those `listed`, at
/// most `count` of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The number of inputs in the dataset.
    pub of: u32,
    /// Take every `skip`-th id.
    pub skip: u32,
    /// The first id.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub offset: u32,
    /// Only ids below this.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max: Option<u32>,
    /// Only these ids, in increasing order.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "in_order")]
    pub listed: Option<Vec<u32>>,
    /// At most this many.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub count: Option<u32>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
fn is_zero(value: &u32) -> bool {
    *value == 0
}

fn in_order<'de, D: Deserializer<'de>>(file: D) -> Result<Option<Vec<u32>>, D::Error> {
    let listed = Option::<Vec<u32>>::deserialize(file)?;
    check_order(listed.as_deref().unwrap_or_default()).map_err(D::Error::custom)?;
    Ok(listed)
}

/// Ids are looked up by bisection: in an unsorted list, some would not be found.
fn check_order(listed: &[u32]) -> Result<(), Error> {
    match listed.windows(2).find(|pair| pair[0] >= pair[1]) {
        None => Ok(()),
        Some(pair) => Err(Error::Invalid(format!(
            "the listed inputs must be in increasing order, each once, but {} follows {}; sort the list",
            pair[1], pair[0]
        ))),
    }
}

impl Selection {
    /// Refuses a list that is not in increasing order.
    pub fn check(&self) -> Result<(), Error> {
        check_order(self.listed.as_deref().unwrap_or_default())
    }

    /// The end of all ids that could be taken.
    fn end(&self) -> u32 {
        self.max.map_or(self.of, |max| max.min(self.of))
    }

    /// Whether `id` is one of them; computed without listing all, because a file may claim any size.
    pub fn contains(&self, id: u32) -> bool {
        let skip = self.skip.max(1);
        let regular =
            |id: u32| (self.offset..self.end()).contains(&id) && (id - self.offset).is_multiple_of(skip);
        let place = self.listed.as_ref().map(|listed| (listed, listed.binary_search(&id)));
        let before = || match place {
            Some((listed, Ok(place) | Err(place))) => {
                listed[..place].iter().filter(|&&id| regular(id)).count() as u32
            }
            None => (id - self.offset) / skip,
        };
        let is_listed = place.is_none_or(|(_, place)| place.is_ok());
        regular(id) && is_listed && self.count.is_none_or(|count| before() < count)
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        if self.listed.is_some() {
            return self.ids().count();
        }
        let all = self.end().saturating_sub(self.offset).div_ceil(self.skip.max(1));
        self.count.map_or(all, |count| count.min(all)) as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ids, in order.
    pub fn ids(&self) -> impl Iterator<Item = u32> + use<'_> {
        (self.offset..self.end())
            .step_by(self.skip.max(1) as usize)
            .filter(|id| self.listed.as_ref().is_none_or(|listed| listed.binary_search(id).is_ok()))
            .take(self.count.map_or(usize::MAX, |count| count as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_holds_the_ids_that_it_lists() {
        let (mut tried, of) = (0, 13);
        for (skip, offset) in [(1, 0), (3, 0), (2, 5), (0, 1), (4, 20)] {
            for (max, count) in [(None, None), (Some(9), Some(2)), (Some(40), Some(0)), (None, Some(3))] {
                for listed in [None, Some(vec![]), Some(vec![0, 3, 6, 7, 9, 11])] {
                    let selection = Selection { of, skip, offset, max, listed, count };
                    let ids: Vec<u32> = selection.ids().collect();
                    let held: Vec<u32> = (0..50).filter(|&id| selection.contains(id)).collect();
                    assert_eq!((&held, held.len()), (&ids, selection.len()), "{selection:?}");
                    tried += usize::from(!ids.is_empty());
                }
            }
        }
        assert!(tried > 15, "{tried}");
        let huge = Selection { of: u32::MAX, skip: 1, offset: 0, max: None, listed: None, count: None };
        assert!(huge.len() == u32::MAX as usize && !huge.contains(u32::MAX));
    }

    /// `contains` looks up ids by bisection, so a list out of order would silently lose inputs.
    #[test]
    fn a_list_out_of_order_or_with_an_id_twice_is_refused() {
        let selection = |listed: Vec<u32>| {
            let listed = Some(listed);
            Selection { of: 10, skip: 1, offset: 0, max: None, listed, count: None }
        };
        for listed in [vec![], vec![4], vec![0, 3, 9]] {
            let good = selection(listed);
            assert!(good.check().is_ok());
            let text = serde_json::to_string(&good).unwrap();
            assert_eq!(serde_json::from_str::<Selection>(&text).unwrap(), good);
        }
        for (listed, words) in [(vec![7, 3, 9], "3 follows 7"), (vec![1, 4, 4], "4 follows 4")] {
            let bad = selection(listed);
            let error = bad.check().unwrap_err().to_string();
            assert!(error.contains("listed") && error.contains(words), "{error}");
            let text = serde_json::to_string(&bad).unwrap();
            let error = serde_json::from_str::<Selection>(&text).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
