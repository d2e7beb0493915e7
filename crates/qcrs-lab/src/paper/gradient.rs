//! How many draws does the sign of dR/dσ need? (Appendix H)

use super::lab::Lab;
use super::source::{AnswerSource, Effort};
use super::words::head;
use crate::progress::PassesBar;
use qcrs::noise::{Fresh, Phase, Stream};
use qcrs::radius;
use qcrs::report::plot::{Mark, Plot, Series};
use qcrs::report::{Sheet, SheetTable};
use qcrs::sample::{SampleUnderNoise, fresh_votes};
use qcrs::types::Sigma;
use serde::{Deserialize, Serialize};

/// Draws per look, and how often each difference is taken.
const LOOKS: [(u32, u32); 7] =
    [(8, 20), (32, 20), (125, 20), (500, 20), (2000, 10), (10_000, 4), (100_000, 2)];

/// R(σ + τ) − R(σ − τ) of one input, repeated.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Differences {
    index: u32,
    /// Draws per look, and the differences.
    by_n: Vec<(u32, Vec<f64>)>,
}

/// The difference that the search uses, at the σ of the training, by the number of draws.
pub fn stability(lab: &Lab<'_>) -> anyhow::Result<Sheet> {
    let (inputs, most) = match lab.effort {
        Effort::Small => (5, 2000),
        Effort::Medium => (20, 10_000),
        Effort::Full => (50, 100_000),
    };
    let looks: Vec<(u32, u32)> = LOOKS.into_iter().filter(|(n, _)| *n <= most).collect();
    let tau = lab.published.step.min(0.5 * lab.sigma().get());
    let question = (lab.sigma(), lab.budget.alpha(), tau, &looks, inputs);
    let all = lab.answer("gradient", &question, |source| {
        let ids: Vec<u32> = source.selection.ids().take(inputs).collect();
        let per_input: u64 = looks.iter().map(|(n, times)| 2 * u64::from(n * times)).sum::<u64>() + 500;
        let progress = PassesBar::new(per_input * ids.len() as u64);
        progress.watch(source.sampler, || {
            let one = |id: &u32| {
                let key = (lab.sigma(), lab.budget.alpha(), tau, &looks);
                source
                    .remember(&format!("gradient-{id}"), &key, || differences(lab, source, *id, tau, &looks))
            };
            ids.iter().map(one).collect::<anyhow::Result<Vec<Differences>>>()
        })
    })?;
    Ok(sheet(lab, &all, &looks, tau))
}

fn differences(
    lab: &Lab<'_>,
    source: &AnswerSource<'_>,
    id: u32,
    tau: f64,
    looks: &[(u32, u32)],
) -> anyhow::Result<Differences> {
    let example = source.setup.example(id)?;
    let mut fresh = Fresh::of(Stream { seed: lab.seed, input: id, phase: Phase::Curve });
    // every look has its own draws, as in the released program
    let mut votes = |sigma: f64, n: u32| {
        let g = source.sampler.at(Sigma::new(sigma)?);
        fresh_votes(source.sampler, &example.pixels, g, n, &mut fresh)
    };
    let at = lab.sigma().get();
    let class = votes(at, 500)?.elected()?;
    let mut radius = |sigma: f64, n: u32| -> anyhow::Result<f64> {
        let (k, alpha) = (votes(sigma, n)?.of(class), lab.budget.alpha());
        Ok(radius::gaussian_of_votes(k, n.into(), alpha, Sigma::new(sigma)?)?.unwrap_or(0.0))
    };
    let mut by_n = Vec::new();
    for &(n, times) in looks {
        let repeat = |_| Ok::<_, anyhow::Error>(radius(at + tau, n)? - radius(at - tau, n)?);
        by_n.push((n, (0..times).map(repeat).collect::<Result<_, _>>()?));
    }
    Ok(Differences { index: id, by_n })
}

/// The differences of looks of one length.
struct AtLength {
    n: u32,
    /// The mean over inputs of the standard deviation.
    deviation: f64,
    /// The differences with the wrong sign, in percent; unknown for the longest looks.
    wrong: Option<f64>,
    /// The differences that are zero, in percent.
    zero: f64,
    count: usize,
}

/// Inputs whose differences are drawn.
const DRAWN: usize = 8;

/// The mean difference of single inputs by the draws per look, with the spread of its repeats.
fn single_inputs(all: &[Differences]) -> Plot {
    let line = |(style, input): (usize, &Differences)| {
        let at = |(n, values): &(u32, Vec<f64>)| {
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            (f64::from(*n).log10(), mean)
        };
        let points = || input.by_n.iter();
        let spread = |(n, values): &(u32, Vec<f64>)| {
            let end = |choose: fn(f64, f64) -> f64| values.iter().copied().reduce(choose).unwrap_or_default();
            (f64::from(*n).log10(), end(f64::min), end(f64::max))
        };
        Series {
            name: format!("input {}", input.index),
            style,
            marks: vec![Mark::Band(points().map(spread).collect()), Mark::Line(points().map(at).collect())],
        }
    };
    let step = (all.len() / DRAWN).max(1);
    let drawn: Vec<&Differences> = all.iter().step_by(step).take(DRAWN).collect();
    let values = || drawn.iter().flat_map(|input| &input.by_n).flat_map(|(_, values)| values).copied();
    let most =
        drawn.iter().flat_map(|input| &input.by_n).map(|(n, _)| f64::from(*n).log10()).fold(1.0, f64::max);
    Plot {
        title: "The difference of single inputs by draws per look".into(),
        desc: "One line per input: the mean of its repeats, in a band from the smallest to the largest."
            .into(),
        x_label: "log10 of the draws per look",
        y_label: "R(σ + τ) − R(σ − τ)",
        whole_x: false,
        x: (0.5, most + 0.2),
        y: (values().fold(-0.01, f64::min), values().fold(0.01, f64::max)),
        series: drawn.into_iter().enumerate().map(line).collect(),
        notes: Vec::new(),
    }
}

/// Judges all differences by the sign of the mean over the longest looks.
fn judge(all: &[Differences], looks: &[(u32, u32)]) -> Vec<AtLength> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let truth: Vec<f64> =
        all.iter().map(|input| input.by_n.last().map_or(0.0, |(_, last)| mean(last))).collect();
    let at = |(place, &(n, _)): (usize, &(u32, u32))| {
        let (mut wrong, mut zero, mut count, mut deviation) = (0, 0, 0, 0.0);
        for (input, truth) in all.iter().zip(&truth) {
            let values = &input.by_n[place].1;
            let middle = mean(values);
            let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
            deviation += (squares / values.len().saturating_sub(1).max(1) as f64).sqrt();
            count += values.len();
            zero += values.iter().filter(|value| **value == 0.0).count();
            wrong += values.iter().filter(|value| *value * truth < 0.0).count();
        }
        let percent = |part: usize| 100.0 * part as f64 / count.max(1) as f64;
        AtLength {
            n,
            deviation: deviation / all.len().max(1) as f64,
            wrong: (place + 1 < looks.len()).then(|| percent(wrong)),
            zero: percent(zero),
            count,
        }
    };
    looks.iter().enumerate().map(at).collect()
}

fn sheet(lab: &Lab<'_>, all: &[Differences], looks: &[(u32, u32)], tau: f64) -> Sheet {
    let judged = judge(all, looks);
    let row = |at: &AtLength| {
        vec![
            at.n.to_string(),
            format!("{:.4}", at.deviation),
            at.wrong.map_or_else(|| "–".into(), |wrong| format!("{wrong:.1} %")),
            format!("{:.1} %", at.zero),
            at.count.to_string(),
        ]
    };
    let x = |at: &AtLength| f64::from(at.n).log10();
    let wrong = judged.iter().filter_map(|at| Some((x(at), at.wrong?))).collect();
    let none = judged.iter().map(|at| (x(at), at.zero)).collect();
    let last = judged.last().map_or(1, |at| at.n);
    let series = |style: usize, name: &str, curve: Vec<(f64, f64)>| Series {
        name: name.into(),
        style,
        marks: vec![Mark::Line(curve.clone()), Mark::Dots(curve)],
    };
    let figure = Plot {
        title: "Signs of dR/dσ by draws per look".into(),
        desc: "The shares of differences with the wrong sign and with none.".into(),
        x_label: "log10 of the draws per look",
        y_label: "differences, %",
        whole_x: false,
        x: (0.5, f64::from(last).log10() + 0.2),
        y: (0.0, 100.0),
        series: vec![series(0, "wrong sign", wrong), series(1, "zero: no radius on either side", none)],
        notes: vec![format!("{} inputs", all.len())],
    };
    Sheet {
        title: "Stability of the gradient and of its sign (appendix H)".into(),
        warnings: vec![format!(
            "R(σ + τ) − R(σ − τ) at σ = {} with τ = {tau}, each look with its own draws. The right sign is that of the \
             mean over the looks of {last} draws. The paper finds it stable from 500 draws on.",
            lab.sigma().get()
        )],
        figures: vec![figure.into(), single_inputs(all).into()],
        tables: vec![SheetTable {
            caption: "Differences by draws per look".into(),
            head: head(&["draws", "standard deviation", "wrong sign", "zero", "differences"]),
            rows: judged.iter().map(row).collect(),
        }],
    }
}
