//! Which smoothed classifier should this input get its certificate for?
//!
//! Each method has its own file, with its settings, their defaults and checks, what it costs and promises,
//! and its plan. The table at [`METHODS`] lists them; everything else uses that table.

mod checked;
mod cohen;
mod ddrs;
mod dsrs;
mod facts;
mod given;
mod grid;
mod insta_rs;
mod iss;
mod plan;
mod posterior;
mod preset;
mod probe;
mod qcrs;
mod scout;

pub use crate::radius::dsrs::Second;
pub use checked::Method;
pub use cohen::Cohen;
pub use ddrs::Ddrs;
pub use dsrs::Dsrs;
pub use facts::{Facts, Slow};
pub use given::{COMMON, Descriptor, Given, Setting, parse_count};
pub use grid::{Grid, Winner};
pub use insta_rs::InstaRs;
pub use iss::{Iss, Loss};
pub use plan::{BestOf, OneCertificate, Plan, Sides, TwoLaws};
pub use posterior::Posterior;
pub use probe::{Pilot, Probe};
pub use qcrs::{Accept, NegativeSigma, Objective, Plateau, Qcrs, Tau};
pub use scout::{Look, Pairs, Scout};

use crate::types::Error;
use serde::{Deserialize, Serialize};

/// A way to plan the certificate of one input.
pub trait PlanCertificate: Send + Sync {
    /// Looks at an input through `scout` and says what to certify.
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error>;
}

/// Makes the enum and the table of all methods. A method brings `DESCRIPTOR`, `check`, `facts` and a plan.
macro_rules! methods {
    ($($method:ident),* $(,)?) => {
        /// Any of the methods, with settings that were not checked yet; a [`Method`] has checked ones.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "method", rename_all = "kebab-case")]
        #[allow(missing_docs)] // each is documented in its own place
        pub enum AnyMethod {
            $($method($method)),*
        }

        /// Every method, in the order in which they are shown to people.
        pub const METHODS: &[Descriptor] = &[$($method::DESCRIPTOR),*];

        impl AnyMethod {
            /// What people are told about it.
            pub fn descriptor(&self) -> &'static Descriptor {
                match self {
                    $(Self::$method(_) => &$method::DESCRIPTOR),*
                }
            }

            /// What the rest of the library has to know about it.
            pub fn facts(&self) -> Facts {
                match self {
                    $(Self::$method(method) => method.facts()),*
                }
            }

            /// Refuses settings that cannot work, before any draw is spent.
            pub fn check(&self) -> Result<(), Error> {
                match self {
                    $(Self::$method(method) => method.check()),*
                }
            }
        }

        impl PlanCertificate for AnyMethod {
            fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
                match self {
                    $(Self::$method(method) => method.plan(scout)),*
                }
            }
        }

        $(impl From<$method> for AnyMethod {
            fn from(method: $method) -> Self {
                Self::$method(method)
            }
        })*
    };
}

methods! {
    Cohen,
    Grid,
    Qcrs,
    Probe,
    Ddrs,
    InstaRs,
    Iss,
    Dsrs,
}

impl AnyMethod {
    /// The name of the method, as files and the command line have it.
    pub fn name(&self) -> &'static str {
        self.descriptor().name
    }

    /// The forward passes that one input will take, or may take at most.
    pub fn passes(&self, n0: u32, n: u32) -> u64 {
        self.facts().passes(n0, n)
    }
}

#[cfg(test)]
mod tests;
