//! Which price of a draw spends a given number of passes?

use super::super::Scout;
use super::belief::Belief;
use super::explore::Explored;
use super::planner::Planner;
use super::{Probe, SHORT, rounded};
use crate::types::Error;

/// The prices between which the right one is searched for.
const PRICES: [f64; 2] = [1e-9, 1e-2];

/// What the search of one input found, to plan with at any price.
pub struct Pilot {
    belief: Belief,
    planner: Planner,
    spent: u32,
}

impl Pilot {
    /// The passes that this input takes where a draw costs `price`.
    fn passes(&self, price: f64) -> f64 {
        let planner = Planner { price, ..self.planner.clone() };
        f64::from(self.spent) + planner.best(&self.belief).map_or(0.0, |choice| f64::from(choice.n))
    }
}

impl Probe {
    /// Searches one input for [`Probe::for_passes`]. Its draws are those of the search itself, so they
    /// never certify.
    pub fn pilot(&self, scout: &mut Scout<'_>) -> Result<Pilot, Error> {
        let Explored { planner, belief, spent, .. } = self.explore(scout)?;
        Ok(Pilot { belief, planner, spent })
    }

    /// The same search with the λ at which inputs like `pilots` take about `passes` each, on average.
    ///
    /// λ has four digits, and is 0 where even free draws do not use up that many.
    pub fn for_passes(self, passes: u64, pilots: &[Pilot]) -> Result<Self, Error> {
        let count = pilots.len().max(1) as f64;
        let mean = |price: f64| pilots.iter().map(|pilot| pilot.passes(price)).sum::<f64>() / count;
        let unit = self.unit();
        let [mut low, mut high] = PRICES.map(|price| price * unit);
        if mean(high) > passes as f64 {
            let least = mean(high).ceil();
            let problem =
                format!("{passes} per input are too few: the searches of the pilot alone took {least}");
            return Err(Error::setting("passes", problem));
        }
        if mean(low) <= passes as f64 {
            return Ok(Self { lambda: 0.0, most: self.most.min(SHORT), ..self });
        }
        // the dearer a draw, the fewer are taken
        while high / low > 1.01 {
            let middle = (low * high).sqrt();
            if mean(middle) > passes as f64 { low = middle } else { high = middle }
        }
        Ok(Self { lambda: rounded(high / unit), ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::super::belief::tests::belief;
    use super::super::forecast::Forecast;
    use super::super::planner::sizes;
    use super::*;
    use crate::types::{Alpha, Sigma};

    #[test]
    fn the_price_spends_what_was_asked_for() {
        let forecast = Forecast::new(Alpha::new(0.001).unwrap()).unwrap();
        let planner = Planner { forecast, price: 1e-6, sizes: sizes(100_000), reference: 2000 };
        let pilots: Vec<Pilot> = (0..8)
            .map(|seed| Pilot { belief: belief(seed), planner: planner.clone(), spent: 1000 })
            .collect();
        for sigma in [0.25, 0.5].map(|sigma| Sigma::new(sigma).unwrap()) {
            let region = [Sigma::new(0.12).unwrap(), Sigma::new(1.7).unwrap()];
            let search = Probe::new(sigma, region, 1e-6);
            let price = |passes| search.clone().for_passes(passes, &pilots).map(|search| search.lambda);
            let mut last = f64::INFINITY;
            for passes in [3000, 10_000, 30_000] {
                let lambda = price(passes).unwrap();
                let unit = sigma.get() / 0.5;
                let spent = pilots.iter().map(|pilot| pilot.passes(lambda * unit)).sum::<f64>() / 8.0;
                // the numbers of draws are a quarter apart
                assert!((0.8..=1.01).contains(&(spent / passes as f64)), "{passes}: {spent} at λ = {lambda}");
                assert!(lambda < last, "more passes, a lower price: {lambda} {last}");
                last = lambda;
            }
            // all draws are taken if they are free
            let free = search.clone().for_passes(200_000, &pilots).unwrap();
            assert_eq!(free, Probe::new(sigma, region, 0.0));
            assert!(price(100).is_err());
        }
    }
}
