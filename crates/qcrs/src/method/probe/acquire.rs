//! Where may the best σ lie, and what is it worth to know?

use super::belief::Belief;
use super::forecast::{Forecast, Truth};
use super::linear::Square;
use crate::noise::{Noise, Phase, Stream};
use crate::types::{Error, Sigma};

/// Curves drawn from the belief, half of them mirrored.
const CURVES: u32 = 64;

/// What the drawn curves say.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outlook {
    /// The mean of the largest radius of each curve.
    pub best_known: f64,
    /// The largest mean radius: what is certified without knowing more.
    pub best_now: f64,
    /// On how many curves each grid point is the best.
    pub wins: Vec<u32>,
}

/// The standard normals of the curves. They are the same for all inputs and rounds, so that nothing depends
/// on order, and rounds are compared with the same luck.
pub(super) fn normals(points: usize) -> Result<Vec<Vec<f64>>, Error> {
    // "PROBE"; of the phase Tune, so that no certificate counts these draws
    let stream = Stream { seed: 0x0050_524f_4245, input: 0, phase: Phase::Tune };
    let zeros = vec![0.0; points];
    let unit = Noise::Gaussian(Sigma::new(1.0)?).copies_of(&zeros)?;
    Ok((0..CURVES / 2)
        .flat_map(|draw| {
            let mut vector = zeros.clone();
            unit.write(&stream, draw, &mut vector);
            [1.0, -1.0].map(|sign| vector.iter().map(|value| sign * f64::from(*value)).collect())
        })
        .collect())
}

/// Draws curves and finds where they are best at `n` draws.
pub(super) fn outlook(
    forecast: &Forecast,
    belief: &Belief,
    n: u32,
    normals: &[Vec<f64>],
) -> Result<Outlook, Error> {
    let Belief { sigmas, radius, ln_share, .. } = belief;
    let points = sigmas.len();
    let jitter = 1e-8 * (0..points).map(|at| radius.covariance.at(at, at)).fold(f64::MIN_POSITIVE, f64::max);
    let root = Square::from_fn(points, |i, j| radius.covariance.at(i, j) + if i == j { jitter } else { 0.0 });
    let root = root.cholesky()?;
    let value = |at: usize, deviation: f64| {
        let z = (radius.mean[at] + deviation) / sigmas[at];
        let truth = Truth { sigma: sigmas[at], z, ln_share: ln_share[at] };
        forecast.better(&truth, n.into()).max(0.0)
    };
    // a point that is not the best even three deviations up is not looked at
    let middle = (0..points).map(|at| value(at, 0.0)).fold(0.0, f64::max);
    let open: Vec<usize> =
        (0..points).filter(|&at| value(at, 3.0 * radius.deviation(at)) >= middle).collect();
    let (mut best_known, mut sums, mut wins) = (0.0, vec![0.0; points], vec![0; points]);
    for normal in normals {
        let deviations = root.times(normal);
        let mut best = (0.0, None);
        for &at in &open {
            let value = value(at, deviations[at]);
            sums[at] += value;
            if value > best.0 {
                best = (value, Some(at));
            }
        }
        best_known += best.0;
        if let Some(at) = best.1 {
            wins[at] += 1;
        }
    }
    let all = normals.len() as f64;
    let best_now = sums.iter().copied().fold(0.0, f64::max) / all;
    Ok(Outlook { best_known: best_known / all, best_now, wins })
}

/// Shares `batch` draws among the (at most four) points that win most often, in multiples of eight.
pub(super) fn shares(wins: &[u32], batch: u32) -> Vec<(usize, u32)> {
    let mut order: Vec<usize> = (0..wins.len()).filter(|&at| wins[at] > 0).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(wins[at]), at));
    order.truncate(4);
    let all: u64 = order.iter().map(|&at| u64::from(wins[at])).sum();
    let share = |at: usize| ((u64::from(batch) * u64::from(wins[at]) / all.max(1) + 4) / 8 * 8) as u32;
    order.into_iter().map(|at| (at, share(at))).filter(|&(_, n)| n > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::super::belief::tests::belief_after;
    use super::*;
    use crate::types::Alpha;

    #[test]
    fn the_more_votes_the_less_there_is_to_know() {
        let forecast = Forecast::new(Alpha::new(0.001).unwrap()).unwrap();
        let normals = normals(24).unwrap();
        // where curves are so high that all votes agree, more votes only say that they are higher still
        for seed in 0..6 {
            let to_know = [1, 16, 256].map(|times| {
                let outlook = outlook(&forecast, &belief_after(times, seed), 5000, &normals).unwrap();
                outlook.best_known - outlook.best_now
            });
            assert!(to_know[0] > to_know[1] && to_know[1] > to_know[2], "{seed}: {to_know:?}");
        }
    }

    #[test]
    fn the_normals_are_the_same_every_time_and_balanced() {
        let [first, again] = [normals(24).unwrap(), normals(24).unwrap()];
        assert_eq!(first, again);
        let values: Vec<f64> = first.concat();
        assert!(values.iter().sum::<f64>().abs() < 1e-9);
        let square = values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64;
        assert!((square - 1.0).abs() < 0.15, "{square}");
    }

    #[test]
    fn a_round_is_shared_among_the_most_promising() {
        assert_eq!(shares(&[0, 10, 30, 0, 20, 1, 3], 96), [(2, 48), (4, 32), (1, 16), (6, 8)]);
        assert_eq!(shares(&[0, 0], 96), []);
        assert_eq!(shares(&[7, 0], 96), [(0, 96)]);
        assert_eq!(shares(&[40, 0, 40], 1 << 30), [(0, 1 << 29), (2, 1 << 29)]);
    }
}
