//! What does one instruction do?
//!
//! Eight or sixteen numbers at a time, or one by one where a processor has nothing better. All
//! implementations give the same bits: a product is added with one rounding, and equal numbers and
//! zeros of either sign are told apart in the same way.

/// Some f32 that are computed together.
///
/// # Safety
///
/// Every method needs the instructions of its type: call it only inside a function that is compiled
/// for them and runs where they exist. `load`, `store` and `splat` do not check that their place lies
/// inside the slice; a debug build does.
pub(crate) trait Lanes: Copy {
    /// How many.
    const COUNT: usize;
    /// The numbers from `at` on.
    unsafe fn load(from: &[f32], at: usize) -> Self;
    /// Writes the numbers from `at` on.
    unsafe fn store(self, to: &mut [f32], at: usize);
    /// The same number in every lane.
    unsafe fn all(value: f32) -> Self;
    /// self + a · b, rounded once.
    unsafe fn mul_add(self, a: Self, b: Self) -> Self;
    /// self + other.
    unsafe fn add(self, other: Self) -> Self;
    /// self where it is greater than other, else other.
    unsafe fn or_greater(self, other: Self) -> Self;
    /// self where it is less than other, else other.
    unsafe fn or_less(self, other: Self) -> Self;
    /// Whether a lane is NaN.
    unsafe fn any_nan(self) -> bool;

    /// The number at `at`, in every lane.
    #[inline(always)]
    unsafe fn splat(from: &[f32], at: usize) -> Self {
        debug_assert!(at < from.len(), "{at} of {}", from.len());
        unsafe { Self::all(*from.get_unchecked(at)) }
    }
}

#[inline(always)]
fn inside(len: usize, at: usize, count: usize) {
    debug_assert!(at + count <= len, "{at} + {count} of {len}");
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Lanes, inside};
    use std::arch::x86_64::{
        __m256, __m512, _CMP_UNORD_Q, _mm256_add_ps, _mm256_cmp_ps, _mm256_fmadd_ps, _mm256_loadu_ps,
        _mm256_max_ps, _mm256_min_ps, _mm256_movemask_ps, _mm256_set1_ps, _mm256_storeu_ps, _mm512_add_ps,
        _mm512_cmp_ps_mask, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_max_ps, _mm512_min_ps, _mm512_set1_ps,
        _mm512_storeu_ps,
    };

    macro_rules! lanes {
        ($type:ty, $count:literal, $load:ident, $store:ident, $all:ident, $fma:ident, $add:ident, $max:ident, $min:ident, $nan:expr) => {
            impl Lanes for $type {
                const COUNT: usize = $count;
                #[inline(always)]
                unsafe fn load(from: &[f32], at: usize) -> Self {
                    inside(from.len(), at, $count);
                    unsafe { $load(from.as_ptr().add(at)) }
                }
                #[inline(always)]
                unsafe fn store(self, to: &mut [f32], at: usize) {
                    inside(to.len(), at, $count);
                    unsafe { $store(to.as_mut_ptr().add(at), self) }
                }
                #[inline(always)]
                unsafe fn all(value: f32) -> Self {
                    unsafe { $all(value) }
                }
                #[inline(always)]
                unsafe fn mul_add(self, a: Self, b: Self) -> Self {
                    unsafe { $fma(a, b, self) }
                }
                #[inline(always)]
                unsafe fn add(self, other: Self) -> Self {
                    unsafe { $add(self, other) }
                }
                // both take the second operand where they cannot decide, as the trait requires
                #[inline(always)]
                unsafe fn or_greater(self, other: Self) -> Self {
                    unsafe { $max(self, other) }
                }
                #[inline(always)]
                unsafe fn or_less(self, other: Self) -> Self {
                    unsafe { $min(self, other) }
                }
                #[inline(always)]
                unsafe fn any_nan(self) -> bool {
                    unsafe { $nan(self) }
                }
            }
        };
    }

    lanes!(
        __m512,
        16,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        _mm512_fmadd_ps,
        _mm512_add_ps,
        _mm512_max_ps,
        _mm512_min_ps,
        |x| _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x) != 0
    );
    lanes!(
        __m256,
        8,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_fmadd_ps,
        _mm256_add_ps,
        _mm256_max_ps,
        _mm256_min_ps,
        |x| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_UNORD_Q>(x, x)) != 0
    );
}

/// One by one, for processors without wide instructions: exact, and slow.
#[derive(Clone, Copy)]
pub(super) struct Portable([f32; 8]);

impl Portable {
    #[inline(always)]
    fn each(self, other: Self, one: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|lane| one(self.0[lane], other.0[lane])))
    }
}

impl Lanes for Portable {
    const COUNT: usize = 8;
    #[inline(always)]
    unsafe fn load(from: &[f32], at: usize) -> Self {
        inside(from.len(), at, 8);
        Self(std::array::from_fn(|lane| unsafe { *from.get_unchecked(at + lane) }))
    }
    #[inline(always)]
    unsafe fn store(self, to: &mut [f32], at: usize) {
        inside(to.len(), at, 8);
        for lane in 0..8 {
            unsafe { *to.get_unchecked_mut(at + lane) = self.0[lane] }
        }
    }
    #[inline(always)]
    unsafe fn all(value: f32) -> Self {
        Self([value; 8])
    }
    #[inline(always)]
    unsafe fn mul_add(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|lane| a.0[lane].mul_add(b.0[lane], self.0[lane])))
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.each(other, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn or_greater(self, other: Self) -> Self {
        self.each(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    unsafe fn or_less(self, other: Self) -> Self {
        self.each(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    unsafe fn any_nan(self) -> bool {
        self.0.iter().any(|lane| lane.is_nan())
    }
}
