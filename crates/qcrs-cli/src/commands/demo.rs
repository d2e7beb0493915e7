//! `qcrs demo`: every method on built-in images, offline, with nothing to install.

use super::curve::of_input;
use crate::output::{print, say, write_file};
use crate::setup::Setup;
use anyhow::{Context, bail};
use qcrs::analysis::{Analysis, Options, Table};
use qcrs::certify::Budget;
use qcrs::curve::Curves;
use qcrs::method::{AnyMethod, Cohen, Ddrs, Dsrs, Grid, InstaRs, Iss, Method, Probe, Qcrs, Winner};
use qcrs::report::{self, Page};
use qcrs::run::{self, Depth, Selection, Shard};
use qcrs::sample::MonteCarlo;
use qcrs::types::{Alpha, Sigma};
use qcrs_onnx::EngineChoice;
use qcrs_terminal::certify::certify_into;
use qcrs_terminal::settings::{DataSettings, ModelSettings};
use std::path::{Path, PathBuf};

const MODEL: (&str, &[u8]) =
    ("fashion-mnist-cnn-0.25.onnx", include_bytes!("../../demo/fashion-mnist-cnn-0.25.onnx"));
const IMAGES: (&str, &[u8]) = ("t10k-images-idx3-ubyte", include_bytes!("../../demo/t10k-images-idx3-ubyte"));
const LABELS: (&str, &[u8]) = ("t10k-labels-idx1-ubyte", include_bytes!("../../demo/t10k-labels-idx1-ubyte"));

/// The noise the built-in classifier was trained with.
const SIGMA: f64 = 0.25;
/// Channels, height and width of the images.
const SHAPE: [usize; 3] = [1, 28, 28];
/// Draws per look: fewer than the published 500, so that the demo takes seconds.
const LOOK: u32 = 100;
/// Inputs whose σ–radius curve is drawn.
const CURVED: [u32; 4] = [0, 1, 2, 3];

/// What was typed after `qcrs demo`.
#[derive(clap::Args)]
pub struct DemoArgs {
    /// The folder to write to [default: demo, or a temporary folder if demo cannot be written]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Certify only this many of the 100 images
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,
}

/// Certifies the built-in images with every method and shows the comparison.
pub fn run(args: &DemoArgs) -> anyhow::Result<()> {
    let dir = folder(args.dir.as_deref())?;
    let (model, images) = (dir.join(MODEL.0), dir.join(IMAGES.0));
    let mut settings = ModelSettings::new(model.clone());
    // our own engine gives the same numbers on every machine
    settings.options.engine = EngineChoice::Cnn;
    let setup = Setup::open(settings, DataSettings::new(images.clone()))?;
    let sampler = setup.sampler()?;
    let selection =
        Selection { of: setup.len()?, skip: 1, offset: 0, max: None, listed: None, count: args.count };

    let budget = Budget::new(100, 800, Alpha::new(0.001)?)?;
    let mut tables = Vec::new();
    for (name, search) in searches()? {
        let spec = setup.spec(selection.clone(), Method::new(search)?, budget, None);
        let into = dir.join("runs").join(name);
        certify_into(&setup, &sampler, &spec, (&into, Shard::WHOLE), None)?;
        let stored = run::read(&into, Depth::Verdicts)?;
        tables.push(Table::of(name.into(), &stored)?);
    }
    let analysis = Analysis::new(tables, &Options::default())?;
    let html = dir.join("report.html");
    write_file(&html, &page(&setup, &sampler, &analysis, budget)?)?;
    print(&report::text(&analysis))?;
    let (html, model, images) = (html.display(), model.display(), images.display());
    print(&format!(
        "{html}: the report with images and curves\n\
         next: qcrs certify --model {model} --data {images} --sigma {SIGMA} --n 10000"
    ))
}

fn searches() -> anyhow::Result<[(&'static str, AnyMethod); 8]> {
    let sigma = Sigma::new(SIGMA)?;
    let qcrs = Qcrs { draws: LOOK, ..Qcrs::scaled_to(sigma)?.repaired() };
    let region = [qcrs.low, qcrs.high];
    let winner = Winner::Fresh { draws: LOOK };
    let grid = Grid { sigma, low: qcrs.low, high: qcrs.high, points: 8, winner };
    // few and long steps
    let ddrs = Ddrs { iterations: 18, draws: 16, rate: 0.08 * SIGMA, ..Ddrs::sane(sigma, region) };
    let [channels, height, width] = SHAPE;
    Ok([
        ("cohen", AnyMethod::Cohen(Cohen { sigma })),
        ("grid", AnyMethod::Grid(grid)),
        ("qcrs", AnyMethod::Qcrs(qcrs)),
        ("probe", AnyMethod::Probe(Probe::new(sigma, region, 1e-5))),
        ("ddrs", AnyMethod::Ddrs(ddrs.clone())),
        ("insta-rs", AnyMethod::InstaRs(InstaRs::around(&ddrs)?)),
        ("iss", AnyMethod::Iss(Iss { draws: LOOK, ..Iss::published(sigma) })),
        ("dsrs", AnyMethod::Dsrs(Dsrs::published(sigma, channels * height * width)?)),
    ])
}

fn page(setup: &Setup, sampler: &MonteCarlo, analysis: &Analysis, budget: Budget) -> anyhow::Result<String> {
    let sigmas = (1..=12).map(|i| Sigma::new(0.07 * f64::from(i))).collect::<Result<_, _>>()?;
    let asked = Curves::new(Sigma::new(SIGMA)?, sigmas, budget.n(), budget.alpha())?;
    let drawn = CURVED.iter().map(|&id| of_input(&asked, setup, sampler, (0, id)));
    let curves = drawn.collect::<Result<Vec<_>, _>>()?;
    let pictures = report::pictures(analysis, &setup.data, 12)?;
    let title = "qcrs demo: Fashion-MNIST";
    Ok(report::html(&Page { title, analysis, curves: &curves, pictures: &pictures })?)
}

/// The folder that was typed, or else the usual one, with the built-in files in it; a temporary one where the usual
/// one cannot be written.
fn folder(typed: Option<&Path>) -> anyhow::Result<PathBuf> {
    let dir = typed.unwrap_or(Path::new("demo"));
    match (unpack(dir), typed) {
        (Ok(()), _) => Ok(dir.to_owned()),
        (Err(why), Some(_)) => bail!("{why:#}; choose another --dir"),
        (Err(why), None) => {
            let temporary = tempfile::Builder::new().prefix("qcrs-demo-").tempdir()?.keep();
            say!("{why:#}; writing to {0} instead; rerun with --dir {0} to resume", temporary.display());
            unpack(&temporary)?;
            Ok(temporary)
        }
    }
}

fn unpack(dir: &Path) -> anyhow::Result<()> {
    let here = || format!("cannot write {}", dir.display());
    std::fs::create_dir_all(dir).with_context(here)?;
    for (name, content) in [MODEL, IMAGES, LABELS] {
        let path = dir.join(name);
        // a second run finds its own files
        if std::fs::read(&path).ok().as_deref() != Some(content) {
            std::fs::write(&path, content).with_context(here)?;
        }
    }
    Ok(())
}
