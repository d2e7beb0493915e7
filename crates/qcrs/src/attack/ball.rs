//! Which points lie strictly inside a certified ball, and are inputs?

use crate::noise::{Lattice, Noise};

/// Halvings of the length of a step; what is left of it is far below a step of 8-bit pixels.
const HALVINGS: u32 = 16;
/// How many radii a step may be long before the limits of the pixels make it short.
const FAR: f64 = 64.0;

/// The points closer than `radius` to `x` whose pixels lie in [0, 1]. Around an image on a lattice only images
/// on that lattice count.
pub(super) struct InputsNear<'a> {
    x: &'a [f32],
    lattice: Option<(Lattice, Vec<i32>)>,
    radius: f64,
}

impl<'a> InputsNear<'a> {
    /// The lattice is that of the noise; for noise in floats it is that of 8-bit images, where x is one.
    pub fn new(x: &'a [f32], radius: f64, noise: Noise) -> Self {
        let lattice = if let Noise::Lattice(law) = noise { law.lattice } else { Lattice::Bytes };
        Self { x, lattice: lattice.in_steps(x).ok().map(|steps| (lattice, steps)), radius }
    }

    /// The input that is nearest to x + `length` · `direction`.
    pub fn at(&self, direction: &[f32], length: f64) -> Vec<f32> {
        let moved = self.x.iter().zip(direction).map(|(x, step)| f64::from(*x) + length * f64::from(*step));
        let moved = moved.map(|value| value.clamp(0.0, 1.0));
        match self.lattice {
            Some((lattice, _)) => moved
                .map(|value| lattice.pixel((value * f64::from(lattice.steps())).round() as i32))
                .collect(),
            None => moved.map(|value| value as f32).collect(),
        }
    }

    /// The input farthest from x in this `direction` and strictly inside; `None` if x alone is.
    pub fn farthest(&self, direction: &[f32]) -> Option<Vec<f32>> {
        let (mut near, mut far) = (0.0, self.radius);
        while far < FAR * self.radius && self.holds(&self.at(direction, far)) {
            (near, far) = (far, 2.0 * far);
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (near + far);
            if self.holds(&self.at(direction, middle)) { near = middle } else { far = middle }
        }
        let point = self.at(direction, near);
        (point != self.x && self.holds(&point)).then_some(point)
    }

    /// Whether there is an input besides x: a ball may be smaller than a step of the pixels.
    pub fn has_another_input(&self) -> bool {
        let mut direction = vec![0.0; self.x.len()];
        [1.0, -1.0].iter().any(|step| {
            direction[..1].fill(*step);
            self.farthest(&direction).is_some()
        })
    }

    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Whether `point` lies strictly inside.
    pub fn holds(&self, point: &[f32]) -> bool {
        self.distance(point) < self.radius
    }

    /// ‖point − x‖₂, rounded up. For images on a lattice it is also not below the distance of the numbers
    /// k/255, which f32 does not hold exactly.
    pub fn distance(&self, point: &[f32]) -> f64 {
        let square = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).powi(2);
        let distance = up(self.x.iter().zip(point).map(square).sum(), point.len());
        let Some((lattice, x)) = &self.lattice else { return distance };
        let Ok(point) = lattice.in_steps(point) else { return distance };
        let square = |(a, b): (&i32, i32)| u64::from(a.abs_diff(b)).pow(2);
        let steps: u64 = x.iter().zip(point).map(square).sum();
        distance.max(up(steps as f64, 0) / f64::from(lattice.steps())).next_up()
    }
}

/// The root of a sum of `terms` squares with the most that rounding can have taken from it: half an ulp for
/// each difference, square and sum.
fn up(sum: f64, terms: usize) -> f64 {
    sum.sqrt() * (1.0 + (terms as f64 + 4.0) * f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{byte_to_pixel, exact_bytes};
    use crate::types::Sigma;

    fn near(x: &[f32], radius: f64) -> InputsNear<'_> {
        InputsNear::new(x, radius, Noise::Gaussian(Sigma::new(0.5).unwrap()))
    }

    fn diagonal(dim: usize) -> Vec<f32> {
        vec![(dim as f32).sqrt().recip(); dim]
    }

    #[test]
    fn the_farthest_point_is_inside_and_nearly_at_the_border() {
        let x = vec![0.437; 300];
        let ball = near(&x, 0.25);
        let point = ball.farthest(&diagonal(300)).unwrap();
        assert!((0.2499..0.25).contains(&ball.distance(&point)), "{}", ball.distance(&point));
    }

    #[test]
    fn pixels_stay_in_their_range_and_others_move_farther() {
        let mut x = vec![0.3; 4];
        x[0] = 1.0;
        let ball = near(&x, 0.5);
        let point = ball.farthest(&diagonal(4)).unwrap();
        assert!(point.iter().all(|value| (0.0..=1.0).contains(value)), "{point:?}");
        assert!(ball.distance(&point) > 0.4999, "{point:?}");
        // the whole cube lies inside
        let ball = near(&x, 10.0);
        assert_eq!(ball.farthest(&diagonal(4)).unwrap(), [1.0; 4]);
    }

    #[test]
    fn around_an_8_bit_image_only_8_bit_images_count() {
        let x: Vec<f32> = [0, 7, 128, 255].map(byte_to_pixel).to_vec();
        for (radius, there) in [(0.5, true), (1.5 / 255.0, true), (1.0 / 255.0, false), (0.001, false)] {
            let point = near(&x, radius).farthest(&[0.0, 1.0, 0.0, 0.0]);
            assert_eq!(point.is_some(), there, "{radius}");
            assert_eq!(near(&x, radius).has_another_input(), there, "{radius}");
            let Some(point) = point else { continue };
            assert!(exact_bytes(&point).is_some() && point[0].to_bits() == 0, "{point:?}");
        }
    }

    /// One step is 1/255, not what f32 makes of it: a radius of 1/255 does not hold it.
    #[test]
    fn a_distance_is_never_below_that_of_the_steps() {
        for k in 0..255_u8 {
            let (x, next) = ([byte_to_pixel(k)], [byte_to_pixel(k + 1)]);
            let distance = near(&x, 1.0).distance(&next);
            assert!(distance >= 1.0 / 255.0, "{k}");
            assert!(distance >= f64::from(next[0]) - f64::from(x[0]), "{k}");
        }
    }
}
