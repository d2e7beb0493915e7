//! How far is σ̂ from the best σ of a grid? (Appendix G)

use super::ShapeArgs;
use super::curves::{InputCurve, ShapeCurves};
use super::lab::Lab;
use super::words::{head, with_interval};
use anyhow::Context;
use qcrs::analysis::{Row, WithInterval};
use qcrs::method::{AnyMethod, Qcrs};
use qcrs::report::plot::{Mark, Plot, Series};
use qcrs::report::{Sheet, SheetTable};
use std::collections::BTreeMap;

/// ε as multiples of the published one.
const TOLERANCES: [f64; 4] = [4.0, 2.0, 1.0, 0.5];

/// σ̂ and its radius against the best of the list, for several ε.
pub fn sigma_error(lab: &Lab<'_>, args: &ShapeArgs) -> anyhow::Result<Sheet> {
    let best: BTreeMap<u32, Best> =
        ShapeCurves::of(lab, args)?.inputs.iter().map(|curve| (curve.index, best(curve))).collect();
    let (mut rows, mut errors, mut found_by) = (Vec::new(), Vec::new(), Vec::new());
    for factor in TOLERANCES {
        let tolerance = factor * lab.published.tolerance;
        let search = Qcrs { tolerance, ..lab.published.clone() };
        // the run with the published ε is that of `methods`
        let name = if search == lab.published {
            "qcrs-paper".into()
        } else {
            format!("qcrs-paper-epsilon-{tolerance}")
        };
        let table = lab.run(&name, AnyMethod::Qcrs(search))?;
        let found = |row: &Row| best.get(&row.index)?.misses(row);
        let (errors_of_sigma, gaps): (Vec<f64>, Vec<f64>) = table.rows.iter().filter_map(found).unzip();
        let error = WithInterval::mean(&errors_of_sigma)?.context("there is no input to compare")?;
        let gap = WithInterval::mean(&gaps)?.context("there is no input to compare")?;
        let sigmas = table.rows.iter().filter_map(|row| Some((row.index, row.sigma?)));
        found_by.push((tolerance, sigmas.collect::<BTreeMap<u32, f64>>()));
        let better = gaps.iter().filter(|gap| **gap < 0.0).count();
        errors.push((tolerance, error.value));
        rows.push(vec![
            format!("{tolerance:.4}"),
            with_interval(&error),
            with_interval(&gap),
            format!("{better} of {}", gaps.len()),
        ]);
    }
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let figure = Plot {
        title: "Distance from the best σ of the list".into(),
        desc: "The mean distance of σ̂ from the best σ of the list, by the tolerance of the search.".into(),
        x_label: "ε",
        y_label: "mean |σ̂ − σ of the grid|",
        whole_x: false,
        x: (0.0, 1.1 * errors.last().map_or(1.0, |point| point.0)),
        y: (0.0, 1.2 * errors.iter().map(|point| point.1).fold(0.001, f64::max)),
        series: vec![Series {
            name: "QCRS as published".into(),
            style: 0,
            marks: vec![Mark::Line(errors.clone()), Mark::Dots(errors)],
        }],
        notes: Vec::new(),
    };
    Ok(Sheet {
        title: "Error of σ̂ against a grid (appendix G)".into(),
        warnings: vec![
            "The grid's radius is the best of many certificates, so it is flattered by chance; the gap is an upper \
             bound of what the search loses. Both are of the class that COHEN certifies at the σ of the training; \
             where the search certifies another its radius counts as 0."
                .into(),
        ],
        figures: vec![figure.into(), single_inputs(&best, &found_by).into()],
        tables: vec![SheetTable {
            caption: "σ̂ and radius by ε".into(),
            head: head(&["ε", "|σ̂ − σ of the grid|", "radius lost", "better than the grid"]),
            rows,
        }],
    })
}

/// σ̂ of every input for every ε beside the best σ of the list, in rising order of the latter.
fn single_inputs(best: &BTreeMap<u32, Best>, found_by: &[(f64, BTreeMap<u32, f64>)]) -> Plot {
    let mut order: Vec<(&u32, f64)> = best.iter().map(|(index, best)| (index, best.sigma)).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let place = |at: usize| at as f64 + 1.0;
    let list = order.iter().enumerate().map(|(at, (_, sigma))| (place(at), *sigma)).collect();
    let mut series =
        vec![Series { name: "best of the list".into(), style: 0, marks: vec![Mark::Line(list)] }];
    for (style, (tolerance, found)) in found_by.iter().enumerate() {
        let dot = |(at, (index, _)): (usize, &(&u32, f64))| Some((place(at), *found.get(index)?));
        let dots = order.iter().enumerate().filter_map(dot).collect();
        series.push(Series {
            name: format!("ε = {tolerance:.4}"),
            style: style + 1,
            marks: vec![Mark::Dots(dots)],
        });
    }
    let all =
        found_by.iter().flat_map(|(_, found)| found.values()).chain(order.iter().map(|(_, sigma)| sigma));
    Plot {
        title: "σ̂ of single inputs".into(),
        desc: "Dots: σ̂ of every input for each ε. Line: the best σ of the list.".into(),
        x_label: "inputs, by their best σ",
        y_label: "σ",
        whole_x: true,
        x: (0.0, order.len() as f64 + 1.0),
        y: (0.0, 1.1 * all.copied().fold(0.001, f64::max)),
        series,
        notes: Vec::new(),
    }
}

/// The best σ of a list.
struct Best {
    class: usize,
    sigma: f64,
    radius: f64,
}

impl Best {
    /// By how much σ and by how much radius an answer misses it.
    fn misses(&self, row: &Row) -> Option<(f64, f64)> {
        // a radius for another class is none for the one that the list is about
        let radius = if row.predicted == Some(self.class) { row.radius } else { 0.0 };
        Some(((row.sigma? - self.sigma).abs(), self.radius - radius))
    }
}

fn best(curve: &InputCurve) -> Best {
    let none = Best { class: curve.class, sigma: 0.0, radius: f64::NEG_INFINITY };
    curve.points.iter().fold(none, |best, point| {
        if point.radius > best.radius {
            Best { sigma: point.sigma, radius: point.radius, ..best }
        } else {
            best
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use qcrs::analysis::Table;

    #[test]
    fn a_radius_for_another_class_is_lost() {
        let tsv = "idx\tlabel\tpredict\tradius\tcorrect\tbest_sigma\n0\t1\t3\t0.75\t0\t0.5\n1\t1\t2\t0.75\t0\t0.5\n";
        let rows = Table::from_tsv("t".into(), tsv).unwrap().rows;
        let best = Best { class: 3, sigma: 0.25, radius: 1.0 };
        assert_eq!(best.misses(&rows[0]), Some((0.25, 0.25)));
        assert_eq!(best.misses(&rows[1]), Some((0.25, 1.0)));
    }
}
