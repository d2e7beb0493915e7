//! Which method, with which settings?

use anyhow::{Context, bail};
use clap::ValueEnum;
use qcrs::method::{
    Accept, AnyMethod, Cohen, Ddrs, Dsrs, Grid, InstaRs, Iss, Loss, NegativeSigma, Objective, Pairs, Plateau,
    Probe, Qcrs, Second, Tau, Winner,
};
use qcrs::types::Sigma;

/// How σ is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Method {
    /// One σ for every input (Cohen et al. 2019)
    Cohen,
    /// The best of a list of σ per input
    Grid,
    /// Quasiconcave search per input (Kung & Chen 2024)
    Qcrs,
    /// Gradient ascent on a smooth radius per input (Alfarra et al. 2022), by forward passes
    Ddrs,
    /// The same from several starts (Chen et al. 2021), reconstructed
    InstaRs,
    /// One σ, and as many draws as the input deserves (Chen et al. 2022), in a sound form
    Iss,
    /// One σ of generalized Gaussian noise, asked under two laws (Li et al. 2022)
    Dsrs,
    /// Draws where the best σ may lie, then as many as the radius is worth
    Probe,
}

impl Method {
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    /// With every repair
    Default,
    /// As published
    Paper,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Recipe {
    /// Reaches the optimum with about as many passes as qcrs
    Sane,
    /// The published training scripts: σ moves by 0.02 at most
    Published,
    /// The published package: 180,000 passes per input
    Package,
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
    /// qcrs: with our repairs, or exactly as published (except --negative-sigma) [default: default]
    #[arg(long, value_enum)]
    mode: Option<Mode>,
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
    /// Draws per look of a search [default: 500; ddrs and insta-rs 64 or 100, iss 2000]
    #[arg(long, alias = "gradient_n", value_name = "N")]
    gradient_n: Option<u32>,
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
    /// grid: how many σ [default: 24]
    #[arg(long, value_name = "K")]
    points: Option<u32>,
    /// grid: how the winner gets its certificate [default: fresh]
    #[arg(long, value_enum)]
    winner: Option<WinnerArg>,
    /// ddrs, insta-rs: whose settings [default: sane]
    #[arg(long, value_enum)]
    recipe: Option<Recipe>,
    /// ddrs, insta-rs: steps of the ascent [default: the recipe's]
    #[arg(long, value_name = "K")]
    iterations: Option<u32>,
    /// ddrs, insta-rs: the factor of the gradient in a step [default: the recipe's]
    #[arg(long, value_name = "RATE")]
    rate: Option<f64>,
    /// ddrs, insta-rs: how far probabilities are kept from 0 and 1 [default: the recipe's]
    #[arg(long, value_name = "P")]
    clamp: Option<f64>,
    /// insta-rs: where to start [default: half of σ, σ and twice σ]
    #[arg(long, value_delimiter = ',', value_name = "SIGMAS")]
    starts: Vec<f64>,
    /// iss: what a radius may lose against all n draws, such as 0.01, or 5% of itself [default: 0.01]
    #[arg(long, value_name = "LOSS", value_parser = parse_loss)]
    loss: Option<Loss>,
    /// dsrs: the exponent of ‖ε‖⁻²ᵏ [default: the published, by the size of the input]
    #[arg(long, value_name = "K")]
    k: Option<u32>,
    /// dsrs: the second law: that of a share of σ, a truncated one, or none [default: 0.8]
    #[arg(long, value_name = "SHARE|threshold|none", value_parser = parse_second)]
    second: Option<Second>,
    /// probe: the radius that one draw must bring, for σ = 0.5 and others in proportion; 0: always use all of --n
    /// [default: 1e-6]
    #[arg(long, value_name = "L")]
    lambda: Option<f64>,
    /// probe: the passes per input to aim at on average, instead of --lambda; a search of 20 inputs sets the price
    #[arg(long, value_name = "P", conflicts_with = "lambda")]
    pub passes: Option<u64>,
}

/// none, threshold, or a share of σ.
fn parse_second(text: &str) -> Result<Second, String> {
    match text {
        "none" => Ok(Second::None),
        "threshold" => Ok(Second::Threshold),
        _ => text
            .parse()
            .map(Second::Variance)
            .map_err(|_| "none, threshold, or a share of σ such as 0.8".into()),
    }
}

/// Reads an option by its name in spec.json, so that there is only one list of names.
pub(super) fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(text.into()).map_err(|error| error.to_string())
}

/// The noise level that was typed after `flag`.
fn level(flag: &'static str, sigma: f64) -> anyhow::Result<Sigma> {
    Sigma::new(sigma).context(flag)
}

/// An amount, or a share with a percent sign.
fn parse_loss(text: &str) -> Result<Loss, String> {
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| format!("{text} is no number"));
    match text.strip_suffix('%') {
        Some(percent) => Ok(Loss::Relative(number(percent)? / 100.0)),
        None => Ok(Loss::Absolute(number(text)?)),
    }
}

impl MethodArgs {
    /// The search that was asked for, checked as far as the shape of the inputs is known.
    pub fn search(&self, shape: Option<[usize; 3]>) -> anyhow::Result<AnyMethod> {
        self.refuse_options_of_others()?;
        let search = match self.method {
            Method::Cohen => AnyMethod::Cohen(Cohen { sigma: self.published()?.sigma }),
            Method::Grid => {
                let Qcrs { sigma, low, high, .. } = self.published()?;
                let winner = match self.winner {
                    None | Some(WinnerArg::Fresh) => Winner::Fresh { draws: self.gradient_n.unwrap_or(500) },
                    Some(WinnerArg::MaxOfCertificates) => Winner::MaxOfCertificates,
                };
                AnyMethod::Grid(Grid { sigma, low, high, points: self.points.unwrap_or(24), winner })
            }
            Method::Qcrs => AnyMethod::Qcrs(self.qcrs()?),
            Method::Ddrs => AnyMethod::Ddrs(self.ddrs()?),
            Method::InstaRs => AnyMethod::InstaRs(self.insta_rs()?),
            Method::Iss => {
                let published = Iss::published(self.published()?.sigma);
                let draws = self.gradient_n.unwrap_or(published.draws);
                let loss = self.loss.unwrap_or(Loss::Absolute(0.01));
                AnyMethod::Iss(Iss { draws, loss, ..published })
            }
            Method::Dsrs => AnyMethod::Dsrs(self.dsrs(shape)?),
            Method::Probe => {
                let Qcrs { sigma, low, high, .. } = self.published()?;
                AnyMethod::Probe(Probe::new(sigma, [low, high], self.lambda.unwrap_or(1e-6)))
            }
        };
        search.check()?;
        Ok(search)
    }

    /// What may not be what was meant.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let (Some(name), Some(sigma)) = (&self.preset, self.sigma) {
            remarks.push(format!("region, ε and τ are those of {name}, σ is {sigma} as typed"));
        }
        if let Some(sigma) = self.sigma.filter(|sigma| *sigma > 3.0) {
            let unit = sigma / 255.0;
            remarks
                .push(format!("σ = {sigma} drowns pixels between 0 and 1; is it {sigma}/255 = {unit:.4}?"));
        }
        remarks
    }

    /// An option that the method does not look at would be believed to do something.
    fn refuse_options_of_others(&self) -> anyhow::Result<()> {
        use Method::{Ddrs, Dsrs, Grid, InstaRs, Iss, Probe, Qcrs};
        let typed: [(&str, bool, &[Method]); 25] = [
            ("--gradient-n", self.gradient_n.is_some(), &[Grid, Qcrs, Ddrs, InstaRs, Iss]),
            ("--left", self.left.is_some(), &[Grid, Qcrs, Ddrs, InstaRs, Probe]),
            ("--right", self.right.is_some(), &[Grid, Qcrs, Ddrs, InstaRs, Probe]),
            ("--mode", self.mode.is_some(), &[Qcrs]),
            ("--epsilon", self.epsilon.is_some(), &[Qcrs]),
            ("--tau", self.tau.is_some(), &[Qcrs]),
            ("--epsilon-step", self.epsilon_step.is_some(), &[Qcrs]),
            ("--pairs", self.pairs.is_some(), &[Qcrs]),
            ("--objective", self.objective.is_some(), &[Qcrs]),
            ("--tau-rule", self.tau_rule.is_some(), &[Qcrs]),
            ("--plateau", self.plateau.is_some(), &[Qcrs]),
            ("--accept", self.accept.is_some(), &[Qcrs]),
            ("--negative-sigma", self.negative_sigma.is_some(), &[Qcrs]),
            ("--points", self.points.is_some(), &[Grid]),
            ("--winner", self.winner.is_some(), &[Grid]),
            ("--recipe", self.recipe.is_some(), &[Ddrs, InstaRs]),
            ("--iterations", self.iterations.is_some(), &[Ddrs, InstaRs]),
            ("--rate", self.rate.is_some(), &[Ddrs, InstaRs]),
            ("--clamp", self.clamp.is_some(), &[Ddrs, InstaRs]),
            ("--starts", !self.starts.is_empty(), &[InstaRs]),
            ("--loss", self.loss.is_some(), &[Iss]),
            ("--k", self.k.is_some(), &[Dsrs]),
            ("--second", self.second.is_some(), &[Dsrs]),
            ("--lambda", self.lambda.is_some(), &[Probe]),
            ("--passes", self.passes.is_some(), &[Probe]),
        ];
        let foreign = typed.iter().find(|(_, typed, methods)| *typed && !methods.contains(&self.method));
        let Some((flag, _, methods)) = foreign else { return Ok(()) };
        let methods: Vec<String> = methods.iter().map(|method| method.name()).collect();
        bail!(
            "{flag} is for --method {} only, and this is {}; remove it here and from the file of --config",
            methods.join(", "),
            self.method.name()
        )
    }

    /// The paper's search with what was typed about region, ε and τ.
    fn published(&self) -> anyhow::Result<Qcrs> {
        let mut search = match (&self.preset, self.sigma) {
            (Some(name), None) => Qcrs::preset(name)?,
            (Some(name), Some(sigma)) => Qcrs { sigma: level("--sigma", sigma)?, ..Qcrs::preset(name)? },
            (None, Some(sigma)) => Qcrs::scaled_to(level("--sigma", sigma)?)?,
            (None, None) => bail!("give --sigma or --preset"),
        };
        if let Some(left) = self.left {
            search.low = level("--left", left)?;
        }
        if let Some(right) = self.right {
            search.high = level("--right", right)?;
        }
        search.tolerance = self.epsilon.unwrap_or(search.tolerance);
        let steps = self.epsilon_step.map(|steps| search.tolerance / steps);
        search.step = self.tau.or(steps).unwrap_or(search.step);
        search.draws = self.gradient_n.unwrap_or(search.draws);
        Ok(search)
    }

    fn ddrs(&self) -> anyhow::Result<Ddrs> {
        let Qcrs { sigma, low, high, .. } = self.published()?;
        let base = match self.recipe.unwrap_or(Recipe::Sane) {
            Recipe::Sane => Ddrs::sane(sigma, [low, high]),
            Recipe::Published => Ddrs::published(sigma, [low, high]),
            Recipe::Package => Ddrs::package(sigma, [low, high]),
        };
        Ok(Ddrs {
            iterations: self.iterations.unwrap_or(base.iterations),
            rate: self.rate.unwrap_or(base.rate),
            draws: self.gradient_n.unwrap_or(base.draws),
            clamp: self.clamp.unwrap_or(base.clamp),
            ..base
        })
    }

    fn dsrs(&self, shape: Option<[usize; 3]>) -> anyhow::Result<Dsrs> {
        let (sigma, second) = (self.published()?.sigma, self.second.unwrap_or(Second::Variance(0.8)));
        let dim = shape.map(|shape| shape.iter().product());
        let k = match (self.k, dim) {
            (Some(k), _) => k,
            (None, Some(dim)) => Dsrs::published(sigma, dim)?.k,
            (None, None) => 1, // not known yet
        };
        let search = Dsrs { sigma, k, second };
        if let Some(dim) = dim {
            search.check()?;
            search.laws(dim)?;
        }
        Ok(search)
    }

    fn insta_rs(&self) -> anyhow::Result<InstaRs> {
        let ascent = self.ddrs()?;
        if self.starts.is_empty() {
            return Ok(InstaRs::around(&ascent)?);
        }
        let starts = self.starts.iter().map(|start| level("--starts", *start)).collect::<Result<_, _>>()?;
        Ok(InstaRs::starting_at(starts, &ascent))
    }

    fn qcrs(&self) -> anyhow::Result<Qcrs> {
        let base = match self.mode {
            Some(Mode::Paper) => self.published()?,
            None | Some(Mode::Default) => self.published()?.repaired(),
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
