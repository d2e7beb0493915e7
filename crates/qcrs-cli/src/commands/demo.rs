//! `qcrs demo`: every method on built-in images, offline, with nothing to install.

use super::curve::of_input;
use crate::args::count;
use crate::output::{beside, command, print, say, terminal, write_file};
use crate::setup::Setup;
use anyhow::{Context, bail};
use qcrs::analysis::{Analysis, Options, Summary, Table, WithInterval};
use qcrs::certify::Budget;
use qcrs::curve::Curves;
use qcrs::method::{METHODS, Method};
use qcrs::noise::NoiseChoice;
use qcrs::report::format::down;
use qcrs::report::{self, Page, Sheet, SheetTable};
use qcrs::run::{self, Depth, Selection, Shard};
use qcrs::sample::MonteCarlo;
use qcrs::settings::Settings;
use qcrs::types::{Alpha, Error, Sigma};
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
/// Settings of methods whose usual ones take longer than a few seconds. Every method of the library is in the demo, with or
/// without an entry here.
const QUICK: [(&str, &[(&str, f64)]); 6] = [
    ("grid", &[("points", 8.0), LOOK]),
    ("qcrs", &[LOOK]),
    ("probe", &[("lambda", 1e-5)]),
    ("ddrs", &FEW_LONG_STEPS),
    ("insta-rs", &FEW_LONG_STEPS),
    ("iss", &[LOOK]),
];
/// Draws per look: fewer than the published 500.
const LOOK: (&str, f64) = ("gradient_n", 100.0);
const FEW_LONG_STEPS: [(&str, f64); 3] = [("iterations", 18.0), ("gradient_n", 16.0), ("rate", 0.08 * SIGMA)];
/// Compared as soon as they are done: one σ for all images, the paper's search, and ours.
const FIRST: [&str; 3] = ["cohen", "qcrs", "probe"];
const WHAT_IS_CERTIFIED: &str = "\
A small network is asked about images of clothes. Certified is its majority vote
under noise: no change of an image smaller than the radius changes the answer.
(Radius 0.5: one pixel changes by half of its range, or each of 784 by 0.018.)
";
const WHAT_CAN_BE_DEPLOYED: &str = "\
With one σ for all images, the radius holds for the classifier that you deploy
(for cohen and iss: `qcrs predict`). With one per image, it holds for that
image's σ only: good for research, not for deployment.
";
/// Inputs whose σ–radius curve is drawn.
const CURVED: [u32; 4] = [0, 1, 2, 3];

/// What was typed after `qcrs demo`.
#[derive(clap::Args)]
pub struct DemoArgs {
    /// The folder to write to [default: demo, or a temporary folder if demo cannot be written]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Certify only this many of the 100 images
    #[arg(long, value_name = "C", value_parser = count(1..))]
    count: Option<u32>,
}

/// Certifies the built-in images with every method and shows the comparison.
pub fn run(args: &DemoArgs) -> anyhow::Result<()> {
    let dir = folder(args.dir.as_deref())?;
    let (model, images) = (dir.join(MODEL.0), dir.join(IMAGES.0));
    let mut settings = ModelSettings::new(model.clone());
    // our own engine gives the same numbers on every machine
    settings.options.engine = EngineChoice::Cnn;
    let setup = Setup::open(settings, DataSettings::new(images.clone()), NoiseChoice::default())?;
    let sampler = setup.sampler()?;
    let selection =
        Selection { of: setup.len()?, skip: 1, offset: 0, max: None, listed: None, count: args.count };

    let budget = Budget::new(100, 800, Alpha::new(0.001)?)?;
    print(WHAT_IS_CERTIFIED)?;
    let mut tables = Vec::new();
    for name in in_order() {
        let spec = setup.spec(selection.clone(), method(name)?, budget, None);
        let into = dir.join("runs").join(name);
        certify_into(&setup, &sampler, &spec, (&into, Shard::WHOLE), None)?;
        let stored = run::read(&into, Depth::Verdicts)?;
        tables.push(Table::of(name.into(), &stored)?);
        if tables.len() == FIRST.len() {
            print(&comparison(
                "The first three methods",
                &Analysis::new(tables.clone(), &Options::default())?,
            ))?;
        }
    }
    let analysis = Analysis::new(tables, &Options::default())?;
    let html = dir.join("report.html");
    write_file(&html, &page(&setup, &sampler, &analysis, budget)?)?;
    print(&comparison("All methods", &analysis))?;
    print(WHAT_CAN_BE_DEPLOYED)?;
    print(&beside("the report with images, curves and what each method promises:", &html))?;
    print(&command(&["next: qcrs report", &format!("{}/runs/*", dir.display())]))?;
    let (model, images) = (format!("--model {}", model.display()), format!("--data {}", images.display()));
    let sigma = format!("--sigma {SIGMA} --n 10000");
    print(&command(&["      qcrs certify", &model, &images, &sigma]))
}

/// The names of all methods, those that are compared first at the beginning.
fn in_order() -> impl Iterator<Item = &'static str> {
    let rest = METHODS.iter().map(|method| method.name).filter(|name| !FIRST.contains(name));
    FIRST.into_iter().chain(rest)
}

/// What each method reached and what it cost, in a few columns.
fn comparison(caption: &str, analysis: &Analysis) -> String {
    let number = |value: &Option<WithInterval>, digits| match value {
        Some(value) => down(value.value, digits),
        None => "–".into(),
    };
    let row = |summary: &Summary| {
        let whose = if summary.guarantee == "fixed-sigma" { "one for all" } else { "one per image" };
        let share = summary.right_certified.map_or("–".into(), |share| down(100.0 * share.value, 0) + " %");
        let passes = summary.passes_per_input.map_or("–".into(), |passes| format!("{:.0}", passes.value));
        vec![summary.name.clone(), number(&summary.acr, 4), share, whose.into(), passes]
    };
    let head = ["method", "average radius", "right and certified", "σ", "passes per image"];
    let table = SheetTable {
        caption: caption.into(),
        head: head.map(Into::into).to_vec(),
        rows: analysis.summaries.iter().map(row).collect(),
    };
    Sheet { title: String::new(), warnings: Vec::new(), figures: Vec::new(), tables: vec![table] }
        .text(terminal().width)
}

/// The method of this name, with settings that let the demo take seconds.
fn method(name: &str) -> Result<Method, Error> {
    let quick = QUICK.iter().filter(|(method, _)| *method == name).flat_map(|(_, settings)| *settings);
    let settings = Settings::new().with("method", name).with("sigma", SIGMA);
    quick
        .fold(settings, |all, (setting, value)| all.with(setting, *value))
        .method(Some(SHAPE.iter().product()))
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

/// The folder that was typed, or else the usual one, with the built-in files in it; a temporary one where the
/// usual one cannot be written.
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
