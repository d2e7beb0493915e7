//! How many draws, and what do they have to prove?

use super::method::{Method, parse};
use anyhow::ensure;
use qcrs::certify::{Bound, Budget};
use qcrs::types::Alpha;

/// Options about the number of draws.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Certificate")]
pub struct BudgetArgs {
    /// Draws that guess the class
    #[arg(long, alias = "N0", default_value_t = 100)]
    n0: u32,
    /// Draws that certify it
    #[arg(long, alias = "N", default_value_t = 100_000)]
    n: u32,
    /// The probability with which a certificate may be wrong
    #[arg(long, default_value_t = 0.001)]
    alpha: f64,
    /// What is bounded: the class alone; the class and the others apart; or what promises more for the input
    /// [default: one-sided; probe and dsrs have their own]
    #[arg(long, value_name = "one-sided|two-sided|auto", value_parser = parse::<Bound>)]
    bound: Option<Bound>,
    /// Ask only whether the radius is at least R, and stop as soon as that is decided
    #[arg(long, value_name = "R")]
    at_radius: Option<f64>,
}

impl BudgetArgs {
    /// The budget that was asked for, checked.
    pub fn budget(&self, method: Method) -> anyhow::Result<Budget> {
        let &Self { n0, n, bound, at_radius, .. } = self;
        ensure!(
            bound.is_none() || !matches!(method, Method::Probe | Method::Dsrs),
            "--method {} has a bound of its own; remove --bound here and from the file of --config",
            method.name()
        );
        let bound = bound.unwrap_or_default();
        ensure!(
            at_radius.is_none() || bound == Bound::OneSided,
            "--at-radius is answered by the one-sided bound; leave --bound out"
        );
        let budget = Budget::new(n0, n, Alpha::new(self.alpha)?)?.with_bound(bound)?;
        Ok(at_radius.map_or(Ok(budget), |radius| budget.asking_about(radius))?)
    }
}
