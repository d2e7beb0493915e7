//! `qcrs paper`: the experiments of the paper, each beside the paper's own numbers.

mod ablation;
mod bank;
mod class_wise;
pub mod command;
mod dsrs_matrix;
mod fairness;
mod gradient;
mod interval;
mod lab;
mod logs;
mod methods;
mod published;
mod shape;
mod sigma_error;
mod training;
mod words;

use crate::args::{NoiseArgs, TargetArgs, count};
use crate::output::{print, terminal, write_file};
use crate::setup::Setup;
use anyhow::Context;
use lab::{Effort, Lab};
use qcrs::method::Qcrs;
use qcrs::report::{self, Sheet};
use qcrs::types::Sigma;
use std::path::{Path, PathBuf};

/// What was typed after `qcrs paper`.
#[derive(clap::Args)]
pub struct PaperArgs {
    /// Which experiment
    #[arg(value_enum)]
    experiment: Experiment,
    #[command(flatten)]
    target: TargetArgs,
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
    /// quasiconcavity, sqc, sigma-error: these σ instead of the published list
    #[arg(long, value_delimiter = ',', value_name = "SIGMAS")]
    sigmas: Vec<f64>,
    #[command(flatten)]
    noise: NoiseArgs,
    /// Where runs, tables, figures and the page are kept
    #[arg(long, default_value = "paper", value_name = "DIR")]
    dir: PathBuf,
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
    let (published, preset) = published(args)?;
    let budget = lab::budget(args.budget, args.n, args.alpha)?;
    let setup = Setup::open(&args.target.model, &args.target.data, args.noise.noise)?;
    let sampler = setup.sampler()?;
    let selection = lab::selection(&setup, &args.target.selection, args.budget)?;
    let (dir, effort, seed) = (args.dir.clone(), args.budget, args.seed);
    let lab =
        Lab { setup: &setup, sampler: &sampler, dir, published, preset, budget, selection, effort, seed };
    let mut sheet = match args.experiment {
        Experiment::Quasiconcavity => shape::quasiconcavity(&lab, &args.sigmas)?,
        Experiment::Sqc => shape::sqc(&lab, &args.sigmas)?,
        Experiment::Methods => methods::methods(&lab)?,
        Experiment::Training => training::training(&lab, args)?,
        Experiment::Fairness => fairness::fairness(&lab)?,
        Experiment::DsrsMatrix => dsrs_matrix::dsrs_matrix(&lab, args)?,
        Experiment::Ablation => ablation::ablation(&lab)?,
        Experiment::SigmaError => sigma_error::sigma_error(&lab, &args.sigmas)?,
        Experiment::GradientStability => gradient::stability(&lab)?,
        Experiment::McInterval => interval::intervals(&lab)?,
        Experiment::ClassWise => class_wise::class_wise(&lab, args)?,
    };
    sheet.warnings.push(words::circumstances(&lab));
    print(&sheet.text(terminal().width))?;
    keep(&args.dir, &args.experiment.name(), &sheet)
}

/// Refuses options of other experiments, because they would have no effect.
fn refuse_options_of_others(args: &PaperArgs) -> anyhow::Result<()> {
    use Experiment::{ClassWise, DsrsMatrix, Quasiconcavity, SigmaError, Sqc, Training};
    let typed: [(&str, bool, &[Experiment]); 4] = [
        ("--macer", args.macer.is_some(), &[Training]),
        ("--generalized", args.generalized.is_some(), &[DsrsMatrix]),
        ("--classes", !args.classes.is_empty(), &[ClassWise]),
        ("--sigmas", !args.sigmas.is_empty(), &[Quasiconcavity, Sqc, SigmaError]),
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
