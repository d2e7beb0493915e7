//! In which direction may the answer change?

use super::questions::Questions;
use crate::noise::Draws;
use crate::sample::Votes;
use crate::types::Error;

/// `vector` scaled to length 1; `None` for one that has no direction.
pub(super) fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    for value in &mut vector {
        *value = (f64::from(*value) / length) as f32;
    }
    Some(vector)
}

/// `a` + `weight` · `b`.
pub(super) fn plus(a: &[f32], weight: f32, b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + weight * b).collect()
}

/// The same direction in images of this shape, coarser: each square of `side` pixels moves together. Networks
/// react most to such directions, and noise averages out in them.
pub(super) fn coarse(direction: &[f32], [channels, height, width]: [usize; 3], side: usize) -> Vec<f32> {
    let (rows, columns) = (height.div_ceil(side), width.div_ceil(side));
    let square = |at: usize| {
        let (channel, row, column) = (at / (height * width), at / width % height, at % width);
        (channel * rows + row / side) * columns + column / side
    };
    let mut sums = vec![(0.0, 0.0); channels * rows * columns];
    for (at, value) in direction.iter().enumerate() {
        let (sum, count) = &mut sums[square(at)];
        (*sum, *count) = (*sum + value, *count + 1.0);
    }
    let mean = |at| sums[square(at)].0 / sums[square(at)].1;
    (0..direction.len()).map(mean).collect()
}

/// The direction from `point` in which `class` loses votes to its strongest rival, from `n` draws: the mean
/// of their noise, weighted by their votes. Under Gaussian noise its expectation is the gradient of the
/// smoothed vote shares (Stein's lemma), so the classifier needs no gradients.
pub(super) fn where_votes_are_lost(
    questions: &mut Questions<'_>,
    point: &[f32],
    class: usize,
    n: u32,
) -> Result<Option<Vec<f32>>, Error> {
    let each = questions.each_vote(point, n)?;
    let all = each.iter().fold(Votes::default(), |all, (_, votes)| all.merge(votes.clone()));
    let Some(rival) = rival(&all, class) else { return Ok(None) };
    let weight = |votes: &Votes| votes.of(rival) as f32 - votes.of(class) as f32;
    let mean = weight(&all) / each.len() as f32;
    let (mut sum, mut noisy) = (vec![0.0; point.len()], vec![0.0; point.len()]);
    let copies = questions.g.noise.copies_of(point)?;
    for (Draws { stream, range }, votes) in &each {
        copies.write(stream, range.start, &mut noisy);
        let weight = weight(votes) - mean;
        for ((sum, noisy), x) in sum.iter_mut().zip(&noisy).zip(point) {
            *sum += weight * (noisy - x);
        }
    }
    Ok(unit(sum))
}

/// The class with most votes besides `class`.
pub(super) fn rival(votes: &Votes, class: usize) -> Option<usize> {
    votes.ranked().into_iter().map(|(other, _)| other).find(|other| *other != class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Fresh, Phase, Stream};
    use crate::sample::{MonteCarlo, Smoothed};
    use crate::testing::HalfSpace;
    use crate::types::Sigma;

    #[test]
    fn votes_are_lost_towards_the_border() {
        let sampler = MonteCarlo::new(&HalfSpace { dim: 20 }, 64);
        let stream = Stream { seed: 1, input: 2, phase: Phase::Attack };
        let (g, fresh) = (Smoothed::gaussian(Sigma::new(0.25).unwrap()), Fresh::of(stream));
        let mut questions = Questions { sampler: &sampler, g, fresh, left: 3000, points: 0 };
        let mut x = vec![0.5; 20];
        x[0] = 0.2;
        let direction = where_votes_are_lost(&mut questions, &x, 1, 2000).unwrap().unwrap();
        assert!(direction[0] < -0.95, "{direction:?}");
        assert_eq!((questions.left, sampler.passes()), (1000, 2000));
        x[0] = 9.0;
        assert_eq!(where_votes_are_lost(&mut questions, &x, 1, 2000).unwrap(), None);
        assert_eq!((questions.left, sampler.passes()), (0, 3000));
    }

    #[test]
    fn squares_of_a_coarse_direction_move_together() {
        // two channels of 2 × 3
        let fine: Vec<f32> = (0..12_u8).map(f32::from).collect();
        assert_eq!(coarse(&fine, [2, 2, 3], 2), [2.0, 2.0, 3.5, 2.0, 2.0, 3.5, 8.0, 8.0, 9.5, 8.0, 8.0, 9.5]);
        assert_eq!(coarse(&fine, [2, 2, 3], 1), fine);
    }

    #[test]
    fn what_has_no_direction_is_none() {
        assert_eq!(unit(vec![0.0; 3]), None);
        assert_eq!(unit(vec![f32::NAN]), None);
        assert_eq!(unit(vec![0.0, -3.0]).unwrap(), [0.0, -1.0]);
        assert_eq!(rival(&Votes::from_iter([(3, 5)]), 3), None);
        assert_eq!(rival(&Votes::from_iter([(3, 5), (1, 2)]), 3), Some(1));
    }
}
