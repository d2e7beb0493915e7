//! What does an engine need to draw the noise where it computes? For implementations of
//! [`Classifier::noisy_logits`](super::Classifier::noisy_logits).

use crate::noise::{Draws, Noise, Stream};

/// Fills `batch` with `x` plus each draw of each of the `parts`.
pub fn noisy_copies(x: &[f32], parts: &[(Noise, Draws)], batch: &mut Vec<f32>) {
    batch.resize(each_draw(parts).count() * x.len(), 0.0);
    for ((noise, stream, draw), copy) in each_draw(parts).zip(batch.chunks_exact_mut(x.len())) {
        noise.add(stream, draw, x, copy);
    }
}

/// The address of every copy of a request, in order.
pub fn each_draw(parts: &[(Noise, Draws)]) -> impl Iterator<Item = (Noise, &Stream, u32)> {
    parts.iter().flat_map(|(noise, draws)| draws.range.clone().map(|draw| (*noise, &draws.stream, draw)))
}
