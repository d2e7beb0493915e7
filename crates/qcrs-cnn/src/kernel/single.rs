//! A convolution on f32: Winograd's way where it pays, else as it is defined.

use super::lanes::Lanes;
use super::{Convolution, Direct, Epilogue, Isa, Place, Winograd};
use crate::graph::Conv;
use std::ops::Range;

/// Either way.
pub(crate) enum Single {
    Direct(Direct),
    Winograd(Winograd),
}

impl Convolution<f32> for Single {
    fn new(conv: &Conv, places: [Place; 2], tail: Epilogue, isa: Isa, winograd: bool) -> Self {
        let [from, to] = places;
        if winograd {
            Self::Winograd(Winograd::new(conv, from, to, tail, isa))
        } else {
            Self::Direct(Direct::new(conv, from, to, tail, isa))
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Direct(_) => "direct",
            Self::Winograd(_) => "winograd",
        }
    }

    fn places(&self) -> [Place; 2] {
        match self {
            Self::Direct(conv) => [conv.from, conv.to],
            Self::Winograd(conv) => [conv.from, conv.to],
        }
    }

    fn taps(&self) -> usize {
        match self {
            Self::Direct(conv) => conv.taps(),
            Self::Winograd(conv) => 9 * conv.from.shape[0],
        }
    }

    fn weight_bytes(&self) -> usize {
        match self {
            Self::Direct(conv) => conv.weight_bytes(),
            Self::Winograd(conv) => conv.weight_bytes(),
        }
    }

    fn scratch_len(&self) -> usize {
        match self {
            Self::Direct(_) => 0,
            Self::Winograd(conv) => conv.scratch_len(),
        }
    }

    fn put_scratch(&mut self, at: usize) {
        if let Self::Winograd(conv) = self {
            conv.put_scratch(at);
        }
    }

    #[inline(always)]
    unsafe fn run<L: Lanes>(&self, memory: &mut [f32], images: Range<usize>) -> bool {
        unsafe {
            match self {
                Self::Direct(conv) => conv.run::<L>(memory, images),
                Self::Winograd(conv) => conv.run::<L>(memory, images),
            }
        }
    }
}
