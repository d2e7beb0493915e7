//! Which σ, how many draws, which bound?

use super::super::Sides;
use super::belief::Belief;
use super::forecast::{Forecast, Truth};

/// Gauss-Hermite quadrature with five nodes, scaled to means over a standard normal distribution: (node,
/// weight).
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
    /// The number of draws that the outlook is judged by while no certificate is worth its price.
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

/// The numbers of draws that are considered: from 128 on, each a quarter more than the last, up to `most`.
pub(super) fn sizes(most: u32) -> Vec<u32> {
    let step = |n: &u32| n.checked_add((n / 4).next_multiple_of(32));
    let mut sizes: Vec<u32> = std::iter::successors(Some(128), step).take_while(|n| *n < most).collect();
    sizes.push(most);
    sizes
}

impl Planner {
    /// The best certificate, or `None` where no radius is expected to be worth its draws.
    pub fn best(&self, belief: &Belief) -> Option<Choice> {
        // more draws never certify less: what all of them promise is a limit for any number
        let most = self.sizes.last().copied().unwrap_or(0);
        let mut points: Vec<(f64, usize, Sides)> = (0..belief.sigmas.len())
            .flat_map(|at| [(at, Sides::One), (at, Sides::Two)])
            .map(|(at, sides)| (self.expected(belief, at, most, sides), at, sides))
            .collect();
        points.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut best: Option<Choice> = None;
        for (limit, at, sides) in points {
            for &n in &self.sizes {
                let (price, so_far) = (self.price * f64::from(n), best.map_or(0.0, |best| best.value));
                if limit - price <= so_far {
                    break;
                }
                let value = self.expected(belief, at, n, sides) - price;
                if value > so_far {
                    best = Some(Choice { at, n, sides, value });
                }
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

#[cfg(test)]
mod tests {
    use super::super::belief::tests::belief;
    use super::*;
    use crate::types::Alpha;

    fn planner(price: f64) -> Planner {
        let forecast = Forecast::new(Alpha::new(0.001).unwrap()).unwrap();
        Planner { forecast, price, sizes: sizes(100_000), reference: 2000 }
    }

    /// Every (σ, N, bound), one by one.
    #[test]
    fn the_best_is_the_best_of_all() {
        for (price, seed) in
            [0.0, 1e-7, 1e-6, 1e-5, 1e-4].into_iter().flat_map(|price| (0..8).map(move |i| (price, i)))
        {
            let (planner, belief) = (planner(price), belief(seed));
            let mut best: f64 = 0.0;
            for at in 0..belief.sigmas.len() {
                for (&n, sides) in planner.sizes.iter().flat_map(|n| [(n, Sides::One), (n, Sides::Two)]) {
                    best = best.max(planner.expected(&belief, at, n, sides) - price * f64::from(n));
                }
            }
            let found = planner.best(&belief).map_or(0.0, |choice| choice.value);
            assert!((found - best).abs() < 1e-12, "price {price}, belief {seed}: {found}, not {best}");
        }
    }

    #[test]
    fn free_draws_are_all_taken_and_dear_ones_are_not() {
        let belief = belief(3);
        assert_eq!(planner(0.0).best(&belief).unwrap().n, 100_000);
        let [cheap, dear] = [1e-6, 1e-5].map(|price| planner(price).best(&belief).unwrap());
        assert!(dear.n < cheap.n && cheap.n < 100_000, "{cheap:?} {dear:?}");
        assert_eq!(planner(1.0).best(&belief), None);
    }

    #[test]
    fn the_numbers_of_draws_rise_to_the_budget() {
        for most in [1, 100, 128, 129, 5000, 100_000, u32::MAX] {
            let sizes = sizes(most);
            assert!(sizes.is_sorted_by(|a, b| a < b), "{sizes:?}");
            assert_eq!(sizes.last(), Some(&most));
        }
    }
}
