//! How much do search region and step matter? (Appendix F)

use super::lab::Lab;
use super::published::{ABLATION, ABLATION_TOLERANCE, PaperData};
use super::words::{by_three, head, none, of_the_paper, with_interval};
use anyhow::Context;
use qcrs::analysis::{Analysis, Options};
use qcrs::method::{AnyMethod, NegativeSigma, Qcrs};
use qcrs::report::format::{brief, spread_of_seconds};
use qcrs::report::plot::{Mark, Plot, Series};
use qcrs::report::{Sheet, SheetTable};
use qcrs::types::Sigma;

/// QCRS as published with every region and step of the paper's table, scaled to the σ of the model.
pub fn ablation(lab: &Lab<'_>) -> anyhow::Result<Sheet> {
    let scale = lab.sigma().get() / 0.5;
    let is_published = lab.is_published(PaperData::Cifar10, 0.5)?;
    let (mut rows, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for (number, (left, right, printed, published)) in ABLATION.into_iter().enumerate() {
        let tau = ABLATION_TOLERANCE / printed;
        let region = [Sigma::new(left * scale)?, Sigma::new(right * scale)?];
        let search = Qcrs::paper(lab.sigma(), region, ABLATION_TOLERANCE * scale, tau * scale);
        let search = Qcrs { negative_sigma: lab.published.negative_sigma, ..search };
        let table = lab.run(&format!("ablation-{left}-{right}-{printed}"), AnyMethod::Qcrs(search))?;
        let time = spread_of_seconds(&table);
        let summary = Analysis::new(vec![table], &Options::default())?.summaries.remove(0);
        let acr = summary.acr.context("the data has no labels, so there is no ACR")?;
        ours.push((number as f64 + 1.0, acr.value));
        if is_published {
            theirs.push((number as f64 + 1.0, published));
        }
        let at = |value: f64| brief(value * scale);
        rows.push(vec![
            format!("{}", number + 1),
            at(left),
            at(right),
            at(tau),
            printed.to_string(),
            with_interval(&acr),
            of_the_paper(Some(published).filter(|_| is_published)),
            summary.passes_per_input.map_or_else(none, |passes| by_three(passes.value)),
            time,
        ]);
    }
    let top = ours.iter().chain(&theirs).map(|(_, acr)| *acr).fold(0.0, f64::max);
    let mut series = vec![Series { name: "ours".into(), style: 0, marks: vec![Mark::Dots(ours)] }];
    if is_published {
        series.push(Series { name: "paper".into(), style: 1, marks: vec![Mark::Dots(theirs)] });
    }
    let figure = Plot {
        title: "ACR by search region and step".into(),
        desc: "One dot per setting, ours and the paper's.".into(),
        x_label: "setting, by its number in the table",
        y_label: "ACR",
        whole_x: true,
        x: (0.0, ABLATION.len() as f64 + 1.0),
        y: (0.0, 1.2 * top),
        series,
        notes: Vec::new(),
    };
    Ok(Sheet {
        title: "Ablation: search region and step (appendix F)".into(),
        warnings: vec![
            "The step that the paper prints is its program's epsilon_step, and τ = ε / epsilon_step: the smallest \
             printed step is the largest τ. "
                .to_owned()
                + match lab.published.negative_sigma {
                    NegativeSigma::Floor => {
                        "σ − τ is kept at the left end of the region here; the released program lets it fall below zero \
                         (--negative-sigma emulate)."
                    }
                    NegativeSigma::Emulate => "σ − τ may fall below zero, as in the released program.",
                },
        ],
        figures: vec![figure.into()],
        tables: vec![SheetTable {
            caption: "ACR by region and step".into(),
            head: head(&["", "left", "right", "τ", "printed step", "ACR", "paper", "passes/input", "s/input"]),
            rows,
        }],
    })
}
