//! `qcrs curve`

use crate::args::{Seed, TargetArgs};
use crate::output::{self, Format};
use crate::progress::Progress;
use crate::setup::Setup;
use anyhow::{Context, bail, ensure};
use qcrs::analysis::{Curve, CurvePoint};
use qcrs::bounds::{clopper_pearson_lower, clopper_pearson_upper};
use qcrs::noise::{Fresh, Phase, Stream};
use qcrs::radius;
use qcrs::sample::{MonteCarlo, SampleUnderNoise, fresh_votes};
use qcrs::types::{Alpha, Sigma};
use std::fmt::Write;
use std::path::PathBuf;

/// What was typed after `qcrs curve`.
#[derive(clap::Args)]
pub struct CurveArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// These inputs instead of a selection, such as 0,50,100
    #[arg(long, value_delimiter = ',', value_name = "IDS", conflicts_with_all = ["skip", "offset", "max", "of_class", "count"])]
    ids: Vec<u32>,
    /// The σ at which the class is guessed (that of the training)
    #[arg(long)]
    sigma: f64,
    /// The smallest σ [default: 0.24 σ]
    #[arg(long)]
    left: Option<f64>,
    /// The largest σ [default: 3.4 σ]
    #[arg(long)]
    right: Option<f64>,
    /// How many σ
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(2..=65536))]
    points: u32,
    /// Draws per σ
    #[arg(long, alias = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    n: u32,
    /// The probability with which each point may be wrong
    #[arg(long, default_value_t = 0.001)]
    alpha: f64,
    /// The seed of all noise; `secret` draws one and says it
    #[arg(long, default_value_t = Seed::Chosen(0), value_name = "N|secret")]
    seed: Seed,
    /// Also write the curves to this JSON file, for `qcrs report --curves`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How to write them to stdout
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Draws and prints the curves.
pub fn run(args: &CurveArgs) -> anyhow::Result<()> {
    let start = Sigma::new(args.sigma).context("--sigma")?;
    let draws = (u64::from(args.points) + 1) * u64::from(args.n);
    ensure!(u32::try_from(draws).is_ok(), "{draws} draws of one input are too many; lower --points or --n");
    let (sigmas, alpha, seed) = (sigmas(args)?, Alpha::new(args.alpha)?, args.seed.draw_and_say()?);
    let asked = Curves { start, sigmas, n: args.n, alpha, seed };
    let setup = Setup::open(&args.target.model, &args.target.data)?;
    let all = setup.len()?;
    let ids = if args.ids.is_empty() { setup.ids(&args.target.selection)? } else { args.ids.clone() };
    if let Some(id) = ids.iter().find(|&&id| id >= all) {
        bail!("there is no input {id}; the dataset has {all}, counted from 0");
    }
    let sampler = setup.sampler()?;
    let passes = ids.len() as u64 * draws;
    let curves: anyhow::Result<Vec<Curve>> = Progress::new(passes)
        .watch(&sampler, || ids.iter().map(|&id| asked.of(id, &setup, &sampler)).collect());
    let curves = curves?;
    if let Some(path) = &args.out {
        output::write_file(path, &serde_json::to_string_pretty(&curves)?)?;
    }
    if args.format == Format::Json { output::print_json(&curves) } else { output::print(&text(&curves)) }
}

fn sigmas(args: &CurveArgs) -> anyhow::Result<Vec<Sigma>> {
    let low = args.left.unwrap_or(0.24 * args.sigma);
    let high = args.right.unwrap_or(3.4 * args.sigma);
    Sigma::new(low).context("--left")?;
    ensure!(low < high, "--left {low} must be below --right {high}");
    let last = f64::from(args.points - 1);
    // 0.85, not 0.8500000000000001
    let rounded = |sigma: f64| (sigma * 1e9).round() / 1e9;
    let at = |i: u32| Ok(Sigma::new(rounded(low + (high - low) * f64::from(i) / last))?);
    (0..args.points).map(at).collect()
}

/// Which curves are drawn, and how exactly.
pub struct Curves {
    /// The σ at which the class is guessed.
    pub start: Sigma,
    pub sigmas: Vec<Sigma>,
    /// Draws per σ.
    pub n: u32,
    /// The probability with which each point may be wrong.
    pub alpha: Alpha,
    pub seed: u64,
}

impl Curves {
    /// The curve of input `id`: its class at the start, and that class's radius at every σ.
    pub fn of(&self, id: u32, setup: &Setup, sampler: &MonteCarlo) -> anyhow::Result<Curve> {
        let example = setup.example(id)?;
        let mut fresh = Fresh::of(Stream { seed: self.seed, input: id, phase: Phase::Curve });
        // every point has draws of its own, so that neighbours do not share their luck
        let mut votes = |sigma| fresh_votes(sampler, &example.pixels, sampler.at(sigma), self.n, &mut fresh);
        let class = votes(self.start)?.elected()?;
        let point = |sigma: Sigma| {
            let votes = votes(sigma)?;
            let (k, n) = (votes.of(class), votes.total());
            let p_lower = clopper_pearson_lower(k, n, self.alpha)?;
            let p_upper = clopper_pearson_upper(k, n, self.alpha)?;
            let radius = radius::gaussian(p_lower, sigma)?;
            let radius_upper = if p_upper < 1.0 { radius::gaussian(p_upper, sigma)? } else { None };
            Ok(CurvePoint { sigma: sigma.get(), p_lower, p_upper, radius, radius_upper })
        };
        let points = self.sigmas.iter().copied().map(point).collect::<anyhow::Result<_>>()?;
        let caption = format!("input {id}: {}", setup.class_name(class));
        let (model, data) = (setup.model.blake3.clone(), setup.data.about.blake3.clone());
        Ok(Curve { model, data, index: id, label: example.label, class, caption, points })
    }
}

fn text(curves: &[Curve]) -> String {
    let mut text = String::from("idx\tclass\tsigma\tp_lower\tp_upper\tradius\n");
    for curve in curves {
        for point in &curve.points {
            let &CurvePoint { sigma, p_lower, p_upper, radius, .. } = point;
            let radius = radius.map_or("abstain".into(), |radius| radius.to_string());
            let _ =
                writeln!(text, "{}\t{}\t{sigma}\t{p_lower}\t{p_upper}\t{radius}", curve.index, curve.class);
        }
    }
    text
}
