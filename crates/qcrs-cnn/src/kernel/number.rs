//! How is a value kept?
//!
//! Everything is computed in f32. Between two steps a value is kept as f32, or as bf16: its upper half,
//! rounded to 8 significant bits.

use super::lanes::Lanes;
use super::{Convolution, Single, Tiled};
use crate::Precision;

/// A format of values between two steps: plain bits, where every pattern is a value and all zero bits are 0.
pub(crate) trait ValueFormat: Copy + Send + Sync + 'static {
    /// How a convolution works on such values.
    type Conv: Convolution<Self>;
    const PRECISION: Precision;
    /// How many of them keep an f32 with all its bits.
    const WORDS: usize;
    /// A row of a window is filled up to a multiple of this many numbers.
    const PIECE: usize;

    fn narrow(value: f32) -> Self;
    unsafe fn load<L: Lanes>(from: &[Self], at: usize) -> L;
    unsafe fn store<L: Lanes>(lanes: L, to: &mut [Self], at: usize);
    /// The f32 whose parts stand at `at` and every `apart` numbers after.
    fn whole(from: &[Self], at: usize, apart: usize) -> f32;
}

impl ValueFormat for f32 {
    type Conv = Single;
    const PRECISION: Precision = Precision::F32;
    const WORDS: usize = 1;
    const PIECE: usize = 1;

    #[inline(always)]
    fn narrow(value: f32) -> Self {
        value
    }

    #[inline(always)]
    unsafe fn load<L: Lanes>(from: &[Self], at: usize) -> L {
        unsafe { L::load(from, at) }
    }

    #[inline(always)]
    unsafe fn store<L: Lanes>(lanes: L, to: &mut [Self], at: usize) {
        unsafe { lanes.store(to, at) }
    }

    fn whole(from: &[Self], at: usize, _: usize) -> f32 {
        from[at]
    }
}

/// The upper half of an f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Bf16(u16);

impl Bf16 {
    /// The f32 it stands for.
    #[inline(always)]
    pub(crate) fn widen(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }

    /// The upper and the lower half of the bits.
    #[inline(always)]
    pub(crate) fn halves(value: f32) -> [Self; 2] {
        let bits = value.to_bits();
        [Self((bits >> 16) as u16), Self(bits as u16)]
    }
}

impl ValueFormat for Bf16 {
    type Conv = Tiled;
    const PRECISION: Precision = Precision::Bf16;
    const WORDS: usize = 2;
    const PIECE: usize = super::tiles::DEPTH;

    /// The nearest value, ties to even; 0 for a subnormal number.
    #[inline(always)]
    fn narrow(value: f32) -> Self {
        let bits = flush(value).to_bits();
        let rounded = ((bits & 0x7fff_ffff) + 0x7fff + (bits >> 16 & 1)) | bits & 0x8000_0000;
        Self(if value.is_nan() { 0x7fc0 } else { (rounded >> 16) as u16 })
    }

    #[inline(always)]
    unsafe fn load<L: Lanes>(from: &[Self], at: usize) -> L {
        debug_assert!(at + L::COUNT <= from.len(), "{at} + {} of {}", L::COUNT, from.len());
        let mut wide = [0.0; super::CHANNELS];
        for lane in 0..L::COUNT {
            wide[lane] = unsafe { from.get_unchecked(at + lane) }.widen();
        }
        unsafe { L::load(&wide, 0) }
    }

    #[inline(always)]
    unsafe fn store<L: Lanes>(lanes: L, to: &mut [Self], at: usize) {
        debug_assert!(at + L::COUNT <= to.len(), "{at} + {} of {}", L::COUNT, to.len());
        let mut wide = [0.0; super::CHANNELS];
        unsafe { lanes.store(&mut wide, 0) }
        for lane in 0..L::COUNT {
            unsafe { *to.get_unchecked_mut(at + lane) = Self::narrow(wide[lane]) }
        }
    }

    fn whole(from: &[Self], at: usize, apart: usize) -> f32 {
        f32::from_bits(u32::from(from[at].0) << 16 | u32::from(from[at + apart].0))
    }
}

/// 0 for a subnormal number, else the number.
#[inline(always)]
pub(super) fn flush(value: f32) -> f32 {
    if value.abs() < f32::MIN_POSITIVE { 0.0 } else { value }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // every bit counts
mod tests {
    use super::*;

    #[test]
    fn bf16_is_the_nearest() {
        for (value, expected) in [
            (1.0, 1.0),
            (1.0 + 1.0 / 256.0, 1.0),               // half way: to even, down
            (1.0 + 3.0 / 256.0, 1.0 + 4.0 / 256.0), // half way: to even, up
            (1.0 + 1.01 / 256.0, 1.0 + 2.0 / 256.0),
            (-2.005, -2.0),
            (f32::MIN_POSITIVE / 2.0, 0.0),
            (f32::MAX, f32::INFINITY),
            (f32::NEG_INFINITY, f32::NEG_INFINITY),
            (0.0, 0.0),
        ] {
            assert_eq!(Bf16::narrow(value).widen(), expected, "{value}");
        }
        assert!(
            [0x7fff_ffff, 0xffff_ffff, 0x7f80_0001]
                .iter()
                .all(|bits| { Bf16::narrow(f32::from_bits(*bits)).widen().is_nan() })
        );
        let value = 0.1_f32;
        assert_eq!(
            Bf16::whole(&[Bf16(7), Bf16::halves(value)[0], Bf16(9), Bf16::halves(value)[1]], 1, 2),
            value
        );
    }
}
