//! Training × inference (Table 4).

use super::PaperArgs;
use super::lab::Lab;
use super::methods::{MethodRow, figure, rows};
use super::published::{PaperData, TRAINING};
use super::words::{gain_of, head, none, of_the_paper, percent, with_folder, with_interval};
use crate::setup::Setup;
use anyhow::{Context, ensure};
use qcrs::analysis::{Analysis, Options, Table};
use qcrs::method::{AnyMethod, Qcrs};
use qcrs::report::{Sheet, SheetTable};

/// COHEN, DDRS and QCRS on a model trained with noise and on one trained by MACER.
pub fn training(lab: &Lab<'_>, args: &PaperArgs) -> anyhow::Result<Sheet> {
    ensure!(
        lab.source.is_none() || args.macer.is_some(),
        "give the model trained by MACER with --macer FILE"
    );
    let other = args.open_beside(args.macer.as_deref())?;
    let sampler = other.as_ref().map(Setup::sampler).transpose()?;
    let macer = lab.with_model(other.as_ref().zip(sampler.as_ref()));
    let (mut gaussian, mut by_macer, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for MethodRow { name, paper, method } in rows(lab)? {
        if !TRAINING
            .iter()
            .any(|(listed, _, _)| paper.is_none_or(|paper| paper == *listed) && name.starts_with(listed))
        {
            continue;
        }
        // the released script for MACER has a region of its own
        let for_macer = match (&method, Qcrs::preset(&format!("macer-{:.2}", lab.sigma().get()))) {
            (AnyMethod::Qcrs(search), Ok(preset)) if *search == lab.published => AnyMethod::Qcrs(preset),
            _ => method.clone(),
        };
        gaussian.push(lab.run(name, method)?);
        by_macer.push(macer.run(&format!("macer-{name}"), for_macer)?);
        names.push((name, paper));
    }
    let analyses =
        [gaussian.clone(), by_macer.clone()].map(|tables| Analysis::new(tables, &Options::default()));
    let [of_gaussian, of_macer] = analyses;
    let (of_gaussian, of_macer) = (of_gaussian?, of_macer?);
    let published = published(lab)?;
    let cohen = published.iter().find(|(name, _)| *name == "cohen").map(|(_, acr)| *acr);
    let row = |place: usize| -> anyhow::Result<Vec<String>> {
        let (name, paper) = names[place];
        let theirs = published.iter().find(|(listed, _)| Some(*listed) == paper).map(|(_, acr)| *acr);
        let mut row = vec![name.to_owned()];
        for (column, (analysis, tables)) in
            [(&of_gaussian, &gaussian), (&of_macer, &by_macer)].iter().enumerate()
        {
            let acr = theirs.map(|acr| acr[column]);
            let gain =
                acr.zip(cohen).map(|(acr, cohen)| acr / cohen[column] - 1.0).filter(|_| name != "cohen");
            row.extend([
                acr_of(analysis, &tables[place])?,
                gain_of(analysis, &tables[place].name).map_or_else(none, |gain| percent(&gain)),
                of_the_paper(acr),
                gain.map_or_else(none, |gain| format!("{:.0} %", 100.0 * gain)),
            ]);
        }
        Ok(row)
    };
    let rows = (0..names.len()).map(row).collect::<Result<_, _>>()?;
    let both = Analysis::new(gaussian.into_iter().chain(by_macer).collect(), &Options::default())?;
    let model = args.macer.as_ref().map(|path| format!(" MACER: {}.", with_folder(path)));
    Ok(Sheet {
        title: "Training × inference (Table 4)".into(),
        warnings: vec![format!(
            "Percentages are gains over COHEN on the same network.{}",
            model.unwrap_or_default()
        )],
        figures: vec![figure(&both)?.into()],
        tables: vec![SheetTable {
            caption: "ACR by training and inference".into(),
            head: head(&["inference", "Gaussian", "gain", "paper", "gain", "MACER", "gain", "paper", "gain"]),
            rows,
        }],
    })
}

/// The paper's numbers for this σ: inference, and ACR by training.
fn published(lab: &Lab<'_>) -> anyhow::Result<Vec<(&'static str, [f64; 2])>> {
    for (sigma, at_half) in [(0.25, false), (0.5, true)] {
        if lab.is_published(PaperData::Cifar10, sigma)? {
            return Ok(TRAINING
                .map(|(name, quarter, half)| (name, if at_half { half } else { quarter }))
                .into());
        }
    }
    Ok(Vec::new())
}

fn acr_of(analysis: &Analysis, table: &Table) -> anyhow::Result<String> {
    let summary = analysis.summaries.iter().find(|summary| summary.name == table.name);
    let acr = summary.and_then(|summary| summary.acr.as_ref());
    Ok(with_interval(acr.context("the data has no labels, so there is no ACR")?))
}
