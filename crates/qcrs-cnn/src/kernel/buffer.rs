//! Numbers that begin where a line of the cache begins: a wide load is then never two.

use std::ops::{Deref, DerefMut};

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([f32; 16]);

/// A fixed number of f32, aligned to 64 bytes.
pub(crate) struct Buffer {
    lines: Vec<Line>,
    len: usize,
}

impl Buffer {
    /// `len` zeros.
    pub(crate) fn new(len: usize) -> Self {
        Self { lines: vec![Line([0.0; 16]); len.div_ceil(16)], len }
    }
}

impl Deref for Buffer {
    type Target = [f32];

    #[inline(always)]
    fn deref(&self) -> &[f32] {
        // SAFETY: the lines are at least `len` f32, one after the other
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Buffer {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `deref`, and they are borrowed from here alone
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}
