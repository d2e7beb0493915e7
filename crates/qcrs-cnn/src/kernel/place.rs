//! Where does a value live?

use crate::graph::{Activation, ImageShape};

/// Channels are kept in multiples of this, whatever the instruction set; the weights of added channels are 0.
pub(crate) const CHANNELS: usize = 16;

/// A value in the workspace: pixel by pixel, channels innermost, with a frame of zeros around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The first channel of the upper left pixel of the first image.
    pub(crate) start: usize,
    /// From one image to the next; 0 if images take turns.
    pub(crate) image: usize,
    /// From one row to the next.
    pub(crate) row: usize,
    /// From one pixel to the next: the channels, filled up.
    pub(crate) pixel: usize,
    pub(crate) shape: ImageShape,
}

impl Place {
    /// The first channel of a pixel.
    #[inline(always)]
    pub(crate) fn at(&self, image: usize, y: usize, x: usize) -> usize {
        self.start + image * self.image + y * self.row + x * self.pixel
    }

    /// The first channel of the pixel where a window with this padding begins, for its upper left place.
    /// The frame is at least as wide as the padding.
    pub(crate) fn corner(&self, image: usize, pad: [usize; 4]) -> usize {
        self.start + image * self.image - pad[0] * self.row - pad[1] * self.pixel
    }

    /// The same for the window of the output where `walk` stands.
    #[inline(always)]
    pub(crate) fn window(&self, walk: &PixelWalk, pad: [usize; 4], stride: [usize; 2]) -> usize {
        self.corner(walk.image, pad) + walk.y * stride[0] * self.row + walk.x * stride[1] * self.pixel
    }
}

/// Places in rows and columns, row after row and image after image, without a division, which would take
/// longer than a pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PixelWalk {
    pub(crate) image: usize,
    pub(crate) y: usize,
    pub(crate) x: usize,
    rows: usize,
    columns: usize,
}

impl PixelWalk {
    /// Starts at place number `at` of all images.
    #[inline(always)]
    pub(crate) fn new([rows, columns]: [usize; 2], at: usize) -> Self {
        Self { image: at / (rows * columns), y: at / columns % rows, x: at % columns, rows, columns }
    }

    /// Walks over the pixels of a value.
    #[inline(always)]
    pub(crate) fn over(value: Place, at: usize) -> Self {
        let [_, height, width] = value.shape;
        Self::new([height, width], at)
    }

    /// Moves to the next place.
    #[inline(always)]
    pub(crate) fn go_on(&mut self) {
        self.x += 1;
        if self.x == self.columns {
            (self.x, self.y) = (0, self.y + 1);
            if self.y == self.rows {
                (self.y, self.image) = (0, self.image + 1);
            }
        }
    }
}

/// What happens to a sum before it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Epilogue {
    /// A value that is added.
    pub(crate) add: Option<Place>,
    pub(crate) activation: Activation,
}
