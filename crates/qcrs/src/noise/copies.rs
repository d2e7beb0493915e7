//! What are the noisy copies of one input?

use super::gaussian::AddNormals;
use super::lattice::OnLattice;
use super::{GeneralizedGaussian, Noise, Stream, round_up};
use crate::types::Error;

/// An input, ready for one law of noise.
pub struct NoisyCopies<'a>(Prepared<'a>);

enum Prepared<'a> {
    Lattice(OnLattice),
    Float { x: &'a [f32], scale: f32 },
    GeneralizedGaussian { x: &'a [f32], law: GeneralizedGaussian },
}

impl Noise {
    /// Makes `x` ready for noise. An error where the law is not for inputs of this length, or the input is not
    /// on the lattice of the law.
    pub fn copies_of(self, x: &[f32]) -> Result<NoisyCopies<'_>, Error> {
        self.fits(x.len())?;
        Ok(NoisyCopies(match self {
            Self::Lattice(law) => Prepared::Lattice(law.onto(x)?),
            Self::Gaussian(sigma) => Prepared::Float { x, scale: round_up(sigma.get()) },
            Self::GeneralizedGaussian(law) => Prepared::GeneralizedGaussian { x, law },
        }))
    }
}

impl NoisyCopies<'_> {
    /// Writes the input plus the `draw`-th noise vector of `stream` to `out`.
    ///
    /// Element j of Gaussian noise depends on the address, σ and element j of the input only; generalized
    /// noise is a direction and a length, and so depends on the number of values too. All have the same bits
    /// on every processor.
    ///
    /// # Panics
    ///
    /// If the input and `out` differ in length.
    pub fn write(&self, stream: &Stream, draw: u32, out: &mut [f32]) {
        match &self.0 {
            Prepared::Lattice(input) => input.write(stream, draw, out),
            Prepared::Float { x, scale } => {
                assert_eq!(x.len(), out.len(), "the noisy copy must be as long as the input");
                AddNormals { stream, draw, scale: *scale, x, out }.run();
            }
            Prepared::GeneralizedGaussian { x, law } => law.add(stream, draw, x, out),
        }
    }
}
