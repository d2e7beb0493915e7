//! How does the cost of a certificate grow?

use super::{SIGMA, image, median, pool};
use crate::output::{self, Format, say};
use crate::settings::ModelSettings;
use qcrs::certify::{Budget, certify};
use qcrs::method::Cohen;
use qcrs::report::plot::{Mark, Plot, Series, stacked};
use qcrs::sample::{Classifier, Input, MonteCarlo};
use qcrs::types::{Alpha, Error, Sigma};
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// What is measured.
pub(super) struct Growth<'a> {
    pub(super) model: &'a ModelSettings,
    pub(super) shape: [usize; 3],
    pub(super) rounds: u32,
    /// Where a figure goes.
    pub(super) figure: Option<&'a Path>,
}

/// Draws of the smallest certificate.
const DRAWS: u32 = 1000;
/// The multiples of an amount that are tried.
const FACTORS: [usize; 5] = [1, 2, 4, 8, 16];

/// Certificates of COHEN whose time is measured.
struct GrowthCase<'a> {
    /// What is increased.
    thing: &'static str,
    /// How much of it.
    amount: usize,
    images: u32,
    draws: u32,
    threads: usize,
    classifier: &'a (dyn Classifier + Send),
    seconds: Vec<f64>,
}

impl Growth<'_> {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<()> {
        let threads = self.model.options.threads;
        let classifier = self.model.load(self.shape, None)?.classifier;
        let wider = FACTORS
            .map(|factor| MoreClasses { inner: &*classifier, classes: factor * classifier.num_classes() });
        let larger = self.larger();
        let base = |thing, amount| {
            let (images, classifier): (_, &(dyn Classifier + Send)) = (1, &*classifier);
            GrowthCase { thing, amount, images, draws: DRAWS, threads, classifier, seconds: Vec::new() }
        };
        let mut cases = Vec::new();
        for factor in FACTORS {
            let draws = DRAWS * factor as u32;
            cases.push(GrowthCase { draws, ..base("draws", draws as usize) });
        }
        cases.extend(FACTORS.map(|factor| GrowthCase { images: factor as u32, ..base("images", factor) }));
        cases.extend(
            wider.iter().map(|wide| GrowthCase { classifier: wide, ..base("classes", wide.classes) }),
        );
        cases.push(base("pixels", classifier.input_len()));
        cases.extend(
            larger
                .iter()
                .map(|large| GrowthCase { classifier: &**large, ..base("pixels", large.input_len()) }),
        );
        let fewer = FACTORS.into_iter().filter(|factor| *factor <= threads);
        cases.extend(fewer.map(|threads| GrowthCase { threads, ..base("threads", threads) }));
        for round in 0..self.rounds {
            say!("round {} of {}", round + 1, self.rounds);
            for case in &mut cases {
                let seconds = pool(case.threads)?.install(|| case.time(self.model.options.batch))?;
                case.seconds.push(seconds);
            }
        }
        let rows: Vec<GrowthRow> = cases.into_iter().map(GrowthRow::from).collect();
        if let Some(figure) = self.figure {
            output::write_file(figure, &stacked("Cost of certificates", &[plot(&rows, self.rounds)]))?;
        }
        if format == Format::Json {
            let row =
                |row: &GrowthRow| json!({ "of": row.thing, "amount": row.amount, "seconds": row.seconds });
            return output::print_json(&json!(rows.iter().map(row).collect::<Vec<_>>()));
        }
        output::print(&text(&rows, self.rounds))
    }

    /// The same network for images of twice and four times the height and width, if it takes them.
    fn larger(&self) -> Vec<Box<dyn Classifier + Send + Sync>> {
        let [colours, height, width] = self.shape;
        let load =
            |factor: usize| Ok(self.model.load([colours, factor * height, factor * width], None)?.classifier);
        let larger: anyhow::Result<Vec<_>> = [2, 4].into_iter().map(load).collect();
        larger.unwrap_or_else(|error: anyhow::Error| {
            say!("without larger images: {error:#}");
            Vec::new()
        })
    }
}

impl GrowthCase<'_> {
    /// The seconds that its certificates take, one after the other.
    fn time(&self, batch: u32) -> anyhow::Result<f64> {
        let image = image(self.classifier.input_len());
        let search = Cohen { sigma: Sigma::new(SIGMA)? };
        let budget = Budget::new(100, self.draws, Alpha::new(0.001)?)?;
        let sampler = MonteCarlo::new(self.classifier, batch);
        let begin = Instant::now();
        for index in 0..self.images {
            certify(&search, &budget, &sampler, &Input { pixels: &image, seed: 0, index })?;
        }
        Ok(begin.elapsed().as_secs_f64())
    }
}

/// A classifier with additional classes that never win.
struct MoreClasses<'a> {
    inner: &'a (dyn Classifier + Send + Sync),
    classes: usize,
}

impl Classifier for MoreClasses<'_> {
    fn input_len(&self) -> usize {
        self.inner.input_len()
    }

    fn num_classes(&self) -> usize {
        self.classes
    }

    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
        let few = self.inner.num_classes();
        let mut scores = vec![0.0; out.len() / self.classes * few];
        self.inner.logits(batch, &mut scores)?;
        out.fill(f32::MIN);
        for (few, many) in scores.chunks_exact(few).zip(out.chunks_exact_mut(self.classes)) {
            many[..few.len()].copy_from_slice(few);
        }
        Ok(())
    }
}

/// What was found: the median of the rounds.
struct GrowthRow {
    thing: &'static str,
    amount: usize,
    seconds: f64,
}

impl From<GrowthCase<'_>> for GrowthRow {
    fn from(case: GrowthCase<'_>) -> Self {
        Self { thing: case.thing, amount: case.amount, seconds: median(case.seconds) }
    }
}

/// Rows of one thing, with how many times the first amount and the first cost each is.
fn relative<'a>(rows: &'a [GrowthRow], thing: &str) -> Vec<(&'a GrowthRow, f64, f64)> {
    let rows: Vec<&GrowthRow> = rows.iter().filter(|row| row.thing == thing).collect();
    let Some(&first) = rows.first() else { return Vec::new() };
    let times = |row: &GrowthRow| (row.amount as f64 / first.amount as f64, row.seconds / first.seconds);
    rows.into_iter().map(|row| (row, times(row).0, times(row).1)).collect()
}

const THINGS: [&str; 5] = ["draws", "images", "classes", "pixels", "threads"];

fn text(rows: &[GrowthRow], rounds: u32) -> String {
    let mut out = format!(
        "COHEN, n = {DRAWS}, one image, all threads, and then more of one thing; medians of {rounds} rounds in turn\n"
    );
    for (row, amount, cost) in THINGS.iter().flat_map(|thing| relative(rows, thing)) {
        let GrowthRow { thing, amount: of, seconds } = row;
        let _ =
            writeln!(out, "{of:>8} {thing:8} {seconds:>9.3} s   {amount:>3.0} times as many cost {cost:.2}×");
    }
    out.trim_end().to_owned()
}

fn plot(rows: &[GrowthRow], rounds: u32) -> Plot {
    let series: Vec<Series> = THINGS
        .iter()
        .enumerate()
        .map(|(style, thing)| {
            let points: Vec<(f64, f64)> =
                relative(rows, thing).into_iter().map(|(_, amount, cost)| (amount, cost)).collect();
            let marks = vec![Mark::Line(points.clone()), Mark::Dots(points)];
            Series { name: (*thing).to_owned(), style, marks }
        })
        .filter(|series| {
            series.marks.iter().any(|mark| matches!(mark, Mark::Dots(points) if !points.is_empty()))
        })
        .collect();
    let ends = series.iter().flat_map(|series| &series.marks);
    let most = ends.fold((1.0, 1.0), |most: (f64, f64), mark| match mark {
        Mark::Dots(points) => {
            points.iter().fold(most, |most, point| (most.0.max(point.0), most.1.max(point.1)))
        }
        _ => most,
    });
    Plot {
        title: "Cost of certificates".into(),
        desc: "Time against how much there is of one thing, both as multiples of the smallest case.".into(),
        x_label: "times as many",
        y_label: "times the time",
        whole_x: true,
        x: (0.0, most.0),
        y: (0.0, 1.05 * most.1),
        series,
        notes: vec![format!("COHEN; medians of {rounds} rounds that took turns")],
    }
}
