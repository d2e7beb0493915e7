//! Classifiers whose smoothed behaviour is known in closed form: for tests, examples and a first try.

use crate::math::normal_cdf;
use crate::sample::Classifier;
use crate::types::{Error, Sigma};

/// f(x) = 1{x₀ > 0}: under N(0, σ²) noise p = Φ(x₀/σ), so the radius is |x₀| at every σ.
pub struct HalfSpace {
    /// The number of values in one input.
    pub dim: usize,
}

impl HalfSpace {
    /// The exact probability that a noisy copy of an input with first value `x0` is put in class 1.
    pub fn p(&self, x0: f64, sigma: Sigma) -> f64 {
        normal_cdf(x0 / sigma.get())
    }
}

/// f(x) = 1{|x₀| < half}: a finite sample makes the certified radius rise and then fall with σ.
pub struct Slab {
    /// The number of values in one input.
    pub dim: usize,
    /// Half the width.
    pub half: f32,
}

impl Slab {
    /// The exact probability that a noisy copy of an input with first value `x0` is put in class 1.
    pub fn p(&self, x0: f64, sigma: Sigma) -> f64 {
        let half = f64::from(self.half);
        normal_cdf((half - x0) / sigma.get()) - normal_cdf((-half - x0) / sigma.get())
    }
}

/// f(x) = 1{‖x‖ < radius}: in many dimensions the share of class 1 at the centre falls off a cliff as σ
/// grows.
pub struct InsideBall {
    /// The number of values in one input; even, for the closed form.
    pub dim: usize,
    /// The radius.
    pub radius: f32,
}

impl InsideBall {
    /// The exact probability that a noisy copy of the centre is put in class 1: with t = r²/2σ² it is
    /// 1 − e⁻ᵗ Σ tᵏ/k! over k below half the dimension.
    pub fn p(&self, sigma: Sigma) -> f64 {
        let t = 0.5 * (f64::from(self.radius) / sigma.get()).powi(2);
        let (_, outside) = (0..self.dim / 2)
            .fold(((-t).exp(), 0.0), |(term, sum), k| (term * t / (k + 1) as f64, sum + term));
        1.0 - outside
    }
}

/// Three cells of the line: class 0 below −1, class 1 up to 1, class 2 beyond. No class need have half of
/// the votes, and the runner-up of class 1 changes with the side.
pub struct Cells;

impl Cells {
    /// The exact probability of each class for a noisy copy of an input with first value `x0`.
    pub fn p(&self, x0: f64, sigma: Sigma) -> [f64; 3] {
        let below = |border: f64| normal_cdf((border - x0) / sigma.get());
        [below(-1.0), below(1.0) - below(-1.0), normal_cdf((x0 - 1.0) / sigma.get())]
    }
}

impl Classifier for Cells {
    fn input_len(&self) -> usize {
        1
    }
    fn num_classes(&self) -> usize {
        3
    }
    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
        for (x, row) in batch.iter().zip(out.chunks_mut(3)) {
            row.copy_from_slice(&[-1.0 - x, 0.0, x - 1.0]);
        }
        Ok(())
    }
}

macro_rules! two_class {
    ($name:ident, $self:ident, $x:ident, $score:expr) => {
        impl Classifier for $name {
            fn input_len(&self) -> usize {
                self.dim
            }
            fn num_classes(&self) -> usize {
                2
            }
            fn logits(&$self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
                for ($x, row) in batch.chunks($self.dim).zip(out.chunks_mut(2)) {
                    row.copy_from_slice(&[0.0, $score]);
                }
                Ok(())
            }
        }
    };
}

two_class!(HalfSpace, self, x, x[0]);
two_class!(Slab, self, x, self.half - x[0].abs());
two_class!(InsideBall, self, x, self.radius - x.iter().map(|x| x * x).sum::<f32>().sqrt());
