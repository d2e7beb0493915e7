//! Chen et al. 2022 (ISS): as many draws as the input deserves.

use super::given::GRADIENT_N;
use super::{Descriptor, Facts, Given, Plan, PlanCertificate, Scout, Setting};
use crate::bounds::{clopper_pearson_lower, proportion_interval};
use crate::radius;
use crate::types::{Alpha, Error, Sigma};
use serde::{Deserialize, Serialize};

/// One σ for every input, and n so that the radius is about as large as with all of the budget's draws.
///
/// In its sound form: the planning draws name the class and n, and are never counted. The published program
/// counts them again, and certifies wrongly about twice as often as α says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Iss {
    /// The noise level.
    pub sigma: Sigma,
    /// Draws for planning.
    pub draws: u32,
    /// What the radius may lose compared with all of the budget's draws.
    pub loss: Loss,
    /// n is a multiple of this.
    pub unit: u32,
}

/// What a radius may lose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// This much.
    Absolute(f64),
    /// This share of itself.
    Relative(f64),
}

const LOSS: Setting = Setting {
    name: "loss",
    value: "LOSS",
    about: "what a radius may lose against all n draws: an amount such as 0.01, or a share of itself such as 5%",
    default: "0.01",
};

impl Iss {
    pub(super) const DESCRIPTOR: Descriptor = Descriptor {
        name: "iss",
        about: "one sigma, and as many draws as the input deserves (Chen et al. 2022), in a sound form",
        settings: &[Setting { default: "2000", ..GRADIENT_N }, LOSS],
        read: |given| Ok(Self::read(given)?.into()),
    };

    fn read(given: &Given<'_>) -> Result<Self, Error> {
        let published = Self::published(given.published()?.sigma);
        let draws = given.count("gradient_n")?.unwrap_or(published.draws);
        Ok(Self { draws, loss: read_loss(given)?.unwrap_or(published.loss), ..published })
    }

    pub(super) fn facts(&self) -> Facts {
        Facts {
            search: u64::from(self.draws),
            names_the_class: true,
            has_one_sigma: true,
            ..Facts::about(self.sigma)
        }
    }

    /// The published settings: 2,000 planning draws, a loss of 0.01, units of 200.
    pub fn published(sigma: Sigma) -> Self {
        Self { sigma, draws: 2000, loss: Loss::Absolute(0.01), unit: 200 }
    }

    /// Refuses settings that cannot work, before any draw is spent.
    pub fn check(&self) -> Result<(), Error> {
        let loss_is_possible = match self.loss {
            Loss::Absolute(loss) => loss > 0.0 && loss.is_finite(),
            Loss::Relative(loss) => loss > 0.0 && loss < 1.0,
        };
        let (name, problem) = if self.draws == 0 || self.unit == 0 {
            ("gradient_n", "planning needs at least one draw, and n is a multiple of at least one".into())
        } else if !loss_is_possible {
            let loss = match self.loss {
                Loss::Absolute(loss) => loss.to_string(),
                Loss::Relative(loss) => format!("{} %", 100.0 * loss),
            };
            ("loss", format!("a radius can lose a positive amount, or a share below 1, not {loss}"))
        } else {
            return Ok(());
        };
        Err(Error::setting(name, problem))
    }

    /// The draws that a class of probability `p` deserves, at most `most`: the fewest with which its radius
    /// comes close enough to that of `most` draws; 0 where even `most` draws certify nothing worth having.
    fn deserved(&self, p: f64, most: u32, alpha: Alpha) -> Result<u32, Error> {
        // n p is rarely a whole number of votes: the bound is interpolated between its neighbours
        let radius = |n: u32| -> Result<f64, Error> {
            let (votes, n) = (f64::from(n) * p, u64::from(n));
            let whole = (votes as u64).min(n);
            let [less, more] = [whole, (whole + 1).min(n)].map(|k| clopper_pearson_lower(k, n, alpha));
            let less = less?;
            let p_lower = less + (more? - less) * (votes - whole as f64);
            Ok(radius::gaussian(p_lower, self.sigma)?.unwrap_or(f64::NEG_INFINITY))
        };
        let best = radius(most)?;
        let target = match self.loss {
            Loss::Absolute(loss) => best - loss,
            Loss::Relative(loss) => best * (1.0 - loss),
        };
        if target <= 0.0 {
            return Ok(0);
        }
        let (mut less, mut enough) = (0, most.div_ceil(self.unit));
        while enough - less > 1 {
            let middle = less.midpoint(enough);
            if radius(middle * self.unit)? >= target { enough = middle } else { less = middle }
        }
        Ok(enough.saturating_mul(self.unit).min(most))
    }
}

/// An amount, or a share with a percent sign.
fn read_loss(given: &Given<'_>) -> Result<Option<Loss>, Error> {
    let share = given.text("loss").ok().flatten().and_then(|text| text.trim().strip_suffix('%'));
    let Some(share) = share else { return Ok(given.number("loss")?.map(Loss::Absolute)) };
    let number: f64 =
        share.trim().parse().map_err(|_| Error::setting("loss", format!("{share} is not a number")))?;
    Ok(Some(Loss::Relative(number / 100.0)))
}

impl PlanCertificate for Iss {
    fn plan(&self, scout: &mut Scout<'_>) -> Result<Plan, Error> {
        self.check()?;
        let votes = scout.look(self.sigma, self.draws)?.votes;
        let class = votes.elected()?;
        let (low, high) = proportion_interval(votes.of(class), votes.total(), scout.alpha())?;
        let (most, alpha) = (scout.n(), scout.alpha());
        // the table of the paper has steps of 0.001: look at those around both ends
        let ends = [low, high].map(|end| [(end * 1e3).floor() / 1e3, (end * 1e3).ceil() / 1e3]);
        let mut n = 0;
        for p in ends.into_iter().flatten().filter(|p| *p >= 0.5) {
            n = n.max(self.deserved(p, most, alpha)?);
        }
        Ok(Plan::certify(scout.at(self.sigma)).for_class(class).with_draws(n).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published table for σ = 0.5, N = 100,000, α = 0.001, batches of 200.
    #[test]
    fn draws_are_those_of_the_published_table() {
        let check = |loss, wanted: &[(f64, u32)]| {
            let iss = Iss { loss, ..Iss::published(Sigma::new(0.5).unwrap()) };
            for &(p, n) in wanted {
                assert_eq!(iss.deserved(p, 100_000, Alpha::new(0.001).unwrap()).unwrap(), n, "{loss:?} {p}");
            }
        };
        let absolute = [
            (0.51, 0),
            (0.52, 14_600),
            (0.6, 14_800),
            (0.8, 17_000),
            (0.9, 20_800),
            (0.99, 41_600),
            (0.999, 66_400),
            (1.0, 92_400),
        ];
        check(Loss::Absolute(0.01), &absolute);
        check(Loss::Absolute(0.05), &[(0.6, 1400), (0.9, 2200), (0.99, 7000), (1.0, 67_200)]);
        check(Loss::Relative(0.05), &[(0.6, 25_800), (0.9, 4400), (1.0, 47_200)]);
    }

    /// The last multiple of the unit may be beyond what a u32 holds.
    #[test]
    fn the_largest_n_is_not_lost() {
        let iss = Iss { loss: Loss::Relative(1e-12), ..Iss::published(Sigma::new(0.5).unwrap()) };
        assert_eq!(iss.deserved(0.75, u32::MAX, Alpha::new(0.001).unwrap()).unwrap(), u32::MAX);
    }
}
