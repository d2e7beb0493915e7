//! Which σ should this input get?

mod checked;
mod cohen;
mod ddrs;
mod dsrs;
mod grid;
mod insta_rs;
mod iss;
mod plan;
mod posterior;
mod preset;
mod probe;
mod qcrs;
mod scout;

pub use checked::Method;
pub use cohen::Cohen;
pub use ddrs::Ddrs;
pub use dsrs::{Dsrs, Laws, Second};
pub use grid::{Grid, Winner};
pub use insta_rs::InstaRs;
pub use iss::{Iss, Loss};
pub(crate) use plan::Naming;
pub use plan::{Plan, Sides};
pub use posterior::Posterior;
pub use probe::{Pilot, Probe};
pub use qcrs::{Accept, NegativeSigma, Objective, Pairs, Plateau, Qcrs, Tau};
pub use scout::{Look, Scout};

use crate::types::{Error, Sigma};
use serde::{Deserialize, Serialize};

/// A way to plan the certificate of one input.
pub trait PlanCertificate: Send + Sync {
    /// Looks at the input through `scout` and settles on a plan.
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error>;
}

/// Every method by name, as the command line and spec.json write it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum AnyMethod {
    /// COHEN: one σ for every input.
    Cohen(Cohen),
    /// The best of a list of σ.
    Grid(Grid),
    /// Bisection on the sign of dR/dσ.
    Qcrs(Qcrs),
    /// Gradient ascent on a smooth radius.
    Ddrs(Ddrs),
    /// The same from several starts.
    InstaRs(InstaRs),
    /// One σ, and as many draws as the input deserves.
    Iss(Iss),
    /// One σ of generalized Gaussian noise, asked under two laws.
    Dsrs(Dsrs),
    /// PROBE: draws where the best σ may lie, then as many as the radius is worth.
    Probe(Probe),
}

impl AnyMethod {
    /// The name of the method, as files and the command line have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Cohen(_) => "cohen",
            Self::Grid(_) => "grid",
            Self::Qcrs(_) => "qcrs",
            Self::Ddrs(_) => "ddrs",
            Self::InstaRs(_) => "insta-rs",
            Self::Iss(_) => "iss",
            Self::Dsrs(_) => "dsrs",
            Self::Probe(_) => "probe",
        }
    }

    /// σ₀: the noise that the classifier was trained with.
    pub fn sigma(&self) -> Sigma {
        match self {
            Self::Cohen(search) => search.sigma,
            Self::Grid(search) => search.sigma,
            Self::Qcrs(search) => search.sigma,
            Self::Ddrs(search) => search.sigma,
            Self::InstaRs(search) => search.ascent.sigma,
            Self::Iss(search) => search.sigma,
            Self::Dsrs(search) => search.sigma,
            Self::Probe(search) => search.sigma,
        }
    }

    /// Refuses settings that cannot work, before any draw is spent.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::Cohen(_) => Ok(()),
            Self::Grid(search) => search.check(),
            Self::Qcrs(search) => search.check(),
            Self::Ddrs(search) => search.check(),
            Self::InstaRs(search) => search.check(),
            Self::Iss(search) => search.check(),
            Self::Dsrs(search) => search.check(),
            Self::Probe(search) => search.check(),
        }
    }

    /// How many certificates one input gets: K of them are each made at α/K.
    pub fn certificates(&self) -> u32 {
        match self {
            Self::Grid(Grid { winner: Winner::MaxOfCertificates, points, .. }) => *points,
            _ => 1,
        }
    }

    /// The forward passes that one input will take, or may take at most.
    pub fn passes(&self, n0: u32, n: u32) -> u64 {
        let looks = match self {
            Self::Cohen(_) | Self::Dsrs(_) | Self::Grid(Grid { winner: Winner::MaxOfCertificates, .. }) => 0,
            Self::Grid(Grid { winner: Winner::Fresh { draws }, points, .. }) => {
                (u64::from(*points) + 1) * u64::from(*draws)
            }
            Self::Qcrs(search) => search.passes(),
            Self::Ddrs(search) => search.passes(),
            Self::InstaRs(search) => search.passes(),
            Self::Iss(search) => u64::from(search.draws),
            Self::Probe(search) => search.passes(),
        };
        let n0 = if self.names_the_class() { 0 } else { n0 };
        looks + u64::from(n0) + u64::from(self.certificates()) * u64::from(n)
    }

    /// Whether the search's own draws name the class, so that none are spent on that.
    fn names_the_class(&self) -> bool {
        matches!(self, Self::Iss(_) | Self::Probe(_))
    }

    /// Whether every input gets the same σ, chosen beforehand.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Cohen(_) | Self::Iss(_) | Self::Dsrs(_))
    }
}

impl PlanCertificate for AnyMethod {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        match self {
            Self::Cohen(method) => method.plan(scout),
            Self::Grid(method) => method.plan(scout),
            Self::Qcrs(method) => method.plan(scout),
            Self::Ddrs(method) => method.plan(scout),
            Self::InstaRs(method) => method.plan(scout),
            Self::Iss(method) => method.plan(scout),
            Self::Dsrs(method) => method.plan(scout),
            Self::Probe(method) => method.plan(scout),
        }
    }
}
