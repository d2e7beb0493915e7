//! What does the grid as published cost, and what may it claim? (Table 2)

use super::lab::Lab;
use super::words::{by_three, gain_of, head, none, percent, with_interval};
use anyhow::Context;
use qcrs::analysis::{Analysis, Options, Table};
use qcrs::certify::{Budget, decide, fail_safe};
use qcrs::method::{AnyMethod, Cohen, Grid, Method, Qcrs, Winner};
use qcrs::report::format::spread_of_seconds;
use qcrs::report::{Sheet, SheetTable};
use qcrs::run::{Finding, Spec, Stored};
use qcrs::types::Alpha;

/// A whole certificate at every point, each at α/K, and the best of them.
pub const WHOLE: &str = "grid-whole";

/// The same votes decided at α each, as published.
pub const PAPER: &str = "grid-paper";

/// The points of the published grids.
pub fn points(lab: &Lab<'_>) -> u32 {
    if lab.preset.as_ref().is_some_and(|name| name.starts_with("imagenet")) { 11 } else { 24 }
}

/// The grid as 24 whole certificates, in its sound form and as published, from one set of votes.
pub fn grid(lab: &Lab<'_>) -> anyhow::Result<Sheet> {
    let cohen = lab.run("cohen", AnyMethod::Cohen(Cohen { sigma: lab.sigma() }))?;
    let analysis = Analysis::new(vec![cohen, sound(lab)?, unsound(lab)?], &Options::default())?;
    let row = |(place, table): (usize, &Table)| {
        let summary = &analysis.summaries[place];
        vec![
            table.name.clone(),
            summary.alpha.map_or_else(none, |alpha| alpha.to_string()),
            summary.acr.as_ref().map_or_else(none, with_interval),
            gain_of(&analysis, &table.name).map_or_else(none, |gain| percent(&gain)),
            summary.passes_per_input.map_or_else(none, |passes| by_three(passes.value)),
            spread_of_seconds(table),
        ]
    };
    let Grid { low, high, points, .. } = whole(lab);
    Ok(Sheet {
        title: "The grid as whole certificates (Table 2)".into(),
        warnings: vec![format!(
            "{points} σ from {} to {}, a certificate with all draws at each, and the largest radius. {WHOLE} makes each \
             at α/{points}, so that the best of them is wrong with probability α at most. {PAPER} makes each at α, as the \
             paper does: then the probability that one of them is wrong is the α that the table shows.",
            low.get(),
            high.get()
        )],
        figures: vec![super::methods::figure(&analysis)?.into()],
        tables: vec![SheetTable {
            caption: "One set of votes, decided twice".into(),
            head: head(&["method", "α", "ACR", "gain over cohen", "passes/input", "s/input"]),
            rows: analysis.tables.iter().enumerate().map(row).collect(),
        }],
    })
}

/// The certificates at α/K.
pub fn sound(lab: &Lab<'_>) -> anyhow::Result<Table> {
    lab.run(WHOLE, AnyMethod::Grid(whole(lab)))
}

/// The same votes with each certificate at α: what the sound form would say at K·α.
pub fn unsound(lab: &Lab<'_>) -> anyhow::Result<Table> {
    let method = AnyMethod::Grid(whole(lab));
    let alpha = Alpha::new(lab.budget.alpha().get() * f64::from(points(lab)))
        .context("as published, the best of the grid could always be wrong; take a smaller --alpha")?;
    let budget = Budget::new(lab.budget.n0(), lab.budget.n(), alpha)?;
    if !lab.has(PAPER) {
        let source = lab.source()?;
        let (inputs, asked) = (source.selection.clone(), Method::new(method.clone())?);
        let spec = source.setup.spec(inputs, asked, lab.budget, None);
        let votes = source.certify(WHOLE, &spec.seeded(lab.seed))?;
        lab.keep(PAPER, &decided_at(budget, votes)?)?;
    }
    lab.with_budget(budget).run(PAPER, method)
}

/// The same votes with the verdicts of another budget.
fn decided_at(budget: Budget, mut stored: Stored) -> anyhow::Result<Stored> {
    for record in &mut stored.records {
        if let Finding::Outcome(outcome) = &mut record.finding {
            outcome.verdict = decide(&outcome.estimates, &budget)?;
            outcome.fail_safe = fail_safe(&outcome.estimates, &budget)?;
        }
    }
    Ok(Stored { spec: Spec { budget, ..stored.spec }, ..stored })
}

/// Over the region of appendix E, the only hint at the published points.
fn whole(lab: &Lab<'_>) -> Grid {
    let appendix = lab.preset.as_ref().and_then(|name| Qcrs::preset(&format!("{name}-appendix")).ok());
    let Qcrs { low, high, .. } = appendix.unwrap_or_else(|| lab.published.clone());
    let winner = Winner::MaxOfCertificates;
    Grid { sigma: lab.sigma(), low, high, points: points(lab), winner }
}
