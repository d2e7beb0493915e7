//! Which figures, from which numbers?

use super::bars::{Bar, bars};
use super::by_sigma;
use super::format::down;
use super::plot::{Mark, Plot, Series};
use super::svg::STYLE;
use super::words::{file_name, title};

use crate::analysis::{Analysis, BelievedCurve, Curve, CurvePoint, Row, Summary, Table, WithInterval};
use crate::types::Error;

/// Every figure as a separate file: (file name, SVG). The curves are drawn when given.
pub fn figures(analysis: &Analysis, curves: &[Curve]) -> Result<Vec<(String, String)>, Error> {
    Ok(all(analysis, curves, Some(STYLE))?
        .into_iter()
        .map(|(name, svg)| (format!("{name}.svg"), svg))
        .collect())
}

/// The same, by name; without `style` for a page that brings its own.
pub fn all(
    analysis: &Analysis,
    curves: &[Curve],
    style: Option<&str>,
) -> Result<Vec<(String, String)>, Error> {
    let mut figures = Vec::new();
    let labelled = || analysis.tables.iter().zip(&analysis.summaries).filter(|(table, _)| table.labelled());
    if labelled().next().is_some() {
        figures.push(("certified-accuracy".into(), accuracy(analysis)?.svg(style)));
        figures.push(("acr".into(), acr(analysis, style)));
    }
    if analysis.tables.iter().any(Table::sigma_varies) {
        figures.push(("sigma".into(), sigma(analysis).svg(style)));
    }
    figures.extend(by_sigma::figures(analysis, curves, style));
    for (table, belief) in analysis.tables.iter().flat_map(|t| t.beliefs.iter().map(move |b| (t, b))) {
        let name = format!("sigma-radius-{}-{}", file_name(&table.name), belief.index);
        figures.push((name, believed(table, belief).svg(style)));
    }
    for curve in curves.iter().filter(|curve| curve.points.len() > 1) {
        figures.push((
            format!("sigma-radius-{}", curve.index),
            sigma_radius(curve, &analysis.tables).svg(style),
        ));
    }
    Ok(figures)
}

/// The radius–accuracy figure.
pub fn accuracy(analysis: &Analysis) -> Result<Plot, Error> {
    let scores = analysis.tables.iter().flat_map(|table| &table.rows).filter_map(Row::score);
    let x = (0.0, roomy(scores.fold(0.0, f64::max)));
    // more than a few hide each other
    let bands = analysis.tables.len() <= 4;
    let mut series = Vec::new();
    for (style, (table, summary)) in analysis.tables.iter().zip(&analysis.summaries).enumerate() {
        if table.labelled() {
            // nothing is known beyond the only radius asked about
            let end = table.asked.unwrap_or(x.1);
            let mut marks = vec![Mark::Step(steps(table))];
            if bands {
                marks.push(Mark::Band(band(table, end)?));
            }
            series.push(Series { name: title(summary), style, marks });
        }
    }
    let notes =
        if bands { vec!["Bands: 95 % Clopper-Pearson, at each radius by itself.".into()] } else { vec![] };
    Ok(Plot {
        title: "Certified accuracy by radius".into(),
        desc: "The share of inputs certified with the right class at each radius or more; one falling step \
               function per run."
            .into(),
        x_label: "ℓ₂ radius",
        whole_x: false,
        y_label: "certified accuracy",
        x,
        y: (0.0, 1.0),
        series,
        notes,
    })
}

/// The radii of the rightly certified inputs, in rising order.
fn right(table: &Table) -> Vec<f64> {
    let mut radii: Vec<f64> =
        table.rows.iter().filter(|row| row.correct() == Some(true)).map(|row| row.radius).collect();
    radii.sort_by(f64::total_cmp);
    radii
}

/// Certified accuracy as the step function it is: all of them at 0, one less after each radius.
fn steps(table: &Table) -> Vec<(f64, f64)> {
    let (radii, n) = (right(table), table.rows.len() as f64);
    let start = std::iter::once((0.0, radii.len() as f64 / n));
    if let Some(asked) = table.asked {
        return start.clone().chain(start.map(|(_, share)| (asked, share))).collect();
    }
    start.chain(radii.iter().enumerate().map(|(i, &r)| (r, (radii.len() - i - 1) as f64 / n))).collect()
}

fn band(table: &Table, end: f64) -> Result<Vec<(f64, f64, f64)>, Error> {
    const POINTS: u32 = 60;
    let (radii, n) = (right(table), table.rows.len());
    let at = |i: u32| {
        let radius = end * f64::from(i) / f64::from(POINTS);
        let share = WithInterval::proportion(radii.len() - radii.partition_point(|r| *r < radius), n)?;
        Ok((radius, share.low.unwrap_or(0.0), share.high.unwrap_or(1.0)))
    };
    (0..=POINTS).map(at).collect()
}

fn acr(analysis: &Analysis, style: Option<&str>) -> String {
    // a run keeps its colour from figure to figure
    let row =
        |(style, summary): (usize, &Summary)| Some(Bar { name: title(summary), style, number: summary.acr? });
    let rows: Vec<Bar> = analysis.summaries.iter().enumerate().filter_map(row).collect();
    let desc = "One bar per run: the mean radius certified with the right class, with its 95 % interval.";
    bars("Average certified radius (ACR)", desc, "ACR (ℓ₂), 95 % interval", &rows, style)
}

fn sigma(analysis: &Analysis) -> Plot {
    const BINS: usize = 32;
    let runs =
        || analysis.tables.iter().zip(&analysis.summaries).enumerate().filter(|(_, (t, _))| t.sigma_varies());
    let sigmas = |table: &Table| table.rows.iter().filter_map(|row| row.sigma).collect::<Vec<f64>>();
    let all: Vec<f64> = runs().flat_map(|(_, (table, _))| sigmas(table)).collect();
    let (low, high) = all.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &s| (low.min(s), high.max(s)));
    let width = (high - low) / BINS as f64;
    let histogram = |table: &Table| {
        let (values, mut counts) = (sigmas(table), [0_usize; BINS]);
        for sigma in &values {
            counts[(((sigma - low) / width) as usize).min(BINS - 1)] += 1;
        }
        let share = |bin: usize| counts.get(bin).map_or(0.0, |&count| count as f64 / values.len() as f64);
        (0..=BINS).map(|bin| (low + bin as f64 * width, share(bin))).collect::<Vec<_>>()
    };
    let name = |table: &Table, summary: &Summary| {
        let known = sigmas(table).len();
        if known == summary.inputs {
            title(summary)
        } else {
            format!("{}, σ known for {known} inputs", title(summary))
        }
    };
    // filled bars of more than two runs hide each other
    let mark = if runs().count() <= 2 { Mark::Bars } else { Mark::Step };
    let histograms: Vec<_> = runs().map(|(_, (table, _))| histogram(table)).collect();
    let top = histograms.iter().flatten().map(|(_, share)| *share).fold(0.0, f64::max);
    let series = runs()
        .zip(histograms)
        .map(|((style, (t, s)), points)| Series { name: name(t, s), style, marks: vec![mark(points)] })
        .collect();
    Plot {
        title: "Noise level chosen per input".into(),
        desc: "A histogram of the noise level of each input, for every run that chooses one per input."
            .into(),
        x_label: "σ",
        whole_x: false,
        y_label: "share of inputs",
        x: (low, high),
        y: (0.0, roomy(top)),
        series,
        notes: Vec::new(),
    }
}

/// The curve, with the σ that each search chose for the same input.
fn sigma_radius(curve: &Curve, tables: &[Table]) -> Plot {
    let points = &curve.points;
    let radius: Vec<(f64, f64)> = points.iter().map(|p| (p.sigma, p.radius.unwrap_or(0.0))).collect();
    // the band gets some room, but the curve matters more: a unanimous vote has no upper bound at all
    let most = radius.iter().map(|point| point.1).fold(0.0, f64::max);
    let top = roomy(if most > 0.0 { 1.4 * most } else { 1.0 });
    let upper = |p: &CurvePoint| match p.radius_upper {
        Some(upper) => upper.min(top),
        None if p.p_upper >= 1.0 => top,
        None => 0.0,
    };
    let band = points.iter().map(|p| (p.sigma, p.radius.unwrap_or(0.0), upper(p))).collect();
    let searches = tables.iter().filter(|table| curve.fits(table) && table.sigma_varies());
    let chosen: Vec<(&str, f64)> = searches
        .filter_map(|table| {
            let row = table.rows.iter().find(|row| row.index == curve.index)?;
            Some((table.name.as_str(), row.sigma?))
        })
        .collect();
    let (low, high) = points
        .iter()
        .map(|p| p.sigma)
        .chain(chosen.iter().map(|(_, sigma)| *sigma))
        .fold((f64::INFINITY, 0.0_f64), |(low, high), sigma| (low.min(sigma), high.max(sigma)));
    let marks = vec![Mark::Band(band), Mark::Line(radius.clone()), Mark::Dots(radius)];
    let mut series =
        vec![Series { name: "certified radius; band up to its upper bound".into(), style: 0, marks }];
    series.extend(chosen.into_iter().enumerate().map(|(at, (name, sigma))| {
        let name = format!("σ of {name}: {}", down(sigma, 4));
        Series { name, style: at + 1, marks: vec![Mark::Rule(sigma)] }
    }));
    let caption =
        if curve.caption.is_empty() { format!("class {}", curve.class) } else { curve.caption.clone() };
    Plot {
        title: format!("Radius by noise level, input {}", curve.index),
        desc: format!("The certified radius of input {} ({caption}) at each noise level tried.", curve.index),
        x_label: "σ",
        whole_x: false,
        y_label: "ℓ₂ radius",
        x: (low, high),
        y: (0.0, top),
        series,
        notes: vec![caption],
    }
}

fn believed(table: &Table, belief: &BelievedCurve) -> Plot {
    let BelievedCurve { index, posterior, seen, certified } = belief;
    let points = || posterior.sigma.iter().zip(posterior.mean.iter().zip(&posterior.deviation));
    let mean: Vec<(f64, f64)> = points().map(|(sigma, (mean, _))| (*sigma, mean.max(0.0))).collect();
    let most = mean.iter().map(|point| point.1).chain(certified.map(|point| point.1)).fold(0.0, f64::max);
    let top = roomy(if most > 0.0 { 1.4 * most } else { 1.0 });
    let end = |mean: f64, deviations: f64| (mean + 1.645 * deviations).clamp(0.0, top);
    let band = points().map(|(sigma, (m, d))| (*sigma, end(*m, -d), end(*m, *d))).collect();
    let dots = seen.iter().filter(|point| point.1 >= 0.0).copied().collect();
    let mut series = vec![
        Series {
            name: "radius believed in, with the middle 90 %".into(),
            style: 0,
            marks: vec![Mark::Band(band), Mark::Line(mean)],
        },
        Series { name: "looks, all votes at one σ".into(), style: 2, marks: vec![Mark::Dots(dots)] },
    ];
    if let Some((sigma, radius)) = certified {
        let name = format!("certified: {} at σ = {}", down(*radius, 4), down(*sigma, 4));
        series.push(Series {
            name,
            style: 1,
            marks: vec![Mark::Rule(*sigma), Mark::Dots(vec![(*sigma, *radius)])],
        });
    }
    let ends = (posterior.sigma.first(), posterior.sigma.last());
    Plot {
        title: format!("Input {index}, as the search saw it"),
        desc: format!(
            "The σ–radius curve of input {index} as the search saw it, its looks, and the certificate."
        ),
        x_label: "σ",
        whole_x: false,
        y_label: "ℓ₂ radius",
        x: (ends.0.copied().unwrap_or(0.0), ends.1.copied().unwrap_or(1.0)),
        y: (0.0, top),
        series,
        notes: vec![table.name.clone()],
    }
}

/// A little more than `largest`, so that no mark touches the frame.
fn roomy(largest: f64) -> f64 {
    if largest > 0.0 { largest * 1.06 } else { 1.0 }
}
