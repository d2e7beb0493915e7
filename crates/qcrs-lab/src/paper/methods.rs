//! ACR, cost and certified accuracy of the methods (Tables 2 and 3, figures).

use super::grid::{PAPER, WHOLE};
use super::lab::Lab;
use super::published::{ACCURACY, ACR, PaperData, RADII, SECONDS};
use super::words::{by_three, gain_of, head, none, of_the_paper, percent, with_interval};
use qcrs::analysis::{Analysis, Options, Table};
use qcrs::method::{AnyMethod, Cohen, Ddrs, Dsrs, Grid, Probe, Qcrs, Winner};
use qcrs::report::format::{down, spread_of_seconds};
use qcrs::report::plot::Plot;
use qcrs::report::{self, Sheet, SheetTable};

/// A row of Table 2: our name of the run, the name in the paper if it has the row, and the method.
pub struct MethodRow {
    pub name: &'static str,
    pub paper: Option<&'static str>,
    pub method: AnyMethod,
}

/// The methods of Table 2 as published, and beside them our own settings and PROBE.
pub fn rows(lab: &Lab<'_>) -> anyhow::Result<Vec<MethodRow>> {
    let Qcrs { sigma, low, high, draws, .. } = lab.published;
    // looks half as long as those of QCRS, so that the search of the grid takes about as many passes
    let winner = Winner::Fresh { draws: (draws / 2).max(1) };
    let grid = Grid { sigma, low, high, points: super::grid::points(lab), winner };
    let row = |name, paper, method| MethodRow { name, paper, method };
    Ok(vec![
        row("cohen", Some("cohen"), AnyMethod::Cohen(Cohen { sigma })),
        row("ddrs-script", Some("ddrs"), AnyMethod::Ddrs(Ddrs::script()?)),
        row("ddrs", None, AnyMethod::Ddrs(Ddrs::sane(sigma, [low, high]))),
        row("dsrs", Some("dsrs"), AnyMethod::Dsrs(Dsrs::published(sigma, lab.values()?)?)),
        row("grid", None, AnyMethod::Grid(grid)),
        row("qcrs-paper", Some("qcrs"), AnyMethod::Qcrs(lab.published.clone())),
        row("qcrs", None, AnyMethod::Qcrs(lab.published.clone().repaired())),
        row("probe", None, AnyMethod::Probe(Probe::new(sigma, [low, high], 1e-6))),
    ])
}

/// Runs every method and shows it beside the paper.
pub fn methods(lab: &Lab<'_>) -> anyhow::Result<Sheet> {
    let (mut tables, mut paper) = (Vec::new(), Vec::new());
    for MethodRow { name, paper: known_as, method } in rows(lab)? {
        tables.push(lab.run(name, method)?);
        paper.push(known_as);
        // 24 certificates per input are only shown where `grid` made them
        if name == "grid" && lab.has(WHOLE) {
            tables.extend([super::grid::sound(lab)?, super::grid::unsound(lab)?]);
            paper.extend([None, Some("grid")]);
        }
    }
    let analysis = Analysis::new(tables, &Options { radii: Some(RADII.to_vec()), ..Options::default() })?;
    Ok(Sheet {
        title: "Methods (Tables 2 and 3)".into(),
        warnings: vec![format!(
            "As published: cohen, ddrs-script (the DDRS of the authors' script, which begins at σ = 0.5 whatever the \
                 network, and can raise σ by 0.02 at most), dsrs, {PAPER} (the best of 24 certificates, each at α, which \
                 is wrong up to 24 times as often), qcrs-paper. Ours: ddrs with settings that reach the optimum, grid \
                 (small looks choose, fresh draws certify), {WHOLE} (24 certificates at α/24), qcrs (with our repairs), \
                 probe."
        )],
        figures: vec![figure(&analysis)?.into()],
        tables: vec![cost(lab, &analysis, &paper)?, accuracy(lab, &analysis, &paper)?],
    })
}

/// The radius–accuracy figure of some runs.
pub fn figure(analysis: &Analysis) -> anyhow::Result<Plot> {
    Ok(report::certified_accuracy(analysis)?)
}

/// The paper's ACR of a method, where it is about the same data, noise and search.
pub fn published_acr(lab: &Lab<'_>, method: &str) -> anyhow::Result<Option<f64>> {
    for (name, data, sigma, acr) in ACR {
        if name == method && lab.is_published(data, sigma)? {
            return Ok(Some(acr));
        }
    }
    Ok(None)
}

fn cost(lab: &Lab<'_>, analysis: &Analysis, paper: &[Option<&str>]) -> anyhow::Result<SheetTable> {
    let cohen = published_acr(lab, "cohen")?;
    let is_cifar = PaperData::of(&lab.made_with()?.data) == Some(PaperData::Cifar10);
    let row = |table: &Table, place: usize| -> anyhow::Result<Vec<String>> {
        let summary = &analysis.summaries[place];
        let acr = paper[place].map(|name| published_acr(lab, name)).transpose()?.flatten();
        let gain = acr.zip(cohen).map(|(acr, cohen)| acr / cohen - 1.0);
        let timed = SECONDS.iter().find(|(name, _, _)| acr.is_some() && paper[place] == Some(name));
        let timed = timed.filter(|_| is_cifar);
        Ok(vec![
            table.name.clone(),
            summary.acr.as_ref().map_or_else(none, with_interval),
            of_the_paper(acr),
            gain_of(analysis, &table.name).map_or_else(none, |gain| percent(&gain)),
            gain.map_or_else(none, |gain| format!("{:.0} %", 100.0 * gain)),
            summary.passes_per_input.map_or_else(none, |passes| by_three(passes.value)),
            spread_of_seconds(table),
            timed.map_or_else(none, |(_, mean, sd)| format!("{mean:.2} ± {sd}")),
        ])
    };
    Ok(SheetTable {
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
        rows: analysis
            .tables
            .iter()
            .enumerate()
            .map(|(at, table)| row(table, at))
            .collect::<Result<_, _>>()?,
    })
}

fn accuracy(lab: &Lab<'_>, analysis: &Analysis, paper: &[Option<&str>]) -> anyhow::Result<SheetTable> {
    // the paper has this table for one σ only
    let is_published = lab.is_published(PaperData::Cifar10, 0.5)?;
    let mut rows = Vec::new();
    for (summary, known_as) in analysis.summaries.iter().zip(paper) {
        let shares = summary.certified_accuracy.iter().map(|(_, share)| down(share.value, 3));
        rows.push(std::iter::once(summary.name.clone()).chain(shares).collect());
        let published = ACCURACY.iter().find(|(name, _)| is_published && Some(*name) == *known_as);
        if let Some((name, shares)) = published {
            let shares = shares.iter().map(|share| format!("{share:.2}"));
            rows.push(std::iter::once(format!("{name}, paper")).chain(shares).collect());
        }
    }
    let radii = RADII.iter().map(ToString::to_string);
    let head = std::iter::once("method".to_owned()).chain(radii).collect();
    Ok(SheetTable { caption: "Certified accuracy by radius (Table 3)".into(), head, rows })
}
