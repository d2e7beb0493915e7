//! Training × certificate with generalized Gaussian noise (appendix C).

use super::PaperArgs;
use super::lab::Lab;
use super::methods::figure;
use super::published::{DSRS, PaperData, RADII, RELATIVE};
use super::words::{by_three, head, none, of_the_paper, with_interval};
use crate::setup::Setup;
use anyhow::Context;
use qcrs::analysis::{Analysis, Options};
use qcrs::method::{AnyMethod, Cohen, Dsrs, Second};
use qcrs::report::format::{down, spread_of_seconds};
use qcrs::report::{Sheet, SheetTable};

/// COHEN, generalized Gaussian noise and double sampling, on a model trained with Gaussian noise and, where
/// there is one, on a model trained with generalized noise.
pub fn dsrs_matrix(lab: &Lab<'_>, args: &PaperArgs) -> anyhow::Result<Sheet> {
    let mut tables = runs(lab, "")?;
    let other = args.open_beside(args.generalized.as_deref())?;
    let sampler = other.as_ref().map(Setup::sampler).transpose()?;
    let has_other = other.is_some() || lab.has("generalized-cohen");
    if has_other {
        tables.extend(runs(&lab.with_model(other.as_ref().zip(sampler.as_ref())), "generalized-")?);
    }
    let analysis = Analysis::new(tables, &Options::default())?;
    let half = lab.is_published(PaperData::Cifar10, 0.5)?;
    let cohens: Vec<f64> =
        ["cohen", "generalized-cohen"].iter().filter_map(|name| acr_of(&analysis, name)).collect();
    let mut rows = Vec::new();
    for (summary, (training, certificate, published)) in analysis.summaries.iter().zip(DSRS) {
        let acr = summary.acr.context("the data has no labels, so there is no ACR")?;
        let place = usize::from(training == "generalized");
        let share = |acr: f64, cohen: Option<f64>| {
            cohen.map_or_else(none, |cohen| format!("{:.0} %", 100.0 * acr / cohen))
        };
        let of_cohen = share(acr.value, cohens.get(place).copied());
        let theirs = Some(published).filter(|_| half);
        let of_theirs = theirs.map_or_else(none, |acr| share(acr, Some(DSRS[3 * place].2)));
        let passes = summary.passes_per_input.map_or_else(none, |passes| by_three(passes.value));
        let time = spread_of_seconds(&analysis.tables[rows.len()]);
        let published = of_the_paper(theirs);
        rows.push(vec![
            training.into(),
            certificate.into(),
            with_interval(&acr),
            of_cohen,
            published,
            of_theirs,
            passes,
            time,
        ]);
    }
    let mut warnings = vec![
        "The class is guessed by draws of its own; the published program takes the true one.".to_owned(),
    ];
    if !has_other {
        warnings
            .push("A model trained with generalized noise (--generalized) would fill the other rows.".into());
    }
    Ok(Sheet {
        title: "Training × certificate with generalized noise (appendix C)".into(),
        warnings,
        figures: vec![figure(&analysis)?.into()],
        tables: vec![
            SheetTable {
                caption: "ACR by training and certificate".into(),
                head: head(&[
                    "training",
                    "certificate",
                    "ACR",
                    "of COHEN's",
                    "paper",
                    "of COHEN's",
                    "passes/input",
                    "s/input",
                ]),
                rows,
            },
            relative(lab)?,
        ],
    })
}

/// Certified accuracy as the papers of DSRS and DDRS print it, relative to the COHEN of the same paper, and ours.
fn relative(lab: &Lab<'_>) -> anyhow::Result<SheetTable> {
    let mut rows = Vec::new();
    for (paper, cohen, name, other) in RELATIVE {
        for (name, shares) in [("COHEN", cohen), (name, other)] {
            let shares =
                shares.iter().zip(cohen).map(|(share, cohen)| beside(*share, cohen, name == "COHEN"));
            rows.push(std::iter::once(format!("{name}, paper of {paper}")).chain(shares).collect());
        }
    }
    let ours = ["cohen", "dsrs", "ddrs", "qcrs-paper"].iter().filter(|name| lab.has(name));
    let ours = ours.map(|name| lab.kept(name)).collect::<anyhow::Result<Vec<_>>>()?;
    let options = Options { radii: Some(RADII.to_vec()), ..Options::default() };
    let ours = Analysis::new(ours, &options)?;
    let shares = |place: usize| ours.summaries[place].certified_accuracy.iter().map(|(_, share)| share.value);
    for (place, summary) in ours.summaries.iter().enumerate() {
        let shares = shares(place).zip(shares(0)).map(|(share, cohen)| beside(share, cohen, place == 0));
        rows.push(std::iter::once(format!("{}, ours", summary.name)).chain(shares).collect());
    }
    let head = std::iter::once("method".to_owned()).chain(RADII.iter().map(ToString::to_string)).collect();
    Ok(SheetTable {
        caption: "Certified accuracy, and how far it is above COHEN's of the same source".into(),
        head,
        rows,
    })
}

/// A share, with its gain over COHEN's.
fn beside(share: f64, cohen: f64, is_cohen: bool) -> String {
    let share_text = down(share, 2);
    if is_cohen || cohen <= 0.0 {
        share_text
    } else {
        format!("{share_text} ({:+.0} %)", 100.0 * (share / cohen - 1.0))
    }
}

fn acr_of(analysis: &Analysis, name: &str) -> Option<f64> {
    analysis.summaries.iter().find(|summary| summary.name == name)?.acr.map(|acr| acr.value)
}

/// The runs of one model, named after it; those that `methods` makes too have the same names there.
fn runs(lab: &Lab<'_>, prefix: &str) -> anyhow::Result<Vec<qcrs::analysis::Table>> {
    let sigma = lab.sigma();
    let published = Dsrs::published(sigma, lab.values()?)?;
    let one = Dsrs { second: Second::None, ..published.clone() };
    let searches = [
        ("cohen", AnyMethod::Cohen(Cohen { sigma })),
        ("dsrs-one-law", AnyMethod::Dsrs(one)),
        ("dsrs", AnyMethod::Dsrs(published)),
    ];
    searches.into_iter().map(|(name, search)| lab.run(&format!("{prefix}{name}"), search)).collect()
}
