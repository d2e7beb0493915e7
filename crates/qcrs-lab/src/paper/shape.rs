//! Does the radius rise and then fall with σ? (Table 1, appendix B, SQC)

use super::lab::Lab;
use super::published::{SHAPES, SQC};
use super::words::{head, percent};
use anyhow::{Context, ensure};
use qcrs::analysis::{Shape, ShapePoint, Signs, WithInterval};
use qcrs::bounds::{clopper_pearson_lower, clopper_pearson_upper};
use qcrs::certify::Verdict;
use qcrs::method::{AnyMethod, Cohen};
use qcrs::radius;
use qcrs::report::plot::{Mark, Plot, Series};
use qcrs::report::{Sheet, SheetTable};
use qcrs::run::{Finding, Record, Selection};
use qcrs::types::Sigma;
use std::collections::BTreeMap;

/// What makes our curves smoother than the paper's.
const SHARED: &str = "All σ share their noise, and much of it cancels in differences: with separate draws for every σ, \
                      fewer signs would be right.";

/// Curves drawn in the figure.
const DRAWN: usize = 9;

/// One input's radius at every σ of the list.
pub struct InputCurve {
    /// The index of the input in its dataset.
    pub index: u32,
    /// The class whose radius it is: the one that COHEN certifies at the σ of the training.
    pub class: usize,
    /// In rising order of σ.
    pub points: Vec<ShapePoint>,
}

/// Table 1: the shares of quasiconcave and of concave curves.
pub fn quasiconcavity(lab: &Lab<'_>, sigmas: &[f64]) -> anyhow::Result<Sheet> {
    let curves = curves(lab, sigmas)?;
    let shapes: Vec<Shape> = curves.iter().map(|curve| Shape::of(&curve.points)).collect();
    let published = published_list(lab).filter(|_| sigmas.is_empty()).map(|list| list.percent);
    let row =
        |name: &str, holds: &dyn Fn(&Shape) -> bool, paper: Option<f64>| -> anyhow::Result<Vec<String>> {
            let count = shapes.iter().filter(|shape| holds(shape)).count();
            Ok(vec![
                name.to_owned(),
                format!("{count} of {}", shapes.len()),
                percent(&WithInterval::proportion(count, shapes.len())?),
                paper.map_or_else(|| "–".into(), |paper| format!("{paper:.2} %")),
            ])
        };
    let rows = vec![
        row("quasiconcave", &Shape::quasiconcave, published.map(|percent| percent[1]))?,
        row("concave", &|shape| shape.concave, published.map(|percent| percent[0]))?,
        row("not quasiconcave beyond error", &|shape| shape.not_quasiconcave_beyond_error, None)?,
        row("not concave beyond error", &|shape| shape.not_concave_beyond_error, None)?,
    ];
    Ok(Sheet {
        title: "Quasiconcavity of R(σ) (Table 1, appendix B)".into(),
        warnings: vec![
            "Inputs that COHEN certifies at the σ of the training. The first two rows are the paper's test: signs of \
             successive differences, with no tolerance for the noise of the estimates. The last two count only what \
             the Clopper-Pearson intervals of every point at α leave no other explanation for."
                .into(),
            SHARED.into(),
        ],
        figures: vec![figure(&curves)],
        tables: vec![SheetTable {
            caption: "Shapes of curves".into(),
            head: head(&["shape", "curves", "share", "paper"]),
            rows,
        }],
    })
}

/// (υ⁻, υ⁺)-SQC: the share of right signs on each side of the best σ.
pub fn sqc(lab: &Lab<'_>, sigmas: &[f64]) -> anyhow::Result<Sheet> {
    let curves = curves(lab, sigmas)?;
    let shapes: Vec<Shape> = curves.iter().map(|curve| Shape::of(&curve.points)).collect();
    let side = |name: &str, signs: &dyn Fn(&Shape) -> Signs| -> anyhow::Result<Vec<String>> {
        let sides: Vec<Signs> = shapes.iter().map(signs).filter(|signs| signs.of > 0).collect();
        let right_ones: Vec<f64> = sides.iter().map(|signs| signs.right as f64 / signs.of as f64).collect();
        let mean =
            WithInterval::mean(&right_ones)?.context("no input has a σ on that side of its best one")?;
        let (right, of) = sides.iter().fold((0, 0), |(a, b), signs| (a + signs.right, b + signs.of));
        let whole = sides.iter().filter(|signs| signs.right == signs.of).count();
        Ok(vec![
            name.to_owned(),
            percent(&mean),
            format!("{right} of {of}"),
            format!("{whole} of {}", sides.len()),
        ])
    };
    Ok(Sheet {
        title: "Signs of dR/dσ: (υ⁻, υ⁺)-SQC".into(),
        warnings: vec![
            format!(
                "The mean is over inputs; each side has its own number of signs. The paper reports means of {:.2} % \
                 on CIFAR-10 and {:.2} % on ImageNet over both sides.",
                100.0 * SQC[0],
                100.0 * SQC[1]
            ),
            SHARED.into(),
        ],
        figures: Vec::new(),
        tables: vec![SheetTable {
            caption: "Signs that point to the best σ".into(),
            head: head(&["side", "mean share", "signs", "inputs with all right"]),
            rows: vec![side("left, υ⁻", &|shape| shape.rising)?, side("right, υ⁺", &|shape| shape.falling)?],
        }],
    })
}

/// The radius at every σ of every input that COHEN certifies, by a whole run of COHEN per σ.
pub fn curves(lab: &Lab<'_>, sigmas: &[f64]) -> anyhow::Result<Vec<InputCurve>> {
    let sigmas = if sigmas.is_empty() { list(lab) } else { sigmas.to_vec() };
    ensure!(
        sigmas.len() >= 3 && sigmas.windows(2).all(|pair| pair[0] < pair[1]),
        "--sigmas needs at least three values in rising order"
    );
    lab.run("cohen", AnyMethod::Cohen(Cohen { sigma: lab.sigma() }))?;
    let followed: BTreeMap<u32, usize> = lab.records("cohen")?.iter().filter_map(certified).collect();
    ensure!(!followed.is_empty(), "COHEN certifies none of the inputs; take more of them, or a larger --n");
    let selection = Selection { listed: Some(followed.keys().copied().collect()), ..lab.selection.clone() };
    let mut curves: BTreeMap<u32, Vec<ShapePoint>> = BTreeMap::new();
    for sigma in sigmas {
        let name = format!("cohen-{sigma}");
        let sigma = Sigma::new(sigma)?;
        lab.run_on(&name, AnyMethod::Cohen(Cohen { sigma }), selection.clone(), None)?;
        for record in lab.records(&name)? {
            let point = point(lab, &record, sigma, followed[&record.index])?;
            curves.entry(record.index).or_default().push(point);
        }
    }
    let curve = |(index, points)| InputCurve { index, class: followed[&index], points };
    Ok(curves.into_iter().map(curve).collect())
}

fn certified(record: &Record) -> Option<(u32, usize)> {
    record.own().map(|own| (record.index, own.class))
}

/// The radius of `class` in a record of COHEN, and the radii that infinitely many draws could give it.
fn point(lab: &Lab<'_>, record: &Record, sigma: Sigma, class: usize) -> anyhow::Result<ShapePoint> {
    let Finding::Outcome(outcome) = &record.finding else {
        anyhow::bail!("input {} failed: see its record", record.index);
    };
    let radius = match outcome.verdict {
        Verdict::Certified { class: answer, radius, .. } if answer == class => radius,
        _ => 0.0,
    };
    let votes = &outcome.estimates[0].votes;
    let (k, n, alpha) = (votes.of(class), votes.total(), lab.budget.alpha());
    let at = |share: f64| Ok::<_, anyhow::Error>(radius::gaussian(share, sigma)?.unwrap_or(0.0));
    let upper = clopper_pearson_upper(k, n, alpha)?;
    let high = if upper < 1.0 { at(upper)? } else { f64::INFINITY };
    Ok(ShapePoint { sigma: sigma.get(), radius, low: at(clopper_pearson_lower(k, n, alpha)?)?, high })
}

fn published_list(lab: &Lab<'_>) -> Option<&'static super::published::ShapeList> {
    SHAPES.iter().find(|list| lab.preset.as_deref() == Some(list.preset))
}

/// The published σ, or those of CIFAR-10 at σ = .25 scaled to this model's.
fn list(lab: &Lab<'_>) -> Vec<f64> {
    match published_list(lab) {
        Some(list) => (list.sigmas)(),
        None => (SHAPES[1].sigmas)().iter().map(|sigma| sigma * lab.sigma().get() / 0.25).collect(),
    }
}

fn figure(curves: &[InputCurve]) -> Plot {
    let step = (curves.len() / DRAWN).max(1);
    let drawn: Vec<&InputCurve> = curves.iter().step_by(step).take(DRAWN).collect();
    let all = || drawn.iter().flat_map(|curve| &curve.points);
    let series = |(style, curve): (usize, &&InputCurve)| Series {
        name: format!("input {}", curve.index),
        style,
        marks: vec![Mark::Line(curve.points.iter().map(|point| (point.sigma, point.radius)).collect())],
    };
    Plot {
        title: "Certified radius by σ".into(),
        desc: "One line per input: most rise and then fall.".into(),
        x_label: "σ",
        y_label: "certified ℓ₂ radius",
        whole_x: false,
        x: (all().map(|p| p.sigma).fold(f64::INFINITY, f64::min), all().map(|p| p.sigma).fold(0.0, f64::max)),
        y: (0.0, 1.1 * all().map(|point| point.radius).fold(0.01, f64::max)),
        series: drawn.iter().enumerate().map(series).collect(),
        notes: Vec::new(),
    }
}
