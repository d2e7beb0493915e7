//! `qcrs report`

use crate::args::{DataArgs, count};
use crate::output::{print, print_json_text, say, terminal, write_file};
use crate::setup::file_name;
use anyhow::{Context, bail, ensure};
use qcrs::analysis::{Analysis, Curve, Options, Table};
use qcrs::data::Opened;
use qcrs::report::{self, Page, Picture};
use qcrs::run::{self, Depth};
use qcrs::types::{Alpha, Error};
use std::path::{Path, PathBuf};

/// How tables are written to stdout.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum TableFormat {
    /// For the terminal
    Text,
    /// Markdown
    Md,
    /// LaTeX, with booktabs
    Latex,
    /// Comma-separated values
    Csv,
    /// JSON Lines: one object per run or file, each on a line
    Json,
}

/// What was typed after `qcrs report`.
#[derive(clap::Args)]
#[command(mut_arg("data", |data| data.required(false).requires("html")))] // only pictures need it
pub struct ReportArgs {
    /// Run directories and published TSV files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The format of the tables on stdout
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,
    /// Only one table with a row per run, as a paper has it
    #[arg(long)]
    brief: bool,
    /// Certified accuracy at these radii, such as 0.25,0.5,1
    #[arg(long, value_delimiter = ',', value_name = "R")]
    radii: Option<Vec<f64>>,
    /// Also print a lower bound on certified accuracy that holds with probability 1 − RHO, although each
    /// certificate may be wrong
    #[arg(long, value_name = "RHO")]
    rho: Option<f64>,
    /// Compare with this run: one of the paths, its last part, or its position from 1 [default: the first run
    /// of COHEN, else the first of all]
    #[arg(long, alias = "reference", value_name = "RUN")]
    against: Option<String>,
    /// Only ids divisible by this
    #[arg(long, alias = "every", default_value_t = 1, value_name = "K", value_parser = count(1..))]
    skip: u32,
    /// Also write one self-contained page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Also write the figures as SVG files
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// σ–radius curves for the page, from `qcrs curve --out`
    #[arg(long, value_name = "FILE")]
    curves: Option<PathBuf>,
    /// The title of the page
    #[arg(long, default_value = "Certified robustness", requires = "html")]
    title: String,
    /// How many images to show on the page (needs --data)
    #[arg(long, default_value_t = 8, value_name = "C", requires_all = ["html", "data"], value_parser = count(..))]
    pictures: u32,
    #[command(flatten)]
    data: Option<DataArgs>,
}

/// Prints tables and writes what else was asked for.
pub fn run(args: &ReportArgs) -> anyhow::Result<()> {
    ensure!(
        args.curves.is_none() || args.html.is_some() || args.figures.is_some(),
        "--curves are drawn on the page or in figures; add --html or --figures"
    );
    let compared = args.against.as_deref().map(|run| chosen(run, &args.paths)).transpose()?;
    if let Some(twice) = args.paths.iter().enumerate().find(|&(at, path)| args.paths[..at].contains(path)) {
        bail!("{} is given twice; name it once", twice.1.display());
    }
    let all = args.paths.iter().map(|path| Ok((path, table(path, args.skip)?)));
    let all = all.collect::<anyhow::Result<Vec<_>>>()?;
    let none_started = all.iter().all(|(_, table)| table.rows.is_empty());
    let (mut started, empty): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|(path, table)| none_started || Some(*path) == compared || !table.rows.is_empty());
    // a run that has only begun must not hide the others
    for (path, _) in empty {
        say!("{}: no input is certified yet, so it is left out of the report", path.display());
    }
    tell_apart(&mut started);
    let reference = started.iter().position(|(path, _)| Some(*path) == compared);
    let tables = started.into_iter().map(|(_, table)| table).collect();
    let probability = |rho| {
        Alpha::new(rho).ok().with_context(|| format!("--rho must lie strictly between 0 and 1, got {rho}"))
    };
    let rho = args.rho.map(probability).transpose()?;
    let analysis = Analysis::new(tables, &Options { radii: args.radii.clone(), reference, rho })?;
    ensure!(
        !args.brief || !matches!(args.format, TableFormat::Csv | TableFormat::Json),
        "--brief is a table for people; csv and json have a line per run anyway"
    );
    let text = match args.format {
        TableFormat::Text if args.brief => report::brief(&analysis).text(terminal().width),
        TableFormat::Md if args.brief => report::brief(&analysis).markdown(),
        TableFormat::Latex if args.brief => report::brief(&analysis).latex(),
        TableFormat::Text => report::text(&analysis, &terminal()),
        TableFormat::Md => report::markdown(&analysis),
        TableFormat::Latex => report::latex(&analysis),
        TableFormat::Csv => report::csv(&analysis),
        TableFormat::Json => report::json(&analysis)?,
    };
    if matches!(args.format, TableFormat::Csv | TableFormat::Json) {
        // the tables for people hold them already
        analysis.warnings.iter().chain(&analysis.notes).for_each(|note| say!("{note}"));
    }
    let curves = args.curves.as_deref().map(|path| curves(path, &analysis)).transpose()?.unwrap_or_default();
    if let Some(path) = &args.html {
        let opened = args.data.as_ref().map(DataArgs::open).transpose()?;
        let pictures =
            opened.map(|opened| pictures(&analysis, &opened, args.pictures as usize)).transpose()?;
        let pictures = pictures.unwrap_or_default();
        let page = Page { title: &args.title, analysis: &analysis, curves: &curves, pictures: &pictures };
        write_file(path, &report::html(&page)?)?;
        say!("{}: wrote the page", path.display());
    }
    if let Some(dir) = &args.figures {
        for (name, svg) in report::figures(&analysis, &curves)? {
            write_file(&dir.join(name), &svg)?;
        }
        say!("{}: wrote the figures", dir.display());
    }
    // last, because the reader may close the pipe early
    if matches!(args.format, TableFormat::Json) { print_json_text(&text) } else { print(&text) }
}

/// The path that `run` stands for: itself, its last part, or its position from 1.
fn chosen<'a>(run: &str, paths: &'a [PathBuf]) -> anyhow::Result<&'a PathBuf> {
    let named =
        |path: &&PathBuf| **path == Path::new(run) || path.file_name().is_some_and(|name| name == run);
    let place = run.parse().ok().and_then(|place: usize| place.checked_sub(1));
    let found = paths.iter().find(named).or_else(|| paths.get(place?));
    found.with_context(|| {
        format!(
            "--against {run}: no such run here; give one of the paths or a position from 1 to {}",
            paths.len()
        )
    })
}

/// A run directory or a TSV file.
fn table(path: &Path, skip: u32) -> anyhow::Result<Table> {
    if !path.exists() {
        bail!("{}: does not exist; give a run directory or a result file", path.display());
    }
    let name = file_name(&path.canonicalize().with_context(|| path.display().to_string())?);
    let table = if path.is_dir() {
        Table::of(name.clone(), &run::read(path, Depth::Quick)?)?
    } else {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{}: neither a run directory nor a result file", path.display()))?;
        Table::from_tsv(name.clone(), &text)?.under_its_name()
    };
    Ok(if skip == 1 {
        table
    } else {
        table.only(&format!("{name} (ids divisible by {skip})"), |id| id % skip == 0)
    })
}

/// Runs whose folders have the same name go by the paths that were typed.
fn tell_apart(tables: &mut [(&PathBuf, Table)]) {
    let names: Vec<String> = tables.iter().map(|(_, table)| table.name.clone()).collect();
    for (path, table) in tables {
        if names.iter().filter(|&name| *name == table.name).count() > 1 {
            table.name = path.display().to_string();
        }
    }
}

/// The curves in a file; those of another model or other data than the runs have no place beside them.
fn curves(path: &Path, analysis: &Analysis) -> anyhow::Result<Vec<Curve>> {
    let here = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(here)?;
    let curves: Vec<Curve> = serde_json::from_str(&text)
        .with_context(|| format!("{}: this file was not written by `qcrs curve --out`", here()))?;
    for curve in &curves {
        ensure!(
            analysis.tables.iter().any(|table| curve.fits(table)),
            "{}: these curves belong to another model or other data than the runs; draw them again with qcrs curve --out",
            here()
        );
    }
    Ok(curves)
}

/// The first inputs of the last run under Gaussian noise, if images of this many channels can be shown.
fn pictures(analysis: &Analysis, opened: &Opened, count: usize) -> Result<Vec<Picture>, Error> {
    let channels = opened.dataset.shape()[0];
    let pictures = report::pictures(analysis, opened, count)?;
    if pictures.is_empty() && ![1, 3].contains(&channels) {
        say!("the page cannot show images with {channels} channels");
    }
    Ok(pictures)
}
