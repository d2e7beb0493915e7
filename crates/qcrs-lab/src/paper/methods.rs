//! ACR, cost and certified accuracy of the methods (Tables 2 and 3, figures).

use super::lab::Lab;
use super::published::{ACCURACY, METHODS, RADII, SIGMAS};
use super::words::{head, of_the_paper, percent, with_interval};
use qcrs::analysis::{Analysis, Options, Table};
use qcrs::method::{AnyMethod, Cohen, Ddrs, Dsrs, Grid, Probe, Qcrs, Winner};
use qcrs::report::format::down;
use qcrs::report::plot::Plot;
use qcrs::report::{self, Sheet, SheetTable};

/// The methods of Table 2 with their names there; QCRS also with our repairs, and PROBE.
pub fn searches(lab: &Lab<'_>) -> anyhow::Result<Vec<(&'static str, AnyMethod)>> {
    let Qcrs { sigma, low, high, draws, .. } = lab.published;
    let points = if lab.preset.as_ref().is_some_and(|name| name.starts_with("imagenet")) { 11 } else { 24 };
    // looks half as long as those of QCRS, so that the search of the grid takes about as many passes
    let grid = Grid { sigma, low, high, points, winner: Winner::Fresh { draws: (draws / 2).max(1) } };
    let dsrs = Dsrs::published(sigma, lab.setup.data.about.shape.iter().product())?;
    Ok(vec![
        ("cohen", AnyMethod::Cohen(Cohen { sigma })),
        ("ddrs", AnyMethod::Ddrs(Ddrs::sane(sigma, [low, high]))),
        ("dsrs", AnyMethod::Dsrs(dsrs)),
        ("grid", AnyMethod::Grid(grid)),
        ("qcrs", AnyMethod::Qcrs(lab.published.clone())),
        ("probe", AnyMethod::Probe(Probe::new(sigma, [low, high], 1e-6))),
        ("qcrs-repaired", AnyMethod::Qcrs(lab.published.clone().repaired())),
    ])
}

/// Runs every method and shows it beside the paper.
pub fn methods(lab: &Lab<'_>) -> anyhow::Result<Sheet> {
    let tables: Vec<Table> =
        searches(lab)?.into_iter().map(|(name, search)| lab.run(name, search)).collect::<Result<_, _>>()?;
    let analysis = Analysis::new(tables, &Options { radii: Some(RADII.to_vec()), ..Options::default() })?;
    Ok(Sheet {
        title: "Methods (Tables 2 and 3)".into(),
        warnings: vec![
            "Rows qcrs and ddrs: as published and with sane settings; the paper's DDRS row was made with settings \
             that can hardly move σ. Grid: small looks choose, fresh draws certify; the paper takes the best of 24 \
             certificates, each at α, which is wrong up to 24 times as often as α says."
                .into(),
        ],
        figures: vec![figure(&analysis)?],
        tables: vec![cost(lab, &analysis), accuracy(lab, &analysis)],
    })
}

/// The radius–accuracy figure of some runs.
pub fn figure(analysis: &Analysis) -> anyhow::Result<Plot> {
    Ok(report::certified_accuracy(analysis)?)
}

fn cost(lab: &Lab<'_>, analysis: &Analysis) -> SheetTable {
    let column = SIGMAS.iter().position(|sigma| lab.has_sigma(*sigma));
    let row = |summary: &qcrs::analysis::Summary| {
        let published = METHODS.iter().find(|(name, _, _)| *name == summary.name);
        let gain = analysis.paired.iter().find(|pair| pair.b == summary.name).and_then(|pair| pair.gain);
        let acr_of =
            |at: usize, name: &str| METHODS.iter().find(|(other, _, _)| *other == name).map(|row| row.1[at]);
        let published_gain =
            column.zip(published).and_then(|(at, (_, acr, _))| Some(acr[at] / acr_of(at, "cohen")? - 1.0));
        vec![
            summary.name.clone(),
            summary.acr.as_ref().map_or_else(|| "–".into(), with_interval),
            of_the_paper(column.zip(published).map(|(at, (_, acr, _))| acr[at])),
            gain.map_or_else(|| "–".into(), |gain| percent(&gain)),
            published_gain.map_or_else(|| "–".into(), |gain| format!("{:.0} %", 100.0 * gain)),
            summary.passes_per_input.map_or_else(|| "–".into(), |passes| format!("{:.0}", passes.value)),
            summary.seconds_per_input.map_or_else(|| "–".into(), |seconds| format!("{:.2}", seconds.value)),
            published.map_or_else(|| "–".into(), |(_, _, seconds)| format!("{seconds:.2}")),
        ]
    };
    SheetTable {
        caption: "ACR and cost (Table 2)".into(),
        head: head(&[
            "method",
            "ACR",
            "paper",
            "gain over cohen",
            "paper",
            "passes/input",
            "s/input",
            "paper",
        ]),
        rows: analysis.summaries.iter().map(row).collect(),
    }
}

fn accuracy(lab: &Lab<'_>, analysis: &Analysis) -> SheetTable {
    let mut rows = Vec::new();
    for summary in &analysis.summaries {
        let shares = summary.certified_accuracy.iter().map(|(_, share)| down(share.value, 3));
        rows.push(std::iter::once(summary.name.clone()).chain(shares).collect());
    }
    // the paper has this table for one σ only
    if lab.has_sigma(0.5) {
        for (name, shares) in ACCURACY {
            let shares = shares.iter().map(|share| format!("{share:.2}"));
            rows.push(std::iter::once(format!("{name}, paper")).chain(shares).collect());
        }
    }
    let radii = RADII.iter().map(ToString::to_string);
    let head = std::iter::once("method".to_owned()).chain(radii).collect();
    SheetTable { caption: "Certified accuracy by radius (Table 3)".into(), head, rows }
}
