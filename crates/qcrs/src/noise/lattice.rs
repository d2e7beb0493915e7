//! What is Gaussian noise on images whose pixels are whole numbers of steps?
//!
//! Let Q round a pixel to the nearest step. For an image x on the lattice Q(x + ε) = x + Q(ε), and Q(ε) is a
//! whole number I per pixel with P(I = i) = Φ((i + ½)/s) − Φ((i − ½)/s), where s is σ in steps. So whole
//! numbers are drawn, added to whole numbers, and turned into floats once: the certificate is about the
//! classifier f∘Q under real Gaussian noise, and no rounding of floats comes between them
//! (docs/statistics.md).

mod draw;
mod fixed;
mod table;
#[cfg(test)]
mod tests;
mod thresholds;

use crate::types::{Error, Sigma};
use draw::AddIntegers;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use table::IntegerTable;

/// Which values a pixel can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub enum Lattice {
    /// k/255: 8-bit images.
    Bytes,
    /// k/4096: images from floats, rounded to that.
    Fine,
}

impl Lattice {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Bytes, Self::Fine];

    /// The number of steps from 0 to 1.
    pub fn steps(self) -> u32 {
        match self {
            Self::Bytes => 255,
            Self::Fine => 4096,
        }
    }

    /// The pixel with this number of steps. Every engine sees these floats and no others.
    #[inline(always)]
    pub fn pixel(self, steps: i32) -> f32 {
        steps as f32 / self.steps() as f32
    }

    /// The nearest pixel of the lattice.
    pub fn nearest(self, pixel: f32) -> f32 {
        self.pixel(self.nearest_steps(pixel))
    }

    fn nearest_steps(self, pixel: f32) -> i32 {
        (pixel * self.steps() as f32).round() as i32
    }

    /// The pixels in steps; an error where a pixel is not on the lattice to the last bit.
    pub fn in_steps(self, pixels: &[f32]) -> Result<Vec<i32>, Error> {
        let steps: Vec<i32> = pixels.iter().map(|pixel| self.nearest_steps(*pixel)).collect();
        // farther out a sum of steps may not be a float without rounding
        let is_off = |(steps, pixel): (&i32, &f32)| {
            steps.unsigned_abs() > FARTHEST || self.pixel(*steps).to_bits() != pixel.to_bits()
        };
        match steps.iter().zip(pixels).position(is_off) {
            None => Ok(steps),
            Some(at) => Err(Error::Invalid(format!(
                "value {at} of the input is {}, which is not a whole number of steps of 1/{}; lattice noise is for images \
                 of such values: round the input to them first",
                pixels[at],
                self.steps()
            ))),
        }
    }
}

impl From<Lattice> for u32 {
    fn from(lattice: Lattice) -> Self {
        lattice.steps()
    }
}

impl TryFrom<u32> for Lattice {
    type Error = Error;

    fn try_from(steps: u32) -> Result<Self, Error> {
        let known = Self::ALL.into_iter().find(|lattice| lattice.steps() == steps);
        known.ok_or_else(|| Error::Invalid(format!("a lattice has 255 or 4096 steps, not {steps}")))
    }
}

/// N(0, σ² I) rounded to the lattice, for inputs of `dim` values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatticeGaussian {
    /// The noise level before rounding.
    pub sigma: Sigma,
    /// What it is rounded to.
    pub lattice: Lattice,
    /// The number of values of an input.
    pub dim: u32,
}

/// The most steps that σ may have: tables stay small, and every sum of steps is a float without rounding.
const MOST_STEPS: f64 = 32_768.0;
/// The most steps that a pixel may have: with the noise they stay below 2²⁴.
const FARTHEST: u32 = 1 << 23;
/// 2 Φ(−8.5), rounded up: what lies beyond the last thresholds.
const BEYOND: f64 = 1.9e-17;

impl LatticeGaussian {
    /// Refuses a σ that the lattice is too coarse or too fine for.
    pub fn check(self) -> Result<(), Error> {
        let (sigma, steps) = (self.sigma.get(), f64::from(self.lattice.steps()));
        if sigma * steps < 1.0 {
            return Err(Error::setting(
                "sigma",
                format!(
                    "{sigma} is below 1/{steps}, one step of the pixels: such noise leaves most of them as they are"
                ),
            ));
        }
        if sigma * steps > MOST_STEPS {
            let most = MOST_STEPS / steps;
            return Err(Error::setting(
                "sigma",
                format!("{sigma} is above {most:.1}, the most for steps of 1/{steps}"),
            ));
        }
        Ok(())
    }

    /// τ: the total variation distance between the law of one value and the exact law is at most this.
    /// Every threshold is within 2⁻⁶⁴, and the end values stand for everything beyond them.
    pub fn tau(self) -> f64 {
        let last = (thresholds::CUT * self.sigma.get() * f64::from(self.lattice.steps()) - 0.5).ceil();
        let values = 2.0 * (last + 1.0) + 1.0;
        (values * 2.0_f64.powi(-63) + BEYOND).next_up()
    }

    /// d τ, rounded up: a probability under this noise differs from the one under the exact law by at most
    /// this.
    pub fn correction(self) -> f64 {
        (f64::from(self.dim) * self.tau()).next_up()
    }

    /// A lower bound of a probability under this noise, made one under the exact law.
    pub fn lower(self, p_lower: f64) -> f64 {
        (p_lower - self.correction()).next_down().max(0.0)
    }

    /// The input in steps, with the table of the law.
    pub(super) fn onto(self, x: &[f32]) -> Result<OnLattice, Error> {
        self.check()?;
        Ok(OnLattice {
            x: self.lattice.in_steps(x)?,
            lattice: self.lattice,
            table: IntegerTable::of(self.sigma, self.lattice),
        })
    }
}

/// An input, ready for noise.
pub(super) struct OnLattice {
    x: Vec<i32>,
    lattice: Lattice,
    table: Arc<IntegerTable>,
}

impl OnLattice {
    /// Writes the input plus the `draw`-th noise vector of `stream` to `out`.
    pub fn write(&self, stream: &super::Stream, draw: u32, out: &mut [f32]) {
        assert_eq!(self.x.len(), out.len(), "the noisy copy must be as long as the input");
        AddIntegers { stream, draw, lattice: self.lattice, table: &self.table, x: &self.x, out }.run();
    }
}
