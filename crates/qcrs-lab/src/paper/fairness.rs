//! Which σ do the classes get? (Table 5)

use super::lab::Lab;
use super::published::{FAIRNESS, PaperData};
use super::words::{head, with_interval};
use qcrs::analysis::classes;
use qcrs::method::AnyMethod;
use qcrs::report::plot::{Mark, Plot, Series};
use qcrs::report::{Sheet, SheetTable};

/// σ̂ of each class over its correctly certified inputs, from the run of QCRS that `methods` makes too.
pub fn fairness(lab: &Lab<'_>) -> anyhow::Result<Sheet> {
    let table = lab.run("qcrs-paper", AnyMethod::Qcrs(lab.published.clone()))?;
    let classes = classes(&table)?;
    let paper = lab.is_published(PaperData::Cifar10, 0.5)?;
    let published = |name: &str| FAIRNESS.iter().find(|(other, _, _)| paper && *other == name);
    let spread = |mean: f64, sd: Option<f64>| match sd {
        Some(sd) => format!("{mean:.3} ± {sd:.3}"),
        None => format!("{mean:.3}"),
    };
    let row = |class: &qcrs::analysis::ClassRow| {
        vec![
            class.name.clone(),
            class.sigma.map_or_else(|| "–".into(), |sigma| spread(sigma.mean, sigma.sd)),
            published(&class.name).map_or_else(|| "–".into(), |(_, mean, sd)| format!("{mean:.2} ± {sd:.2}")),
            class.sigma.map_or(0, |sigma| sigma.count).to_string(),
            class.inputs.to_string(),
            with_interval(&class.acr),
        ]
    };
    let ours = classes.iter().filter_map(|class| Some((class.class as f64, class.sigma?.mean))).collect();
    let theirs: Vec<(f64, f64)> =
        classes.iter().filter_map(|class| Some((class.class as f64, published(&class.name)?.1))).collect();
    let mut series = vec![Series { name: "ours".into(), style: 0, marks: vec![Mark::Dots(ours)] }];
    if !theirs.is_empty() {
        series.push(Series { name: "paper".into(), style: 1, marks: vec![Mark::Dots(theirs)] });
    }
    let names: Vec<String> = classes.iter().map(|class| format!("{} {}", class.class, class.name)).collect();
    let figure = Plot {
        title: "Mean σ of each class".into(),
        desc: "One dot per class: the mean noise level that the search chose.".into(),
        x_label: "class",
        y_label: "σ",
        whole_x: true,
        x: (0.0, classes.last().map_or(1, |class| class.class) as f64),
        y: (0.0, 2.0 * lab.sigma().get()),
        series,
        notes: vec![names.join(", ")],
    };
    Ok(Sheet {
        title: "Fairness: σ of each class (Table 5)".into(),
        warnings: vec![
            "σ over the correctly certified inputs of each true class; ± one standard deviation.".into(),
        ],
        figures: vec![figure.into()],
        tables: vec![SheetTable {
            caption: "σ̂ by class".into(),
            head: head(&["class", "σ̂", "paper", "certified", "inputs", "ACR"]),
            rows: classes.iter().map(row).collect(),
        }],
    })
}
