//! Can a closure be a classifier?

use super::Classifier;
use crate::types::Error;

/// A classifier made of a closure, by [`from_fn`].
pub struct FromFn<F> {
    input_len: usize,
    num_classes: usize,
    scores: F,
}

/// Makes a classifier of a closure that fills one row of `num_classes` scores for each input of `input_len`
/// values, both row after row. It is called from several threads at once.
///
/// ```
/// use qcrs::sample::{Classifier, from_fn};
/// let brighter = from_fn(2, 2, |batch: &[f32], out: &mut [f32]| {
///     out.copy_from_slice(batch); // the brighter of two pixels wins
///     Ok(())
/// });
/// let mut scores = [0.0; 2];
/// brighter.logits(&[0.1, 0.7], &mut scores)?;
/// assert_eq!(scores, [0.1, 0.7]);
/// # Ok::<(), qcrs::types::Error>(())
/// ```
pub fn from_fn<F>(input_len: usize, num_classes: usize, scores: F) -> FromFn<F>
where
    F: Fn(&[f32], &mut [f32]) -> Result<(), Error> + Sync,
{
    FromFn { input_len, num_classes, scores }
}

impl<F> Classifier for FromFn<F>
where
    F: Fn(&[f32], &mut [f32]) -> Result<(), Error> + Sync,
{
    fn input_len(&self) -> usize {
        self.input_len
    }

    fn num_classes(&self) -> usize {
        self.num_classes
    }

    fn logits(&self, batch: &[f32], out: &mut [f32]) -> Result<(), Error> {
        (self.scores)(batch, out)
    }
}
