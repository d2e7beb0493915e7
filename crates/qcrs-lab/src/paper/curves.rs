//! What is the radius of an input at every σ of a list?

use super::lab::{Lab, MadeWith};
use super::published::{PaperData, SHAPES, ShapeList};
use super::shape::published_list;
use super::source::AnswerSource;
use super::{Peak, ShapeArgs, SigmaNoise};
use anyhow::{Context, ensure};
use qcrs::analysis::{Shape, ShapePoint, SignPair, peak, steps};
use qcrs::bounds::{clopper_pearson_lower, clopper_pearson_upper};
use qcrs::certify::Budget;
use qcrs::method::{AnyMethod, Cohen, Method};
use qcrs::radius;
use qcrs::run::{Finding, Record, Selection};
use qcrs::types::Sigma;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The curves of all inputs that COHEN certifies at the σ of the training.
pub struct ShapeCurves {
    /// The list, in rising order.
    pub sigmas: Vec<f64>,
    pub inputs: Vec<InputCurve>,
    /// The published list, where this is one, on the paper's data.
    pub published: Option<&'static ShapeList>,
    args: ShapeArgs,
}

/// One input's radius at every σ of the list.
pub struct InputCurve {
    /// The index of the input in its dataset.
    pub index: u32,
    /// The class whose radius it is: the one that COHEN certifies at the σ of the training.
    pub class: usize,
    /// In rising order of σ.
    pub points: Vec<ShapePoint>,
    /// Where the signs change.
    pub peak: f64,
    /// The signs of dR/dσ.
    pub signs: Vec<SignPair>,
}

impl InputCurve {
    /// What the curve shows.
    pub fn shape(&self) -> Shape {
        Shape::seen(&self.points, self.peak, &self.signs)
    }
}

/// The votes that one input has for its class, by σ.
#[derive(Serialize, Deserialize)]
struct CurveVotes {
    index: u32,
    class: usize,
    votes: Vec<u64>,
}

impl ShapeCurves {
    /// Reads the votes that are kept, or samples them now: a run of COHEN per σ.
    pub fn of(lab: &Lab<'_>, args: &ShapeArgs) -> anyhow::Result<Self> {
        let list = if args.sigmas.is_empty() { list(lab) } else { args.sigmas.clone() };
        ensure!(
            list.len() >= 3 && list.windows(2).all(|pair| pair[0] < pair[1]),
            "--sigmas needs at least three values in rising order"
        );
        let sampled = with_neighbours(&list, args.tau)?;
        let question = (lab.sigma(), lab.budget, args.noise_per_sigma, &sampled);
        let name = match args.tau {
            Some(tau) => format!("curves-{}-tau-{tau}", args.noise_per_sigma.name()),
            None => format!("curves-{}", args.noise_per_sigma.name()),
        };
        let votes =
            lab.answer(&name, &question, |source| sample(lab, source, args.noise_per_sigma, &sampled))?;
        ensure!(!votes.is_empty(), "COHEN certifies none of the inputs; take more of them, or a larger --n");
        let peaks = if args.peak == Peak::Search { peaks(lab)? } else { BTreeMap::new() };
        let (made, is_published) = (lab.made_with()?, args.sigmas.is_empty());
        let question = CurveQuestion { list: &list, sampled: &sampled, tau: args.tau, budget: lab.budget };
        let curve = |votes: &CurveVotes| question.curve(votes, &made, &peaks);
        let data = PaperData::of(&made.data);
        Ok(Self {
            inputs: votes.iter().map(curve).collect::<Result<_, _>>()?,
            sigmas: list,
            published: published_list(lab).filter(|list| {
                is_published && data.is_some_and(|data| list.preset.starts_with(data.presets()))
            }),
            args: args.clone(),
        })
    }

    /// How the curves were made, in words.
    pub fn protocol(&self) -> String {
        let noise = match self.args.noise_per_sigma {
            SigmaNoise::Shared => {
                "All σ share their noise, and much of it cancels in differences: with separate draws for every σ, fewer \
                 signs would be right."
            }
            SigmaNoise::Own => "Every σ has noise of its own, as in the paper.",
        };
        let signs = match self.args.tau {
            Some(tau) => {
                format!("Signs are those of R(σ + τ) − R(σ − τ) with τ = {tau} at every σ of the list.")
            }
            None => "Signs are those of the steps from one σ of the list to the next.".into(),
        };
        let peak = match self.args.peak {
            Peak::List => "The best σ is that of the list.",
            Peak::Search => {
                "The best σ is the one that QCRS as published finds, where it certifies the same class."
            }
        };
        format!("{noise} {signs} {peak}")
    }
}

/// The list, and what lies τ left and right of its σ.
fn with_neighbours(list: &[f64], tau: Option<f64>) -> anyhow::Result<Vec<f64>> {
    let mut all = list.to_vec();
    if let Some(tau) = tau {
        ensure!(tau > 0.0 && tau < list[0], "--tau must be positive and below the smallest σ, got {tau}");
        all.extend(list.iter().flat_map(|sigma| [sigma - tau, sigma + tau]).map(rounded));
    }
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    Ok(all)
}

/// Where σ ± τ lies on the list, it is that σ to the last bit.
fn rounded(sigma: f64) -> f64 {
    (sigma * 1e6).round() / 1e6
}

fn sample(
    lab: &Lab<'_>,
    source: &AnswerSource<'_>,
    noise: SigmaNoise,
    sigmas: &[f64],
) -> anyhow::Result<Vec<CurveVotes>> {
    let certify = |name: &str, sigma: Sigma, selection: Selection, seed: u64| {
        let method = Method::new(AnyMethod::Cohen(Cohen { sigma }))?;
        source.certify(name, &source.setup.spec(selection, method, lab.budget, None).seeded(seed))
    };
    let at_training = certify("cohen", lab.sigma(), source.selection.clone(), lab.seed)?;
    let certified = |record: &Record| record.own().map(|own| (record.index, own.class));
    let followed: BTreeMap<u32, usize> = at_training.records.iter().filter_map(certified).collect();
    let mut curves: BTreeMap<u32, CurveVotes> = followed
        .iter()
        .map(|(&index, &class)| (index, CurveVotes { index, class, votes: Vec::new() }))
        .collect();
    if followed.is_empty() {
        return Ok(Vec::new());
    }
    let selection =
        Selection { listed: Some(followed.keys().copied().collect()), ..source.selection.clone() };
    for &sigma in sigmas {
        // shared noise is that of the run at the σ of the training
        let seed = lab.seed ^ if noise == SigmaNoise::Own { sigma.to_bits() } else { 0 };
        let name = format!("curve-{}-{sigma}", noise.name());
        for record in certify(&name, Sigma::new(sigma)?, selection.clone(), seed)?.records {
            let Finding::Outcome(outcome) = &record.finding else {
                anyhow::bail!("input {} failed: see its record in {name}", record.index);
            };
            let curve = curves.get_mut(&record.index).context("a record that was not asked for")?;
            curve.votes.push(outcome.estimates[0].votes.of(curve.class));
        }
    }
    Ok(curves.into_values().collect())
}

/// σ̂ of QCRS as published, with its class.
fn peaks(lab: &Lab<'_>) -> anyhow::Result<BTreeMap<u32, (usize, f64)>> {
    let table = lab.run("qcrs-paper", AnyMethod::Qcrs(lab.published.clone()))?;
    Ok(table.rows.iter().filter_map(|row| Some((row.index, (row.predicted?, row.sigma?)))).collect())
}

/// What is asked of every input.
struct CurveQuestion<'a> {
    list: &'a [f64],
    /// The list and what lies τ beside it.
    sampled: &'a [f64],
    tau: Option<f64>,
    budget: Budget,
}

impl CurveQuestion<'_> {
    fn curve(
        &self,
        &CurveVotes { index, class, ref votes }: &CurveVotes,
        made: &MadeWith,
        peaks: &BTreeMap<u32, (usize, f64)>,
    ) -> anyhow::Result<InputCurve> {
        let &Self { list, sampled, .. } = self;
        let points = sampled.iter().zip(votes).map(|(sigma, votes)| self.point(made, *sigma, *votes));
        let all: Vec<ShapePoint> = points.collect::<Result<_, _>>()?;
        ensure!(
            votes.len() == sampled.len(),
            "input {index}: votes at {} of {} σ",
            votes.len(),
            sampled.len()
        );
        let at = |sigma: f64| {
            let found = all.iter().find(|point| (point.sigma - sigma).abs() < 1e-9);
            found.with_context(|| format!("input {index}: there are no votes at σ = {sigma}"))
        };
        let points = list.iter().map(|sigma| at(*sigma).copied()).collect::<Result<Vec<_>, _>>()?;
        let pair = |tau: f64, sigma: f64| -> anyhow::Result<SignPair> {
            let radii = [at(sigma - tau)?.radius, at(sigma + tau)?.radius];
            Ok(SignPair { place: [sigma; 2], radii })
        };
        let signs = match self.tau {
            Some(tau) => list.iter().map(|sigma| pair(tau, *sigma)).collect::<Result<_, _>>()?,
            None => steps(&points),
        };
        let found = peaks.get(&index).filter(|(found, _)| *found == class).map(|(_, sigma)| *sigma);
        Ok(InputCurve { index, class, peak: found.unwrap_or_else(|| peak(&points)), points, signs })
    }

    /// The certified radius at σ, and the radii that infinitely many draws could give.
    fn point(&self, made: &MadeWith, sigma: f64, votes: u64) -> anyhow::Result<ShapePoint> {
        let (n, alpha, level) = (u64::from(self.budget.n()), self.budget.alpha(), Sigma::new(sigma)?);
        let noise = made.noise.at(level, made.data.shape.iter().product());
        let radius = radius::of_votes(&noise, votes, n, alpha)?.unwrap_or(0.0);
        let at = |share: f64| Ok::<_, anyhow::Error>(radius::gaussian(share, level)?.unwrap_or(0.0));
        let upper = clopper_pearson_upper(votes, n, alpha)?;
        let high = if upper < 1.0 { at(upper)? } else { f64::INFINITY };
        Ok(ShapePoint { sigma, radius, low: at(clopper_pearson_lower(votes, n, alpha)?)?, high })
    }
}

/// The published σ, or those of CIFAR-10 at σ = .25 scaled to this model's.
fn list(lab: &Lab<'_>) -> Vec<f64> {
    match published_list(lab) {
        Some(list) => (list.sigmas)(),
        None => (SHAPES[1].sigmas)().iter().map(|sigma| sigma * lab.sigma().get() / 0.25).collect(),
    }
}
