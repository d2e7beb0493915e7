//! Which σ, how many draws, which bound?

use super::super::Sides;
use super::belief::Belief;
use super::forecast::{Forecast, Truth};

/// Nodes and weights of Gauss and Hermite: means over a normal distribution.
const NODES: [(f64, f64); 5] = [
    (-2.8569700138728, 0.0112574113277),
    (-1.3556261799743, 0.2220759220056),
    (0.0, 0.5333333333333),
    (1.3556261799743, 0.2220759220056),
    (2.8569700138728, 0.0112574113277),
];

/// Weighs radius against draws.
#[derive(Clone, Debug)]
pub(super) struct Planner {
    /// What a number of draws certifies.
    pub forecast: Forecast,
    /// The radius that one draw must bring.
    pub price: f64,
    /// The numbers of draws to choose from, rising.
    pub sizes: Vec<u32>,
    /// The number of draws to hope with where none is worth its price yet.
    pub reference: u32,
}

/// One certificate, and what it is expected to bring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    /// The grid point.
    pub at: usize,
    /// The draws.
    pub n: u32,
    /// The bound.
    pub sides: Sides,
    /// The expected radius less the price of the draws.
    pub value: f64,
}

/// The numbers of draws that are considered: from 128 on, each a sixth more than the last, up to `most`.
pub(super) fn sizes(most: u32) -> Vec<u32> {
    let step = |n: &u32| n.checked_add((n / 6).next_multiple_of(32));
    let mut sizes: Vec<u32> = std::iter::successors(Some(128), step).take_while(|n| *n < most).collect();
    sizes.push(most);
    sizes
}

impl Planner {
    /// The best certificate, or `None` where no radius is expected to be worth its draws.
    pub fn best(&self, belief: &Belief) -> Option<Choice> {
        let points = (0..belief.sigmas.len()).flat_map(|at| [(at, Sides::One), (at, Sides::Two)]);
        let choices = points.flat_map(|point| self.sizes.iter().map(move |&n| (point, n)));
        let mut best: Option<Choice> = None;
        for ((at, sides), n) in choices {
            let value = self.expected(belief, at, n, sides) - self.price * f64::from(n);
            if value > best.map_or(0.0, |best| best.value) {
                best = Some(Choice { at, n, sides, value });
            }
        }
        best
    }

    /// The mean radius over what is believed.
    fn expected(&self, belief: &Belief, at: usize, n: u32, sides: Sides) -> f64 {
        let (sigma, ln_share) = (belief.sigmas[at], belief.ln_share[at]);
        let (mean, deviation) = (belief.radius.mean[at], belief.radius.deviation(at));
        let radius = |node: f64| {
            let z = (mean + node * deviation) / sigma;
            self.forecast.radius(&Truth { sigma, z, ln_share }, n.into(), sides).max(0.0)
        };
        NODES.iter().map(|&(node, weight)| weight * radius(node)).sum()
    }
}
