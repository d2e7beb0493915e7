//! Training × inference (Table 4).

use super::PaperArgs;
use super::lab::Lab;
use super::methods::{figure, searches};
use super::published::TRAINING;
use super::words::{head, of_the_paper, with_folder, with_interval};
use crate::settings::ModelSettings;
use crate::setup::Setup;
use anyhow::Context;
use qcrs::analysis::{Analysis, Options, Table};
use qcrs::report::{Sheet, SheetTable};

/// COHEN, DDRS and QCRS on a model trained with noise and on one trained by MACER.
pub fn training(lab: &Lab<'_>, args: &PaperArgs) -> anyhow::Result<Sheet> {
    let path = args.macer.as_ref().context("give the model trained by MACER with --macer FILE")?;
    let settings = ModelSettings { path: path.clone(), ..lab.setup.settings.clone() };
    let other = Setup::open(settings, &args.target.data, args.noise.noise)?;
    let sampler = other.sampler()?;
    let macer = lab.with_model(&other, &sampler);
    let wanted = |(name, _): &(&str, _)| TRAINING.iter().any(|(listed, _, _)| listed == name);
    let (mut tables, mut rows) = (Vec::new(), Vec::new());
    for (name, search) in searches(lab)?.into_iter().filter(wanted) {
        let gaussian = lab.run(name, search.clone())?;
        let by_macer = macer.run(&format!("macer-{name}"), search)?;
        rows.push(row(lab, name, &gaussian, &by_macer)?);
        tables.extend([gaussian, by_macer]);
    }
    let analysis = Analysis::new(tables, &Options::default())?;
    Ok(Sheet {
        title: "Training × inference (Table 4)".into(),
        warnings: vec![format!("MACER: {}.", with_folder(path))],
        figures: vec![figure(&analysis)?],
        tables: vec![SheetTable {
            caption: "ACR by training and inference".into(),
            head: head(&["inference", "Gaussian", "paper", "MACER", "paper"]),
            rows,
        }],
    })
}

fn row(lab: &Lab<'_>, name: &str, gaussian: &Table, macer: &Table) -> anyhow::Result<Vec<String>> {
    let published = TRAINING.iter().find(|(listed, _, _)| *listed == name);
    let published = published.and_then(|(_, quarter, half)| {
        let columns = [(0.25, quarter), (0.5, half)];
        columns.into_iter().find(|(sigma, _)| lab.has_sigma(*sigma)).map(|(_, pair)| pair)
    });
    let acr = |table: &Table| -> anyhow::Result<String> {
        let summary = Analysis::new(vec![table.clone()], &Options::default())?.summaries.remove(0);
        Ok(with_interval(&summary.acr.context("the data has no labels, so there is no ACR")?))
    };
    Ok(vec![
        name.to_owned(),
        acr(gaussian)?,
        of_the_paper(published.map(|pair| pair[0])),
        acr(macer)?,
        of_the_paper(published.map(|pair| pair[1])),
    ])
}
