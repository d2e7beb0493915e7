//! What is the expectation of a function of y = ‖x‖²/2s²?

use super::laws::{Densities, Ratio};
use crate::math::{gamma_density, gamma_shares, gauss_legendre};
use crate::types::Error;
use std::borrow::Cow;

/// Panels are this wide in √y, whose standard deviation is about ½ for every shape.
const WIDTH: f64 = 0.25;
/// The points per panel of the rule that counts, and of the one that says how far off it is.
const POINTS: [u32; 2] = [16, 12];
/// What lies beyond the last panel on either side has a share of at most this.
const CUT: f64 = 1e-18;

/// A value of y, the share of P that it stands for, and q/p there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub t: f64,
    pub share: f64,
    pub ratio: f64,
}

/// A value and how far off it may be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measured {
    pub value: f64,
    pub error: f64,
}

/// Gauss-Legendre rules for y ~ Gamma(shape, 1), in √y.
#[derive(Clone, Debug)]
pub(super) struct Quadrature {
    shape: u32,
    second: Ratio,
    edges: Vec<f64>,
    unit: [Vec<(f64, f64)>; 2],
    plain: [Vec<Node>; 2],
}

impl Quadrature {
    /// The shares of P and Q beyond the panels, at most.
    pub const BEYOND: f64 = 2.0 * CUT;

    pub fn new(laws: &Densities) -> Self {
        let middle = f64::from(laws.shape).sqrt();
        let (mut low, mut high) = (middle, middle);
        while low > 0.0 && gamma_shares(laws.shape, low * low).0 > CUT {
            low -= WIDTH;
        }
        while gamma_shares(laws.shape, high * high).1 > CUT {
            high += WIDTH;
        }
        // a smaller σ of Q lets it reach further in by the ratio of the scales
        if let Ratio::Variance { rate, .. } = laws.second {
            low /= (1.0 + rate).sqrt();
        }
        low = low.max(0.0);
        let panels = ((high - low) / WIDTH).ceil();
        let mut edges: Vec<f64> =
            (0..=panels as u32).map(|i| low + (high - low) * f64::from(i) / panels).collect();
        if let Ratio::Threshold { at, .. } = laws.second {
            edges = with(&edges, &[at]);
        }
        let unit = POINTS.map(gauss_legendre);
        let empty = Self { shape: laws.shape, second: laws.second, edges, unit, plain: [vec![], vec![]] };
        Self { plain: [0, 1].map(|rule| empty.rule(rule, &[]).into_owned()), ..empty }
    }

    /// E f(y) by the fine rule, with more panels at `edges`. The coarse rule needs only be resolved for
    /// its distance to bound the error of the fine one; twice that distance is taken.
    pub fn expect(&self, edges: &[f64], f: impl Fn(&Node) -> Result<f64, Error>) -> Result<Measured, Error> {
        let sum = |rule| self.rule(rule, edges).iter().map(|node| Ok(node.share * f(node)?)).sum();
        let [value, coarse]: [Result<f64, Error>; 2] = [0, 1].map(sum);
        let (value, coarse) = (value?, coarse?);
        Ok(Measured { value, error: 2.0 * (value - coarse).abs() })
    }

    /// The largest y with a share worth counting.
    pub fn highest(&self) -> f64 {
        self.edges[self.edges.len() - 1].powi(2)
    }

    /// The coarse rule, with more panels at `edges`.
    pub fn coarse(&self, edges: &[f64]) -> Cow<'_, [Node]> {
        self.rule(1, edges)
    }

    fn rule(&self, rule: usize, edges: &[f64]) -> Cow<'_, [Node]> {
        if edges.is_empty() && !self.plain[rule].is_empty() {
            return Cow::Borrowed(&self.plain[rule]);
        }
        let panel = |edge: &[f64]| {
            let (middle, half) = (0.5 * (edge[0] + edge[1]), 0.5 * (edge[1] - edge[0]));
            self.unit[rule].iter().map(move |(x, weight)| self.node(middle + half * x, half * weight))
        };
        with(&self.edges, edges).windows(2).flat_map(panel).collect::<Vec<_>>().into()
    }

    fn node(&self, root: f64, weight: f64) -> Node {
        let t = root * root;
        let share = 2.0 * root * weight * gamma_density(self.shape, t);
        Node { t, share, ratio: self.second.ratio(t) }
    }
}

/// The edges, which are values of √y, and those of the values `more` of y that lie between them.
fn with(edges: &[f64], more: &[f64]) -> Vec<f64> {
    let inside = |root: &f64| *root > edges[0] && *root < edges[edges.len() - 1];
    let more = more.iter().map(|t| t.sqrt()).filter(inside);
    let mut all: Vec<f64> = edges.iter().copied().chain(more).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// Edges on both sides of `y`, nearer and nearer, for what goes like a logarithm or a root there.
pub(super) fn towards(y: f64) -> Vec<f64> {
    let steps = (0..10).map(|i| 0.5_f64.powi(2 * i + 1) * y.min(1.0));
    [y].into_iter().chain(steps.flat_map(|step| [y - step, y + step])).collect()
}
