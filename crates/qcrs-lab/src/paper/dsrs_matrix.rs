//! Training × certificate with generalized Gaussian noise (appendix C).

use super::PaperArgs;
use super::lab::Lab;
use super::methods::figure;
use super::published::DSRS;
use super::words::{head, of_the_paper, with_interval};
use crate::settings::ModelSettings;
use crate::setup::Setup;
use anyhow::Context;
use qcrs::analysis::{Analysis, Options};
use qcrs::method::{AnyMethod, Cohen, Dsrs, Second};
use qcrs::report::{Sheet, SheetTable};

/// COHEN, generalized Gaussian noise and double sampling, on a model trained with Gaussian noise and, where
/// there is one, on a model trained with generalized noise.
pub fn dsrs_matrix(lab: &Lab<'_>, args: &PaperArgs) -> anyhow::Result<Sheet> {
    let mut tables = runs(lab, "")?;
    if let Some(path) = &args.generalized {
        let other = Setup::open(
            ModelSettings { path: path.clone(), ..lab.setup.settings.clone() },
            &args.target.data,
            args.noise.noise,
        )?;
        let sampler = other.sampler()?;
        tables.extend(runs(&lab.with_model(&other, &sampler), "generalized-")?);
    }
    let analysis = Analysis::new(tables, &Options::default())?;
    let half = lab.has_sigma(0.5);
    let mut rows = Vec::new();
    for (summary, (training, certificate, published)) in analysis.summaries.iter().zip(DSRS) {
        let acr = summary.acr.context("the data has no labels, so there is no ACR")?;
        let published = of_the_paper(Some(published).filter(|_| half));
        let passes =
            summary.passes_per_input.map_or_else(|| "–".into(), |passes| format!("{:.0}", passes.value));
        rows.push(vec![training.into(), certificate.into(), with_interval(&acr), published, passes]);
    }
    let mut warnings = vec![
        "The class is guessed by draws of its own; the published program takes the true one.".to_owned(),
    ];
    if args.generalized.is_none() {
        warnings
            .push("A model trained with generalized noise (--generalized) would fill the other rows.".into());
    }
    Ok(Sheet {
        title: "Training × certificate with generalized noise (appendix C)".into(),
        warnings,
        figures: vec![figure(&analysis)?],
        tables: vec![SheetTable {
            caption: "ACR by training and certificate".into(),
            head: head(&["training", "certificate", "ACR", "paper", "passes/input"]),
            rows,
        }],
    })
}

/// The runs of one model, named after it; those that `methods` makes too have the same names there.
fn runs(lab: &Lab<'_>, prefix: &str) -> anyhow::Result<Vec<qcrs::analysis::Table>> {
    let sigma = lab.sigma();
    let published = Dsrs::published(sigma, lab.setup.data.about.shape.iter().product())?;
    let one = Dsrs { second: Second::None, ..published.clone() };
    let searches = [
        ("cohen", AnyMethod::Cohen(Cohen { sigma })),
        ("dsrs-one-law", AnyMethod::Dsrs(one)),
        ("dsrs", AnyMethod::Dsrs(published)),
    ];
    searches.into_iter().map(|(name, search)| lab.run(&format!("{prefix}{name}"), search)).collect()
}
