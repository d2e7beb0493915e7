//! `qcrs paper`: the experiments of the paper, each beside the paper's own numbers.

mod ablation;
mod bank;
mod class_wise;
pub mod command;
mod curves;
mod dsrs_matrix;
mod fairness;
mod gradient;
mod grid;
mod interval;
mod lab;
mod logs;
mod methods;
mod published;
mod shape;
mod sigma_error;
mod source;
mod training;
mod words;

use crate::args::{DataArgs, ModelArgs, NoiseArgs, SelectionArgs, count};
use crate::output::{print, terminal, write_file};
use crate::settings::ModelSettings;
use crate::setup::Setup;
use anyhow::Context;
use lab::Lab;
use qcrs::certify::Budget;
use qcrs::method::{NegativeSigma, Qcrs};
use qcrs::report::{self, Sheet};
use qcrs::types::{Alpha, Sigma};
use source::{AnswerSource, Effort};
use std::path::{Path, PathBuf};

/// What was typed after `qcrs paper`.
#[derive(clap::Args)]
// answers that are kept need neither
#[command(mut_arg("model", |model| model.required(false).requires("data")))]
#[command(mut_arg("data", |data| data.required(false).requires("model")))]
pub struct PaperArgs {
    /// Which experiment
    #[arg(value_enum)]
    experiment: Experiment,
    /// The noise the model was trained with; may come from --preset
    #[arg(long, value_name = "SIGMA", required_unless_present = "preset")]
    sigma: Option<f64>,
    /// The published settings, such as cifar10-0.50 [default: those of CIFAR-10 at this σ, where there are
    /// any]
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// How much to spend
    #[arg(long, value_enum, default_value = "small")]
    budget: Effort,
    /// Draws per certificate [default: the budget's]
    #[arg(long, alias = "N", value_parser = count(..))]
    n: Option<u32>,
    /// The probability with which a certificate may be wrong
    #[arg(long, default_value_t = 0.001)]
    alpha: f64,
    /// The seed of all noise
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// training: the model trained with MACER
    #[arg(long, value_name = "FILE")]
    macer: Option<PathBuf>,
    /// dsrs-matrix: the model trained with generalized Gaussian noise
    #[arg(long, value_name = "FILE")]
    generalized: Option<PathBuf>,
    /// class-wise: these classes instead of the published ones, names or numbers
    #[arg(long, value_delimiter = ',', value_name = "CLASSES")]
    classes: Vec<String>,
    /// Published searches: what they do where σ − τ falls to 0 or below; the released program continues with a
    /// negative radius there
    #[arg(long, value_name = "floor|emulate", value_parser = negative_sigma)]
    negative_sigma: Option<NegativeSigma>,
    #[command(flatten)]
    noise: NoiseArgs,
    /// Where runs, tables, figures and the page are kept [default: paper; without --model, nothing is written]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Where answers are kept, one small file per run; existing ones are not sampled again, and need no model
    /// [default: the folder answers in --dir]
    #[arg(long, value_name = "DIR")]
    answers: Option<PathBuf>,
    /// Leave the seconds per input out of new answers: they say nothing if the machine does other things as well
    #[arg(long)]
    no_times: bool,
    /// The format of the tables on stdout
    #[arg(long, value_enum, default_value = "text")]
    format: SheetFormat,
    #[command(flatten)]
    model: Option<ModelArgs>,
    #[command(flatten)]
    data: Option<DataArgs>,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    shape: ShapeArgs,
}

/// How curves R(σ) are sampled and judged: for quasiconcavity, sqc and sigma-error.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Curves")]
struct ShapeArgs {
    /// These σ instead of the published list
    #[arg(long, value_delimiter = ',', value_name = "SIGMAS")]
    sigmas: Vec<f64>,
    /// Whether all σ share their noise or each has its own, as in the paper
    #[arg(long, value_enum, default_value = "shared", value_name = "shared|own")]
    noise_per_sigma: SigmaNoise,
    /// Signs of R(σ + τ) − R(σ − τ) instead of steps from one σ of the list to the next
    #[arg(long, value_name = "TAU")]
    tau: Option<f64>,
    /// The best σ is that of the list, or the one that QCRS as published finds
    #[arg(long, value_enum, default_value = "list", value_name = "list|search")]
    peak: Peak,
}

/// Which noise the σ of a curve have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum SigmaNoise {
    Shared,
    Own,
}

impl SigmaNoise {
    fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Own => "own",
        }
    }
}

/// Which σ is the best one of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Peak {
    List,
    Search,
}

fn negative_sigma(typed: &str) -> Result<NegativeSigma, String> {
    match typed {
        "floor" => Ok(NegativeSigma::Floor),
        "emulate" => Ok(NegativeSigma::Emulate),
        other => Err(format!("must be floor or emulate, got {other}")),
    }
}

/// How tables are written to stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum SheetFormat {
    /// For the terminal
    Text,
    /// Markdown
    Md,
}

/// The tables and figures of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Experiment {
    /// Table 1 and the curves of appendix B: is R(σ) quasiconcave, is it concave?
    Quasiconcavity,
    /// How often do the signs of dR/dσ point to the optimum: (υ⁻, υ⁺)-SQC
    Sqc,
    /// Tables 2 and 3 and the radius–accuracy figures: COHEN, DDRS, DSRS, grid and QCRS
    Methods,
    /// Table 2: the grid as 24 whole certificates, in its sound form and as published
    Grid,
    /// Table 4: training by Gaussian noise and by MACER (--macer) × inference
    Training,
    /// Table 5: σ̂ of each class
    Fairness,
    /// Appendix C: Gaussian and generalized noise (--generalized) × one law and two
    DsrsMatrix,
    /// Appendix F: search region and step, with τ named right
    Ablation,
    /// Appendix G: how far is σ̂ from the best σ of a grid?
    SigmaError,
    /// Appendix H: how many draws does the sign of dR/dσ need?
    GradientStability,
    /// Appendix H: the Clopper-Pearson interval by n
    McInterval,
    /// Appendix J: one σ per class, fitted on training images
    ClassWise,
}

impl Experiment {
    fn name(self) -> String {
        use clap::ValueEnum;
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Carries out one experiment and writes its table, figure and section of the page.
pub fn run(args: &PaperArgs) -> anyhow::Result<()> {
    refuse_options_of_others(args)?;
    let (mut published, preset) = published(args)?;
    published.negative_sigma = args.negative_sigma.unwrap_or(published.negative_sigma);
    let budget = Budget::new(100, args.n.unwrap_or(args.budget.n()), Alpha::new(args.alpha)?)?;
    let (effort, seed) = (args.budget, args.seed);
    let dir = args.dir.clone().or_else(|| args.model.as_ref().map(|_| "paper".into()));
    let answers = args.answers.clone().or_else(|| Some(dir.as_ref()?.join("answers")));
    let needs_none = args.experiment == Experiment::McInterval;
    let answers = answers.or_else(|| needs_none.then(PathBuf::new));
    let answers =
        answers.context("give --model and --data to sample, or --answers DIR to read what is kept")?;
    let setup = args.target().map(|(model, data)| Setup::open(model, data, args.noise.noise)).transpose()?;
    let sampler = setup.as_ref().map(Setup::sampler).transpose()?;
    let source = match (&setup, &sampler, &dir) {
        (Some(setup), Some(sampler), Some(dir)) => {
            let selection = effort.selection(setup, &args.selection)?;
            Some(AnswerSource {
                setup,
                sampler,
                selection,
                runs: dir.join("runs"),
                seed,
                has_times: !args.no_times,
            })
        }
        _ => None,
    };
    let lab = Lab { source, answers, published, preset, budget, effort, seed };
    let mut sheet = sheet(&lab, args)?;
    if !needs_none {
        sheet.warnings.push(words::circumstances(&lab)?);
    }
    match args.format {
        SheetFormat::Text => print(&sheet.text(terminal().width))?,
        SheetFormat::Md => print(&sheet.markdown())?,
    }
    dir.map_or(Ok(()), |dir| keep(&dir, &args.experiment.name(), &sheet))
}

fn sheet(lab: &Lab<'_>, args: &PaperArgs) -> anyhow::Result<Sheet> {
    match args.experiment {
        Experiment::Quasiconcavity => shape::quasiconcavity(lab, &args.shape),
        Experiment::Sqc => shape::sqc(lab, &args.shape),
        Experiment::Methods => methods::methods(lab),
        Experiment::Grid => grid::grid(lab),
        Experiment::Training => training::training(lab, args),
        Experiment::Fairness => fairness::fairness(lab),
        Experiment::DsrsMatrix => dsrs_matrix::dsrs_matrix(lab, args),
        Experiment::Ablation => ablation::ablation(lab),
        Experiment::SigmaError => sigma_error::sigma_error(lab, &args.shape),
        Experiment::GradientStability => gradient::stability(lab),
        Experiment::McInterval => interval::intervals(lab),
        Experiment::ClassWise => class_wise::class_wise(lab, args),
    }
}

impl PaperArgs {
    /// The model and the images, where they are given.
    fn target(&self) -> Option<(&ModelArgs, &DataArgs)> {
        self.model.as_ref().zip(self.data.as_ref())
    }

    /// A second model on the same images, where there is one and it may be asked.
    fn open_beside(&self, model: Option<&Path>) -> anyhow::Result<Option<Setup>> {
        let Some(((first, data), path)) = self.target().zip(model) else { return Ok(None) };
        let settings = ModelSettings { path: path.to_owned(), ..first.settings() };
        Ok(Some(Setup::open(settings, data, self.noise.noise)?))
    }
}

/// Refuses options of other experiments, because they would have no effect.
fn refuse_options_of_others(args: &PaperArgs) -> anyhow::Result<()> {
    use Experiment::{ClassWise, DsrsMatrix, Quasiconcavity, SigmaError, Sqc, Training};
    let curves: &[Experiment] = &[Quasiconcavity, Sqc, SigmaError];
    let typed: [(&str, bool, &[Experiment]); 7] = [
        ("--macer", args.macer.is_some(), &[Training]),
        ("--generalized", args.generalized.is_some(), &[DsrsMatrix]),
        ("--classes", !args.classes.is_empty(), &[ClassWise]),
        ("--sigmas", !args.shape.sigmas.is_empty(), curves),
        ("--noise-per-sigma", args.shape.noise_per_sigma != SigmaNoise::Shared, curves),
        ("--tau", args.shape.tau.is_some(), &curves[..2]),
        ("--peak", args.shape.peak != Peak::List, &curves[..2]),
    ];
    let foreign = typed.iter().find(|(_, typed, of)| *typed && !of.contains(&args.experiment));
    let Some((flag, _, of)) = foreign else { return Ok(()) };
    let of: Vec<String> = of.iter().map(|experiment| experiment.name()).collect();
    anyhow::bail!(
        "{flag} is for {} only, and this is {}; leave it out",
        of.join(", "),
        args.experiment.name()
    )
}

/// The published search of the model, with the name of its preset where it has one.
fn published(args: &PaperArgs) -> anyhow::Result<(Qcrs, Option<String>)> {
    let fitting = args.sigma.map(|sigma| format!("cifar10-{sigma:.2}"));
    match (&args.preset, args.sigma) {
        (Some(name), sigma) => {
            let mut search = Qcrs::preset(name)?;
            if let Some(sigma) = sigma {
                search.sigma = Sigma::new(sigma)?;
            }
            Ok((search, Some(name.clone())))
        }
        (None, Some(sigma)) => {
            let sigma = Sigma::new(sigma)?;
            let name = fitting.filter(|name| Qcrs::preset(name).is_ok_and(|preset| preset.sigma == sigma));
            let search = name.as_ref().map_or_else(|| Qcrs::scaled_to(sigma), |name| Qcrs::preset(name))?;
            Ok((search, name))
        }
        (None, None) => anyhow::bail!("give --sigma or --preset"),
    }
}

/// Writes table, figure and section, and the page of all existing sections.
fn keep(dir: &Path, name: &str, sheet: &Sheet) -> anyhow::Result<()> {
    write_file(&dir.join(format!("{name}.md")), &sheet.markdown())?;
    if let Some(svg) = sheet.svg() {
        write_file(&dir.join(format!("{name}.svg")), &svg)?;
    }
    write_file(&dir.join("sections").join(format!("{name}.html")), &sheet.section()?)?;
    let here = || dir.join("sections").display().to_string();
    let mut sections = Vec::new();
    for entry in std::fs::read_dir(dir.join("sections")).with_context(here)? {
        sections.push(entry?.path());
    }
    sections.sort();
    let sections: Vec<String> =
        sections.iter().map(std::fs::read_to_string).collect::<Result<_, _>>().with_context(here)?;
    let html = dir.join("report.html");
    write_file(&html, &report::page("The experiments of QCRS", &sections)?)?;
    let (md, html) = (dir.join(format!("{name}.md")), html.display());
    print(&format!("{}: the table; {html}: the page of all experiments so far", md.display()))
}
