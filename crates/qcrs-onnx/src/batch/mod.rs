//! Does a row of scores depend on one image only?
//!
//! Follows the batch axis through the graph. A certificate is about a function of one image: if the scores of
//! one image depend on the others of its batch, its votes are not independent draws, and no statement about
//! them holds.
//!
//! | module     | question it answers                                                    |
//! |------------|------------------------------------------------------------------------|
//! | `value`    | what is known about a value without running the network?               |
//! | `call`     | what does a node get: values, attributes, a version?                   |
//! | `sizes`    | what comes out of shape arithmetic?                                    |
//! | `shapes`   | where does the batch axis go when a shape changes?                     |
//! | `elements` | which images meet in an operator that works element by element?        |
//! | `axes`     | does an operator reach along the batch axis?                           |
//! | `resize`   | does scaling an image leave the batch axis alone?                      |
//! | `products` | which images meet in a product, a convolution or a pooling?            |
//! | `rules`    | which rule does an operator follow?                                    |
//! | `walk`     | what becomes of the images on their way through graphs and functions?  |

mod axes;
mod call;
mod elements;
mod products;
mod resize;
mod rules;
mod shapes;
mod sizes;
#[cfg(test)]
mod tests;
mod value;
mod walk;

use qcrs_cnn::proto::ModelProto;
use value::{Axis, Stop};

/// What became of the batch axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fate {
    /// Each row of scores depends on one image.
    Apart,
    /// A row depends on several images.
    Mixed(String),
    /// The batch axis could not be followed to the scores.
    Lost(String),
}

/// Follows images of `shape` = [channels, height, width]; `batch` is their number, if the model takes no
/// other.
pub(crate) fn follow(model: &ModelProto<'_>, shape: [usize; 3], batch: Option<usize>) -> Fate {
    if batch == Some(1) {
        return Fate::Apart; // there is no other image
    }
    match walk::scores(model, shape, batch) {
        Err(Stop::Mixed(how)) => Fate::Mixed(how),
        Err(Stop::Lost(how)) => Fate::Lost(how),
        Ok(scores) => match (scores.axis, scores.dims.as_deref()) {
            (Some(axis), Some([_, _])) if axis == Axis::new(0) => Fate::Apart,
            (Some(_), Some([_, _])) => Fate::Mixed("the rows of scores are not those of the images".into()),
            _ => Fate::Lost("the scores are no rows, or do not come from the images".into()),
        },
    }
}
