//! What is known about a value without running the network?

/// A number that shape arithmetic computes, or the length of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// This number, whatever the batch.
    Known(f64),
    /// This many times the number of images, which is not known.
    Batch(f64),
    /// Any number.
    Unknown,
}

use Number::{Batch, Known, Unknown};

/// Engines compute with 32 and 64 bits; numbers below this are the same there as here.
const SMALL: f64 = 2147483648.0;

impl Number {
    pub(super) const ONE: Self = Known(1.0);

    /// The number itself if every engine computes it; a count of images must also be whole.
    pub(super) fn exact(self) -> Self {
        match self {
            Known(number) if number.abs() < SMALL => self,
            Batch(times) if times > 0.0 && times < SMALL && times.fract() == 0.0 => self,
            _ => Unknown,
        }
    }

    /// The number after a cast to an integer.
    pub(super) fn truncated(self) -> Self {
        self.known().map_or(self, |number| Known(number.trunc())).exact()
    }

    /// The number as a 32-bit float.
    pub(super) fn as_float(self) -> Self {
        self.known().map_or(self, |number| Known(f64::from(number as f32)))
    }

    pub(super) fn known(self) -> Option<f64> {
        if let Known(number) = self { Some(number) } else { None }
    }

    pub(super) fn times(self, other: Self) -> Self {
        let product = match (self.exact(), other.exact()) {
            (Known(a), Known(b)) => Known(a * b),
            (Known(a), Batch(b)) | (Batch(b), Known(a)) => Batch(a * b),
            _ => Unknown,
        };
        product.exact()
    }

    /// The quotient if it is a whole number; for others, the rounding is not known here.
    pub(super) fn over(self, other: Self) -> Self {
        let whole = |a: f64, b: f64, number: fn(f64) -> Self| {
            if b != 0.0 && (a / b).fract() == 0.0 { number(a / b) } else { Unknown }
        };
        let quotient = match (self.exact(), other.exact()) {
            (Known(a), Known(b)) | (Batch(a), Batch(b)) => whole(a, b, Known),
            (Batch(a), Known(b)) => whole(a, b, Batch),
            _ => Unknown,
        };
        quotient.exact()
    }

    pub(super) fn plus(self, other: Self, sign: f64) -> Self {
        let sum = match (self.exact(), other.exact()) {
            (Known(a), Known(b)) => Known(a + sign * b),
            (Batch(a), Batch(b)) => Batch(a + sign * b),
            (Batch(a), Known(0.0)) => Batch(a),
            _ => Unknown,
        };
        sum.exact()
    }

    /// Whether both are the same number, if that can be told: a batch has at least one image.
    pub(super) fn equals(self, other: Self) -> Option<bool> {
        match (self.exact(), other.exact()) {
            (Known(_), Known(_)) | (Batch(_), Batch(_)) => Some(self == other),
            (Batch(_), Known(b)) | (Known(b), Batch(_)) if b <= 0.0 => Some(false),
            _ => None,
        }
    }

    pub(super) fn product(numbers: &[Self]) -> Self {
        numbers.iter().fold(Self::ONE, |product, number| product.times(*number))
    }
}

/// The axis that holds the images: `outer` × batch × `inner` entries, and each depends on the one image whose
/// number is in the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) at: usize,
    pub(super) outer: f64,
    pub(super) inner: f64,
}

impl Axis {
    pub(super) fn new(at: usize) -> Self {
        Self { at, outer: 1.0, inner: 1.0 }
    }

    /// Whether one entry is one image.
    pub(super) fn is_plain(self) -> bool {
        (self.outer, self.inner) == (1.0, 1.0)
    }

    pub(super) fn moved_to(self, at: usize) -> Self {
        Self { at, ..self }
    }
}

/// A tensor: its shape, and how it depends on the images.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tensor {
    /// The lengths of its axes; known wherever there is a batch axis.
    pub(super) dims: Option<Vec<Number>>,
    /// The batch axis; `None` if the tensor does not depend on the images.
    pub(super) axis: Option<Axis>,
    /// Its values, where they are few and do not depend on the images.
    pub(super) numbers: Option<Vec<Number>>,
    /// Whether its values are integers, as those of shapes are; false for floats and for unknown values.
    pub(super) integer: bool,
    /// Whether its values may depend on how many images there are.
    pub(super) sized: bool,
}

impl Tensor {
    /// A constant.
    pub(super) fn still(dims: Option<Vec<Number>>) -> Self {
        Self { dims, ..Self::default() }
    }

    /// A list of numbers, or a single one.
    pub(super) fn list(numbers: Vec<Number>, is_list: bool) -> Self {
        let sized = numbers.iter().any(|number| number.known().is_none());
        let dims = if is_list { vec![Known(numbers.len() as f64)] } else { Vec::new() };
        Self { dims: Some(dims), axis: None, numbers: Some(numbers), integer: false, sized }
    }

    /// A list of sizes, or a single one.
    pub(super) fn sizes(numbers: Vec<Number>, is_list: bool) -> Self {
        Self { integer: true, ..Self::list(numbers, is_list) }
    }

    /// A value with images along `axis`.
    pub(super) fn rows(dims: Vec<Number>, axis: Axis) -> Self {
        Self { dims: Some(dims), axis: Some(axis), ..Self::default() }
    }

    /// The same tensor with other lengths.
    pub(super) fn with_dims(&self, dims: Option<Vec<Number>>) -> Self {
        Self { dims, numbers: None, axis: self.axis, integer: self.integer, sized: self.sized }
    }

    /// Makes sure that values which meet images do not depend on how many there are.
    pub(super) fn refuse_sized(&self) -> Result<(), Stop> {
        let counts = self.numbers.iter().flatten().any(|number| matches!(number, Batch(_)));
        match self.sized {
            false => Ok(()),
            true if counts => Err(Stop::mixed("makes the scores depend on the number of images")),
            true => Err(Stop::lost("may make the scores depend on the number of images")),
        }
    }

    pub(super) fn rank(&self) -> Option<usize> {
        self.dims.as_ref().map(Vec::len)
    }
}

/// Why a value is not followed further.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stop {
    /// Its entries depend on several images.
    Mixed(String),
    /// It may depend on anything.
    Lost(String),
}

impl Stop {
    pub(super) fn mixed(how: &str) -> Self {
        Self::Mixed(how.into())
    }

    pub(super) fn lost(how: &str) -> Self {
        Self::Lost(how.into())
    }
}

pub(super) type Followed = Result<Tensor, Stop>;
