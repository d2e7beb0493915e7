//! How does a processor do one step?
//!
//! The only place with `unsafe`. It is sound because every step is made by `plan`, which lays out every value
//! with its frame inside one workspace; all reads and writes of a kernel go through [`lanes::Lanes`],
//! [`ValueFormat`] or [`tiles::Tiles`], whose debug assertions check each one.
#![allow(unsafe_code)]
#![allow(clippy::inline_always)] // code gets its instruction set from where it is inlined
#![allow(clippy::needless_range_loop)] // registers are numbered: two arrays are indexed side by side

#[cfg(target_arch = "x86_64")]
mod amx;
mod buffer;
mod direct;
mod lanes;
mod map;
mod number;
mod pack;
mod place;
mod pool;
mod single;
mod tiled;
mod tiles;
mod winograd;

pub(crate) use buffer::Buffer;
use direct::Direct;
pub(crate) use map::Map;
pub(crate) use number::{Bf16, ValueFormat};
pub(crate) use pack::Pack;
use place::PixelWalk;
pub(crate) use place::{CHANNELS, Epilogue, Place};
pub(crate) use pool::Pooling;
use single::Single;
pub(crate) use tiled::{Tiled, Unit};
pub(crate) use winograd::TILE;
use winograd::Winograd;

use crate::graph::{Activation, Conv};
use lanes::{Lanes, Portable};
use std::ops::Range;

/// A set of instructions that the engine is compiled for. They differ in speed and in nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions(Isa);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isa {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Instructions {
    /// All sets that this processor has, the fastest first; there is at least one.
    pub fn here() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
                found.push(Self(Isa::Avx512));
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                found.push(Self(Isa::Avx2));
            }
        }
        found.push(Self(Isa::Portable));
        found
    }

    /// The fastest set that this processor has.
    pub fn best() -> Self {
        Self::here()[0]
    }

    /// Whether the set lacks a fused multiply-add: on x86 without AVX2 and FMA it is done in software, number
    /// by number. The portable code of other processors has it.
    pub fn are_slow(self) -> bool {
        cfg!(target_arch = "x86_64") && self.0 == Isa::Portable
    }

    /// Their name.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => "avx2",
            Isa::Portable => "portable",
        }
    }

    /// The set itself: it came from [`Self::here`], so this processor has it.
    pub(crate) fn isa(self) -> Isa {
        self.0
    }
}

impl Isa {
    /// How many output channels a kernel computes together, for this many in all.
    fn panel(self, channels: usize) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if channels.is_multiple_of(32) => 32,
            _ => 16,
        }
    }
}

/// Calls a kernel with two constants: how many pixels or tiles it works on at once, and how many registers a
/// panel of outputs takes. The three numbers are for panels of two short registers, of two long ones, and of
/// one long one.
macro_rules! by_panel {
    ($kernel:ident.$run:ident::<$lanes:ident>($($argument:expr),*), $short:literal, $two:literal, $one:literal) => {
        if $lanes::COUNT < $crate::kernel::CHANNELS {
            $kernel.$run::<$lanes, $short, 2>($($argument),*)
        } else if $kernel.panel == 2 * $crate::kernel::CHANNELS {
            $kernel.$run::<$lanes, $two, 2>($($argument),*)
        } else {
            $kernel.$run::<$lanes, $one, 1>($($argument),*)
        }
    };
}
use by_panel;

/// How a convolution is done on values that are kept as `N`.
pub(crate) trait Convolution<N>: Send + Sync {
    /// From one place to the other; `winograd` if that way is worth it.
    fn new(conv: &Conv, places: [Place; 2], tail: Epilogue, isa: Isa, winograd: bool) -> Self;
    fn kind(&self) -> &'static str;
    fn places(&self) -> [Place; 2];
    /// Multiplications per output, by the definition of the layer.
    fn taps(&self) -> usize;
    fn weight_bytes(&self) -> usize;
    /// How many numbers it needs in addition to its inputs and outputs.
    fn scratch_len(&self) -> usize;
    /// Where these numbers are in the workspace.
    fn put_scratch(&mut self, at: usize);
    unsafe fn run<L: Lanes>(&self, memory: &mut [N], images: Range<usize>) -> bool;
}

/// One thing to do for some images.
pub(crate) enum Step<N: ValueFormat> {
    Conv(N::Conv),
    Pooling(Pooling),
    Map(Map),
}

/// A value became infinite or NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow;

/// Runs `step` for `images`, whose values live in `memory`.
pub(crate) fn run<N: ValueFormat>(
    instructions: Instructions,
    step: &Step<N>,
    memory: &mut [N],
    images: Range<usize>,
) -> Result<(), Overflow> {
    let sound = match instructions.isa() {
        // SAFETY: `Instructions` are made by `here` alone, so the processor has them
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { avx512(step, memory, images) },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { avx2(step, memory, images) },
        // SAFETY: needs no special instructions
        Isa::Portable => unsafe { on::<N, Portable>(step, memory, images) },
    };
    if sound { Ok(()) } else { Err(Overflow) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn avx512<N: ValueFormat>(step: &Step<N>, memory: &mut [N], images: Range<usize>) -> bool {
    unsafe { on::<N, std::arch::x86_64::__m512>(step, memory, images) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<N: ValueFormat>(step: &Step<N>, memory: &mut [N], images: Range<usize>) -> bool {
    unsafe { on::<N, std::arch::x86_64::__m256>(step, memory, images) }
}

#[inline(always)]
unsafe fn on<N: ValueFormat, L: Lanes>(step: &Step<N>, memory: &mut [N], images: Range<usize>) -> bool {
    unsafe {
        match step {
            Step::Conv(step) => step.run::<L>(memory, images),
            Step::Pooling(step) => step.run::<N, L>(memory, images),
            Step::Map(step) => step.run::<N, L>(memory, images),
        }
    }
}

/// Adds up what a kernel writes, times 0: the sum is NaN if any of it is infinite or NaN.
struct OverflowCheck<L>(L);

impl<L: Lanes> OverflowCheck<L> {
    #[inline(always)]
    unsafe fn new() -> Self {
        unsafe { Self(L::all(0.0)) }
    }

    #[inline(always)]
    unsafe fn see(&mut self, value: L) {
        unsafe { self.0 = self.0.mul_add(value, L::all(0.0)) }
    }

    #[inline(always)]
    unsafe fn sound(self) -> bool {
        unsafe { !self.0.any_nan() }
    }
}

impl Epilogue {
    /// What is written for a sum: `add` is where the other summand stands.
    #[inline(always)]
    unsafe fn finish<N: ValueFormat, L: Lanes>(
        &self,
        sum: L,
        memory: &[N],
        add: usize,
        check: &mut OverflowCheck<L>,
    ) -> L {
        unsafe {
            let sum = if self.add.is_some() { sum.add(N::load(memory, add)) } else { sum };
            check.see(sum);
            activate(self.activation, sum)
        }
    }
}

#[inline(always)]
unsafe fn activate<L: Lanes>(activation: Activation, x: L) -> L {
    unsafe {
        let zero = L::all(0.0);
        match activation {
            Activation::None => x,
            Activation::Relu => x.or_greater(zero),
            // the two halves do not overlap: one of them is 0
            Activation::Leaky(slope) => x.or_greater(zero).mul_add(x.or_less(zero), L::all(slope)),
            Activation::Clip(low, high) => x.or_greater(L::all(low)).or_less(L::all(high)),
        }
    }
}
