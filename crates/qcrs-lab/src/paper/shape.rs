//! Does the radius rise and then fall with σ? (Table 1, appendix B, SQC)

use super::ShapeArgs;
use super::curves::{InputCurve, ShapeCurves};
use super::lab::Lab;
use super::published::{SHAPES, SQC};
use super::words::{head, percent};
use anyhow::Context;
use qcrs::analysis::{Shape, Signs, WithInterval};
use qcrs::bounds::clopper_pearson_lower;
use qcrs::report::format::down;
use qcrs::report::panels::{Panel, Panels};
use qcrs::report::{Sheet, SheetTable};
use qcrs::types::Alpha;

/// The paper's level for the share of right signs of one input.
const LEVEL: f64 = 0.05;

/// Table 1: the shares of quasiconcave and of concave curves.
pub fn quasiconcavity(lab: &Lab<'_>, args: &ShapeArgs) -> anyhow::Result<Sheet> {
    let curves = ShapeCurves::of(lab, args)?;
    let shapes: Vec<Shape> = curves.inputs.iter().map(InputCurve::shape).collect();
    let published = curves.published.map(|list| list.percent);
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
            "Inputs that COHEN certifies at the σ of the training. The first two rows are the paper's test: signs, with \
             no tolerance for the noise of the estimates. The last two count only what the Clopper-Pearson intervals of \
             every point at α leave no other explanation for."
                .into(),
            curves.protocol(),
        ],
        figures: vec![figure(&curves, &shapes).into()],
        tables: vec![SheetTable {
            caption: "Shapes of curves".into(),
            head: head(&["shape", "curves", "share", "paper"]),
            rows,
        }],
    })
}

/// (υ⁻, υ⁺)-SQC: the share of right signs on each side of the best σ.
pub fn sqc(lab: &Lab<'_>, args: &ShapeArgs) -> anyhow::Result<Sheet> {
    let curves = ShapeCurves::of(lab, args)?;
    let shapes: Vec<Shape> = curves.inputs.iter().map(InputCurve::shape).collect();
    let depth = lab.published.halvings();
    let side = |name: &str, signs: &dyn Fn(&Shape) -> Signs| -> anyhow::Result<Vec<String>> {
        let sides: Vec<Signs> = shapes.iter().map(signs).filter(|signs| signs.of > 0).collect();
        let right_ones: Vec<f64> = sides.iter().map(share).collect();
        let mean =
            WithInterval::mean(&right_ones)?.context("no input has a σ on that side of its best one")?;
        let (right, of) = sides.iter().fold((0, 0), |(a, b), signs| (a + signs.right, b + signs.of));
        let whole = sides.iter().filter(|signs| signs.right == signs.of).count();
        Ok(vec![
            name.to_owned(),
            percent(&mean),
            format!("{} %", down(100.0 * mean.value.powi(depth.cast_signed()), 2)),
            format!("{right} of {of}"),
            format!("{} %", down(100.0 * least(&Signs { right, of })?, 2)),
            format!("{whole} of {}", sides.len()),
        ])
    };
    let of_input = |(curve, shape): (&InputCurve, &Shape)| -> anyhow::Result<Vec<String>> {
        let mut row = vec![curve.index.to_string(), format!("{:.3}", curve.peak)];
        let mut ends = Vec::new();
        for signs in [shape.rising, shape.falling] {
            let end = if signs.of > 0 { Some(least(&signs)?) } else { None };
            row.push(format!("{} of {}", signs.right, signs.of));
            row.push(end.map_or_else(|| "–".into(), |end| down(end, 4)));
            ends.extend(end);
        }
        let worst = ends.iter().copied().fold(1.0, f64::min);
        row.push(down(worst.powi(depth.cast_signed()), 4));
        Ok(row)
    };
    let inputs = curves.inputs.iter().zip(&shapes).map(of_input).collect::<anyhow::Result<_>>()?;
    let paper = curves.published.map(|list| SQC[usize::from(list.preset.starts_with("imagenet"))]);
    let paper = paper.map_or_else(String::new, |mean| {
        let power = 100.0 * mean.powi(5);
        format!(
            " The paper reports a mean of {:.2} % over both sides, and {power:.2} % for five steps.",
            100.0 * mean
        )
    });
    Ok(Sheet {
        title: "Signs of dR/dσ: (υ⁻, υ⁺)-SQC".into(),
        warnings: vec![
            format!(
                "The mean is over inputs. υᵗ is the probability that all t = {depth} signs of the published search are \
                 right.{paper} Lower ends are one-sided Clopper-Pearson bounds at 95 % with the signs of that side: the \
                 paper's .8609 = .05^(1/20) takes the 20 signs of both sides for each of them."
            ),
            curves.protocol(),
        ],
        figures: Vec::new(),
        tables: vec![
            SheetTable {
                caption: "Signs that point to the best σ".into(),
                head: head(&["side", "mean share", "υᵗ", "signs", "lower end", "inputs with all right"]),
                rows: vec![
                    side("left, υ⁻", &|shape| shape.rising)?,
                    side("right, υ⁺", &|shape| shape.falling)?,
                ],
            },
            SheetTable {
                caption: "The same for every input".into(),
                head: head(&[
                    "input",
                    "best σ",
                    "left",
                    "lower end",
                    "right",
                    "lower end",
                    "υᵗ at the smaller end",
                ]),
                rows: inputs,
            },
        ],
    })
}

fn share(signs: &Signs) -> f64 {
    signs.right as f64 / signs.of as f64
}

fn least(signs: &Signs) -> anyhow::Result<f64> {
    Ok(clopper_pearson_lower(signs.right as u64, signs.of as u64, Alpha::new(LEVEL)?)?)
}

/// Every curve, those that fail the paper's test marked.
fn figure(curves: &ShapeCurves, shapes: &[Shape]) -> Panels {
    let panel = |(curve, shape): (&InputCurve, &Shape)| {
        let points = || curve.points.iter();
        let most = points().map(|point| point.radius).fold(0.0, f64::max);
        Panel {
            name: curve.index.to_string(),
            marked: !shape.quasiconcave(),
            curve: points().map(|point| (point.sigma, point.radius)).collect(),
            // where all votes agree the upper end is infinite; it is drawn a little above the curve
            band: points().map(|point| (point.sigma, point.low, point.high.min(1.15 * most))).collect(),
            dots: points()
                .filter(|p| (p.sigma - curve.peak).abs() < 1e-9)
                .map(|p| (p.sigma, p.radius))
                .collect(),
        }
    };
    let marked = shapes.iter().filter(|shape| !shape.quasiconcave()).count();
    let ends = |choose: fn(f64, f64) -> f64| curves.sigmas.iter().copied().reduce(choose).unwrap_or_default();
    let x = (ends(f64::min), ends(f64::max));
    Panels {
        title: "Certified radius by σ, one panel per input".into(),
        desc: "One small curve per input: most rise and then fall.".into(),
        x,
        panels: curves.inputs.iter().zip(shapes).map(panel).collect(),
        notes: vec![
            format!("σ from {} to {}; each curve is scaled to its own largest radius.", x.0, x.1),
            format!(
                "Orange: the {marked} of {} curves that fail the paper's test. Bands: what the votes leave possible.",
                shapes.len()
            ),
        ],
    }
}

/// The published list of the preset, if there is one.
pub fn published_list(lab: &Lab<'_>) -> Option<&'static super::published::ShapeList> {
    SHAPES.iter().find(|list| lab.preset.as_deref() == Some(list.preset))
}
