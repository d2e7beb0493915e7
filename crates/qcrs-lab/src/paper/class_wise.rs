//! One σ per class (appendix J), fitted on training images.

use super::PaperArgs;
use super::lab::Lab;
use super::published::{CLASS_WISE, PaperData};
use super::source::{AnswerSource, Effort};
use super::words::{head, of_the_paper, percent, with_interval};
use crate::progress::PassesBar;
use crate::settings::DataSettings;
use crate::setup::Setup;
use anyhow::{Context, ensure};
use qcrs::analysis::{Analysis, Options, Table};
use qcrs::data::Split;
use qcrs::method::{AnyMethod, Cohen};
use qcrs::report::{Sheet, SheetTable};
use qcrs::run::Selection;
use qcrs::sample::{Input, OneClass};
use qcrs::tune::{self, Tune};
use qcrs::types::Sigma;

/// For each class the question "is it this?", at the σ of the training and at its own σ.
pub fn class_wise(lab: &Lab<'_>, args: &PaperArgs) -> anyhow::Result<Sheet> {
    let published = CLASS_WISE.iter().map(|(name, _, _)| (*name).to_owned());
    let published: Vec<String> = published.chain([NOT_GAINING.to_owned()]).collect();
    let classes = if args.classes.is_empty() { &published } else { &args.classes };
    let training = training_images(lab, args)?;
    let mut rows = Vec::new();
    for name in classes {
        let class = lab.class(name)?;
        let sigma = fit(lab, training.as_ref(), class)?;
        let of_class = |source: &AnswerSource<'_>| {
            let listed =
                source.setup.of_class(class, source.selection.ids()).collect::<Result<Vec<_>, _>>()?;
            ensure!(!listed.is_empty(), "none of the selected inputs is of class {name}; take more of them");
            Ok(Selection { listed: Some(listed), ..source.selection.clone() })
        };
        let run = |sigma: Sigma, which: &str| {
            let name = format!("class-{class}-{which}");
            lab.run_on(&name, AnyMethod::Cohen(Cohen { sigma }), Some(class), of_class)
        };
        rows.push(row(lab, name, sigma, run(lab.sigma(), "common")?, run(sigma, "own")?)?);
    }
    Ok(Sheet {
        title: "One σ per class (appendix J)".into(),
        warnings: vec![
            "The answer is class or not class; ACR over the images of the class. Each class's σ was chosen on training \
             images. The paper took it from its Table 5, that is from the test images, and says that automobile does not \
             gain."
                .into(),
        ],
        figures: Vec::new(),
        tables: vec![SheetTable {
            caption: "ACR of the yes-or-no question".into(),
            head: head(&["class", "own σ", "paper", "ACR, σ of the training", "paper", "ACR, own σ", "paper", "gain"]),
            rows,
        }],
    })
}

/// The class that the paper says does not gain.
const NOT_GAINING: &str = "automobile";

/// The training images beside those that are judged, where the model may be asked.
fn training_images(lab: &Lab<'_>, args: &PaperArgs) -> anyhow::Result<Option<Setup>> {
    let (Some((_, given)), Some(source)) = (args.target(), &lab.source) else { return Ok(None) };
    ensure!(given.split.is_none(), "σ is fitted on the training images; leave --split out");
    ensure!(
        source.setup.data.has_parts,
        "{}: there are no training images beside the others, and σ must not be fitted on those it is judged by",
        given.data.display()
    );
    let data = DataSettings { split: Some(Split::Train), ..given.into() };
    Ok(Some(Setup::open(source.setup.settings.clone(), data, args.noise.noise)?))
}

/// The σ that promises the largest mean radius on training images of the class.
fn fit(lab: &Lab<'_>, training: Option<&Setup>, class: usize) -> anyhow::Result<Sigma> {
    let (images, draws) = match lab.effort {
        Effort::Small => (10, 200),
        Effort::Medium => (50, 400),
        Effort::Full => (200, 1000),
    };
    let base = lab.sigma().get();
    let sigmas = (0..12).map(|at| Sigma::new(0.4 * base * 6.25_f64.powf(f64::from(at) / 11.0)));
    let sigmas: Vec<Sigma> = sigmas.collect::<Result<_, _>>()?;
    let tune = Tune { sigmas, draws, n: lab.budget.n(), alpha: lab.budget.alpha() };
    let question = (class, images, draws, lab.budget, &tune.sigmas);
    let sigma: f64 = lab.answer(&format!("class-{class}-fit"), &question, |source| {
        let training = training.context("σ is fitted on training images; give --data")?;
        let all = training.of_class(class, 0..training.len()?);
        let ids = all.take(images).collect::<Result<Vec<_>, _>>()?;
        let passes = ids.len() as u64 * tune.sigmas.len() as u64 * u64::from(draws);
        let question = OneClass { inner: source.sampler, class };
        let predicted = PassesBar::new(passes).watch(source.sampler, || {
            let one = |&index: &u32| {
                let pixels = &training.example(index)?.pixels;
                Ok(tune.predict(&question, &Input { pixels, seed: lab.seed, index }, 1)?)
            };
            ids.iter().map(one).collect::<anyhow::Result<Vec<_>>>()
        })?;
        Ok(tune::best(&tune.promises(&predicted))
            .with_context(|| format!("no σ certifies any training image of class {class}"))?
            .sigma)
    })?;
    Ok(Sigma::new(sigma)?)
}

fn row(lab: &Lab<'_>, name: &str, sigma: Sigma, common: Table, own: Table) -> anyhow::Result<Vec<String>> {
    let half = lab.is_published(PaperData::Cifar10, 0.5)?;
    let published = CLASS_WISE.iter().find(|(other, _, _)| half && *other == name);
    let analysis = Analysis::new(vec![common, own], &Options::default())?;
    let acr = |place: usize| -> anyhow::Result<String> {
        Ok(with_interval(analysis.summaries[place].acr.as_ref().context("the data has no labels")?))
    };
    let gain = analysis.paired.first().and_then(|pair| pair.gain);
    Ok(vec![
        name.to_owned(),
        format!("{:.3}", sigma.get()),
        published.map_or_else(|| "–".into(), |(_, sigma, _)| format!("{sigma:.2}")),
        acr(0)?,
        of_the_paper(published.map(|(_, _, acr)| acr[0])),
        acr(1)?,
        of_the_paper(published.map(|(_, _, acr)| acr[1])),
        gain.map_or_else(|| "–".into(), |gain| percent(&gain)),
    ])
}
