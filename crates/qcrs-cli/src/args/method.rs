//! Which method, with which settings?

use anyhow::bail;
use qcrs::certify::{Bound, Budget};
use qcrs::search::{
    Accept, Fixed, Grid, NegativeSigma, Objective, Pairs, Plateau, ProbeSearch, Qcrs, SearchSpec, Tau, Winner,
};
use qcrs::types::{Alpha, Sigma};

/// How σ is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Method {
    /// One σ for every input (Cohen et al. 2019)
    Cohen,
    /// The best of a list of σ per input
    Grid,
    /// Quasiconcave search per input (Kung & Chen 2024)
    Qcrs,
    /// Draws where the best σ may lie, then as many as the radius is worth
    Probe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    /// With every repair
    Default,
    /// As published
    Paper,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum WinnerArg {
    /// Small looks choose, fresh draws certify
    Fresh,
    /// A whole certificate at α/K for each point, as in the paper
    MaxOfCertificates,
}

/// Options about the method.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// How σ is chosen
    #[arg(long, value_enum, default_value = "qcrs")]
    pub method: Method,
    /// The noise the model was trained with, in units of a pixel range [0, 1]; may come from --preset
    #[arg(long, value_name = "SIGMA", required_unless_present = "preset")]
    pub sigma: Option<f64>,
    /// Published QCRS settings by name, such as cifar10-0.50 or cifar10-0.50-appendix
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// qcrs: with the repairs, or decision by decision as published
    #[arg(long, value_enum, default_value = "default")]
    mode: Mode,
    /// Left end of the σ searched [default: the preset's, else 0.24 σ]
    #[arg(long, value_name = "SIGMA")]
    left: Option<f64>,
    /// Right end of the σ searched [default: the preset's, else 3.4 σ]
    #[arg(long, value_name = "SIGMA")]
    right: Option<f64>,
    /// qcrs: stop when the interval is this short [default: the preset's, else 0.06 σ]
    #[arg(long, value_name = "E")]
    epsilon: Option<f64>,
    /// qcrs: half the width of a difference [default: the preset's, else 0.3 σ]
    #[arg(long, value_name = "TAU")]
    tau: Option<f64>,
    /// qcrs: the published program's way to give τ: τ = ε / this
    #[arg(long, alias = "epsilon_step", value_name = "S", conflicts_with = "tau")]
    epsilon_step: Option<f64>,
    /// Draws per look of a search
    #[arg(long, alias = "gradient_n", default_value_t = 500, value_name = "N")]
    gradient_n: u32,
    /// qcrs: noise of the two looks of a difference
    #[arg(long, value_name = "common|independent", value_parser = parse::<Pairs>)]
    pairs: Option<Pairs>,
    /// qcrs: compare radii of the look's own draws, or as expected of the final n
    #[arg(long, value_name = "look|final", value_parser = parse::<Objective>)]
    objective: Option<Objective>,
    /// qcrs: a constant τ, or at most a quarter of the interval
    #[arg(long, value_name = "constant|shrinking", value_parser = parse::<Tau>)]
    tau_rule: Option<Tau>,
    /// qcrs: where a zero gradient goes
    #[arg(long, value_name = "alternate|towards-start", value_parser = parse::<Plateau>)]
    plateau: Option<Plateau>,
    /// qcrs: whether the σ found must win for the same class as σ₀
    #[arg(long, value_name = "any-class|same-class", value_parser = parse::<Accept>)]
    accept: Option<Accept>,
    /// qcrs: what happens where σ − τ leaves the region on the left
    #[arg(long, value_name = "floor|emulate", value_parser = parse::<NegativeSigma>)]
    negative_sigma: Option<NegativeSigma>,
    /// grid: how many σ
    #[arg(long, default_value_t = 24, value_name = "K")]
    points: u32,
    /// grid: how the winner gets its certificate
    #[arg(long, value_enum, default_value = "fresh")]
    winner: WinnerArg,
    /// probe: the radius that one draw must bring, for σ = 0.5 and others in proportion; 0: always use all of --n
    #[arg(long, default_value_t = 1e-6, value_name = "L")]
    lambda: f64,
    /// probe: so many passes per input on average, instead of --lambda; the first 20 inputs tell the price
    #[arg(long, value_name = "P", conflicts_with = "lambda")]
    pub passes: Option<u64>,
}

/// Reads an option by its name in spec.json, so that there is only one list of names.
fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(text.into()).map_err(|error| error.to_string())
}

impl MethodArgs {
    /// The search that was asked for, checked.
    pub fn search(&self) -> anyhow::Result<SearchSpec> {
        let search = match self.method {
            Method::Cohen => SearchSpec::Cohen(Fixed { sigma: self.published()?.sigma }),
            Method::Grid => {
                let Qcrs { sigma, low, high, .. } = self.published()?;
                let winner = match self.winner {
                    WinnerArg::Fresh => Winner::Fresh { draws: self.gradient_n },
                    WinnerArg::MaxOfCertificates => Winner::MaxOfCertificates,
                };
                SearchSpec::Grid(Grid { sigma, low, high, points: self.points, winner })
            }
            Method::Qcrs => SearchSpec::Qcrs(self.qcrs()?),
            Method::Probe => {
                let Qcrs { sigma, low, high, .. } = self.published()?;
                SearchSpec::Probe(ProbeSearch::new(sigma, [low, high], self.lambda))
            }
        };
        search.check()?;
        Ok(search)
    }

    /// The paper's search with what was typed about region, ε and τ.
    fn published(&self) -> anyhow::Result<Qcrs> {
        let mut search = match (&self.preset, self.sigma) {
            (Some(name), None) => Qcrs::preset(name)?,
            (Some(name), Some(sigma)) => Qcrs { sigma: Sigma::new(sigma)?, ..Qcrs::preset(name)? },
            (None, Some(sigma)) => Qcrs::scaled_to(Sigma::new(sigma)?)?,
            (None, None) => bail!("give --sigma or --preset"),
        };
        if let Some(left) = self.left {
            search.low = Sigma::new(left)?;
        }
        if let Some(right) = self.right {
            search.high = Sigma::new(right)?;
        }
        search.tolerance = self.epsilon.unwrap_or(search.tolerance);
        let steps = self.epsilon_step.map(|steps| search.tolerance / steps);
        search.step = self.tau.or(steps).unwrap_or(search.step);
        search.draws = self.gradient_n;
        Ok(search)
    }

    fn qcrs(&self) -> anyhow::Result<Qcrs> {
        let base = match self.mode {
            Mode::Paper => self.published()?,
            Mode::Default => self.published()?.repaired(),
        };
        Ok(Qcrs {
            pairs: self.pairs.unwrap_or(base.pairs),
            objective: self.objective.unwrap_or(base.objective),
            tau: self.tau_rule.unwrap_or(base.tau),
            plateau: self.plateau.unwrap_or(base.plateau),
            accept: self.accept.unwrap_or(base.accept),
            negative_sigma: self.negative_sigma.unwrap_or(base.negative_sigma),
            ..base
        })
    }
}

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
    #[arg(long, value_name = "one-sided|two-sided|auto", default_value = "one-sided", value_parser = parse::<Bound>)]
    bound: Bound,
    /// Ask only whether the radius is at least R, and stop as soon as that is decided
    #[arg(long, value_name = "R")]
    at_radius: Option<f64>,
}

impl BudgetArgs {
    /// The budget that was asked for, checked.
    pub fn budget(&self) -> anyhow::Result<Budget> {
        let &Self { n0, n, bound, at_radius, .. } = self;
        let budget = Budget { bound, at_radius, ..Budget::new(n0, n, Alpha::new(self.alpha)?) };
        budget.check()?;
        Ok(budget)
    }
}
