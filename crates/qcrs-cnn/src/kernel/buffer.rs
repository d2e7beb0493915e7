//! Numbers that begin at the start of a cache line: a wide load then never touches two lines.

use super::ValueFormat;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct CacheLine([u8; LINE]);

const LINE: usize = 64;

/// A fixed number of numbers, aligned to 64 bytes.
pub(crate) struct Buffer<N> {
    lines: Vec<CacheLine>,
    len: usize,
    of: PhantomData<N>,
}

impl<N: ValueFormat> Buffer<N> {
    /// `len` zeros.
    pub(crate) fn new(len: usize) -> Self {
        Self { lines: vec![CacheLine([0; LINE]); len.div_ceil(LINE / size_of::<N>())], len, of: PhantomData }
    }
}

impl<N: ValueFormat> Deref for Buffer<N> {
    type Target = [N];

    #[inline(always)]
    fn deref(&self) -> &[N] {
        // SAFETY: the lines have room for `len` numbers, and any bits are a number
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<N: ValueFormat> DerefMut for Buffer<N> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [N] {
        // SAFETY: as in `deref`, and they are borrowed from here alone
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}
