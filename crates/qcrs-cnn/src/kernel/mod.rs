//! How does a processor do one step?
//!
//! The only place with `unsafe`. Its ground: a step is made by `plan`, which lays out every value with
//! its frame inside one workspace; all reads and writes of a kernel go through [`lanes::Lanes`], whose
//! debug assertions check each one.
#![allow(unsafe_code)]
#![allow(clippy::inline_always)] // code gets its instruction set from where it is inlined
#![allow(clippy::needless_range_loop)] // registers are numbered: two arrays are indexed side by side

mod buffer;
mod direct;
mod lanes;
mod map;
mod pack;
mod place;
mod pool;
mod winograd;

pub(crate) use buffer::Buffer;
pub(crate) use direct::Direct;
pub(crate) use map::Map;
pub(crate) use pack::Pack;
pub(crate) use place::{CHANNELS, Place, Tail};
pub(crate) use pool::Pooling;
pub(crate) use winograd::{TILE, Winograd};

use crate::graph::Activation;
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
    /// All that this processor has, the fastest first; there is at least one.
    pub fn here() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                found.push(Self(Isa::Avx512));
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                found.push(Self(Isa::Avx2));
            }
        }
        found.push(Self(Isa::Portable));
        found
    }

    /// The fastest that this processor has.
    pub fn best() -> Self {
        Self::here()[0]
    }

    /// Whether the processor has no fused multiply-add among them: on x86 without AVX2 and FMA it is done
    /// in software, number by number. The portable code of other processors has it.
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

/// One thing to do for some images.
pub(crate) enum Step {
    Direct(Direct),
    Winograd(Winograd),
    Pooling(Pooling),
    Map(Map),
}

/// A value became infinite or no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow;

/// Does `step` for `images`, whose values live in `memory`.
pub(crate) fn run(
    instructions: Instructions,
    step: &Step,
    memory: &mut [f32],
    images: Range<usize>,
) -> Result<(), Overflow> {
    let sound = match instructions.isa() {
        // SAFETY: `Instructions` are made by `here` alone, so the processor has them
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { avx512(step, memory, images) },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { avx2(step, memory, images) },
        // SAFETY: needs no instructions of its own
        Isa::Portable => unsafe { on::<Portable>(step, memory, images) },
    };
    if sound { Ok(()) } else { Err(Overflow) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn avx512(step: &Step, memory: &mut [f32], images: Range<usize>) -> bool {
    unsafe { on::<std::arch::x86_64::__m512>(step, memory, images) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(step: &Step, memory: &mut [f32], images: Range<usize>) -> bool {
    unsafe { on::<std::arch::x86_64::__m256>(step, memory, images) }
}

#[inline(always)]
unsafe fn on<L: Lanes>(step: &Step, memory: &mut [f32], images: Range<usize>) -> bool {
    unsafe {
        match step {
            Step::Direct(step) => step.run::<L>(memory, images),
            Step::Winograd(step) => step.run::<L>(memory, images),
            Step::Pooling(step) => step.run::<L>(memory, images),
            Step::Map(step) => step.run::<L>(memory, images),
        }
    }
}

/// Adds up what a kernel writes, times 0: a number as long as all of it was.
struct Check<L>(L);

impl<L: Lanes> Check<L> {
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

impl Tail {
    /// What is written for a sum: `add` is where the other summand stands.
    #[inline(always)]
    unsafe fn finish<L: Lanes>(&self, sum: L, memory: &[f32], add: usize, check: &mut Check<L>) -> L {
        unsafe {
            let sum = if self.add.is_some() { sum.add(L::load(memory, add)) } else { sum };
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
