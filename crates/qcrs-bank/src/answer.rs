//! What does the bank say, and why?

use serde::{Deserialize, Serialize};

/// What the classifier itself proves about a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// The class.
    pub class: usize,
    /// The radius of the open ball, finite and positive.
    pub radius: f64,
}

/// What the bank answers to a query.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BankAnswer {
    /// From now on, once it was added, the bank gives this class to every query closer than `radius`.
    Class {
        /// The class.
        class: usize,
        /// The radius of the open ball, rounded down; 0 where the query is so near the rim of the ball
        /// it inherits from that nothing around it is sure.
        radius: f64,
        /// Where they come from.
        why: Why,
    },
    /// Nothing is claimed.
    Abstain(Abstention),
}

/// Where class and radius come from. Entries are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The query's own certificate, whole.
    Own,
    /// The query's own certificate, with a radius that ends at the ball of this entry.
    Cut(u64),
    /// The query lies in the ball of this entry.
    Inherited(u64),
}

/// Why nothing is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Abstention {
    /// The query has no certificate and lies in no ball.
    Own,
    /// The query has a certificate, but touches the ball of this entry, which has another class.
    NothingLeft(u64),
}
