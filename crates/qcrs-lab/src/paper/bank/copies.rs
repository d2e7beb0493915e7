//! What does a bank answer to perturbed copies of its images?

use super::order::{BankInputs, FreshBank};
use anyhow::Context;
use qcrs::analysis::Row;
use qcrs::noise::{Noise, Phase, Stream};
use qcrs::report::format::down;
use qcrs::types::Sigma;
use qcrs_bank::{BankAnswer, Claim, Why};

/// How far a copy lies from its image, in radii.
const DISTANCES: [f64; 4] = [0.5, 0.99, 1.01, 1.5];

/// The certificate that comes with a copy.
const OWN: &str = "own class";
const OTHER: &str = "other class";
const NONE: &str = "none";

/// The answers to the copies of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyQuery {
    /// In radii.
    pub distance: f64,
    pub direction: &'static str,
    pub offered: &'static str,
    pub copies: usize,
    pub whole: usize,
    pub cut: usize,
    /// The bank gives the class of a ball, where the certificate has another or none.
    pub of_a_ball: usize,
    pub abstains: usize,
    /// The mean radius of the answers, in radii of the images; 0 where the bank abstains.
    pub radius: f64,
}

/// All copies.
pub struct Copies {
    pub queries: Vec<CopyQuery>,
    /// From each image to the nearest ball of another class, in rising order.
    apart: Vec<f64>,
}

impl Copies {
    /// How far balls of different classes are apart.
    pub fn distances(&self) -> String {
        let (least, half) = (self.apart.first(), self.apart.get(self.apart.len() / 2));
        let shown =
            |distance: Option<&f64>| distance.map_or_else(|| "–".into(), |distance| down(*distance, 2));
        format!(
            "From {} certified images to the rim of the nearest ball of another class: at least {}, in the median {}.",
            self.apart.len(),
            shown(least),
            shown(half)
        )
    }
}

/// An image whose copies are asked about.
struct Centre<'a> {
    row: &'a Row,
    own: Claim,
    x: Vec<f32>,
    /// The ball of another class whose rim is nearest: the distance to it, its class and its centre.
    other: Option<(f64, usize, Vec<f32>)>,
}

/// Asks the bank about copies of `count` images, spread evenly.
pub fn ask(all: &BankInputs<'_>, bank: &FreshBank, (count, seed): (u32, u64)) -> anyhow::Result<Copies> {
    let certified: Vec<(&Row, Claim)> = all.certified().collect();
    let count = certified.len().min(count as usize);
    let mut centres = Vec::new();
    for &(row, own) in (0..count).map(|at| &certified[at * certified.len() / count]) {
        centres.push(Centre { row, own, x: all.pixels(row)?, other: None });
    }
    for (row, claim) in certified {
        let x = all.pixels(row)?;
        for centre in centres.iter_mut().filter(|centre| centre.own.class != claim.class) {
            let rim = distance(&centre.x, &x) - claim.radius;
            if centre.other.as_ref().is_none_or(|(nearest, _, _)| rim < *nearest) {
                centre.other = Some((rim, claim.class, x.clone()));
            }
        }
    }
    let mut queries = Vec::new();
    for distance in DISTANCES {
        for direction in ["random", "to the nearest other class"] {
            for offered in [OWN, OTHER, NONE] {
                queries.push(query(&centres, bank, (distance, direction, offered), seed)?);
            }
        }
    }
    let mut apart: Vec<f64> = centres.iter().filter_map(|centre| Some(centre.other.as_ref()?.0)).collect();
    apart.sort_by(f64::total_cmp);
    Ok(Copies { queries, apart })
}

fn query(
    centres: &[Centre<'_>],
    FreshBank { bank, .. }: &FreshBank,
    (distance, direction, offered): (f64, &'static str, &'static str),
    seed: u64,
) -> anyhow::Result<CopyQuery> {
    let nothing = CopyQuery {
        distance,
        direction,
        offered,
        copies: 0,
        whole: 0,
        cut: 0,
        of_a_ball: 0,
        abstains: 0,
        radius: 0.0,
    };
    let mut all = nothing;
    for centre in centres {
        // a file whose answers are all of one class has nothing to offer
        let Some((_, other_class, other)) = &centre.other else { continue };
        let towards =
            if direction == "random" { random(centre, seed)? } else { difference(other, &centre.x) };
        let copy = moved(&centre.x, &towards, distance * centre.own.radius);
        let claimed = match offered {
            OWN => Some(centre.own.class),
            OTHER => Some(*other_class),
            _ => None,
        };
        all.copies += 1;
        match bank.ask(&copy, claimed.map(|class| Claim { class, radius: centre.own.radius }))? {
            BankAnswer::Class { class: answered, radius, why } => {
                all.radius += radius / centre.own.radius;
                *if claimed != Some(answered) {
                    &mut all.of_a_ball
                } else if matches!(why, Why::Cut(_)) {
                    &mut all.cut
                } else {
                    &mut all.whole
                } += 1;
            }
            BankAnswer::Abstain(_) => all.abstains += 1,
        }
    }
    all.radius /= all.copies.max(1) as f64;
    Ok(all)
}

/// A direction that depends on the image and the seed only.
fn random(centre: &Centre<'_>, seed: u64) -> anyhow::Result<Vec<f32>> {
    let mut direction = vec![0.0; centre.x.len()];
    let stream = Stream { seed, input: centre.row.index, phase: Phase::Measure };
    let zeros = vec![0.0; direction.len()];
    let unit = Noise::Gaussian(Sigma::new(1.0)?).copies_of(&zeros).context("a random direction")?;
    unit.write(&stream, 0, &mut direction);
    Ok(direction)
}

fn difference(to: &[f32], from: &[f32]) -> Vec<f32> {
    to.iter().zip(from).map(|(to, from)| to - from).collect()
}

/// `x` moved by `length` in a `direction` of any length.
fn moved(x: &[f32], direction: &[f32], length: f64) -> Vec<f32> {
    let norm = direction.iter().map(|&step| f64::from(step).powi(2)).sum::<f64>().sqrt();
    let scale = if norm > 0.0 { length / norm } else { 0.0 };
    x.iter().zip(direction).map(|(x, step)| (f64::from(*x) + scale * f64::from(*step)) as f32).collect()
}

fn distance(x: &[f32], y: &[f32]) -> f64 {
    // eight sums side by side, which the compiler turns into vectors
    let mut sums = [0.0_f32; 8];
    for (x, y) in x.chunks(8).zip(y.chunks(8)) {
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            *sum += (x - y) * (x - y);
        }
    }
    sums.iter().map(|&sum| f64::from(sum)).sum::<f64>().sqrt()
}
