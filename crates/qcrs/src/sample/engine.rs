//! What does an engine need to draw the noise where it computes? For implementations of
//! [`Classifier::noisy_logits`](super::Classifier::noisy_logits).

use crate::noise::{Draws, Noise, NoisyCopies, Stream};
use crate::types::Error;

/// The noisy copies of a request, in order: `x` plus each draw of each of the parts.
pub struct Request<'a>(Vec<(NoisyCopies<'a>, &'a Draws)>);

impl<'a> Request<'a> {
    /// Makes `x` ready for the noise of each of the `parts`; an error where it does not suit one.
    pub fn new(x: &'a [f32], parts: &'a [(Noise, Draws)]) -> Result<Self, Error> {
        let ready = |(noise, draws): &'a (Noise, Draws)| Ok((noise.copies_of(x)?, draws));
        parts.iter().map(ready).collect::<Result<_, _>>().map(Self)
    }

    /// The number of copies.
    pub fn copies(&self) -> usize {
        self.0.iter().map(|(_, draws)| draws.range.len()).sum()
    }

    /// Writes copy number `at` to `out`.
    ///
    /// # Panics
    ///
    /// If there is no such copy, or `out` is not as long as the input.
    pub fn write(&self, mut at: usize, out: &mut [f32]) {
        for (copies, draws) in &self.0 {
            if at < draws.range.len() {
                return copies.write(&draws.stream, draws.range.start + at as u32, out);
            }
            at -= draws.range.len();
        }
        panic!("there is no copy {at} after the last");
    }
}

/// Fills `batch` with `x` plus each draw of each of the `parts`.
pub fn noisy_copies(x: &[f32], parts: &[(Noise, Draws)], batch: &mut Vec<f32>) -> Result<(), Error> {
    let request = Request::new(x, parts)?;
    batch.resize(request.copies() * x.len(), 0.0);
    for (at, copy) in batch.chunks_exact_mut(x.len()).enumerate() {
        request.write(at, copy);
    }
    Ok(())
}

/// The address of every copy of a request, in order.
pub(super) fn each_draw(parts: &[(Noise, Draws)]) -> impl Iterator<Item = (&Stream, u32)> {
    parts.iter().flat_map(|(_, draws)| draws.range.clone().map(|draw| (&draws.stream, draw)))
}
