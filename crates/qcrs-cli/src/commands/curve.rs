//! `qcrs curve`

use crate::args::{NoiseArgs, SeedArg, TargetArgs, count};
use crate::output::{self, RowFormat, say, terminal};
use crate::progress::PassesBar;
use crate::setup::Setup;
use anyhow::{Context, bail};
use qcrs::analysis::{AnsweredInput, Answers, Curve, CurvePoint, SigmaLevels};
use qcrs::curve::{Curves, Drawn, sigmas_between};
use qcrs::report::format::{down, up};
use qcrs::report::{self, SheetTable};
use qcrs::sample::{Input, SampleUnderNoise};
use qcrs::text::{one_line, shortened};
use qcrs::types::{Alpha, Error, Sigma};
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
    /// The σ at which the class is guessed (the noise the model was trained with)
    #[arg(long)]
    sigma: f64,
    /// The smallest σ [default: 0.24 σ]
    #[arg(long)]
    left: Option<f64>,
    /// The largest σ [default: 3.4 σ]
    #[arg(long)]
    right: Option<f64>,
    /// The number of σ
    #[arg(long, default_value_t = 24, value_parser = count(2..=65536))]
    points: u32,
    /// Draws per σ
    #[arg(long, alias = "N", default_value_t = 10_000, value_parser = count(1..))]
    n: u32,
    /// The probability with which each point may be wrong
    #[arg(long, default_value_t = 0.001)]
    alpha: f64,
    #[command(flatten)]
    noise: NoiseArgs,
    /// The seed of all noise; `secret` draws one and prints it
    #[arg(long, default_value_t = SeedArg::Chosen(0), value_name = "N|secret")]
    seed: SeedArg,
    /// Also write the curves to this JSON file, for `qcrs report --curves`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    format: RowFormat,
}

/// Draws and prints the curves.
pub fn run(args: &CurveArgs) -> anyhow::Result<()> {
    let start = Sigma::new(args.sigma).context("--sigma")?;
    let (left, right) = (args.left.unwrap_or(0.24 * args.sigma), args.right.unwrap_or(3.4 * args.sigma));
    let sigmas = sigmas_between(left, right, args.points)?;
    let curves = Curves::new(start, sigmas, args.n, Alpha::new(args.alpha)?)?;
    let seed = args.seed.draw_and_say()?;
    let setup = Setup::open(&args.target.model, &args.target.data, args.noise.noise)?;
    let all = setup.len()?;
    let ids = if args.ids.is_empty() { setup.ids(&args.target.selection)? } else { args.ids.clone() };
    if let Some(id) = ids.iter().find(|&&id| id >= all) {
        bail!("there is no input {id}; the dataset has {all}, counted from 0");
    }
    setup.check_images(&ids)?;
    if let Some(path) = &args.out {
        output::check_writable(path)?;
    }
    let sampler = setup.sampler()?;
    let passes = ids.len() as u64 * curves.draws();
    let one = |&id: &u32| of_input(&curves, &setup, &sampler, (seed, id));
    let drawn = PassesBar::new(passes).watch(&sampler, || ids.iter().map(one).collect::<Result<_, _>>());
    let curves: Vec<Curve> = drawn?;
    if let Some(path) = &args.out {
        output::write_file(path, &serde_json::to_string_pretty(&curves)?)?;
    }
    match args.format {
        RowFormat::Json => output::print_json(&curves),
        RowFormat::Tsv => {
            // stdout has nothing but the numbers of the curves
            say!("{}", answers(&curves, &setup));
            output::print(&tsv(&curves))
        }
        RowFormat::Text => {
            output::print(&text(&curves, &setup))?;
            output::print(&format!("\n{}", answers(&curves, &setup)))
        }
    }
}

/// What the network answers to these inputs at each σ.
fn answers(curves: &[Curve], setup: &Setup) -> String {
    let inputs: Vec<AnsweredInput> = curves.iter().map(Curve::answered).collect();
    let sigmas = curves.iter().flat_map(|curve| &curve.points).map(|point| point.sigma);
    let classes = setup.model.classifier.num_classes();
    let levels = SigmaLevels::each(sigmas);
    let answers = Answers::new(&inputs, &levels, classes, &|class| setup.class_name(class));
    report::by_sigma(&answers, &terminal())
}

/// The curve of one input, with what a report needs to know about it.
pub fn of_input(
    curves: &Curves,
    setup: &Setup,
    sampler: &dyn SampleUnderNoise,
    (seed, index): (u64, u32),
) -> Result<Curve, Error> {
    let example = setup.example(index)?;
    let Drawn { class, points } = curves.of(sampler, &Input { pixels: &example.pixels, seed, index })?;
    let name = example.file.clone().unwrap_or_else(|| format!("input {index}"));
    let caption = format!("{name}: {}", setup.class_name(class));
    let (model, data) = (setup.model.blake3.clone(), setup.data.about.blake3.clone());
    Ok(Curve { model, data, index, file: example.file, label: example.label, class, caption, points })
}

/// Characters of a file's name in a table.
const NAME: usize = 30;

/// The file of an input, or else its number.
fn name(curve: &Curve) -> String {
    curve.file.clone().unwrap_or_else(|| curve.index.to_string())
}

/// Inputs whose curves are shown point by point.
const POINT_BY_POINT: usize = 4;

/// The best σ of each input, and the points of the first few curves.
fn text(curves: &[Curve], setup: &Setup) -> String {
    let width = terminal().width;
    let mut best =
        SheetTable::new("Best σ of each input".into(), &["input", "label", "class", "best σ", "radius"]);
    for curve in curves {
        let label = curve.label.map_or_else(|| "–".into(), |label| setup.class_name(label));
        let radius = |point: &&CurvePoint| point.radius.unwrap_or(-1.0);
        let most = curve.points.iter().max_by(|a, b| radius(a).total_cmp(&radius(b)));
        let (sigma, radius) = match most.and_then(|point| Some((point.sigma, point.radius?))) {
            Some((sigma, radius)) => (format!("{sigma:.4}"), down(radius, 4)),
            None => ("–".into(), "–".into()),
        };
        let input = shortened(&name(curve), NAME);
        best.rows.push(vec![input, label, setup.class_name(curve.class), sigma, radius]);
    }
    let mut text = best.text(width);
    for curve in curves.iter().take(POINT_BY_POINT) {
        let caption = format!("Input {}: {}", name(curve), setup.class_name(curve.class));
        let mut points = SheetTable::new(caption, &["σ", "lower bound", "upper bound", "radius"]);
        for &CurvePoint { sigma, p_lower, p_upper, radius, .. } in &curve.points {
            let radius = radius.map_or_else(|| "abstains".into(), |radius| down(radius, 4));
            points.rows.push(vec![format!("{sigma:.4}"), down(p_lower, 4), up(p_upper, 4), radius]);
        }
        let _ = write!(text, "\n{}", points.text(width));
    }
    if curves.len() > POINT_BY_POINT {
        let _ =
            writeln!(text, "\n{} more curves; --format tsv has every point", curves.len() - POINT_BY_POINT);
    }
    text
}

/// Every digit, for programs.
fn tsv(curves: &[Curve]) -> String {
    let has_files = curves.iter().any(|curve| curve.file.is_some());
    let head = if has_files { "\tfile" } else { "" };
    let mut text = format!("idx\tclass\tsigma\tp_lower\tp_upper\tradius{head}\n");
    for curve in curves {
        let file = curve.file.as_ref().map_or(String::new(), |file| format!("\t{}", one_line(file)));
        for point in &curve.points {
            let &CurvePoint { sigma, p_lower, p_upper, radius, .. } = point;
            let radius = radius.map_or("abstain".into(), |radius| radius.to_string());
            let _ = writeln!(
                text,
                "{}\t{}\t{sigma}\t{p_lower}\t{p_upper}\t{radius}{file}",
                curve.index, curve.class
            );
        }
    }
    text
}
